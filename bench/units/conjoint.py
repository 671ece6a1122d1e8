"""The credit-card conjoint `bank` of the R package bayesm: three choices of each person are held out."""
import csv
import json
import pathlib
import resource
import subprocess

import numpy

from cached import cached

FOLDER = pathlib.Path(__file__).resolve().parent
CONTEXT = ["age", "income", "gender"]
NO_FACTORS = {"unit", "choice", *CONTEXT}
HELD_OUT = 3


def split(table, folder, seed):
    """Writes train.csv and test.csv: HELD_OUT choices of each person, drawn at random, are test rows."""
    with open(table, newline="") as file:
        rows = list(csv.reader(file))
    header, rows = rows[0], rows[1:]
    unit = numpy.array([row[header.index("unit")] for row in rows])
    random = numpy.random.default_rng(seed)
    held_out = numpy.zeros(len(rows), bool)
    for person in dict.fromkeys(unit):
        mine = numpy.flatnonzero(unit == person)
        held_out[random.permutation(mine)[:HELD_OUT]] = True
    for name, part in (("train", ~held_out), ("test", held_out)):
        with open(folder / f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows([header, *(rows[i] for i in numpy.flatnonzero(part))])
    return [name for name in header if name not in NO_FACTORS]


def log_loss(folder, predictions):
    with open(folder / predictions, newline="") as file:
        mean = numpy.array([float(row["mean"]) for row in csv.DictReader(file)])
    with open(folder / "test.csv", newline="") as file:
        outcome = numpy.array([float(row["choice"]) for row in csv.DictReader(file)])
    return float(-numpy.log(numpy.where(outcome == 1, mean, 1 - mean)).mean())


def processor_seconds():
    """Seconds of the processor that finished child processes have used; unlike elapsed time, they do not depend on other programs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def bank(otss, seed, options):
    """Log-loss of the held-out choices: otss without and with history, bayesm with one and five components."""
    factors = split(options.data, otss.folder, 1000 + seed)
    roles = ["--context", ",".join(CONTEXT), "--factors", ",".join(factors), "--outcome", "choice", "--threads", 1]
    otss("fit", "train.csv", *roles, "--group", "unit", "-o", "plain.json")
    otss("predict", "plain.json", "test.csv", "-o", "plain.csv")
    start = processor_seconds()
    otss("fit", "train.csv", *roles, "--unit", "unit", "-o", "model.json")
    otss("predict", "model.json", "test.csv", "--history", "train.csv", "--unit", "unit", "-o", "known.csv")
    result = {"otss seconds": processor_seconds() - start, "otss without history": log_loss(otss.folder, "plain.csv"),
              "otss with history": log_loss(otss.folder, "known.csv")}
    for components in (1, 5) if options.draws else ():
        said = bayesm(otss.folder, components, options.draws, seed, options.cache)
        result[f"bayesm {components}"], result[f"bayesm {components} seconds"] = said["loss"], said["cpu_seconds"]
        result[f"otss minus bayesm {components}"] = result["otss with history"] - said["loss"]
    return result


def bayesm(folder, components, draws, seed, cache):
    """What bayesm says about a split; read from the cache if it is there. Its seconds are those of the processor."""
    def ask():
        done = subprocess.run(["Rscript", FOLDER / "bayesm_units.R", "train.csv", "test.csv", str(components), str(draws)], cwd=folder,
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout.splitlines()[-1])

    return cached(cache, f"bayesm-{components}-{draws}-{seed}.json", ask)
