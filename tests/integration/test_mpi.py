"""Several processes share a table or a study: the results of one process, one message when something fails, and fits that continue."""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

from otss_cli import OTSS, CliTest

OTSS_MPI = os.environ.get("OTSS_MPI", "otss-mpi")
FAULT_LIBRARY = os.environ.get("OTSS_FAULT_LIBRARY", "")
CONTEXTS = "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10"
FACTORS = "z1,z2,z3,z4,z5,z6,z7,z8"
ROLES = ("--context", CONTEXTS, "--factors", FACTORS, "--outcome", "y")
FAST = ("--experts", "2", "--restarts", "1")
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism", "none"]
RANKS = (2, 3)


class MpiTest(CliTest):
    """A folder with a large log, as a Parquet file and as CSV files, and a model of it; the folder is made once."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.inputs = pathlib.Path(holder.name)

        def otss(*args):
            subprocess.run([OTSS, *map(str, args)], cwd=cls.inputs, check=True, capture_output=True, timeout=600)

        otss("simulate", "overlap", "--n", 110000, "--seed", 5, "-o", "demo")
        otss("fit", "demo/test.csv", *ROLES, *FAST, "--estimator", "map", "-o", "model.json")
        # `weights` copies the columns that it keeps, so it can turn a CSV file into a Parquet file.
        otss("weights", "model.json", "demo/log.csv", "--keep", f"{CONTEXTS},{FACTORS},y", "-o", "log.parquet")
        lines = (cls.inputs / "demo/log.csv").read_text().splitlines()
        # The column `kind` looks like a number until the middle of the second file.
        rows = [f"{row},{i % 3},{i % 700}" if i < 50000 else f"{row},{'ab'[i % 2]},{i % 700}" for i, row in enumerate(lines[1:])]
        for name, first, last in (("part1.csv", 0, 30001), ("part2.csv", 30001, 90010), ("part3.csv", 90010, len(rows))):
            (cls.inputs / name).write_text("\n".join([f"{lines[0]},kind,person", *rows[first:last]]) + "\n")
        for stem in ("test", "contexts"):
            lines = (cls.inputs / f"demo/{stem}.csv").read_text().splitlines()
            for number, (first, last) in enumerate(((1, 800), (800, 2100), (2100, len(lines)))):
                (cls.inputs / f"{stem}{number}.csv").write_text("\n".join([lines[0], *lines[first:last]]) + "\n")

    def setUp(self):
        super().setUp()
        for path in self.inputs.iterdir():
            (self.dir / path.name).symlink_to(path)

    def run_ranks(self, number, *args):
        return subprocess.run([*MPIRUN, "-n", str(number), OTSS_MPI, *map(str, args)], cwd=self.dir, capture_output=True,
                              text=True, timeout=600)

    def ok_with(self, number, *args):
        done = self.run_ranks(number, *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def errors(self, done):
        return [line for line in done.stderr.splitlines() if line.startswith("otss: error: ")]

    def refused_with(self, number, *args, says):
        done = self.run_ranks(number, *args)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(self.errors(done)), 1, done.stderr)
        for text in says:
            self.assertIn(text, self.errors(done)[0])

    def content(self, name):
        return (self.dir / name).read_bytes()


class Fit(MpiTest):
    def fit_with(self, number, *options, log="log.parquet", roles=ROLES):
        self.ok_with(number, "fit", log, *roles, *FAST, *options, "-o", "ranks.json")
        return (self.dir / "ranks.json").read_text()

    def assert_is_that_of_one_process(self, log, roles):
        self.ok("fit", log, *roles, *FAST, "-o", "one.json")
        alone = json.loads(self.content("one.json"))
        together = self.fit_with(2, log=log, roles=roles)
        self.assertEqual(self.fit_with(3, log=log, roles=roles), together)
        shared = json.loads(together)
        for model in (alone, shared):  # only `otss fit` looks for problems of the log
            model.pop("checksum")
            model["provenance"].pop("findings", None)
        self.assertEqual(shared, alone)

    def test_the_model_is_that_of_one_process_for_any_number_of_ranks(self):
        self.assert_is_that_of_one_process("log.parquet", ROLES)

    def test_the_model_is_the_same_for_any_number_of_threads(self):
        self.assertEqual(self.fit_with(2, "--threads", 3), self.fit_with(2, "--threads", 1))

    def test_csv_files_give_the_model_of_one_process(self):
        self.assert_is_that_of_one_process("part?.csv", ("--context", "x1,x2,kind", *ROLES[2:]))

    def watched(self, number, *options, launch=()):
        """Runs a fit. Returns, for each rank, the most threads it had, the cores it may use, and how often it slept."""
        job = subprocess.Popen([*MPIRUN, *launch, "-n", str(number), OTSS_MPI, "fit", "log.parquet", *ROLES, *options, "-o", "ranks.json"],
                               cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        seen = {}
        while job.poll() is None:
            for rank, folder in self.ranks_of(job):
                try:
                    threads = len(os.listdir(folder / "task"))
                    sleeps = re.search(r"^voluntary_ctxt_switches:\s*(\d+)", (folder / "status").read_text(), re.M)
                    cores = os.sched_getaffinity(int(folder.name))
                except OSError:  # the rank has just ended
                    continue
                seen[rank] = (max(threads, seen.get(rank, (0,))[0]), cores, int(sleeps[1]))
            time.sleep(.005)
        self.assertEqual(job.returncode, 0, job.stderr.read())
        job.stderr.close()
        return [seen[rank] for rank in range(number)]

    @staticmethod
    def ranks_of(mpirun):
        """The running ranks of a job: the number and the folder below /proc of each."""
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(mpirun.pid)], capture_output=True, text=True).stdout
        for folder in (pathlib.Path("/proc", pid) for pid in listed.split()):
            try:
                variables = dict(text.split("=", 1) for text in (folder / "environ").read_text().split("\0") if "=" in text)
            except OSError:
                continue
            if "OMPI_COMM_WORLD_RANK" in variables:
                yield int(variables["OMPI_COMM_WORLD_RANK"]), folder

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is only one core")
    def test_rank_0_uses_the_cores_of_the_ranks_that_wait(self):
        (threads, cores, sleeps), (other_threads, other_cores, other_sleeps) = self.watched(2)
        self.assertGreater(threads, other_threads)
        self.assertGreaterEqual(cores, other_cores)
        self.assertGreaterEqual(len(cores), 2)
        self.assertGreater(other_sleeps, 2 * sleeps)  # again and again, while rank 0 chooses

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is only one core")
    def test_a_rank_uses_its_share_of_the_cores(self):
        [(bound, *_)] = self.watched(1, launch=("--bind-to", "core"))
        [(free, *_)] = self.watched(1, launch=("--bind-to", "none"))
        self.assertGreater(free, bound)

    def test_the_summary_is_that_of_one_process(self):
        alone = self.json("fit", "log.parquet", *ROLES, *FAST, "-o", "one.json")
        together = json.loads(self.ok_with(2, "fit", "log.parquet", *ROLES, *FAST, "--json", "-o", "ranks.json").stdout)
        self.assertEqual(together.pop("ranks"), 2)
        for name in ("seconds", "missing_term", "not_identified"):  # only `otss fit` looks for problems of the log
            alone.pop(name), together.pop(name, None)
        self.assertEqual(together, alone)

    def test_the_program_says_its_version(self):
        self.assertRegex(self.ok_with(1, "--version").stdout, r"^otss-mpi \d+\.\d+")

    def test_ranks_share_the_gpus_or_say_that_there_is_none(self):
        gpu = json.loads(self.ok("version", "--json"))["gpu"]
        if gpu.startswith("none"):
            self.refused_with(2, "fit", "log.parquet", *ROLES, *FAST, "--device", "cuda", "-o", "ranks.json",
                              says=["rank 0: --device cuda: ", "use --device cpu"])
            return
        experts = [json.loads(self.fit_with(2, *options))["experts"] for options in ((), ("--device", "cuda"))]
        self.assertEqual(self.fit_with(2, "--device", "cuda"), self.fit_with(2, "--device", "cuda"))
        for ours, theirs in zip(*experts):
            for factor, weight in ours.items():
                self.assertAlmostEqual(weight, theirs[factor], delta=1e-5)

    def stopped_ranks(self, mpirun):
        """Waits until a rank has stopped. Returns the stopped ranks and the running ones."""
        for _ in range(6000):
            self.assertIsNone(mpirun.poll(), "the job ended before a checkpoint was written")
            found = {"T": [], "other": []}
            listed = subprocess.run(["ps", "-o", "pid=,stat=,comm=", "--ppid", str(mpirun.pid)], capture_output=True, text=True).stdout
            for pid, state, name in (line.split(None, 2) for line in listed.splitlines()):
                if name.strip() == "otss-mpi":
                    found["T" if state.startswith("T") else "other"].append(int(pid))
            if found["T"]:
                return found["T"], found["other"]
            time.sleep(.02)
        self.fail("no rank has stopped")

    @unittest.skipUnless(FAULT_LIBRARY, "a program with sanitizers cannot load the library that stops it")
    def test_a_fit_continues_after_a_rank_was_killed(self):
        undisturbed = self.fit_with(2)
        (self.dir / "ranks.json").unlink()
        # Rank 0 stops when it has written the checkpoint of its third pass. Then the other rank is killed.
        fit = subprocess.Popen([*MPIRUN, "-x", f"LD_PRELOAD={FAULT_LIBRARY}", "-x", "FAULT_STOP_AFTER=passes", "-n", "2", OTSS_MPI, "fit",
                                "log.parquet", *ROLES, *FAST, "--checkpoint", "passes", "-o", "ranks.json"],
                               cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        stopped, running = self.stopped_ranks(fit)
        self.assertEqual((len(stopped), len(running)), (1, 1))
        self.assertTrue((self.dir / "passes").exists())
        os.kill(running[0], signal.SIGKILL)
        _, stderr = fit.communicate(timeout=120)
        self.assertNotEqual(fit.returncode, 0)
        self.assertIn("signal 9 (Killed)", stderr)
        self.assertFalse((self.dir / "ranks.json").exists())
        resumed = self.ok_with(2, "fit", "log.parquet", *ROLES, *FAST, "--checkpoint", "passes", "-o", "ranks.json")
        self.assertIn("otss: note: passes: the fit continues behind pass 3 over the rows", resumed.stderr)
        self.assertEqual((self.dir / "ranks.json").read_text(), undisturbed)
        self.assertFalse((self.dir / "passes").exists())

    def test_a_checkpoint_of_another_fit_is_refused(self):
        (self.dir / "passes").write_bytes(b"something else")
        self.refused_with(2, "fit", "log.parquet", *ROLES, *FAST, "--checkpoint", "passes", "-o", "ranks.json",
                          says=["not a checkpoint of otss"])

    def test_an_error_is_one_line(self):
        for options, says in ((("none.parquet", *ROLES), "none.parquet"), (("log.parquet", *ROLES, "--experts", "0"), "--experts"),
                              (("log.parquet", *ROLES, "-o", "nowhere/ranks.json"), "there is no folder nowhere"),
                              (("log.parquet", *ROLES, "--query", "SELECT * FROM t"), "without --query"),
                              (("log.parquet", *ROLES, "--unit", "x1"), "--unit needs all rows in one process"),
                              (("log.parquet", *ROLES, "--group", "x1"), "--group cannot be used with several ranks"),
                              (("log.parquet", *ROLES, "--time", "x1"), "--time cannot be used with several ranks"),
                              (("log.parquet", *ROLES, "--gate", "mlp"), "--gate mlp needs all rows in one process"),
                              (("log.parquet", *ROLES, "--method", "em"), "--method em needs all rows in one process")):
            self.refused_with(2, "fit", *options, *(() if "-o" in options else ("-o", "ranks.json")), says=[says])

    def test_the_program_otss_does_not_need_mpi(self):
        libraries = subprocess.run(["ldd", OTSS], capture_output=True, text=True).stdout
        self.assertNotIn("libmpi", libraries)


class Serve(MpiTest):
    def assert_same_output(self, *args, file):
        """Several ranks must write the file and print the text that one process does."""
        said = self.otss(*args, "-o", f"one-{file}")
        self.assertEqual(said.returncode, 0, said.stderr)
        for number in RANKS:
            done = self.ok_with(number, *args, "-o", file)
            self.assertEqual(self.content(file), self.content(f"one-{file}"))
            self.assertEqual((done.stdout, done.stderr), (said.stdout, said.stderr))

    def test_weights_are_those_of_one_process(self):
        for contexts, file in (("contexts?.csv", "w.csv"), ("demo/contexts.csv", "w.json"), ("contexts?.csv", "w.parquet")):
            self.assert_same_output("weights", "model.json", contexts, "--interval", 0.9, "--gate", "--keep", "x1", "--json", file=file)
        self.assert_same_output("weights", "model.json", "log.parquet", file="w.csv")

    def test_decisions_are_those_of_one_process(self):
        library = ("--library", "demo/library.csv", "--id", "id")
        self.assert_same_output("decide", "model.json", "contexts?.csv", *library, "--certify", 0.9, "--top", 2, "--json", file="d.csv")
        self.assert_same_output("decide", "model.json", "contexts?.csv", *library, "--explain", file="d.parquet")

    def test_decisions_from_candidates_are_those_of_one_process(self):
        contexts = self.rows("demo/contexts.csv")[:9]
        self.write("few.csv", "\n".join(["id," + ",".join(contexts[0]), *(f"c{i}," + ",".join(row.values()) for i, row in enumerate(contexts))]) + "\n")
        offers = [f"c{i},{d},{','.join(str((i * d * j) % 7) for j in range(1, 9))}" for i in range(12) for d in (1, 2, 3)]
        self.write("candidates.csv", "\n".join([f"id,offer,{FACTORS}", *offers]) + "\n")
        args = ("decide", "model.json", "few.csv", "--candidates", "candidates.csv", "--context-id", "id", "--id", "offer")
        self.assert_same_output(*args, file="d.json")
        self.assertIn("9 rows of --candidates were ignored", self.ok_with(2, *args, "-o", "d.json").stderr)

    def test_evaluations_are_those_of_one_process(self):
        truth = ("--truth", "demo/truth.csv", "--library", "demo/library.csv", "--id", "id")
        for args in (("demo/test.csv",), ("test?.csv", *truth), ("part?.csv", "--group", "person"), ("part1.csv", "--segments", "kind")):
            for json_too in ((), ("--json",)):
                said = self.otss("evaluate", "model.json", *args, *json_too)
                self.assertEqual(said.returncode, 0, said.stderr)
                for number in RANKS:
                    done = self.ok_with(number, "evaluate", "model.json", *args, *json_too)
                    self.assertEqual((done.stdout, done.stderr), (said.stdout, said.stderr))

    def test_what_ranks_cannot_do_is_refused_by_name(self):
        library = ("--library", "demo/library.csv", "--id", "id")
        self.write("c.json", json.dumps(self.rows("demo/contexts.csv")[:9]))
        for args, says in ((("weights", "model.json", "c.json", "-o", "w.csv"), "only CSV and Parquet files"),
                           (("decide", "model.json", "demo/contexts.csv", "--mps", "plan.lp", "--factor-map", "m.csv", "-o", "d.csv"), "--mps"),
                           (("evaluate", "model.json", "demo/test.csv", *library, "--propensity", "y", "--decision", "y"), "--propensity")):
            self.refused_with(2, *args, says=[says])
        header, first = (self.inputs / "demo/contexts.csv").read_text().splitlines()[:2]
        self.write("one.csv", f"{header}\n{first}\n")
        self.refused_with(2, "weights", "model.json", "one.csv", "-o", "w.csv", says=["one.csv", "at most 1 ranks"])
        self.assertFalse((self.dir / "w.csv").exists())

    def test_a_study_is_that_of_one_process(self):
        for number in RANKS:
            self.ok_with(number, "study", "rates", "--seeds", 4, "--first-seed", 900, "-o", f"of{number}")
        self.ok("study", "rates", "--seeds", 4, "--first-seed", 900, "-o", "one")
        for name in ("results.csv", "results.json", "rates.svg"):  # table.md says how long it took
            for number in RANKS:
                self.assertEqual(self.content(f"of{number}/rates/{name}"), self.content(f"one/rates/{name}"))
        # A study continues: with more seeds only the new ones are run.
        before = self.content("of2/rates/journal.jsonl")
        self.ok_with(2, "study", "rates", "--seeds", 5, "--first-seed", 900, "-o", "of2")
        self.assertTrue(self.content("of2/rates/journal.jsonl").startswith(before))


if __name__ == "__main__":
    unittest.main()
