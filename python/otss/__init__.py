"""otss: what to optimise, for whom.

Your solver maximises w'z, a weighted sum of factors. otss learns from the log of past decisions which weights w(x) are right
in which context, and says how sure it is.

>>> import otss
>>> rows = otss.simulate("overlap", n=1000, seed=7)
>>> roles = otss.Roles(context=[f"x{j}" for j in range(1, 11)], factors=[f"z{j}" for j in range(1, 9)], outcome="y")
>>> model = otss.OTSS(experts=2, estimator="map").fit(rows.log, roles=roles)
>>> decisions = model.decide(rows.contexts, rows.library, id="id", certify=0.9)
>>> len(decisions) == len(rows.contexts)
True
"""
from ._core import __version__, instruction_set
from ._deciding import Estimate, Evaluation, PolicyValue
from ._errors import (Cancelled, ComputationError, DataWarning, Error, FileError, InputError, InputTypeError,
                      NotFittedError)
from ._functions import Check, Comparison, Simulation, check, compare, simulate, study
from ._log import Log, read_log
from ._page import Page
from ._report import Finding, FitReport
from ._roles import Roles, roles
from ._units import Units
from ._using import MeanWithInterval, WeightsWithInterval
from .estimators import (MLP, OTSS, BoostedTrees, ClusterThenFit, EMMixture, HardRouting, LinearContextual, LowRank,
                         OTSSRegressor, Pooled, load)

__all__ = [
    "MLP", "OTSS", "BoostedTrees", "Cancelled", "Check", "ClusterThenFit", "Comparison", "ComputationError", "DataWarning", "EMMixture",
    "Error", "Estimate", "Evaluation", "FileError", "Finding", "FitReport", "HardRouting", "InputError", "InputTypeError",
    "LinearContextual", "Log", "LowRank", "MeanWithInterval", "NotFittedError", "OTSSRegressor", "Page", "PolicyValue", "Pooled", "Roles",
    "Simulation", "Units", "WeightsWithInterval", "__version__", "check", "compare", "instruction_set", "load", "read_log", "roles", "simulate",
    "study"]


def __getattr__(name: str) -> object:
    if name in ("dask", "plot"):  # Dask and matplotlib take longer to import than all the rest
        import importlib

        return importlib.import_module(f"otss.{name}")
    raise AttributeError(f"module 'otss' has no attribute {name!r}")
