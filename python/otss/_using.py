"""What a fitted estimator computes for new contexts: weights, shares of experts, predictions."""
from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _core
from ._errors import DataWarning, InputError, InputTypeError
from ._log import Array, Outcome
from ._progress import Reporting
from ._sources import Sources
from ._tables import Columns, is_pandas, like
from ._units import RowUnits, UnitArguments


class WeightsWithInterval(NamedTuple):
    """Weights and the bounds of their confidence intervals."""
    weights: Any
    lo: Any
    hi: Any


class MeanWithInterval(NamedTuple):
    """Mean outcomes and the bounds of their confidence intervals."""
    mean: Any
    lo: Any
    hi: Any


def level_of(level: Any, what: str) -> float:
    """A confidence level; 90 is refused, 0.9 is meant."""
    try:
        number = float(level)
    except (TypeError, ValueError):
        raise InputTypeError(f"{what} is {level!r}; give a confidence level such as 0.9") from None
    if not 0 < number <= 0.999999:
        raise InputError(f"{what} is {number:g}; give a confidence level between 0 and 0.999999, such as 0.9")
    return number


def warn_of_new_values(counts: Any, stacklevel: int = 4) -> None:
    """Warns of values that did not occur in training."""
    if counts is None:
        return
    levels, missing, far = counts
    if levels:
        warnings.warn(f"{levels} context values are levels that no training row had; their indicators are 0 (unknown='error' refuses "
                      "them)", DataWarning, stacklevel)
    if missing:
        warnings.warn(f"{missing} context values are missing in columns that were never missing in training; the mean is used "
                      "(unknown='error' refuses them)", DataWarning, stacklevel)
    for column, count in far.items():
        warnings.warn(f"{count} values of '{column}' are far outside the range of training (outside='error' refuses them)",
                      DataWarning, stacklevel)


def of_contexts(rows: Optional[RowUnits]) -> Optional[_core.RowUnits]:
    """The units of rows of contexts, for the C++ library."""
    return None if rows is None else rows.of_contexts()


class Gate(str):
    """The gate of an estimator: the text is the parameter `gate`, and a call gives the shares of the experts.

    `gate` is an option of the command line and a method of a fitted model, so this object is both.
    """

    _owner: "Using"

    def __call__(self, contexts: Any) -> Any:
        """Returns the shares alpha_k(x) of the experts in each context: columns expert_1 … expert_K that sum to 1."""
        return self._owner._shares(contexts)


class _GateAttribute:
    def __get__(self, instance: Optional["Using"], owner: type) -> Any:
        if instance is None:
            return self
        gate = Gate(instance.__dict__.get("gate", ""))
        gate._owner = instance
        return gate

    def __set__(self, instance: "Using", value: Any) -> None:
        instance.__dict__["gate"] = value


