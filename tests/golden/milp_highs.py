#!/usr/bin/env python3
"""Prints 200 small mixed-integer programs and what HiGHS (scipy.optimize.milp) finds for each, as one JSON object.

Each maximises (map'w)'x; `map` has what every variable adds to each of two factors. Five kinds take turns: knapsacks,
assignments, a choice of at most k with continuous amounts, programs without a point, programs without an end.
"""
import json
import random

import numpy
import scipy
from scipy.optimize import Bounds, LinearConstraint, milp

INF = 1e30


def knapsack(rng):
    n = rng.randint(10, 25)
    rows = [[rng.randint(1, 40) for _ in range(n)] for _ in range(3)]
    return dict(rows=rows, row_lower=[-INF] * 3, row_upper=[sum(row) // 3 for row in rows], upper=[rng.choice([1, 1, 3])] * n,
                integer=[1] * n)


def assignment(rng):
    n = rng.randint(3, 5)
    cells = [(i, j) for i in range(n) for j in range(n)]
    rows = [[int(cell[side] == k) for cell in cells] for side in (0, 1) for k in range(n)]
    # One more row, so that the relaxation is not whole by itself.
    rows.append([rng.randint(1, 9) for _ in cells])
    return dict(rows=rows, row_lower=[1] * (2 * n) + [-INF], row_upper=[1] * (2 * n) + [5 * n], upper=[1] * n * n,
                integer=[1] * n * n)


def cardinality(rng):
    """Amounts y_i in 0 … m_i, at most k of them not zero: y_i <= m_i b_i, sum b <= k, and a budget."""
    n = rng.randint(5, 10)
    most = [rng.randint(2, 12) for _ in range(n)]
    switch = [[int(i == k) for i in range(n)] + [-most[i] * int(i == k) for i in range(n)] for k in range(n)]
    rows = switch + [[0] * n + [1] * n, [rng.randint(1, 5) for _ in range(n)] + [rng.randint(0, 3) for _ in range(n)]]
    return dict(rows=rows, row_lower=[-INF] * (n + 2), row_upper=[0] * n + [n // 2, 4 * n], upper=most + [1] * n,
                integer=[0] * n + [1] * n)


def infeasible(rng):
    """Even numbers cannot add up to an odd one; the relaxation of every other one has points."""
    n = rng.randint(4, 10)
    whole = rng.random() < 0.5
    rows = [[2 * rng.randint(1, 9) for _ in range(n)], [1] * n]
    target = 2 * rng.randint(2, 9) + 1 if whole else 2 * sum(rows[0])
    return dict(rows=rows, row_lower=[target, -INF], row_upper=[target, n], upper=[1] * n, integer=[1] * n)


def unbounded(rng):
    """Two variables may grow together for ever; in every other one, no point exists at all."""
    n = rng.randint(4, 8)
    rows = [[1, -1] + [rng.randint(0, 3) for _ in range(n - 2)], [0, 0] + [1] * (n - 2)]
    empty = rng.random() < 0.3
    return dict(rows=rows, row_lower=[-INF, n if empty else 1], row_upper=[4, INF], upper=[INF, INF] + [1] * (n - 2),
                integer=[rng.randint(0, 1) for _ in range(n)], factors_grow=True)


def instance(number):
    rng = random.Random(20240700 + number)
    kinds = [knapsack, assignment, cardinality, infeasible, unbounded]
    program = kinds[number % len(kinds)](rng)
    grows = program.pop("factors_grow", False)
    n = len(program["upper"])
    program["map"] = [[rng.randint(-3, 9) for _ in range(2)] for _ in range(n)]
    if grows:
        program["map"][0] = program["map"][1] = [1, 1]
    program["weights"] = [round(rng.uniform(0.1, 2), 3), round(rng.uniform(0.1, 2), 3)]
    return program


def solve(program, costs):
    rows = LinearConstraint(numpy.array(program["rows"], float), bounded(program["row_lower"]), bounded(program["row_upper"]))
    return milp(costs, constraints=rows, integrality=program["integer"],
                bounds=Bounds(numpy.zeros(len(costs)), bounded(program["upper"])), options={"mip_rel_gap": 0})


def bounded(values):
    return numpy.array([numpy.sign(v) * numpy.inf if abs(v) >= INF else v for v in values])


def with_answer(program):
    costs = -numpy.array(program["map"], float) @ numpy.array(program["weights"])
    found = solve(program, costs)
    if found.status == 0:
        return {**program, "status": "optimal", "objective": -found.fun}
    has_point = solve(program, 0 * costs).status == 0
    return {**program, "status": "unbounded" if has_point else "infeasible"}


answers = [with_answer(instance(number)) for number in range(200)]
print(json.dumps({"software": f"HiGHS in scipy {scipy.__version__}", "instances": answers}, separators=(",", ":")))
