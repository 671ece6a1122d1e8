"""The estimators: OTSS, and the methods that it is compared with."""
from __future__ import annotations

import os
from typing import Any

from . import _core
from ._options import parameter_docs
from ._showing import Showing


class OTSS(Showing):
    """Learns weights w(x) = Σ_k α_k(x) β_k for each context from logged decisions with a binary outcome.

    A soft gate α over contexts and a bank of experts β are fitted jointly to the outcomes. The number of experts and all
    penalties are chosen on held-out rows.

    >>> import otss
    >>> rows = otss.simulate("overlap", n=1000, seed=7)
    >>> x, z = [f"x{j}" for j in range(1, 11)], [f"z{j}" for j in range(1, 9)]
    >>> model = otss.OTSS(experts=2, estimator="map").fit(rows.log[x], rows.log[z], rows.log["y"])
    >>> list(model.experts_)
    ['expert_1', 'expert_2', 'expert_1_lo', 'expert_1_hi', 'expert_2_lo', 'expert_2_hi']
    >>> model.weights(rows.contexts).columns[:3].tolist()
    ['z1', 'z2', 'z3']
    """

    def __init__(self, *, experts: Any = "auto", estimator: str = "auto", method: str = "auto", gate: str = "linear",
                 deploy: str = "distilled", sign: Any = "", bounds: Any = "", validation: float = 0.0, folds: Any = "auto",
                 treatment: str = "auto", no_refit: bool = False, restarts: Any = "auto", seed: int = 1, threads: int = 0,
                 device: str = "cpu", storage: str = "f32", terms: str = "none", init: Any = None, factors: Any = None,
                 contexts: Any = None, progress: Any = "auto", unknown: str = "warn", outside: str = "warn") -> None:
        self.experts = experts
        self.estimator = estimator
        self.method = method
        self.gate = gate
        self.deploy = deploy
        self.sign = sign
        self.bounds = bounds
        self.validation = validation
        self.folds = folds
        self.treatment = treatment
        self.no_refit = no_refit
        self.restarts = restarts
        self.seed = seed
        self.threads = threads
        self.device = device
        self.storage = storage
        self.terms = terms
        self.init = init
        self.factors = factors
        self.contexts = contexts
        self.progress = progress
        self.unknown = unknown
        self.outside = outside


class OTSSRegressor(OTSS):
    """OTSS for outcomes that are numbers: family "gaussian" (any number) or "poisson" (a count).

    >>> import numpy as np, otss
    >>> rng = np.random.default_rng(1)
    >>> x, z = rng.normal(size=(300, 2)), rng.normal(size=(300, 1))
    >>> y = np.where(x[:, 0] > 0, 2, -1) * z[:, 0] + rng.normal(size=300)
    >>> model = otss.OTSSRegressor(experts=2, estimator="map").fit(x, z, y)
    >>> bool(model.weights(np.array([2.0, 0.0]))[0] > 1)
    True
    """

    def __init__(self, *, family: str = "gaussian", experts: Any = "auto", estimator: str = "auto", method: str = "auto",
                 gate: str = "linear", deploy: str = "distilled", sign: Any = "", bounds: Any = "", validation: float = 0.0,
                 folds: Any = "auto", treatment: str = "auto", no_refit: bool = False, restarts: Any = "auto", seed: int = 1,
                 threads: int = 0, device: str = "cpu", storage: str = "f32", terms: str = "none", init: Any = None,
                 factors: Any = None, contexts: Any = None, progress: Any = "auto", unknown: str = "warn",
                 outside: str = "warn") -> None:
        self.family = family
        super().__init__(experts=experts, estimator=estimator, method=method, gate=gate, deploy=deploy, sign=sign, bounds=bounds,
                         validation=validation, folds=folds, treatment=treatment, no_refit=no_refit, restarts=restarts, seed=seed,
                         threads=threads, device=device, storage=storage, terms=terms, init=init, factors=factors, contexts=contexts,
                         progress=progress, unknown=unknown, outside=outside)


class _Comparison(Showing):
    """A comparison method: parameters that all of them have."""

    def __init__(self, *, validation: float = 0.0, folds: Any = "auto", treatment: str = "auto", no_refit: bool = False,
                 seed: int = 1, threads: int = 0, terms: str = "none", factors: Any = None, contexts: Any = None,
                 progress: Any = "auto", unknown: str = "warn", outside: str = "warn") -> None:
        self.validation = validation
        self.folds = folds
        self.treatment = treatment
        self.no_refit = no_refit
        self.seed = seed
        self.threads = threads
        self.terms = terms
        self.factors = factors
        self.contexts = contexts
        self.progress = progress
        self.unknown = unknown
        self.outside = outside


