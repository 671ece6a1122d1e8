"""Allocations that fail: in the program itself, and in the libraries that it uses."""
import unittest

from fault_cli import COMMANDS, FaultTest, FIT, count

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
        total = self.counts(*command, FAULT_NEW_IN="own")["allocations"]
        done = 0
        for moment in self.moments(total, number):
            for times in (1, 0):
                fault = {"FAULT_NEW_IN": "own", "FAULT_NEW": moment, "FAULT_NEW_TIMES": times}
                result = self.call(*command, fault=fault)
                # A few allocations, such as those of iostream's start, can fail without harm.
                if times == 1 and result.returncode == 0:
                    continue
                self.assert_failed_cleanly(result, output, OLD, f"{name}, allocation {moment} of {total}, {times} times",
                                           says="memory")
                done += 1
        return done

    def test_allocations_of_the_program(self):
        failures = 0
        (self.dir / "out.json").write_bytes(OLD)
        failures += self.fail_own("load", LOAD, "out.json", count(500, 12))
        failures += self.fail_own("read", READ, "out.json", count(400, 12))
        failures += self.fail_own("fit", [*FIT, "-o", "out.json"], "out.json", count(400, 12))
        print(f"failed allocations of the program: {failures}")

    def test_allocations_of_the_libraries(self):
        failures = 0
        commands = dict(COMMANDS)
        commands["boosting"] = (["fit", "log.csv", "--context", "x1", "--factors", "z1", "--outcome", "y", "--method", "gbm",
                                 "--threads", "1"], "out.json")
        for name, (command, output) in commands.items():
            new = self.new_content(command, output)
            total = self.counts(*command, "-o", output, FAULT_NEW_IN="other")["allocations"]
            for moment in self.moments(total, count(40, 3)):
                (self.dir / output).write_bytes(OLD)
                fault = {"FAULT_NEW_IN": "other", "FAULT_NEW": moment, "FAULT_NEW_TIMES": 0}
                result = self.call(*command, "-o", output, fault=fault)
                what = f"{name}, allocation {moment} of {total}: {result.returncode} {result.stderr}"
                if result.returncode == 0:
                    self.assertEqual((self.dir / output).read_bytes(), new, what)
                else:
                    self.assertEqual((self.dir / output).read_bytes(), OLD, what)
                    failures += 1
            (self.dir / output).unlink()
            self.call_in(self.dir, *command, "-o", output)
            self.assertEqual(self.others(output), set(), f"{name}: leftovers")
            (self.dir / output).unlink()
        print(f"failed allocations of the libraries: {failures}")


if __name__ == "__main__":
    unittest.main()
