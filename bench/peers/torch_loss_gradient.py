#!/usr/bin/python3
"""The same loss and its gradient in PyTorch on one thread: torch_loss_gradient.py FILE

FILE was written by `bench_loss_gradient --write FILE`. Prints the loss per row and the best ns/row."""

import sys
import time

import numpy as np
import torch

torch.set_num_threads(1)


def read(path):
    with open(path, "rb") as file:
        n, p, j, k = np.fromfile(file, np.int32, 4)
        features = np.fromfile(file, np.float32, n * (p + j)).reshape(n, p + j)
        outcomes = np.fromfile(file, np.float32, n)
        theta = np.fromfile(file, np.float32)
    return features[:, :p].copy(), features[:, p:].copy(), outcomes, theta, k


def main(path):
    x, z, y, theta, k = read(path)
    n, p = x.shape
    j = z.shape[1]
    parts = np.split(theta, np.cumsum([(k - 1) * (p + 1), p + 1]))
    gate, baseline, experts = (
        torch.tensor(part.reshape(-1, width), requires_grad=True)
        for part, width in zip(parts, (p + 1, p + 1, j + 1))
    )
    x, z, y = torch.tensor(x), torch.tensor(z), torch.tensor(y)
    last = torch.zeros(n, 1)

    def loss_and_gradient():
        for parameter in (gate, baseline, experts):
            parameter.grad = None
        logits = torch.cat([torch.addmm(gate[:, p], x, gate[:, :p].T), last], dim=1)
        scores = torch.addmm(experts[:, j], z, experts[:, :j].T)
        eta = torch.addmm(baseline[:, p], x, baseline[:, :p].T)[:, 0]
        eta = eta + (torch.softmax(logits, dim=1) * scores).sum(dim=1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(eta, y, reduction="sum")
        loss.backward()
        return loss.item()

    loss = loss_and_gradient()
    best = float("inf")
    for _ in range(30):
        start = time.perf_counter()
        loss_and_gradient()
        best = min(best, time.perf_counter() - start)
    print(f"torch {torch.__version__}: loss/row {loss / n:.6f}, {best / n * 1e9:.1f} ns/row")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: torch_loss_gradient.py FILE   (written by bench_loss_gradient --write FILE)")
    main(sys.argv[1])
