#!/usr/bin/env python3
"""The loss and gradient of bench_cuda_loss_gradient's first shape in PyTorch, in f32: torch_loss_gradient.py [ROWS [DEVICE]]

5·10⁷ rows on the GPU (`cuda`) if not given. Checks the gradient against f64, then prints the milliseconds of a loss with its gradient, compiled by
torch.compile. Where its compiler does not work, the time is that of PyTorch without it, and the reason is printed.
"""
import statistics
import sys
import time

import torch
from torch.nn import functional

CONTEXTS, FACTORS, EXPERTS = 20, 10, 5
CHECKED_ROWS = 2_000_000  # at a time
REPEATS = 11


def loss(rows, parameters):
    x, z, y = rows
    gate, baseline, experts = parameters
    logits = functional.pad(torch.addmm(gate[:, -1], x, gate[:, :-1].T), (0, 1))  # those of the last expert are 0
    scores = torch.addmm(experts[:, -1], z, experts[:, :-1].T)
    eta = torch.addmm(baseline[:, -1], x, baseline[:, :-1].T)[:, 0] + (torch.softmax(logits, dim=1) * scores).sum(dim=1)
    return functional.binary_cross_entropy_with_logits(eta, y, reduction="sum")


def gradient(loss, rows, parameters):
    return torch.autograd.grad(loss(rows, parameters), parameters)


def error(found, rows, parameters):
    """The largest error of a gradient against f64, relative to the largest entry."""
    exact = [p.detach().double().requires_grad_() for p in parameters]
    parts = zip(*(column.split(CHECKED_ROWS) for column in rows))
    sums = [sum(entries) for entries in zip(*(gradient(loss, [column.double() for column in part], exact) for part in parts))]
    largest = max(entries.abs().max() for entries in sums)
    return max((ours - entries).abs().max() for ours, entries in zip(found, sums)) / largest


def milliseconds(work, device):
    times = []
    for _ in range(REPEATS + 2):
        start = time.perf_counter()
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times[2:])


def main(rows="5e7", device="cuda"):
    torch.manual_seed(1)
    n = int(float(rows))
    x, z = (torch.rand(n, width, device=device) * 3.4 - 1.7 for width in (CONTEXTS, FACTORS))
    data = x, z, (torch.rand(n, device=device) < 0.6).float()
    shapes = (EXPERTS - 1, CONTEXTS + 1), (1, CONTEXTS + 1), (EXPERTS, FACTORS + 1)
    parameters = [(0.2 * torch.randn(shape, device=device)).requires_grad_() for shape in shapes]
    function, how = loss, "compiled"
    try:
        function = torch.compile(loss)
        gradient(function, data, parameters)
    except Exception as problem:  # the compiler raises many kinds
        function, how = loss, f"not compiled ({repr(problem)[:120]})"
    wrong = error(gradient(function, data, parameters), data, parameters)
    print(f"torch {torch.__version__}, {how}: {milliseconds(lambda: gradient(function, data, parameters), device):.2f} ms; gradient {wrong:.1e}")


if __name__ == "__main__":
    main(*sys.argv[1:])
