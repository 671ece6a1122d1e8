"""Allocations that fail: in the program itself, and in the libraries that it uses."""
import unittest

from fault_cli import FIT, FaultTest, commands, count

OLD = b"the old content\n"
LOAD = ["inspect", "model.json"]
READ = [*FIT, "--dry-run"]


class Memory(FaultTest):
    def moments(self, total, number):
        """Some call numbers, among them the first and the last calls."""
        chosen = set(range(1, min(total, number // 4) + 1)) | {total}
        while len(chosen) < min(total, number):
            chosen.add(self.random.randint(1, total))
        return sorted(chosen)

    def fail_own(self, name, command, output, number):
        """Fails allocations of the program itself: one, or all from one on. Returns how many runs failed."""
        total = self.counts(*command, FAULT_NEW_IN="own")["allocations"]
        # The output may be whole already when the summary cannot be printed.
        allowed = (OLD, (self.dir / output).read_bytes())
        failures = 0
        for moment in self.moments(total, number):
            for times in (1, 0):
                (self.dir / output).write_bytes(OLD)
                fault = {"FAULT_NEW_IN": "own", "FAULT_NEW": moment, "FAULT_NEW_TIMES": times}
                done = self.call(*command, fault=fault)
                what = f"{name}, allocation {moment} of {total}, {times} times"
                if times == 1 and done.returncode == 0:  # for example a buffer for sorting, which sorts in place without it
                    continue
                if "within DuckDB" in done.stderr:
                    # DuckDB calls some functions of std::string in the program's copy: this was an allocation of DuckDB.
                    self.assertEqual(done.returncode, 1, what)
                    self.assertIn((self.dir / output).read_bytes(), allowed, what)
                    continue
                self.assert_failed_cleanly(done, output, allowed, what, says="memory")
                failures += 1
        return failures

    def test_allocations_of_the_program(self):
        failures = 0
        (self.dir / "out.json").write_bytes(OLD)
        failures += self.fail_own("load", LOAD, "out.json", count(550, 6))
        failures += self.fail_own("read", READ, "out.json", count(420, 6))
        failures += self.fail_own("fit", [*FIT, "-o", "out.json"], "out.json", count(100, 4))
        print(f"failed allocations of the program: {failures}")

    def test_allocations_of_the_libraries(self):
        failures = 0
        boosting = ["fit", "log.csv", "--context", "x1", "--factors", "z1", "--outcome", "y", "--method", "gbm", "--threads", 1]
        for name, (command, output) in {**commands(), "boosting": (boosting, "out.json")}.items():
            new = self.new_content(command, output)
            total = self.counts(*command, "-o", output, FAULT_NEW_IN="other")["allocations"]
            for moment in self.moments(total, count(40, 2)):
                (self.dir / output).write_bytes(OLD)
                fault = {"FAULT_NEW_IN": "other", "FAULT_NEW": moment, "FAULT_NEW_TIMES": self.random.choice((0, 1))}
                done = self.call(*command, "-o", output, fault=fault)
                what = f"{name}, allocation {moment} of {total}: {done.returncode} {done.stderr}"
                self.assertIn((self.dir / output).read_bytes(), (new,) if done.returncode == 0 else (OLD, new), what)
                failures += done.returncode != 0
            self.call_in(self.dir, *command, "-o", output)
            self.assertEqual(self.others(output), set(), f"{name}: leftovers")
            (self.dir / output).unlink()
        print(f"failed allocations of the libraries: {failures}")


if __name__ == "__main__":
    unittest.main()
