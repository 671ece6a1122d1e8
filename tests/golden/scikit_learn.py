#!/usr/bin/env python3
"""Prints what scikit-learn finds on small_log.csv as one JSON object: scikit_learn.py small_log.csv

k-means of x with many starts, and a logistic regression of y on x and z with a ridge of strength 1 on every slope.
"""
import json
import sys

import numpy
import sklearn
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression

RIDGE = 1.0

log = numpy.genfromtxt(sys.argv[1], delimiter=",", names=True)
columns = lambda *names: numpy.column_stack([log[name] for name in names])
contexts = columns("x1", "x2")
k_means = {
    str(k): KMeans(k, n_init=200, tol=0, max_iter=1000, random_state=1).fit(contexts).inertia_ for k in (2, 3, 5)
}
pooled = LogisticRegression(C=1 / RIDGE, tol=1e-12, max_iter=10000).fit(
    columns("x1", "x2", "z1", "z2", "z3"), log["y"]
)
print(
    json.dumps(
        {
            "software": f"scikit-learn {sklearn.__version__}",
            "k_means_inertia": k_means,
            "logistic": {"ridge": RIDGE, "slopes": pooled.coef_[0].tolist(), "intercept": pooled.intercept_[0]},
        }
    )
)