class Using(Sources):
    """Weights, gate and predictions of a fitted model."""

    gate = _GateAttribute()

    # --- weights and gate ----------------------------------------------------------------------------------------------

    def weights(self, contexts: Any, interval: Optional[float] = None, simultaneous: bool = False, *, history: Any = None,
                units: Any = None, unit: Any = None, time: Any = None, device: str = "cpu") -> Any:
        """Returns the weights w(x) of each context, in the units of the log's own columns.

        A frame gives a frame with its index and one column per factor, anything else an array of shape (rows, factors). One
        context may be a one-dimensional array (the weights are an array) or a dict of named values (the weights are a dict).
        With `interval`, a confidence level, returns a named tuple (weights, lo, hi); with `simultaneous` the intervals hold
        for all factors of a context together. With `device="cuda"` a GPU computes the weights, up to rounding; intervals are the
        processor's.

        A model that was fitted with `unit=` takes a `history` of units' earlier rows, or `units` (an otss.Units or a units file). A row
        whose unit has rows there gets the weights of this unit, any other row w(x). `unit` is a column of contexts, or one value per row;
        it is the unit column of the fit unless given. With `time`, only earlier rows of the history count; without it, a history that
        has rows of contexts is refused.

        >>> import otss
        >>> rows = otss.simulate("overlap", n=500, seed=7)
        >>> model = otss.Pooled().fit(rows.log[["x1", "x2"]], rows.log[["z1", "z2"]], rows.log["y"])
        >>> model.weights(rows.contexts[["x1", "x2"]]).shape
        (3000, 2)
        >>> sorted(model.weights({"x1": 0.5, "x2": -1}))
        ['z1', 'z2']
        """
        model = self.__dict__.get("model_")
        if device == "cpu" and interval is None and history is None and units is None and model is not None and self.unknown == "warn" and self.outside == "warn":
            # One context: no table is made.
            if type(contexts) is dict and not model.needs_reader and not any(hasattr(v, "__len__") and type(v) is not str for v in contexts.values()):
                return self._one(model.weights_of_dict(contexts))
            if type(contexts) is np.ndarray and contexts.ndim == 1 and contexts.dtype.kind in "fiub":
                return self._one(self._weights_of_row(model, contexts))
        model = self._fitted("weights()")
        if interval is not None:
            return self._weights_with_interval(model, contexts, level_of(interval, "interval"), simultaneous,
                                               UnitArguments(history, units, unit, time), device)
        columns, values = self._weights_of(model, contexts, UnitArguments(history, units, unit, time), 5, device)
        return self._shaped(columns, values, model.factor_names)

    def _weights_of(self, model: _core.Model, contexts: Any, given: UnitArguments, stacklevel: int,
                    device: str = "cpu") -> tuple[Columns, Array]:
        """The weights of each context, and the contexts."""
        columns, table = self._context_table(model, contexts)
        rows = self._row_units(model, columns, given)
        values, counts = model.weights(table, *self._policies(), self.threads, of_contexts(rows), device)
        warn_of_new_values(counts, stacklevel)
        return columns, values

    @staticmethod
    def _one(result: Any) -> Any:
        if type(result) is not tuple:
            return result
        warn_of_new_values(result[1], 4)
        return result[0]

    def _weights_of_row(self, model: _core.Model, row: Array) -> Any:
        wanted = model.context_columns
        if len(row) != len(wanted) or model.needs_reader or any(kind != "number" for _, kind in wanted):
            joined = self.__dict__.get("_joined")
            if joined is not None and len(row) == self.n_features_in_:
                return self._weights_of_row(model, row[joined[0]])
            raise InputError(f"contexts is a row of {len(row)} numbers, but the model has {len(wanted)} contexts"
                             + (", some of them texts; give a dict" if len(row) == len(wanted) else "")
                             + ". Reshape your data: array.reshape(-1, 1) if it is one column of many contexts")
        return model.weights_of_row(row)

    def _weights_with_interval(self, model: _core.Model, contexts: Any, level: float, simultaneous: bool,
                               given: UnitArguments, device: str) -> WeightsWithInterval:
        columns, table = self._context_table(model, contexts)
        rows = self._row_units(model, columns, given)
        with Reporting(self.progress) as report:
            *parts, counts = model.intervals(table, level, simultaneous, self.threads, *self._policies(), of_contexts(rows), device,
                                             report)
        warn_of_new_values(counts, 5)
        return WeightsWithInterval(*(self._shaped(columns, part, model.factor_names) for part in parts))

    @staticmethod
    def _shaped(columns: Columns, values: Array, names: Sequence[str]) -> Any:
        """A matrix in the form of the caller's table: arrays and dicts give an array."""
        if is_pandas(columns.data):
            import pandas

            return pandas.DataFrame(values, index=columns.index, columns=list(names))
        if columns.arrow is not None:
            return like(columns, {name: values[:, j] for j, name in enumerate(names)})
        return values

    def _shares(self, contexts: Any) -> Any:
        model = self._fitted("gate()")
        columns, table = self._context_table(model, contexts)
        values, counts = model.shares(table, *self._policies(), self.threads)
        warn_of_new_values(counts)
        return self._shaped(columns, values, [f"expert_{k + 1}" for k in range(values.shape[1])])

    # --- predictions ---------------------------------------------------------------------------------------------------

    def predict_mean(self, contexts: Any, factors: Any = None, interval: Optional[float] = None, candidates: Any = None, *,
                     history: Any = None, units: Any = None, unit: Any = None, time: Any = None) -> Any:
        """Returns the mean outcome of decisions with these factors; with `interval` a named tuple (mean, lo, hi).

        `contexts` may be one frame with contexts and factors. A model that was fitted with candidates needs them again. `history`,
        `units`, `unit` and `time` are those of `weights`: the mean is then averaged over what is known about each row's unit.
        """
        model = self._fitted("predict_mean()")
        level = 0.0 if interval is None else level_of(interval, "interval")
        columns, table = self._rows_of_decisions(model, contexts, factors)
        rows = self._row_units(model, columns, UnitArguments(history, units, unit, time), candidates)
        names = ("", "") if rows is None else rows.add_to(table)
        beside = None if candidates is None else self._source(candidates, "candidates")
        with Reporting(self.progress) as report:
            mean, lo, hi, counts = model.predict(_core.Source(table, "", {}, self.threads), level, *self._policies(), self.threads, beside,
                                                 None if rows is None else rows.states, *names, report)
        warn_of_new_values(counts)
        return mean if interval is None else MeanWithInterval(mean, lo, hi)

    def _predict_proba(self, contexts: Any, factors: Any = None, **units: Any) -> Array:
        """Returns the probabilities of the two classes, one row per decision (columns in the order of `classes_`)."""
        self._fitted("predict_proba()")
        positive = self.predict_mean(contexts, factors, **units)
        return np.column_stack([1 - positive, positive])

    @property
    def predict_proba(self) -> Any:
        """predict_proba(contexts, factors): the probabilities of the two classes, in the order of `classes_`."""
        if self._family != "bernoulli":
            raise AttributeError(f"the outcome of this {type(self).__name__} is not binary (family={self._family!r}), so it has no "
                                 "predict_proba; use predict")
        return self._predict_proba

    def predict(self, contexts: Any, factors: Any = None, **units: Any) -> Array:
        """Returns the class of each decision for a binary outcome, else its mean outcome. `units` are the arguments history, units,
        unit and time of `weights`."""
        self._fitted("predict()")
        mean: Array = self.predict_mean(contexts, factors, **units)
        if self._family != "bernoulli":
            return mean
        classes: Array = self.classes_[(mean > 0.5).astype(int)]
        return classes

    def score(self, contexts: Any, factors: Any, outcome: Any = None, sample_weight: Any = None) -> float:
        """Returns the accuracy for a binary outcome, else R²: scikit-learn's scores, for score(X, y) and
        score(contexts, factors, outcome). `evaluate` has better measures with intervals."""
        self._fitted("score()")
        given = factors if outcome is None else outcome
        predicted = self.predict(contexts) if outcome is None else self.predict(contexts, factors)
        weight = np.ones(len(predicted)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        if self._family == "bernoulli":
            return float(np.average(np.asarray(given) == predicted, weights=weight))
        truth = Outcome(given, self._family, "y").numbers
        mean = np.average(truth, weights=weight)
        return float(1 - np.sum(weight * (truth - predicted) ** 2) / np.sum(weight * (truth - mean) ** 2))
