"""What the fault tests share: commands with outputs of every format, and what must hold after any fault.

After a fault every output is the old file or the whole new one. A program that could end by itself leaves no other file
and says what happened in one line; a killed one may leave hidden files, which the next run removes.

OTSS_FAULTS=large runs the large counts (./dev faults); otherwise each test takes seconds."""
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

OTSS = os.environ["OTSS"]
LIBRARY = os.environ["OTSS_FAULT_LIBRARY"]
IS_LARGE = os.environ.get("OTSS_FAULTS") == "large"
ROLES = ["--context", "x1,x2", "--factors", "z1,z2,z3,z4,z5,z6,z7,z8", "--outcome", "y"]
FIT = ["fit", "log.csv", *ROLES, "--experts", "2", "--estimator", "map", "--threads", "1"]
PLAN = """Maximize
 none: 0 a
Subject To
 size: 3 a + 2 b + 4 c + d <= 6
Binaries
 a b c d
End
"""
MAP = "variable,factor,coefficient\na,z1,2\nb,z2,3\nc,z3,1.5\nd,z4,2\n"
SERVED = ["model.json", "contexts.csv"]
LIBRARY_OF_DECISIONS = ["--library", "library.csv", "--id", "id"]
# Each command, with the file that it writes.
COMMANDS = {
    "fit": (FIT, "out.json"),
    "weights to CSV": (["weights", *SERVED], "out.csv"),
    "weights to Parquet": (["weights", *SERVED], "out.parquet"),
    "decide to CSV": (["decide", *SERVED, *LIBRARY_OF_DECISIONS, "--explain"], "out.csv"),
    "decide to JSON": (["decide", *SERVED, *LIBRARY_OF_DECISIONS], "out.json"),
    "decide to Parquet": (["decide", *SERVED, *LIBRARY_OF_DECISIONS], "out.parquet"),
    "decide with a plan": (["decide", "model.json", "few.csv", "--mps", "plan.lp", "--factor-map", "map.csv"], "out.csv"),
    "export to CSV": (["export-objective", *SERVED, "--factor-map", "map.csv"], "out.csv"),
}

FEW = ("fit", "decide to CSV", "decide to JSON", "decide to Parquet")


def commands():
    """Every command with its output; without OTSS_FAULTS=large, one per format."""
    return {name: command for name, command in COMMANDS.items() if IS_LARGE or name in FEW}


def count(large, small):
    return large if IS_LARGE else small


def results_in(folder):
    """What a study found. Other files, and a line of its table, say how long it took."""
    table = (folder / "table.md").read_text().splitlines()
    found = {path.name: path.read_bytes() for path in folder.iterdir() if path.name.startswith("results.") or path.suffix == ".svg"}
    return {**found, "table.md": [line for line in table if not line.startswith("The study took")]}


class FaultTest(unittest.TestCase):
    inputs = None  # a folder with the inputs of all commands, made once

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.inputs = pathlib.Path(holder.name)
        cls.call_in(cls.inputs, "simulate", "overlap", "--n", 400, "--seed", 3, "-o", "demo")
        for name in ("log.csv", "contexts.csv", "library.csv"):
            shutil.move(cls.inputs / "demo" / name, cls.inputs / name)
        shutil.rmtree(cls.inputs / "demo")
        lines = (cls.inputs / "contexts.csv").read_text().splitlines(keepends=True)
        (cls.inputs / "few.csv").write_text("".join(lines[:21]))
        (cls.inputs / "plan.lp").write_text(PLAN)
        (cls.inputs / "map.csv").write_text(MAP)
        cls.call_in(cls.inputs, *FIT, "-o", "model.json")

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.dir = pathlib.Path(holder.name)
        for path in self.inputs.iterdir():
            shutil.copy(path, self.dir)
        self.random = random.Random(self.id())

    @staticmethod
    def call_in(folder, *args, fault=None, check=True):
        environment = dict(os.environ)
        if fault is not None:
            environment.update({"LD_PRELOAD": LIBRARY, **{name: str(value) for name, value in fault.items()}})
        done = subprocess.run([OTSS, *map(str, args)], cwd=folder, capture_output=True, text=True, env=environment, timeout=300)
        if check and done.returncode != 0:
            raise AssertionError(done.stderr)
        return done

    def call(self, *args, **more):
        return self.call_in(self.dir, *args, check=False, **more)

    def new_content(self, command, output):
        """What the command writes without a fault."""
        self.call_in(self.dir, *command, "-o", output)
        content = (self.dir / output).read_bytes()
        self.assertEqual(self.others(output), set())
        return content

    def counts(self, *args, **more):
        """How many bytes, syncs and allocations the command has without a fault."""
        self.call_in(self.dir, *args, fault={"FAULT_COUNTS": self.dir / "counts", **more})
        numbers = (self.dir / "counts").read_text().split()
        (self.dir / "counts").unlink()
        return dict(zip(("bytes", "syncs", "allocations"), map(int, numbers)))

    def others(self, output):
        """The files that are neither inputs nor the output."""
        return {path.name for path in self.dir.iterdir()} - {path.name for path in self.inputs.iterdir()} - {output}

    def assert_failed_cleanly(self, done, output, allowed, what, says=None, code=1):
        """One line, no other file, and one of the allowed contents."""
        self.assertEqual(done.returncode, code, f"{what}: {done.stderr}")
        lines = [line for line in done.stderr.splitlines() if not line.startswith("otss: note:")]
        self.assertEqual(len(lines), 1, f"{what}: {done.stderr}")
        self.assertTrue(lines[0].startswith("otss: error: "), f"{what}: {lines[0]}")
        if says:
            self.assertIn(says, lines[0], what)
        self.assertIn((self.dir / output).read_bytes(), allowed, what)
        self.assertEqual(self.others(output), set(), what)
