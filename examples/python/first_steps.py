"""From a frame to decisions, in the words of Python. The tests run this file, and mypy checks its types.

A shop has offered deliveries at different prices and speeds, and knows which customers came back. Some customers mind the
price, others the hours. The file deliveries.csv has one row per past delivery.
"""
from __future__ import annotations

import pathlib

import numpy as np
import pandas

import otss

FOLDER = pathlib.Path(__file__).resolve().parent.parent


def main() -> None:
    log = pandas.read_csv(FOLDER / "deliveries.csv")
    offers = pandas.read_csv(FOLDER / "offers.csv")
    roles = otss.Roles(context=["age", "plan"], factors=["price", "hours"], outcome="kept")

    model = otss.OTSS(experts=2, estimator="map").fit(log, roles=roles)
    print(model.summary())

    # The weights of new customers, in the units of the log: a frame with one column per factor.
    customers = pandas.DataFrame({"age": [25.0, 48.0, 70.0], "plan": "family"}, index=["Ada", "Ben", "Cleo"])
    weights, lo, hi = model.weights(customers, interval=0.9)
    print(weights.assign(price_lo=lo["price"], price_hi=hi["price"]))

    # The best offer of each customer, and whether it is certainly the best.
    chosen = model.decide(customers, offers, id="offer", certify=0.9)
    print(chosen[["decision", "score", "certified"]])

    # One customer at a time, as a service would ask: a dict of named values.
    one = model.weights({"age": 33, "plan": "family"})
    print("an hour is worth", np.round(one["hours"] / one["price"], 2), "of price")


if __name__ == "__main__":
    main()
