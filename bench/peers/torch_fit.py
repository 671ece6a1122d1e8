#!/usr/bin/python3
"""One OTSS fit by PyTorch's L-BFGS on one thread: torch_fit.py LOG.csv EXPERTS [STOP_AT]

LOG has columns x1…, z1…, y, as `otss simulate` writes them; columns are standardised first. Minimises the mean
negative log-likelihood plus 0.5 * 1e-3 * |theta|² from a small random start, and stops at convergence or as soon as
the objective is at most STOP_AT. Prints the objective, the evaluations and the seconds (reading not counted)."""

import sys
import time

import numpy as np
import torch

torch.set_num_threads(1)
RIDGE = 1e-3


class Reached(Exception):
    pass


def read(path):
    with open(path) as file:
        names = file.readline().strip().split(",")
    table = np.genfromtxt(path, delimiter=",", skip_header=1, dtype=np.float32)

    def columns(letter):
        chosen = table[:, [i for i, name in enumerate(names) if name[0] == letter and name[1:].isdigit()]]
        return torch.tensor((chosen - chosen.mean(0)) / chosen.std(0))

    return columns("x"), columns("z"), torch.tensor(table[:, names.index("y")])


def main(path, num_experts, stop_at):
    x, z, y = read(path)
    n, p = x.shape
    j = z.shape[1]
    torch.manual_seed(1)
    gate, baseline, experts = (
        (0.1 * torch.randn(rows, width)).requires_grad_()
        for rows, width in ((num_experts - 1, p + 1), (1, p + 1), (num_experts, j + 1))
    )
    parameters = [gate, baseline, experts]
    last = torch.zeros(n, 1)
    evaluations, value = 0, float("inf")
    optimizer = torch.optim.LBFGS(
        parameters, max_iter=1000, history_size=20, tolerance_grad=1e-7, tolerance_change=0,
        line_search_fn="strong_wolfe")

    def objective():
        nonlocal evaluations, value
        optimizer.zero_grad()
        logits = torch.cat([torch.addmm(gate[:, p], x, gate[:, :p].T), last], dim=1)
        scores = torch.addmm(experts[:, j], z, experts[:, :j].T)
        eta = torch.addmm(baseline[:, p], x, baseline[:, :p].T)[:, 0]
        eta = eta + (torch.softmax(logits, dim=1) * scores).sum(dim=1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(eta, y)
        loss = loss + 0.5 * RIDGE * sum((parameter**2).sum() for parameter in parameters)
        loss.backward()
        evaluations, value = evaluations + 1, loss.item()
        if value <= stop_at:
            raise Reached
        return loss

    start = time.perf_counter()
    try:
        optimizer.step(objective)
    except Reached:
        pass
    seconds = time.perf_counter() - start
    print(f"torch {torch.__version__}: objective {value:.8f}, {evaluations} evaluations, {seconds:.4f} s")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: torch_fit.py LOG.csv EXPERTS [STOP_AT]")
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) == 4 else float("-inf"))
