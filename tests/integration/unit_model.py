"""A model whose units differ, and histories of such units."""
import json
import math
import random

FACTORS = ["price", "health"]
ROLES = ["--context", "age", "--factors", "price,health", "--outcome", "y"]


def history(units=60, rows=12, first=1, seed=1):
    """A log of units with personal weights; row t of a unit is the same in every log with the same seed."""
    lines = ["who,day,age,price,health,y"]
    for unit in range(units):
        rng = random.Random(seed * 10007 + unit)
        own = [rng.gauss(0, 0.8) for _ in range(3)]
        for day in range(1, rows + 1):
            age, price, health = 40 + 10 * rng.gauss(0, 1), 5 + 2 * rng.gauss(0, 1), rng.gauss(0, 1)
            eta = 0.3 + own[0] + (-0.8 + own[1]) * (price - 5) / 2 + (0.5 + own[2]) * health
            y = int(rng.random() < 1 / (1 + math.exp(-eta)))
            if day >= first:
                lines.append(f"u{unit},{day},{age:.4f},{price:.4f},{health:.4f},{y}")
    return "\n".join(lines) + "\n"


def add_units(document, covariance=None, form="full", rank=3):
    """Adds deviations of units to a model file."""
    variance = 0.64
    document["schema"]["unit"] = "who"
    document["units"] = {"form": form, "rank": rank,
                         "covariance": covariance or [[variance if i == j else 0.1 for j in range(3)] for i in range(3)]}
    return document


def make_model(test, name="m.json"):
    """Fits a model to a log of other units, and adds how much units differ."""
    test.write("train.csv", history(units=80, rows=10, seed=2))
    test.ok("fit", "train.csv", *ROLES, "--method", "pooled", "-o", "plain.json")
    return test.write_sealed(name, add_units(json.loads((test.dir / "plain.json").read_text())))
