"""Every numeric option, given numbers that are none, too large, too small or almost 1: refused with one line that names the option,
or accepted with an output in which every number is finite."""
import csv
import io
import json
import math
import subprocess
import unittest

import catalogue_files
from otss_cli import OTSS

ODD = ["nan", "-nan", "inf", "-inf", "1e308", "-1e308", "1e999", "0.9999999999999999", "5e-324", "1e-310", "-0", "1e-17", "0x1p-3", ""]
FIT = "fit log.csv --context age,region --factors price,health --outcome y -o out.json"
DECIDE = "decide m.json c.csv --library lib.csv --id id -o out.csv"
PLAN = "decide m.json c.csv --mps plan.lp --factor-map map.csv -o out.csv"
POLICY = "evaluate m.json policy.csv --propensity p --decision offer --library lib.csv --id id --json"
# A command, and its numeric options. Fits are small and need one setting only.
OPTIONS = {
    FIT + " --method pooled": ["--folds", "--validation", "--seed", "--threads"],
    FIT + " --method cluster --experts 2": ["--restarts"],
    FIT + " --method pooled --json": ["--bounds=price={}:", "--bounds=price=:{}", "--bounds=price={}:{}", "--experts"],
    "compare log.csv --context age --factors price --outcome y --methods linear,pooled --experts 1 --json": ["--test", "--validation"],
    "weights m.json c.csv -o out.csv": ["--interval", "--threads"],
    "weights m.json c.csv --simultaneous -o out.csv": ["--interval"],
    DECIDE: ["--top", "--certify", "--threads"],
    DECIDE + " --certify-margin": ["--certify"],
    PLAN: ["--gap", "--time-limit", "--threads"],
    POLICY: ["--level"],
    "units u.json --history h.csv --time week -o out.csv": ["--half-life", "--keep-rows", "--threads"],
    "simulate overlap --n 50 -o out": ["--tau", "--nuisance", "--seed"],
    "simulate overlap -o out": ["--n"],
    "simulate matched --n 50 -o out": ["--rand", "--experts"],
    "simulate experts --n 50 -o out": ["--top", "--experts"],
    "simulate panel --units 5 --rows 3 -o out": ["--spread", "--experts", "--factors", "--seed"],
    "simulate panel --rows 1 -o out": ["--units"],
    "simulate panel --units 5 -o out": ["--rows"],
}


def numbers_in(value):
    if isinstance(value, dict):
        return [n for item in value.values() for n in numbers_in(item)]
    if isinstance(value, list):
        return [n for item in value for n in numbers_in(item)]
    return [value] if isinstance(value, float) else []


class NumericOptions(catalogue_files.WithFiles):
    def run_with(self, command, option, value):
        given = [option.replace("{}", value)] if "{}" in option else [option, value]
        return subprocess.run([OTSS, *command.split(), *given], cwd=self.folder, capture_output=True, text=True, timeout=60)

    def assert_finite(self, text):
        for cell in (cell for row in csv.reader(io.StringIO(text)) for cell in row):
            self.assertNotIn(cell.lower().lstrip("+-"), ("nan", "inf", "infinity"))

    def assert_readable(self):
        """What the command wrote is whole and finite; the next case starts without it."""
        for path in [p for p in self.folder.glob("out*") if p.is_file()]:
            text = path.read_text()
            if path.suffix == ".json":
                self.assertTrue(all(map(math.isfinite, numbers_in(json.loads(text)))))
                done = subprocess.run([OTSS, "weights", path.name, "c.csv"], cwd=self.folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                text = done.stdout
            self.assert_finite(text)
            path.unlink()
        for path in (self.folder / "out").glob("*.csv"):
            self.assert_finite(path.read_text())

    def test_odd_numbers_are_refused_by_name_or_do_no_harm(self):
        for command, options in OPTIONS.items():
            for option in options:
                for value in ODD:
                    with self.subTest(command=command, option=option, value=value):
                        self.check(command, option, value)

    def check(self, command, option, value):
        done = self.run_with(command, option, value)
        lines = [line for line in done.stderr.splitlines() if not line.startswith(("otss: note:", "otss: warning:"))]
        self.assertIn(done.returncode, (0, 2), done.stderr)
        if done.returncode == 2:
            self.assertEqual(len(lines), 1, done.stderr)
            # A level so small that arithmetic without denormal numbers takes it for 0 is refused as a "confidence".
            named = [option.split("=")[0]] + (["confidence"] if option == "--interval" else [])
            self.assertTrue(any(name in lines[0] for name in named), lines[0])
            return
        self.assertEqual(lines, [])
        self.assertNotIn("nan", value)
        if command.endswith("--json"):
            self.assertTrue(all(map(math.isfinite, numbers_in(json.loads(done.stdout)))), done.stdout)
        self.assert_readable()


if __name__ == "__main__":
    unittest.main()
