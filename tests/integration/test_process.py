"""The program among other processes: signals, closed and full descriptors, limits, leftovers of killed runs."""
import os
import resource
import signal
import stat
import subprocess
import time
import unittest

from otss_cli import OTSS, CliTest, is_sanitized

SMALL_FIT = ["--context", "x1,x2", "--factors", "z1,z2", "--outcome", "y", "--experts", "2", "--estimator", "map"]
ENDLESS = "SELECT count(*) AS x1, 1 AS x2, 1 AS z1, 1 AS z2, 1 AS y FROM range(1000000) a, range(1000000) b"


class Process(CliTest):
    def start(self, *args, before=None, **more):
        def prepare():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            if before:
                before()
        more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        return subprocess.Popen([OTSS, *map(str, args)], cwd=self.dir, text=True, preexec_fn=prepare, **more)

    def names(self):
        return sorted(path.name for path in self.dir.iterdir())

    def fit(self, *more, **how):
        return self.start("fit", "demo/log.csv", *SMALL_FIT, "-o", "m.json", *more, **how)

    @staticmethod
    def exit_code(process):
        process.communicate(timeout=120)
        return process.returncode

    def assert_one_line(self, process, says, code=1):
        _, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, said)
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertTrue(said.startswith("otss: error: "), said)
        self.assertIn(says, said)


class Signals(Process):
    def test_a_hangup_is_ignored_under_nohup(self):
        self.simulate(n=3000)
        process = self.fit(before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        for _ in range(3):
            time.sleep(0.05)
            process.send_signal(signal.SIGHUP)
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)
        self.ok("inspect", "m.json")

    def test_a_limit_on_file_sizes_is_a_failed_write(self):
        self.simulate()
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        self.assert_one_line(self.fit(before=limit), "limit on file sizes")
        self.fitted()
        for name in ("w.csv", "w.json", "w.parquet"):
            process = self.start("weights", "model.json", "demo/contexts.csv", "-o", name, before=limit)
            self.assert_one_line(process, f"cannot write '{name}'")
        self.assertEqual(self.names(), ["demo", "model.json"])

    def test_work_of_another_library_ends_too(self):
        self.simulate()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.fit("--query", ENDLESS)
            time.sleep(0.5)
            process.send_signal(number)
            self.assert_one_line(process, "interrupted")
        self.assertEqual(self.names(), ["demo"])

    def test_waiting_for_a_pipe_ends_too(self):
        self.fitted()
        os.mkfifo(self.dir / "in.csv")
        process = self.start("weights", "model.json", "in.csv", "-o", "w.csv")
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        self.assert_one_line(process, "interrupted")
        self.assertEqual(self.names(), ["demo", "in.csv", "model.json"])


class Outputs(Process):
    def test_a_leftover_of_a_killed_run_blocks_nothing_and_is_removed(self):
        self.simulate()
        for left in (".m.json.1-0.tmp", ".m.json.0123456789abcdef.otss-tmp"):
            self.write(left, "half")
        for number in range(3):
            # In a container every run has the same process id: all names that were made of it are taken.
            self.write(f".m.json.{os.getpid()}-{number}.tmp", "half")
        self.assertEqual(self.exit_code(self.fit()), 0)
        self.assertNotIn(".m.json.0123456789abcdef.otss-tmp", self.names())

    def test_the_mode_of_a_file_is_kept(self):
        self.simulate()
        self.write("m.json", "old")
        for mode in (0o600, 0o640, 0o666):
            (self.dir / "m.json").chmod(mode)
            self.assertEqual(self.exit_code(self.fit()), 0)
            self.assertEqual(stat.S_IMODE((self.dir / "m.json").stat().st_mode), mode)

    def test_a_dangling_link_is_followed(self):
        self.simulate()
        (self.dir / "m.json").symlink_to("later.json")
        self.assertEqual(self.exit_code(self.fit()), 0)
        self.assertTrue((self.dir / "m.json").is_symlink())
        self.ok("inspect", "later.json")

    def test_what_cannot_be_written_is_said_before_the_work(self):
        self.simulate()
        (self.dir / "m.json").symlink_to("m.json")
        # The query would work for years.
        self.assert_one_line(self.fit("--query", ENDLESS), "cannot write 'm.json': its symbolic links form a circle")

    def test_a_pipe_without_reader_is_given_up(self):
        self.fitted()
        os.mkfifo(self.dir / "out.csv")
        self.assert_one_line(self.start("weights", "model.json", "demo/contexts.csv", "-o", "out.csv"),
                             "no process reads from this pipe")

    def test_a_pipe_gets_everything(self):
        self.fitted()
        os.mkfifo(self.dir / "out.csv")
        process = self.start("weights", "model.json", "demo/contexts.csv", "-o", "out.csv")
        time.sleep(0.3)
        with open(self.dir / "out.csv") as pipe:
            received = pipe.read()
        self.assertEqual(self.exit_code(process), 0)
        self.assertEqual(received, self.ok("weights", "model.json", "demo/contexts.csv"))


