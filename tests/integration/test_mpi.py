"""Several processes fit one log: the model of one process, one message when something fails, and fits that continue."""
import json
import os
import signal
import subprocess
import unittest

from otss_cli import CliTest

OTSS_MPI = os.environ.get("OTSS_MPI", "otss-mpi")
CONTEXTS = "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10"
FACTORS = "z1,z2,z3,z4,z5,z6,z7,z8"
ROLES = ("--context", CONTEXTS, "--factors", FACTORS, "--outcome", "y")
FAST = ("--experts", "2", "--restarts", "1")


class Mpi(CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism", "none"]

    def setUp(self):
        super().setUp()
        self.ok("simulate", "overlap", "--n", 110000, "--seed", 5, "-o", "demo")
        self.ok("fit", "demo/test.csv", "--context", "x1", "--factors", "z1", "--outcome", "y", "--method", "pooled", "-o", "any.json")
        # `weights` copies the columns that it keeps, so it can turn a CSV file into a Parquet file.
        self.ok("weights", "any.json", "demo/log.csv", "--keep", f"{CONTEXTS},{FACTORS},y", "-o", "log.parquet")

    def run_ranks(self, number, *args):
        return subprocess.run([*self.mpirun, "-n", str(number), OTSS_MPI, *map(str, args)], cwd=self.dir, capture_output=True,
                              text=True, timeout=600)

    def fit_with(self, number, *options):
        done = self.run_ranks(number, "fit", "log.parquet", *ROLES, *FAST, *options, "-o", "ranks.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.dir / "ranks.json").read_text()

    def errors(self, done):
        return [line for line in done.stderr.splitlines() if line.startswith("otss: error: ")]

    def test_the_model_is_that_of_one_process_for_any_number_of_ranks(self):
        self.ok("fit", "log.parquet", *ROLES, *FAST, "-o", "one.json")
        alone = json.loads((self.dir / "one.json").read_text())
        together = self.fit_with(2)
        self.assertEqual(self.fit_with(3), together)
        shared = json.loads(together)
        for model in (alone, shared):  # only `otss fit` looks for problems of the log
            model.pop("checksum")
            model["provenance"].pop("findings", None)
        self.assertEqual(shared, alone)

    def test_a_fit_continues_after_a_rank_was_killed(self):
        undisturbed = self.fit_with(2)
        (self.dir / "ranks.json").unlink()
        fit = subprocess.Popen([*self.mpirun, "-n", "2", OTSS_MPI, "fit", "log.parquet", *ROLES, *FAST, "--checkpoint", "passes",
                                "-o", "ranks.json"], cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while fit.poll() is None and not (self.dir / "passes").exists():
            pass
        children = subprocess.run(["pgrep", "-P", str(fit.pid), "-f", "otss-mpi"], capture_output=True, text=True).stdout.split()
        if children:
            os.kill(int(children[-1]), signal.SIGKILL)
        _, stderr = fit.communicate()
        if children:
            self.assertNotEqual(fit.returncode, 0)
            self.assertIn("Killed", stderr)
            self.assertFalse((self.dir / "ranks.json").exists())
        self.assertEqual(self.fit_with(2, "--checkpoint", "passes"), undisturbed)
        self.assertFalse((self.dir / "passes").exists())

    def test_an_error_is_one_line(self):
        for options, says in ((("none.parquet", *ROLES), "none.parquet"), (("demo/log.csv", *ROLES), "Parquet"),
                              (("log.parquet", *ROLES, "--gate", "mlp"), "--gate mlp needs all rows in one process"),
                              (("log.parquet", *ROLES, "--group", "x1"), "--group"),
                              (("log.parquet", *ROLES, "--experts", "0"), "--experts")):
            done = self.run_ranks(2, "fit", *options, "-o", "ranks.json")
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(len(self.errors(done)), 1, done.stderr)
            self.assertIn(says, self.errors(done)[0])

    def test_a_checkpoint_of_another_fit_is_refused(self):
        (self.dir / "passes").write_bytes(b"something else")
        done = self.run_ranks(2, "fit", "log.parquet", *ROLES, *FAST, "--checkpoint", "passes", "-o", "ranks.json")
        self.assertEqual(len(self.errors(done)), 1, done.stderr)
        self.assertIn("not a checkpoint of otss", self.errors(done)[0])

    def test_the_program_otss_does_not_need_mpi(self):
        libraries = subprocess.run(["ldd", os.environ["OTSS"]], capture_output=True, text=True).stdout
        self.assertNotIn("libmpi", libraries)


if __name__ == "__main__":
    unittest.main()
