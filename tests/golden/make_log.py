#!/usr/bin/env python3
"""Writes small_log.csv: 1500 rows of a mixture of two logistic regressions, for comparisons with other software.

Features are multiples of 1/64, which every program reads as the same number, in single precision too.
"""
import math
import pathlib
import random

ROWS = 1500
GATE = (1.5, -1.0, 0.25)  # slopes of x1, x2 and the intercept
BASELINE = (0.5, 0.5)
EXPERTS = ((2.0, -1.5, 0.5, 0.75), (-1.5, 1.0, 1.5, -0.5))  # weights of z1, z2, z3 and the intercept


def logistic(t):
    return 1 / (1 + math.exp(-t))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def main():
    rng = random.Random(20240601)
    on_grid = lambda value: round(value * 64) / 64
    lines = ["x1,x2,z1,z2,z3,y"]
    for _ in range(ROWS):
        x = [on_grid(rng.gauss(0, 1)) for _ in range(2)]
        z = [on_grid(rng.uniform(-2, 2)) for _ in range(3)]
        expert = EXPERTS[0] if rng.random() < logistic(dot(GATE, x + [1])) else EXPERTS[1]
        y = int(rng.random() < logistic(dot(BASELINE, x) + dot(expert, z + [1])))
        lines.append(",".join(str(v) for v in x + z + [y]))
    pathlib.Path(__file__).with_name("small_log.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
