#!/usr/bin/env python3
"""Predicts how long the passes of a fit take on many machines, by the cost model of docs/scale.md and by a simulation.

What was measured (measured.csv, costs.py) gives the time of a row, of a message and of an addition; pauses and different speeds are assumptions.
The model has one line: a pass takes rows / workers * row_ns, plus the slowest worker's delay, plus the reduction. The simulation
draws what the model only averages: each worker's speed in this job, its pauses in this pass, and the latency of each message."""
import argparse
import math
import random

from costs import constants


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, nargs="+", default=[1e9, 1e10, 1e11])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--columns", type=int, default=30, help="encoded columns; a row has 4 bytes for each")
    parser.add_argument("--parameters", type=int, default=160)
    parser.add_argument("--passes", type=int, default=26)
    parser.add_argument("--cores", type=int, default=16, help="of each worker")
    parser.add_argument("--row-ns", type=float, default=constants()["pass_ns"], help="time of one row on one core, from memory")
    parser.add_argument("--addition-ns", type=float, default=constants()["addition_ns"], help="time of adding one number of a chunk sum")
    parser.add_argument("--disk-gb-s", type=float, default=2, help="read rate of a worker's disk")
    parser.add_argument("--memory-gb", type=float, default=64, help="memory of a worker; rows beyond it are read from disk in each pass")
    parser.add_argument("--latency-us", type=float, default=constants()["message_us"], help="of one message")
    parser.add_argument("--gb-s", type=float, default=1, help="bandwidth of a connection")
    parser.add_argument("--spread", type=float, default=0.05, help="standard deviation of the workers' log speeds")
    parser.add_argument("--pause-rate", type=float, default=0.002, help="probability that a worker pauses in a pass")
    parser.add_argument("--pause-s", type=float, default=0.5, help="mean length of a pause")
    parser.add_argument("--repeats", type=int, default=20)
    return parser.parse_args()


class Costs:
    """Seconds of the parts of a pass."""

    def __init__(self, given, rows, workers):
        self.given, self.workers = given, workers
        own = rows / workers
        compute = own * given.row_ns * 1e-9 / given.cores
        beyond = max(0.0, own * 4 * given.columns - given.memory_gb * 1e9)
        self.compute = max(compute, beyond / (given.disk_gb_s * 1e9))
        message = 8 * (given.parameters + 1)
        chunks = own / 8192
        # One rank after the other adds its chunks and sends the sum on.
        self.step = given.latency_us * 1e-6 + message / (given.gb_s * 1e9) + chunks * (given.parameters + 1) * given.addition_ns * 1e-9
        self.broadcast = math.ceil(math.log2(max(2, workers))) * given.latency_us * 1e-6

    def predicted(self):
        """The cost model: the expected largest of the workers' speeds and pauses, and a message for each worker."""
        given, workers = self.given, self.workers
        slowest = math.exp(given.spread * math.sqrt(2 * math.log(max(1, workers)))) if workers > 1 else 1
        expected_pauses = workers * given.pause_rate
        # The longest of m exponential pauses is about mean * (1 + 1/2 + ... + 1/m) long.
        pause = given.pause_s * (min(1, expected_pauses) if expected_pauses < 1 else sum(1 / i for i in range(1, round(expected_pauses) + 1)))
        return self.compute * slowest + pause + workers * self.step + 2 * self.broadcast

    def simulated(self, rng, passes):
        given = self.given
        speeds = [math.exp(rng.gauss(0, given.spread)) for _ in range(self.workers)]
        total = 0.0
        for _ in range(passes):
            clock = self.broadcast
            for speed in speeds:
                pause = rng.expovariate(1 / given.pause_s) if rng.random() < given.pause_rate else 0
                ready = self.broadcast + self.compute * speed + pause
                # The sum moves on when it has arrived and this worker has its chunks.
                clock = max(clock, ready) + self.step * rng.lognormvariate(0, 0.3)
            total += clock + self.broadcast
        return total


def main():
    given = arguments()
    rng = random.Random(1)
    print(f"{'rows':>8} {'workers':>8} {'predicted s':>12} {'simulated s':>12} {'of which adding':>16} {'speed-up':>9} {'efficiency':>11}")
    for rows in given.rows:
        alone = Costs(given, rows, 1).predicted() * given.passes
        for workers in given.workers:
            costs = Costs(given, rows, workers)
            predicted = costs.predicted() * given.passes
            repeats = max(2, given.repeats * 100 // max(100, workers))
            simulated = sum(costs.simulated(rng, given.passes) for _ in range(repeats)) / repeats
            adding = workers * costs.step * given.passes
            print(f"{rows:8.0e} {workers:8} {predicted:12.2f} {simulated:12.2f} {adding:16.2f} {alone / simulated:9.1f} {alone / simulated / workers:11.2f}")


if __name__ == "__main__":
    main()
