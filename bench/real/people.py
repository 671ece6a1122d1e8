"""Simulated people for the arena: 200 people with four context columns and 30 choices each."""
import numpy

from data import Set, write_table

KINDS = ("tastes unrelated", "tastes follow")
NUM_PEOPLE, ROWS_EACH, NUM_CONTEXT, NUM_FACTORS = 200, 30, 4, 3
MEAN_TASTE = (1.0, -0.5, 0.5)
PERSONAL_DEVIATION = 0.7
FOLLOWING = ((0.5, 0, 0, 0), (0, -0.5, 0, 0), (0, 0, 0, 0))  # how the tastes (rows) follow the context columns
CONTEXT = [f"x{i + 1}" for i in range(NUM_CONTEXT)]
FACTORS = [f"z{i + 1}" for i in range(NUM_FACTORS)]
ROLES = Set({"set": "people", "package": "", "family": "bernoulli", "what": "", "outcome": "y", "group": "unit",
             "context": " ".join(CONTEXT), "factors": " ".join(FACTORS), "levels": ""})


def write_people(cache, kind, seed):
    """Writes the log of these people; returns its path."""
    path = cache / "data" / f"people-{kind.replace(' ', '-')}-{seed}.csv"
    if not path.exists():
        write_table(path, ["unit", *CONTEXT, *FACTORS, "y"], simulate(kind, seed))
    return path


def simulate(kind, seed):
    generator = numpy.random.default_rng(seed)
    context = generator.standard_normal((NUM_PEOPLE, NUM_CONTEXT))
    tastes = MEAN_TASTE + PERSONAL_DEVIATION * generator.standard_normal((NUM_PEOPLE, NUM_FACTORS))
    if kind == "tastes follow":
        tastes += context @ numpy.transpose(FOLLOWING)
    for person in range(NUM_PEOPLE):
        for _ in range(ROWS_EACH):
            factors = generator.standard_normal(NUM_FACTORS)
            probability = 1 / (1 + numpy.exp(-factors @ tastes[person]))
            yield [person + 1, *(f"{value:.6g}" for value in (*context[person], *factors)), int(generator.random() < probability)]
