"""XGBoost on context and factors: SET TRAIN TEST. Folds that keep units together choose depth and number of rounds. Prints
JSON, as the peers in R do."""
import csv
import json
import pathlib
import sys
import time

import numpy
import xgboost

DEPTHS = (1, 2, 3, 4, 6)
RATE = 0.1
MOST_ROUNDS = 2000
PATIENCE = 30  # rounds without progress after which a fold stops
NUM_FOLDS = 5
OBJECTIVES = {"bernoulli": ("binary:logistic", "logloss"), "poisson": ("count:poisson", "poisson-nloglik"),
              "gaussian": ("reg:squarederror", "rmse")}


def read_roles(name):
    with open(pathlib.Path(__file__).resolve().parent.parent / "sets.csv", newline="") as file:
        return next(row for row in csv.DictReader(file) if row["set"] == name)


def read_rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def design_of(train, columns):
    """A function of rows that gives their matrix; text becomes an indicator of each level of the training rows."""
    levels = {c: sorted({row[c] for row in train}) for c in columns if not all(is_number(row[c]) for row in train)}

    def design(rows):
        blocks = [numpy.array([[row[c] == level for level in levels[c]] if c in levels else [float(row[c])] for row in rows], float)
                  for c in columns]
        return numpy.concatenate(blocks, axis=1)
    return design


def unit_folds(units):
    distinct = sorted(set(units))
    fold = dict(zip(numpy.random.default_rng(1).permutation(distinct).tolist(), [i % NUM_FOLDS for i in range(len(distinct))]))
    number = numpy.array([fold[unit] for unit in units])
    return [(numpy.flatnonzero(number != k), numpy.flatnonzero(number == k)) for k in range(NUM_FOLDS)]


def choose(matrix, folds, parameters, metric):
    """Depth and number of rounds with the lowest mean held-out loss."""
    best = (numpy.inf, 0, 0)
    for depth in DEPTHS:
        history = xgboost.cv({**parameters, "max_depth": depth}, matrix, MOST_ROUNDS, folds=folds, early_stopping_rounds=PATIENCE,
                             as_pandas=False)
        losses = history[f"test-{metric}-mean"]
        best = min(best, (min(losses), depth, int(numpy.argmin(losses)) + 1))
    return best[1:]


def loss(family, outcome, mean):
    if family == "bernoulli":
        return -numpy.mean(numpy.where(outcome == 1, numpy.log(mean), numpy.log1p(-mean)))
    if family == "poisson":
        return numpy.mean(2 * (outcome * numpy.log(numpy.where(outcome > 0, outcome, 1) / mean) * (outcome > 0) - (outcome - mean)))
    return numpy.mean((outcome - mean) ** 2)


def main():
    roles, train, test = read_roles(sys.argv[1]), read_rows(sys.argv[2]), read_rows(sys.argv[3])
    design = design_of(train, roles["context"].split() + roles["factors"].split())
    outcome = numpy.array([float(row[roles["outcome"]]) for row in train])
    start = time.process_time()
    objective, metric = OBJECTIVES[roles["family"]]
    parameters = {"objective": objective, "eval_metric": metric, "eta": RATE, "nthread": 1, "seed": 1, "verbosity": 0,
                  "tree_method": "hist"}
    if roles["family"] != "bernoulli":
        parameters["base_score"] = float(outcome.mean())
    matrix = xgboost.DMatrix(design(train), outcome)
    depth, rounds = choose(matrix, unit_folds([int(row["unit"]) for row in train]), parameters, metric)
    model = xgboost.train({**parameters, "max_depth": depth}, matrix, rounds)
    seconds = time.process_time() - start
    observed = numpy.array([float(row[roles["outcome"]]) for row in test])
    predicted = model.predict(xgboost.DMatrix(design(test))).astype(float)
    print(json.dumps({"loss": float(loss(roles["family"], observed, predicted)), "seconds": round(seconds, 3),
                      "note": f"depth {depth}, {rounds} rounds"}))


main()
