"""Simulated panels, models of them, and what the model file says about units."""
import csv
import json
import pathlib
import subprocess

import numpy

CONTEXT = [f"x{i + 1}" for i in range(6)]
FACTORS = [f"z{i + 1}" for i in range(6)]
ROLES = ["--context", ",".join(CONTEXT), "--factors", ",".join(FACTORS), "--outcome", "y"]


class Otss:
    """Runs the program, one thread at a time, in a folder of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = pathlib.Path(program).resolve(), pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"otss {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def json(self, *arguments):
        return json.loads(self(*arguments, "--json"))

    def simulate(self, seed, **options):
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        self("simulate", "panel", "--seed", seed, *words, "-o", "panel")

    def fit(self, *options, model="model.json"):
        return self.json("fit", "panel/log.csv", *ROLES, *options, "--threads", 1, "-o", model)


def read_columns(path, names):
    """The number columns of a CSV file as a matrix."""
    with open(path, newline="") as file:
        rows = csv.DictReader(file)
        return numpy.array([[float(row[name]) for name in names] for row in rows])


def read_texts(path, name):
    with open(path, newline="") as file:
        return numpy.array([row[name] for row in csv.DictReader(file)])


def true_covariance(folder):
    return numpy.array(json.loads((folder / "panel/spec.json").read_text())["covariance"])


def covariance_in_log_units(model):
    """Sigma of the intercept at z = 0 and the weights, from a model file, whose factors are standardised."""
    document = json.loads(pathlib.Path(model).read_text())
    if "units" not in document:
        return None
    standardised = numpy.array(document["units"]["covariance"])
    factors = document["schema"]["factors"]
    scale = numpy.array([factor["scale"] for factor in factors])
    center = numpy.array([factor["center"] for factor in factors])
    change = numpy.diag(numpy.concatenate([[1], 1 / scale]))
    change[0, 1:] = -center / scale
    return change @ standardised @ change.T


def relative_error(estimate, truth):
    return float(numpy.linalg.norm(estimate - truth) / numpy.linalg.norm(truth))


def mean_and_error(values):
    values = numpy.asarray(values, float)
    return values.mean(), values.std(ddof=1) / numpy.sqrt(len(values)) if len(values) > 1 else float("nan")
