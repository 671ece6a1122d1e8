"""What the tests share: a small log with known columns, and models fitted to it."""
import functools
import warnings

import numpy as np
import pandas

import otss

ROLES = otss.Roles(context=["age", "plan"], factors=["price", "hours"], outcome="kept")


@functools.lru_cache
def log(rows=600):
    """Deliveries: a number and a text context, two factors, and whether the customer was kept."""
    rng = np.random.default_rng(5)
    age = np.floor(rng.uniform(18, 80, rows))
    plan = rng.choice(["basic", "family", "gold"], rows)
    price, hours = np.floor(rng.uniform(0, 10, rows)), np.floor(rng.uniform(1, 49, rows))
    patience = 1 / (1 + np.exp((age - 48) / 6))
    score = -(0.1 + 0.8 * patience) * (price - 5) - (0.09 - 0.085 * patience) * (hours - 24) + (plan == "gold")
    kept = (rng.uniform(size=rows) < 1 / (1 + np.exp(-score))).astype(int)
    return pandas.DataFrame({"age": age, "plan": plan, "price": price, "hours": hours, "kept": kept})


LIBRARY = pandas.DataFrame({"offer": ["express", "same day", "next day", "saver"], "price": [8.0, 5, 3, 0], "hours": [1.0, 8, 24, 48]})


@functools.lru_cache
def model():
    """A mixture of two experts, with intervals."""
    return otss.OTSS(experts=2, estimator="map").fit(log(), roles=ROLES)


@functools.lru_cache
def numbers():
    """Contexts, factors and outcome as arrays of numbers."""
    frame = log()
    x = np.column_stack([frame["age"], frame["plan"] == "gold"]).astype(float)
    return x, frame[["price", "hours"]].to_numpy(), frame["kept"].to_numpy()


@functools.lru_cache
def number_model():
    """A quick model of arrays."""
    return otss.Pooled().fit(*numbers())


def quietly(act):
    """Calls act() without showing warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return act()
