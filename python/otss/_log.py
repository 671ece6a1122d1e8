"""Logs: from the arguments of fit() to a log of the C++ library."""
from __future__ import annotations

import contextlib
import logging
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._errors import DataWarning, Error, InputError, InputTypeError
from ._roles import Roles
from ._tables import Columns, add_column, is_pandas, require_finite, table_of

logger = logging.getLogger("otss")
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Log:
    """A log that was named but not yet read: the result of `read_log`. Give it to fit(), check() or compare()."""

    source: _core.Source
    roles: dict[str, Any]
    name: str

    def __repr__(self) -> str:
        return f"Log({self.name!r}, outcome={self.roles['outcome']!r})"


def read_log(table: Any, roles: Roles, *, query: str = "", positive: Optional[str] = None, missing: Sequence[str] = (),
             decimal: Optional[str] = None, dates: Optional[Mapping[str, Sequence[str]]] = None,
             date_order: Optional[str] = None, reference: Optional[Mapping[str, str]] = None, ignore_case: bool = False,
             threads: int = 0) -> Log:
    """Names a log in a file (CSV, CSV.gz, Parquet, JSON; globs) or a frame, by the rules of the command line.

    `query` is SQL over the table, which is called t. `positive` is the value of the outcome that counts as 1, `missing`
    lists values that mean missing, `dates` maps a date column to its parts ("day", "weekday", "month", "hour"),
    `reference` maps a text factor to its reference level.

    >>> import otss
    >>> log = otss.read_log("examples/deliveries.csv", otss.Roles(["age", "plan"], ["price", "hours"], "kept"))
    >>> otss.OTSS(experts=2).fit(log).experts_[["expert_1", "expert_2"]].shape
    (2, 2)
    """
    given: dict[str, Any] = {"missing": [str(word) for word in missing], "ignore_case": bool(ignore_case)}
    if positive is not None:
        given["positive"] = str(positive)
    if decimal is not None:
        given["decimal"] = str(decimal)
    if date_order is not None:
        given["date_order"] = str(date_order)
    if dates is not None:
        given["dates"] = {str(column): list(parts) for column, parts in dates.items()}
    if reference is not None:
        given["reference"] = {str(column): str(level) for column, level in reference.items()}
    if not isinstance(roles, Roles):
        raise InputTypeError(f"roles is {roles!r}; give otss.Roles(context=[…], factors=[…], outcome='…')")
    if isinstance(table, (str, os.PathLike)):
        path = os.fspath(table)
        return Log(_core.Source(path, query, given, threads), roles.as_dict(), str(path))
    columns = Columns(table, "log")
    wanted = columns.names if query else roles.columns_of(columns)
    return Log(_core.Source(table_of(columns, wanted, [roles.time] if roles.time else []), query, given, threads),
               roles.as_dict(), "a table in memory")


def warn_of_column_vector(what: str) -> None:
    """Warns as scikit-learn does, and with its class if scikit-learn is loaded."""
    sklearn: Any = sys.modules.get("sklearn.exceptions")
    category = DataWarning if sklearn is None else sklearn.DataConversionWarning
    warnings.warn(f"A column-vector {what} was passed when a 1d array was expected; the column is used", category, stacklevel=5)


def one_column(values: Any, what: str) -> Array:
    """Returns one value per row. Frames of one column are taken, too."""
    if values is None:
        raise InputError(f"{what} is None; give one value per row")
    if is_pandas(values) and values.ndim == 2 or hasattr(values, "__arrow_c_stream__") and not hasattr(values, "__array__"):
        columns = Columns(values, what)
        if len(columns.names) != 1:
            raise InputError(f"{what} has {len(columns.names)} columns; give one")
        return np.asarray(columns.column(columns.names[0]))
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        warn_of_column_vector(what)
        array = array[:, 0]
    if array.ndim == 0:
        raise InputError(f"{what} is one value; give one value per row")
    if array.ndim != 1:
        raise InputError(f"{what} has the shape {array.shape}; y should be a 1d array, one value per row")
    return array