class Descriptors(Process):
    def test_standard_error_that_is_closed_or_full_changes_no_exit_code(self):
        self.simulate()
        with open("/dev/full", "w") as full:
            for how in ({"stderr": full}, {"before": lambda: os.close(2)}):
                self.assertEqual(self.exit_code(self.fit(**how)), 0)
                self.ok("inspect", "m.json")
                self.assertEqual(self.exit_code(self.fit("--experts", "x", **how)), 2)
                self.assertEqual(self.exit_code(self.start("inspect", "none.json", **how)), 2)

    def test_any_closed_descriptors(self):
        self.fitted()
        whole = self.ok("weights", "model.json", "demo/contexts.csv")
        for closed in ((0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)):
            def close():
                for descriptor in closed:
                    os.close(descriptor)
            process = self.start("weights", "model.json", "demo/contexts.csv", "-o", "w.csv", before=close)
            self.assertEqual(self.exit_code(process), 0, closed)
            self.assertEqual((self.dir / "w.csv").read_text(), whole, closed)
        process = self.start("weights", "model.json", "demo/contexts.csv", before=lambda: os.close(1))
        self.assert_one_line(process, "standard output")

    def test_standard_output_that_is_full(self):
        self.fitted()
        with open("/dev/full", "w") as full:
            for command in (["version"], ["inspect", "model.json"], ["weights", "model.json", "demo/contexts.csv"]):
                self.assert_one_line(self.start(*command, stdout=full), "cannot write to standard output")


class Limits(Process):
    def test_a_query_that_takes_too_long(self):
        self.simulate()
        rest = "SELECT x1, x2, z1, z2, y FROM t UNION ALL SELECT 1, 1, 1, 1, 1 FROM range(1000000) a, range(1000000) b " \
               "WHERE a.range + b.range < 0"
        for query in (ENDLESS, rest):
            self.refused("fit", "demo/log.csv", "--query", query, "--query-seconds", 0.5, *SMALL_FIT, "-o", "m.json",
                         says=["takes longer than 0.5 seconds", "--query-seconds"], code=1)

    def test_a_query_that_needs_or_returns_too_much(self):
        self.simulate()
        sort = "SELECT x1, x2, z1, z2, y FROM t, range(10000000) ORDER BY random()"
        self.refused("fit", "demo/log.csv", "--query", sort, "--query-memory", 100, *SMALL_FIT, "-o", "m.json",
                     says=["needs more than 100 MB", "--query-memory"], code=1)
        many = "SELECT x1, x2, z1, z2, y FROM t, range(100000000)"
        self.refused("fit", "demo/log.csv", "--query", many, "--query-memory", 100, *SMALL_FIT, "-o", "m.json",
                     says=["returns more than 100 MB", "--query-memory"], code=1)

    def test_too_many_columns(self):
        names = [f"x{i}" for i in range(2001)]
        row = [",".join(str((7 * i + j * j) % 13) for j in range(2002)) for i in range(13)]
        roles = ["--context", "all", "--factors", "z", "--outcome", "y"]
        for command, num_rows in ((["check"], 13), (["fit", "--method", "linear", "-o", "m.json"], 2100)):
            self.write("wide.csv", ",".join(names) + ",z,y\n" + "".join(f"{row[i % 13]},{i % 2}\n" for i in range(num_rows)))
            self.refused(command[0], "wide.csv", *roles, *command[1:], says=["columns after encoding", "at most 2000", "name fewer columns"])

    def test_levels_near_one(self):
        self.fitted()
        for level in ("0.9999999999999999", "1", "nan"):
            self.refused("weights", "model.json", "demo/contexts.csv", "--interval", level, says="confidence level")
        self.ok("weights", "model.json", "demo/contexts.csv", "--interval", "0.999999")

    @unittest.skipIf(is_sanitized(), "sanitizers reserve far more addresses than the limit")
    def test_a_model_file_that_needs_more_memory_than_there_is(self):
        self.write("m.json", '{"format": "otss-model", "version": 2, "a": [' + ",".join(["[0,1]"] * 900_000) + "]}")
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (150 << 20, 150 << 20))
        self.assert_one_line(self.start("inspect", "m.json", before=limit), "out of memory")

    def test_a_model_file_of_too_many_small_values(self):
        self.write("m.json", '{"format": "otss-model", "version": 2, "a": [' + ",".join(["[]"] * 1_000_001) + "]}")
        self.refused("inspect", "m.json", says="too many values")


if __name__ == "__main__":
    unittest.main()
