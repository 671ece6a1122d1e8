"""Contests of the default beside the comparison with peers: where there is nothing to find, where there is something, and how much
its decisions depend on the seed. Each function returns the results as futures (results.py)."""
import csv
import functools
import itertools
import pathlib
import subprocess
import tempfile

import numpy

import data
import people

SHUFFLED_SETS = ("bank", "margarine")
SEED_SET = "bank"
SEEDS = (1, 2, 3, 4, 5)


def shuffled_copies(options, sets, default, results):
    """What the default claims on copies in which the contexts are permuted among the units."""
    found = []
    for one in (one for one in sets if one.name in SHUFFLED_SETS):
        for seed in range(1, options.shuffles + 1):
            table = data.write_shuffled(options.cache, one, seed)
            found.append(results.get(one.name, f"shuffled {seed}", default, [table.read_bytes()],
                                     functools.partial(default.claim, one, table)))
    return found


def made_up_people(options, default, results):
    """What the default claims on simulated people, whose tastes do or do not follow their contexts."""
    found = []
    for kind in people.KINDS:
        for seed in range(1, options.people + 1):
            table = people.write_people(options.cache, kind, seed)
            found.append(results.get(f"people, {kind}", f"seed {seed}", default, [table.read_bytes()],
                                     functools.partial(default.claim, people.ROLES, table)))
    return found


def seed_dependence(options, sets, default, results):
    """Per split of `bank`, the share of held-out people whose best card differs between two seeds of the fit."""
    found = []
    for one in (one for one in sets if one.name == SEED_SET):
        for split in options.splits:
            train, test = (data.split_path(options.cache, one, split, part) for part in ("train", "test"))
            found.append(results.get(one.name, f"{split}, seeds", default, [train.read_bytes(), test.read_bytes()],
                                     functools.partial(changed_decisions, options, one, default, train, test)))
    return found


def changed_decisions(options, one, default, train, test):
    """Mean shares over all pairs of seeds; each held-out unit counts once. `of_all`: the decisions to choose from are the distinct
    ones of the whole log; `of_ten`: ten of them, drawn for each unit."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model, library, candidates = (folder / file for file in ("model.json", "library.csv", "candidates.csv"))
        write_choices(options.cache / "data" / f"{one.name}.csv", test, one.factors, library, candidates)
        of_all, of_ten = [], []
        for seed in SEEDS:
            default.fit(one, train, model, "--seed", str(seed)).check_returncode()
            of_all.append(decisions(default.program, model, test, "--library", library))
            of_ten.append(decisions(default.program, model, test, "--candidates", candidates, "--context-id", "unit"))
    return {"of_all": share_changed(of_all), "of_ten": share_changed(of_ten)}


def write_choices(log, test, factors, library, candidates):
    header, rows = data.read_table(log)
    columns = [header.index(name) for name in factors]
    distinct = [[f"d{i}", *decision] for i, decision in enumerate(sorted({tuple(row[c] for c in columns) for row in rows}), 1)]
    data.write_table(library, ["id", *factors], distinct)
    generator = numpy.random.default_rng(1)
    units = sorted({row[header.index("unit")] for row in data.read_table(test)[1]})
    data.write_table(candidates, ["unit", "id", *factors],
                     [[unit, *distinct[i]] for unit in units for i in generator.choice(len(distinct), 10, replace=False)])


def decisions(program, model, test, *choices):
    one_row_each = "SELECT * FROM t QUALIFY row_number() OVER (PARTITION BY unit) = 1 ORDER BY unit"
    done = subprocess.run([program, "decide", model, test, *choices, "--id", "id", "--query", one_row_each], capture_output=True,
                          text=True, check=True)
    return [row["decision"] for row in csv.DictReader(done.stdout.splitlines())]


def share_changed(chosen):
    shares = [sum(a != b for a, b in zip(left, right)) / len(left) for left, right in itertools.combinations(chosen, 2)]
    return sum(shares) / len(shares)
