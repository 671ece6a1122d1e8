"""The data sets of the arena: their roles (sets.csv), their five splits, and copies in which there is nothing to find."""
import csv
import pathlib
import subprocess

import numpy

FOLDER = pathlib.Path(__file__).resolve().parent
SPLIT_SEEDS = (1001, 1002, 1003, 1004, 1005)
TEST_SHARE = 0.2


class Set:
    """A data set and the roles of its columns, as in a row of sets.csv."""

    def __init__(self, row):
        self.name, self.package, self.family, self.what = row["set"], row["package"], row["family"], row["what"]
        self.outcome, self.group = row["outcome"], row["group"]
        self.context, self.factors = row["context"].split(), row["factors"].split()
        self.levels = row["levels"].split()  # context columns with many levels, for the peers that shrink levels

    def otss_options(self):
        """The options of `otss fit` that give the roles."""
        options = ["--context", ",".join(self.context), "--factors", ",".join(self.factors), "--outcome", self.outcome,
                   "--family", self.family]
        return options + (["--group", self.group] if self.group else [])


def read_sets(names=None):
    """The sets with these names, all without names, in the order of sets.csv."""
    with open(FOLDER / "sets.csv", newline="") as file:
        sets = [Set(row) for row in csv.DictReader(file)]
    unknown = set(names or ()) - {s.name for s in sets}
    if unknown:
        raise SystemExit(f"no such set: {', '.join(sorted(unknown))}; there are {', '.join(s.name for s in sets)}")
    return [s for s in sets if not names or s.name in names]


def export(cache):
    """Writes CACHE/data/SET.csv and the splits of every set, unless they are there already."""
    folder = cache / "data"
    if (folder / "complete").exists():
        return
    subprocess.run(["Rscript", FOLDER / "export.R", folder], check=True)
    for data in read_sets():
        for split in range(1, len(SPLIT_SEEDS) + 1):
            write_split(folder, data, split)
    (folder / "complete").touch()


def split_path(cache, data, split, part):
    return cache / "data" / f"{data.name}-split{split}-{part}.csv"


def read_table(path):
    with open(path, newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        return header, list(rows)


def write_table(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def held_out_units(data, units, split):
    """A fifth of the units, drawn without replacement; where each row is its own unit, each with probability a fifth."""
    generator = numpy.random.default_rng(SPLIT_SEEDS[split - 1])
    if not data.group:
        return {unit for unit, draw in zip(units, generator.random(len(units))) if draw < TEST_SHARE}
    return set(generator.choice(units, round(TEST_SHARE * len(units)), replace=False).tolist())


def write_split(folder, data, split):
    """Writes the training rows and the test rows, which are those of the units held out."""
    header, rows = read_table(folder / f"{data.name}.csv")
    unit = header.index("unit")
    held_out = held_out_units(data, sorted({int(row[unit]) for row in rows}), split)
    for part, wanted in (("train", False), ("test", True)):
        chosen = [row for row in rows if (int(row[unit]) in held_out) == wanted]
        write_table(folder / f"{data.name}-split{split}-{part}.csv", header, chosen)


def write_shuffled(cache, data, seed):
    """A copy of the set in which the contexts of the units are permuted among the units; returns its path."""
    path = cache / "data" / f"{data.name}-shuffled{seed}.csv"
    if path.exists():
        return path
    header, rows = read_table(cache / "data" / f"{data.name}.csv")
    unit = header.index("unit")
    columns = [header.index(name) for name in data.context]
    context = {row[unit]: [row[c] for c in columns] for row in rows}
    units = list(context)
    permuted = numpy.random.default_rng(seed).permutation(len(units))
    given = {units[i]: context[units[j]] for i, j in enumerate(permuted)}
    for row in rows:
        for column, value in zip(columns, given[row[unit]]):
            row[column] = value
    write_table(path, header, rows)
    return path
