"""Full disks and failing syncs, at every stage of every output."""
import unittest

from fault_cli import FaultTest, commands, count, results_in

OLD = b"the old content\n"


class Writes(FaultTest):
    def test_a_disk_that_is_full_after_some_bytes(self):
        failures = 0
        for name, (command, output) in commands().items():
            new = self.new_content(command, output)
            total = self.counts(*command, "-o", output)["bytes"]
            self.assertGreaterEqual(total, len(new))
            for _ in range(count(70, 2)):
                (self.dir / output).write_bytes(OLD)
                after = self.random.randrange(total)
                done = self.call(*command, "-o", output, fault={"FAULT_DISK_BYTES": after})
                self.assert_failed_cleanly(done, output, (OLD,), f"{name}, full after {after} of {total} bytes",
                                           says="cannot write")
                failures += 1
            (self.dir / output).unlink()
        print(f"full disks: {failures}")

    def test_a_sync_that_fails(self):
        for name, (command, output) in commands().items():
            (self.dir / output).write_bytes(OLD)
            syncs = self.counts(*command, "-o", output)["syncs"]
            self.assertGreaterEqual(syncs, 1, name)
            for number in range(1, syncs + 1):
                (self.dir / output).write_bytes(OLD)
                done = self.call(*command, "-o", output, fault={"FAULT_SYNC": number})
                self.assert_failed_cleanly(done, output, (OLD,), f"{name}, sync {number}", says="cannot write")
            (self.dir / output).unlink()

    def test_a_journal_on_a_full_disk_can_be_continued(self):
        study = ["study", "rates", "--seeds", count(3, 1), "--threads", 1]
        self.call_in(self.dir, *study, "-o", "whole")
        whole = results_in(self.dir / "whole/rates")
        total = sum(path.stat().st_size for path in (self.dir / "whole/rates").iterdir())
        for number in range(count(30, 2)):
            folder = f"study-{number}"
            after = self.random.randrange(total)
            done = self.call(*study, "-o", folder, fault={"FAULT_DISK_BYTES": after})
            self.assertEqual(done.returncode, 1, f"full after {after} of {total}: {done.stderr}")
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.call_in(self.dir, *study, "-o", folder)
            parts = results_in(self.dir / folder / "rates")
            self.assertEqual(parts, whole, f"full after {after} of {total}")


if __name__ == "__main__":
    unittest.main()
