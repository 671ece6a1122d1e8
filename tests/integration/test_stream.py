"""Tables that are larger than memory: fits whose encoded rows are on disk, and the memory of an evaluation."""
import json
import os
import resource
import signal
import subprocess
import unittest

from otss_cli import OTSS, CliTest, is_sanitized

ROLES = ("--context", "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10", "--factors", "z1,z2,z3,z4,z5,z6,z7,z8", "--outcome", "y")


class Stream(CliTest):
    def setUp(self):
        super().setUp()
        self.simulate(n=600)

    def model(self, *options, log="demo/log.csv"):
        self.ok("fit", log, *ROLES, *options, "-o", "m.json")
        return (self.dir / "m.json").read_text()

    def test_the_model_of_a_small_log_has_the_same_bytes(self):
        fast = ("--estimator", "map", "--experts", 2)
        self.assertEqual(self.model(*fast, "--stream"), self.model(*fast))

    def test_texts_weights_and_groups_are_streamed_too(self):
        rows = self.rows("demo/log.csv")
        names = list(rows[0])
        lines = [",".join([*names, "region", "household", "w"])]
        for i, row in enumerate(rows):
            region = ("", "north", "south", "west")[i % 4]
            lines.append(",".join([*row.values(), region, str(i // 3), str(1 + i % 2)]))
        self.write("log.csv", "\n".join(lines) + "\n")
        options = ("--estimator", "map", "--experts", 2, "--group", "household", "--weight", "w")
        roles = ("--context", "x1,x2,region", *ROLES[2:])
        texts = []
        for more in ((), ("--stream",), ("--scratch", "rows.tmp"), ("--scratch", "rows.tmp")):
            self.ok("fit", "log.csv", *roles, *options, *more, "-o", "m.json")
            texts.append((self.dir / "m.json").read_text())
        self.assertEqual(texts, [texts[0]] * 4)

    def test_the_model_of_a_large_log_has_the_same_bytes(self):
        self.ok("simulate", "overlap", "--n", 210000, "--seed", 5, "-o", "large")
        options = ("--experts", 2, "--restarts", 1, "--profile", "--json")
        self.ok("fit", "large/log.csv", *ROLES, *options, "-o", "memory.json")
        self.ok("fit", "large/log.csv", *ROLES, *options, "--stream", "-o", "stream.json")
        self.assertEqual((self.dir / "stream.json").read_text(), (self.dir / "memory.json").read_text())

    def test_nothing_is_left_on_the_disk(self):
        before = sorted(os.listdir(self.dir))
        self.model("--stream", "--experts", 1)
        self.assertEqual(sorted(os.listdir(self.dir)), sorted([*before, "m.json"]))

    def test_nothing_is_left_when_the_program_is_killed(self):
        self.simulate(n=40000)
        before = sorted(os.listdir(self.dir))
        fit = subprocess.Popen([OTSS, "fit", "demo/log.csv", *ROLES, "--stream", "-o", "m.json"], cwd=self.dir,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while fit.poll() is None and not self.has_nameless_file(fit.pid):
            pass
        fit.send_signal(signal.SIGKILL)
        self.assertEqual(fit.wait(), -signal.SIGKILL)
        self.assertEqual(sorted(os.listdir(self.dir)), before)

    def has_nameless_file(self, pid):
        folder = f"/proc/{pid}/fd"
        try:
            targets = [os.readlink(f"{folder}/{name}") for name in os.listdir(folder)]
        except OSError:
            return False
        return any(target.startswith(str(self.dir)) and target.endswith("(deleted)") for target in targets)

    def test_a_scratch_file_is_used_again(self):
        first = self.model("--experts", 1, "--scratch", "rows.tmp")
        done = self.otss("fit", "demo/log.csv", *ROLES, "--experts", 1, "--scratch", "rows.tmp", "-o", "m.json")
        self.assertIn("the log is not read again", done.stderr)
        self.assertEqual((self.dir / "m.json").read_text(), first)

    def test_a_scratch_file_of_another_log_is_refused(self):
        self.model("--experts", 1, "--scratch", "rows.tmp")
        os.utime(self.dir / "demo/log.csv", (1, 1))
        self.refused("fit", "demo/log.csv", *ROLES, "--scratch", "rows.tmp", "-o", "m.json",
                     says=["rows.tmp", "made from another table", "remove the file"])
        self.refused("fit", "demo/test.csv", *ROLES, "--scratch", "rows.tmp", "-o", "m.json", says="made from another table")

    def test_a_damaged_scratch_file_is_refused(self):
        self.model("--experts", 1, "--scratch", "rows.tmp")
        path = self.dir / "rows.tmp"
        whole = path.read_bytes()
        args = ("fit", "demo/log.csv", *ROLES, "--scratch", "rows.tmp", "-o", "m.json")
        for place in (0, len(whole) // 2, len(whole) - 100):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1:])
            self.refused(*args, says=["rows.tmp", "damaged", "remove the file"])
        path.write_bytes(whole[:-10])
        self.refused(*args, says="this is not a scratch file of otss")
        path.write_bytes(b"")
        self.refused(*args, says="this is not a scratch file of otss")

    def test_a_file_that_cannot_grow_is_one_line(self):
        limited = subprocess.run([OTSS, "fit", "demo/log.csv", *ROLES, "--stream", "-o", "m.json"], cwd=self.dir, text=True,
                                 capture_output=True, restore_signals=False,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertEqual(limited.returncode, 1, limited.stderr)
        self.assertEqual(len(limited.stderr.splitlines()), 1, limited.stderr)
        self.assertIn("cannot write the scratch file: File too large", limited.stderr)
        self.refused("fit", "demo/log.csv", *ROLES, "--scratch", "/proc/rows.tmp", "-o", "m.json", code=1,
                     says=["/proc", "cannot write the scratch file", "--scratch FILE"])

    def test_what_needs_all_rows_in_memory_is_refused_by_name(self):
        for options in (("--unit", "decision"), ("--gate", "mlp"), ("--gate", "quadratic"), ("--method", "gbm"), ("--method", "em"),
                        ("--estimator", "bayes"), ("--terms", "squares")):
            self.refused("fit", "demo/log.csv", *ROLES, *options, "--stream", "-o", "m.json",
                         says=[options[0], "needs all rows in memory", "--stream"])

    def test_the_memory_is_checked(self):
        self.refused("fit", "demo/log.csv", *ROLES, "--stream", "--memory", "1MB", "-o", "m.json",
                     says=["--memory 1MB", "rows need about", "give --memory"])
        self.refused("fit", "demo/log.csv", *ROLES, "--stream", "--memory", "much", "-o", "m.json", says=["--memory much", "4GB"])

    def test_a_table_that_would_fill_the_memory_is_streamed(self):
        # The check of the memory shows that the rows were streamed.
        self.refused("fit", "demo/log.csv", *ROLES, "--memory", "0.1MB", "-o", "m.json", says="rows need about")
        profile = json.loads(self.ok("fit", "demo/log.csv", *ROLES, "--experts", 1, "--memory", "900MB", "--json", "-o", "m.json"))
        self.assertEqual(profile["rows"], 600)


@unittest.skipIf(is_sanitized(), "sanitizers keep memory of their own")
class MemoryOfARow(CliTest):
    TEST_ROWS = 3000  # of the simulated test table

    def peak_bytes(self, command, copies):
        """The most memory that a command takes for so many copies of the test table."""
        name, *more = command
        process = subprocess.Popen([OTSS, name, "model.json", "demo/test.csv", "--query", f"SELECT t.* FROM t, range({copies})", *more],
                                   cwd=self.dir, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return 1024 * used.ru_maxrss

    def bytes_per_row(self, *command):
        self.fitted()
        few, many = 100, 700
        return (self.peak_bytes(command, many) - self.peak_bytes(command, few)) / (self.TEST_ROWS * (many - few))

    def test_is_small_in_evaluate(self):
        self.assertLess(self.bytes_per_row("evaluate", "--json"), 50)

    def test_is_not_kept_for_a_parquet_file(self):
        # A row of the file has 64 bytes. With more threads, DuckDB reads ahead by up to 24 MB per thread.
        self.assertLess(self.bytes_per_row("weights", "--threads", "1", "-o", "w.parquet"), 8)


if __name__ == "__main__":
    unittest.main()