class _Routing(_Comparison):
    """A mixture with one expert per context or per row: parameters that all of them have."""

    def __init__(self, *, experts: Any = "auto", restarts: Any = "auto", validation: float = 0.0, folds: Any = "auto",
                 treatment: str = "auto", no_refit: bool = False, seed: int = 1, threads: int = 0, terms: str = "none",
                 factors: Any = None, contexts: Any = None, progress: Any = "auto", unknown: str = "warn",
                 outside: str = "warn") -> None:
        super().__init__(validation=validation, folds=folds, treatment=treatment, no_refit=no_refit, seed=seed, threads=threads,
                         terms=terms, factors=factors, contexts=contexts, progress=progress, unknown=unknown, outside=outside)
        self.experts = experts
        self.restarts = restarts


class Pooled(Showing):
    """One trade-off for everybody: the same weights in every context."""

    _method = "pooled"

    def __init__(self, *, family: str = "bernoulli", sign: Any = "", bounds: Any = "", validation: float = 0.0, folds: Any = "auto",
                 seed: int = 1, threads: int = 0, terms: str = "none", factors: Any = None, contexts: Any = None,
                 progress: Any = "auto", unknown: str = "warn", outside: str = "warn") -> None:
        self.family = family
        self.sign = sign
        self.bounds = bounds
        self.validation = validation
        self.folds = folds
        self.seed = seed
        self.threads = threads
        self.terms = terms
        self.factors = factors
        self.contexts = contexts
        self.progress = progress
        self.unknown = unknown
        self.outside = outside


class LinearContextual(_Comparison):
    """Weights that are linear in the context: w(x) = A x + c."""

    _method = "linear"

    def __init__(self, *, no_intercept: bool = False, validation: float = 0.0, folds: Any = "auto", treatment: str = "auto",
                 no_refit: bool = False, seed: int = 1, threads: int = 0, terms: str = "none", factors: Any = None,
                 contexts: Any = None, progress: Any = "auto", unknown: str = "warn", outside: str = "warn") -> None:
        super().__init__(validation=validation, folds=folds, treatment=treatment, no_refit=no_refit, seed=seed, threads=threads,
                         terms=terms, factors=factors, contexts=contexts, progress=progress, unknown=unknown, outside=outside)
        self.no_intercept = no_intercept


class LowRank(_Comparison):
    """Weights that are linear in the context, w(x) = A x + c, with a matrix A of low rank."""

    _method = "low-rank"


class MLP(_Comparison):
    """Weights that a small neural network computes from the context."""

    _method = "mlp"

    def __init__(self, *, restarts: Any = "auto", validation: float = 0.0, folds: Any = "auto", treatment: str = "auto",
                 no_refit: bool = False, seed: int = 1, threads: int = 0, terms: str = "none", factors: Any = None,
                 contexts: Any = None, progress: Any = "auto", unknown: str = "warn", outside: str = "warn") -> None:
        super().__init__(validation=validation, folds=folds, treatment=treatment, no_refit=no_refit, seed=seed, threads=threads,
                         terms=terms, factors=factors, contexts=contexts, progress=progress, unknown=unknown, outside=outside)
        self.restarts = restarts


class ClusterThenFit(_Routing):
    """k-means clusters of the contexts; each cluster has its own weights."""

    _method = "cluster"


class EMMixture(_Routing):
    """A mixture of regressions fitted by EM, which averages the experts' probabilities."""

    _method = "em"


class HardRouting(_Routing):
    """A mixture whose gate assigns each context to exactly one expert."""

    _method = "hard"


class BoostedTrees(_Comparison):
    """Boosted trees (XGBoost) of contexts and factors. They have scores, but no weights."""

    _method = "gbm"


ESTIMATORS: tuple[type[Showing], ...] = (
    OTSS, OTSSRegressor, Pooled, LinearContextual, LowRank, MLP, ClusterThenFit, EMMixture, HardRouting, BoostedTrees)
_BY_METHOD = {cls._method: cls for cls in ESTIMATORS if cls._method != "auto"}

for _class in ESTIMATORS:
    _class.__doc__ = f"{(_class.__doc__ or '').rstrip()}\n\n" + "\n".join(
        "    " + line if line else "" for line in parameter_docs(_class.parameter_names()).splitlines()) + "\n    "


def load(path: Any) -> Any:
    """Reads a model file, made by save() or by the command line, and returns a fitted estimator of the right class.

    The classes of a binary outcome are 0 and 1, because a model file does not have the labels of Python.
    """
    model = _core.Model.load(os.fspath(path))
    family = model.family
    cls: Any = _BY_METHOD.get(model.method, OTSS if family == "bernoulli" else OTSSRegressor)
    known = cls.parameter_names()
    options = {name.replace("-", "_"): value for name, value in _core.report(model)["options"].items()}
    estimator = cls(**{name: value for name, value in options.items() if name in known})
    estimator._adopt(model, None)
    return estimator
