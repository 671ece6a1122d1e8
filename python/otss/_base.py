"""What all estimators share: parameters in scikit-learn's manner, fitting, files and pickles."""
from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Sequence
from typing import Any, Optional, TypeVar

import numpy as np

from . import _core
from ._errors import DataWarning, InputError, InputTypeError, not_fitted
from ._log import Array, Assembled, Log, LogBuilder, Outcome, from_roles, logger, name_of
from ._options import DESCRIBED, bounds_text, sign_text
from ._progress import Reporting
from ._report import FitReport, report_from
from ._tables import Columns

Self = TypeVar("Self", bound="Parameters")
Fitting = TypeVar("Fitting", bound="Estimator")


class Parameters:
    """get_params and set_params as scikit-learn defines them, without importing scikit-learn."""

    @classmethod
    def parameter_names(cls) -> list[str]:
        """The names of the constructor's arguments."""
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the parameters by name."""
        return {name: self.__dict__[name] for name in self.parameter_names()}

    def set_params(self: Self, **params: Any) -> Self:
        """Sets parameters by name."""
        known = self.parameter_names()
        for name, value in params.items():
            if name not in known:
                raise InputError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {known!r}.")
            setattr(self, name, value)
        return self

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [f"{name}={value!r}" for name, value in self.get_params().items()
                   if value is not defaults[name].default and repr(value) != repr(defaults[name].default)]
        return f"{type(self).__name__}({', '.join(changed)})"


def _positions(spec: Any, names: Sequence[str], role: str) -> Optional[list[int]]:
    """The positions of columns that are given by name or position."""
    if spec is None:
        return None
    positions = []
    for one in [spec] if isinstance(spec, (str, int, np.integer)) else spec:
        if isinstance(one, (int, np.integer)) and not isinstance(one, bool):
            if not -len(names) <= one < len(names):
                raise InputError(f"{role} has the position {one}, but X has {len(names)} columns")
            positions.append(int(one) % len(names))
        elif one in names:
            positions.append(list(names).index(str(one)))
        else:
            raise InputError(f"{role} has {one!r}, but X has no such column; its columns are {', '.join(map(repr, names[:12]))}")
    if not positions:
        raise InputError(f"{role} is empty; give at least one column")
    return positions


class Estimator(Parameters):
    """The base of all estimators. Subclasses say which method they fit and which parameters it has."""

    _method = "auto"
    model_: _core.Model
    n_features_in_: int

    # Attributes that subclasses set in their constructors.
    factors: Any = None
    contexts: Any = None
    threads: int
    seed: int
    terms: str = "none"
    init: Any = None
    progress: Any
    unknown: str
    outside: str

    @property
    def _family(self) -> str:
        return str(getattr(self, "family", "bernoulli"))

    @property
    def _estimator_type(self) -> str:
        return "classifier" if self._family == "bernoulli" else "regressor"

    # --- fitting -------------------------------------------------------------------------------------------------------

    def fit(self: Fitting, contexts: Any, factors: Any = None, outcome: Any = None, *, y: Any = None, roles: Any = None,
            sample_weight: Any = None, groups: Any = None, time: Any = None, unit: Any = None, centered_by: Any = None,
            context_id: Optional[str] = None) -> Fitting:
        """Fits the model to a log and returns the estimator.

        Three ways to give the log, one row per past decision:

        - ``fit(contexts, factors, outcome)``: frames, arrays or dicts of columns;
        - ``fit(frame, roles=otss.Roles(...))``, or ``fit(otss.read_log(...))``;
        - ``fit(X, y)`` for scikit-learn's tools, where X holds factors and contexts (parameters `factors`, `contexts`).

        `sample_weight` has row weights, `groups` keeps rows of one group together in every split, `time` orders the rows (the
        latest are held out), `unit` names the unit of each row, such as a customer, whose weights may deviate from those of its contexts
        (`weights(…, history=…)`, `otss.Units`). `centered_by` is a table of feasible decisions by whose mean factors are centred; candidates
        that differ between contexts need `context_id`, a column of both tables.
        """
        log = self._assemble(contexts, factors, outcome, y, roles, (sample_weight, groups, time, unit), [context_id] if context_id else [])
        decisions = None if centered_by is None else self._source(centered_by, "centered_by")
        with Reporting(self.progress) as report:
            data = _core.read_log(log.source, log.roles, self._family, str(self.terms), self.seed, decisions, context_id or "", report)
            for note in data.notes:
                logger.info("%s", note)
            model = _core.fit(data, log.source, self._fit_options(), str(self.terms), self._init_model(), report)
        self._adopt(model, log.classes)
        self._warn_of_findings()
        return self

    def _fit_options(self) -> dict[str, Any]:
        options = {name: value for name, value in self.get_params().items() if name in DESCRIBED}
        options.setdefault("method", self._method)
        if "sign" in options:
            options["sign"] = sign_text(options["sign"])
            options["bounds"] = bounds_text(options["bounds"])
        return options

    def _init_model(self) -> Optional[_core.Model]:
        if self.init is None:
            return None
        if isinstance(self.init, (str, os.PathLike)):
            return _core.Model.load(os.fspath(self.init))
        if not isinstance(self.init, Estimator):
            raise InputTypeError(f"init is {self.init!r}; give a fitted estimator or a model file")
        return self.init._fitted("init")

    @staticmethod
    def _source(table: Any, what: str) -> _core.Source:
        if isinstance(table, (str, os.PathLike)):
            return _core.Source(os.fspath(table))
        columns = Columns(table, what, "z")
        made = _core.Table(what)
        columns.add_to(made)
        return _core.Source(made)

    def _assemble(self, contexts: Any, factors: Any, outcome: Any, y: Any, roles: Any, extras: tuple[Any, Any, Any, Any],
                  also: Sequence[str]) -> Assembled:
        self._joined: Optional[tuple[list[int], list[int]]] = None
        if isinstance(contexts, Log) or roles is not None:
            if any(one is not None for one in (factors, outcome, y, *extras)):
                raise InputError("with roles= (or a log of read_log) the frame has all columns; leave out the other arguments and "
                                 "name their columns in otss.Roles")
            if isinstance(contexts, Log):
                return Assembled(contexts.source, contexts.roles)
            return from_roles(contexts, roles, self._family, self.threads, also)
        builder = LogBuilder(self.threads)
        if outcome is None:
            outcome = y if y is not None else factors
            columns = self._add_joined(builder, contexts, outcome, is_pair=y is None)
        else:
            columns = [Columns(contexts, "contexts"), Columns(factors, "factors", "z")]
            builder.add("contexts", columns[0])
            builder.add("factors", columns[1])
        self.n_features_in_ = sum(len(one.names) for one in columns)
        what = "outcome" if len(columns) == 2 else "y"
        numbers = Outcome(outcome, self._family, what)
        self._require_weighted_classes(numbers, extras[0])
        builder.add_one("outcome", numbers.numbers, what, name=name_of(outcome, "y"))
        for (role, what), values in zip({"weight": "sample_weight", "group": "groups", "time": "time", "unit": "unit"}.items(), extras):
            if values is not None:
                builder.add_one(role, values, what, role == "time", name_of(values, role))
        return builder.build(numbers.classes)

    @staticmethod
    def _require_weighted_classes(outcome: Outcome, sample_weight: Any) -> None:
        """Refuses rows of one class only, after rows of weight 0 are left out."""
        if sample_weight is None or outcome.classes is None:
            return
        weight = np.asarray(sample_weight)
        if weight.shape == outcome.numbers.shape and len(np.unique(outcome.numbers[weight != 0])) < 2:
            raise InputError("the rows with a sample_weight above 0 have only one class; rows of both classes are needed")

    def _add_joined(self, builder: LogBuilder, X: Any, y: Any, is_pair: bool) -> list[Columns]:
        """Adds contexts and factors that are columns of one table, as scikit-learn's tools give them."""
        if y is None:
            raise InputError(f"{type(self).__name__} requires y to be passed, but the target y is None: give fit(contexts, factors, "
                             "outcome), fit(X, y), or fit(frame, roles=otss.Roles(...))")
        columns = Columns(X, "X")
        if is_pair and getattr(y, "ndim", 1) == 2 and y.shape[1] > 1:
            raise InputError("outcome is missing: give fit(contexts, factors, outcome), or fit(X, y) with one value of y per row")
        if len(columns.names) < 2:
            raise InputError(f"X has n_features={len(columns.names)} (1 feature(s)), but at least one factor and one context are "
                             "needed; a minimum of 2 is required")
        names = columns.names
        factors = _positions(self.factors, names, "factors") or [0]
        rest = [i for i in range(len(names)) if i not in factors]
        contexts = _positions(self.contexts, names, "contexts") or rest
        if set(factors) & set(contexts):
            raise InputError("contexts and factors have a column in common; a column can have only one of these roles")
        self._joined = (contexts, factors)
        is_named = not columns.is_array and all(isinstance(name, str) for name in getattr(X, "columns", names))
        if is_named:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        builder.add("contexts", columns.select(contexts))
        builder.add("factors", columns.select(factors))
        return [columns]

    def _adopt(self, model: _core.Model, classes: Optional[Array]) -> None:
        self.model_ = model
        if self._family == "bernoulli":
            self.classes_ = np.array([0, 1]) if classes is None else classes

    def _warn_of_findings(self) -> None:
        report = self.report_
        for finding in report.findings or []:
            if finding.kind == "persons":
                warnings.warn(finding.what, DataWarning, stacklevel=3)
            elif finding.severity == "not identified":
                warnings.warn("not identified: " + finding.what, DataWarning, stacklevel=3)
            elif finding.kind == "nonlinear_factors":
                logger.info("%s", finding.what)
        if report.uncertainty_warning:
            logger.info("%s", report.uncertainty_warning)
        for sentence in report.weight_checks.failed if report.weight_checks else []:
            logger.info("%s", sentence)

    # --- state ---------------------------------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in self.__dict__

    def _fitted(self, method: str) -> _core.Model:
        model = self.__dict__.get("model_")
        if model is None:
            raise not_fitted(self, method)
        return model  # type: ignore[no-any-return]

    def _more_tags(self) -> dict[str, Any]:
        return {"binary_only": self._estimator_type == "classifier", "requires_y": True, "requires_fit": True,
                "_xfail_checks": dict(SKLEARN_DIFFERENCES)}

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags

        is_classifier = self._estimator_type == "classifier"
        tags = Tags(estimator_type=self._estimator_type, target_tags=TargetTags(required=True), transformer_tags=None,
                    classifier_tags=ClassifierTags(multi_class=False) if is_classifier else None,
                    regressor_tags=None if is_classifier else RegressorTags())
        tags.input_tags.allow_nan = True
        return tags

    @property
    def report_(self) -> FitReport:
        """The report of the fit, typed: settings tried, the choice and why, held-out losses, diagnostics."""
        return report_from(_core.report(self._fitted("report_")))

    def save(self, path: Any) -> None:
        """Writes the model file, which the command line and `otss.load` read."""
        self._fitted("save()").save(os.fspath(path))

    def to_onnx(self, path: Any = None) -> bytes:
        """Returns the model as an ONNX file, and writes it if `path` is given. One input per context column (float32, or text), the
        weights w(x) as output; onnxruntime evaluates it without otss.

        >>> import otss
        >>> rows = otss.simulate("overlap", n=500, seed=7)
        >>> model = otss.Pooled().fit(rows.log[["x1", "x2"]], rows.log[["z1", "z2"]], rows.log["y"])
        >>> len(model.to_onnx()) > 500
        True
        """
        model = self._fitted("to_onnx()")
        if path is not None:
            model.export_onnx(os.fspath(path))
        return model.onnx()


#: Checks of scikit-learn that an estimator of otss does not pass, each with its reason.
SKLEARN_DIFFERENCES = {
    "check_fit_score_takes_y": "the second argument of fit is called factors, because fit(contexts, factors, outcome) is the usual "
                               "call; fit(X, y) and fit(X, y=y) work",
    "check_dataframe_column_names_consistency": "columns of frames are found by name, so their order does not matter",
    "check_sample_weights_invariance": "rows of weight 0 take part in the random split into folds, so leaving them out changes the "
                                       "folds and, a little, the chosen penalties",
}