class Outcome:
    """The outcome as numbers, and for a binary outcome the two classes."""

    def __init__(self, values: Any, family: str, what: str, classes: Optional[Array] = None) -> None:
        self.classes: Optional[Array] = None
        column = one_column(values, what)
        if family != "bernoulli":
            self.numbers = self._as_numbers(column, what)
            return
        self.classes = self._two_classes(column, what) if classes is None else classes
        self._refuse_other(column, what)
        self.numbers = np.asarray(column == self.classes[1], dtype=np.float64)

    @staticmethod
    def _as_numbers(column: Array, what: str) -> Array:
        if column.dtype.kind == "c":
            raise InputError(f"Complex data not supported: {what} has complex numbers")
        try:
            return column.astype(np.float64)
        except (TypeError, ValueError):
            raise InputError(f"{what} has values that are not numbers; a {type(column).__name__} of numbers is needed") from None

    @staticmethod
    def _missing_row(column: Array) -> Optional[int]:
        missing = column != column if column.dtype.kind in "fc" else np.array([v is None or v != v for v in column.tolist()])
        rows = np.flatnonzero(missing)
        return int(rows[0]) if len(rows) else None

    def _two_classes(self, column: Array, what: str) -> Array:
        if column.dtype.kind == "c":
            raise InputError(f"Complex data not supported: {what} has complex numbers")
        row = self._missing_row(column)
        if row is not None:
            raise InputError(f"{what} is missing in row {row + 1}: Input y contains NaN; leave the row out")
        try:
            classes = np.unique(column)
        except TypeError:
            raise InputError(f"{what} mixes values of different types; give two values, such as 0 and 1") from None
        if column.dtype.kind == "f":
            infinite = np.flatnonzero(np.isinf(column))
            if len(infinite):
                raise InputError(f"{what} is infinite in row {infinite[0] + 1}: Input y contains infinity; correct it")
            if len(classes) > 2 and np.any(classes != np.floor(classes)):
                raise InputError(f"Unknown label type: {what} is continuous ({len(classes)} different values), but the family "
                                 "'bernoulli' needs two classes; use OTSSRegressor")
        if len(classes) == 1:
            raise InputError(f"{what} has only one class, {classes[0]!r}, in all rows; rows of both classes are needed")
        if len(classes) != 2:
            raise InputError("Only binary classification is supported. The type of the target is multiclass: "
                             f"{what} has {len(classes)} classes; use 0 and 1, or OTSSRegressor(family='poisson') for counts")
        return classes

    def _refuse_other(self, column: Array, what: str) -> None:
        assert self.classes is not None
        other = np.flatnonzero(~np.isin(column, self.classes))
        if len(other):
            raise InputError(f"{what} is {column[other[0]]!r} in row {other[0] + 1}; the model knows {self.classes[0]!r} and "
                             f"{self.classes[1]!r}")


def free_name(wanted: str, taken: Sequence[str]) -> str:
    """Returns a name that is not taken (upper and lower case are not distinguished)."""
    lower = {name.lower() for name in taken}
    while wanted.lower() in lower:
        wanted += "_"
    return wanted


def name_of(values: Any, otherwise: str) -> str:
    """The name of a pandas Series, or another name."""
    name = getattr(values, "name", None) if is_pandas(values) else None
    return otherwise if name is None else str(name)


@dataclass
class Assembled:
    """The columns of a log: a source for the C++ library, and the roles of its columns."""

    source: _core.Source
    roles: dict[str, Any]
    classes: Optional[Array] = None


class LogBuilder:
    """Puts contexts, factors, outcome and the optional columns together."""

    def __init__(self, threads: int) -> None:
        self.table = _core.Table("log")
        self.threads = threads
        self.roles: dict[str, Any] = {"contexts": [], "factors": []}
        self.num_rows: Optional[int] = None

    def _check_rows(self, num_rows: int, what: str) -> None:
        if self.num_rows is None:
            self.num_rows = num_rows
            if num_rows == 0:
                raise InputError(f"{what} has no rows: Found array with 0 sample(s) while a minimum of 1 is required")
            if num_rows == 1:
                raise InputError(f"{what} has n_samples=1 (1 sample); a log needs many rows")
        elif num_rows != self.num_rows:
            raise InputError(f"{what} has {num_rows} rows, but the contexts have {self.num_rows} rows; give one value per row")

    def add(self, role: str, columns: Columns) -> None:
        """Adds all columns of a table; `role` is "contexts" or "factors"."""
        self._check_rows(columns.num_rows, columns.what)
        for name in columns.names:
            if name in self.roles["contexts"] + self.roles["factors"]:
                raise InputError(f"column '{name}' is a context and a factor; a column can have only one of these roles: leave it "
                                 "out of contexts or of factors")
        if role == "factors":
            require_finite(columns, columns.names, "factor")
        self.roles[role] += columns.names
        columns.add_to(self.table)

    def add_one(self, role: str, values: Any, what: str, is_time: bool = False, name: Optional[str] = None) -> None:
        """Adds the outcome, weight, group, time or unit of each row."""
        column = values if is_pandas(values) and values.ndim == 1 else one_column(values, what)
        self._check_rows(len(column), what)
        name = free_name(name or name_of(values, role), self.table.names)
        add_column(self.table, name, column, what, is_time)
        self.roles[role] = name

    def build(self, classes: Optional[Array]) -> Assembled:
        return Assembled(_core.Source(self.table, "", {}, self.threads), self.roles, classes)


def _add_unused(columns: Columns, table: _core.Table) -> None:
    """Adds columns without a role, as far as they can be read: one of them may name the person to whom rows belong, which is worth
    a warning."""
    taken = {name.lower() for name in table.names}
    for name in columns.names:
        if name.lower() not in taken:
            taken.add(name.lower())
            with contextlib.suppress(Error):
                columns.add_to(table, [name])


def from_roles(frame: Any, roles: Union[Roles, Any], family: str, threads: int, also: Sequence[str] = ()) -> Assembled:
    """A log from a frame whose columns have the given roles. `also` are columns that are kept without a role."""
    if not isinstance(roles, Roles):
        raise InputTypeError(f"roles is {roles!r}; give otss.Roles(context=[…], factors=[…], outcome='…')")
    columns = Columns(frame, "log")
    wanted = list(dict.fromkeys([*roles.columns_of(columns), *also]))
    outcome = Outcome(columns.column(roles.outcome), family, f"outcome '{roles.outcome}'")
    table = _core.Table("log")
    columns.add_to(table, [name for name in wanted if name != roles.outcome], [roles.time] if roles.time else [])
    add_column(table, roles.outcome, outcome.numbers, "outcome")
    _add_unused(columns, table)
    return Assembled(_core.Source(table, "", {}, threads), roles.as_dict(), outcome.classes)
