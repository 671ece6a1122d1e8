"""Frames, arrays, Arrow tables and dicts as columns that the C++ library reads in place.

A table is a numpy array, a pandas frame, a dict of columns, or anything that exports Arrow's C stream
(`__arrow_c_stream__`: pyarrow, polars, DuckDB). None of these libraries is imported here.
"""
from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional

import numpy as np

from . import _core
from ._errors import InputError, InputTypeError

TIME_WAY_OUT = ("turn it into numbers or text, for example with .dt.dayofweek, .dt.month or "
                "(d - d.min()).dt.days; or leave the column out")


def is_pandas(data: Any) -> bool:
    """True for a pandas DataFrame or Series."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, (pandas.DataFrame, pandas.Series))


def _is_series(data: Any) -> bool:
    return is_pandas(data) and data.ndim == 1


def _refuse_sparse(data: Any, what: str) -> None:
    if hasattr(data, "toarray") and hasattr(data, "nnz"):
        raise InputTypeError(f"{what} is a sparse matrix, but dense data is required; give {what}.toarray()")


class Columns:
    """The columns of one argument, by name and in order."""

    def __init__(self, data: Any, what: str, prefix: str = "x") -> None:
        self.what = what                      # the name of the argument, for messages
        self.data = data                      # what the caller gave
        self.index: Any = None                # the index of a pandas frame
        self.is_array = False                 # True if the columns have no names of their own
        self.values: dict[str, Any] = {}      # name -> column; empty if `matrix` or `arrow` holds the columns
        self.matrix: Optional[np.ndarray[Any, Any]] = None
        self.arrow: Optional[_core.ArrowTable] = None
        self.kinds: dict[str, str] = {}       # the kinds of Arrow columns
        self.num_rows = 0
        self._take(data, prefix)

    @property
    def names(self) -> list[str]:
        return list(self.kinds) if self.arrow is not None else list(self.values) if self.matrix is None else self._array_names

    def _take(self, data: Any, prefix: str) -> None:
        if data is None:
            raise InputTypeError(f"{self.what} is None; give a frame, an array or a dict of columns")
        _refuse_sparse(data, self.what)
        if is_pandas(data):
            self._take_pandas(data)
        elif isinstance(data, Mapping):
            self._take_mapping(data)
        elif hasattr(data, "__arrow_c_stream__"):
            self.arrow = _core.ArrowTable(data.__arrow_c_stream__())
            self.kinds = dict(self.arrow.columns)
            self.num_rows = self.arrow.num_rows
        else:
            self._take_array(data, prefix)

    def _take_pandas(self, data: Any) -> None:
        frame = data.to_frame() if _is_series(data) else data
        if getattr(frame.columns, "nlevels", 1) > 1:
            raise InputError(f"the columns of {self.what} are a MultiIndex; give them single names, for example "
                             "frame.columns = ['_'.join(map(str, c)) for c in frame.columns]")
        self.index = frame.index
        self.num_rows = len(frame)
        self._name_columns((str(name), frame.iloc[:, i]) for i, name in enumerate(frame.columns))

    def _take_mapping(self, data: Mapping[Any, Any]) -> None:
        if not data:
            raise InputError(f"{self.what} is an empty dict; give at least one column")
        scalars = [name for name, column in data.items() if isinstance(column, str) or not hasattr(column, "__len__")]
        if len(scalars) == len(data):
            data = {name: [value] for name, value in data.items()}
        elif scalars:
            raise InputError(f"{self.what}[{scalars[0]!r}] is one value, but other columns have several; give every "
                             "column as a list or an array")
        self._name_columns((str(name), column) for name, column in data.items())
        sizes = {name: len(column) for name, column in self.values.items()}
        self.num_rows = next(iter(sizes.values()))
        for name, size in sizes.items():
            if size != self.num_rows:
                first = next(iter(sizes))
                raise InputError(f"{self.what}: column '{name}' has {size} rows, but column '{first}' has {self.num_rows}; "
                                 "give all columns the same number of rows")

    def _name_columns(self, columns: Iterable[tuple[str, Any]]) -> None:
        for name, column in columns:
            if name in self.values:
                raise InputError(f"{self.what} has two columns with the name '{name}'; rename one of them")
            self.values[name] = column

    def _take_array(self, data: Any, prefix: str) -> None:
        if isinstance(data, (str, bytes)):
            raise InputTypeError(f"{self.what} is a text; give a frame, an array or a dict of columns (otss.read_log reads "
                                 "files)")
        try:
            array = np.asarray(data)
        except ValueError as error:
            raise InputError(f"{self.what} cannot be an array: {error}; give rows of equal length") from None
        if array.dtype.names is not None:
            self._name_columns((name, array[name]) for name in array.dtype.names)
            self.num_rows = len(array)
            return
        if array.dtype.kind == "c":
            raise InputError(f"Complex data not supported: {self.what} has complex numbers; give its real part")
        if array.ndim == 1 and prefix == "z":
            array = array.reshape(-1, 1)
        if array.ndim != 2:
            raise InputError(f"{self.what} has {array.ndim} dimension{'s' if array.ndim != 1 else ''}, but 2 are needed (rows, "
                             "columns). Reshape your data: array.reshape(-1, 1) if it is one column, array.reshape(1, -1) if "
                             "it is one row")
        if array.shape[1] == 0:
            raise InputError(f"{self.what} has 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
        self.is_array = True
        self.num_rows = int(array.shape[0])
        self._array_names = [f"{prefix}{j + 1}" for j in range(array.shape[1])]
        if array.dtype in (np.float64, np.float32) and array.dtype.isnative:
            self.matrix = array
        else:
            self.values = {name: array[:, j] for j, name in enumerate(self._array_names)}

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def rename(self, names: Sequence[str]) -> None:
        """Gives the columns of an array these names."""
        if self.matrix is None:
            self.values = dict(zip(names, self.values.values()))
        self._array_names = list(names)

    def select(self, positions: Sequence[int]) -> "Columns":
        """Returns a copy with the columns at these positions."""
        chosen = object.__new__(Columns)
        chosen.__dict__.update(self.__dict__)
        names = [self.names[i] for i in positions]
        if self.matrix is not None:
            chosen.matrix = self.matrix[:, list(positions)]
            chosen._array_names = names
        elif self.arrow is not None:
            chosen.kinds = {name: self.kinds[name] for name in names}
        else:
            chosen.values = {name: self.values[name] for name in names}
            if self.is_array:
                chosen._array_names = names
        return chosen

    def column(self, name: str) -> Any:
        """Returns one column as the caller gave it; an Arrow column becomes numbers or texts."""
        if self.matrix is not None:
            return self.matrix[:, self._array_names.index(name)]
        if self.arrow is not None:
            one = self.arrow.values(name)
            return one if isinstance(one, np.ndarray) else np.array(one, dtype=object)
        return self.values[name]

    def add_to(self, table: _core.Table, names: Optional[Sequence[str]] = None, times: Sequence[str] = ()) -> None:
        """Adds these columns to a table of the C++ library; by default all columns."""
        if self.matrix is not None and names is None:
            table.add_matrix(self._array_names, self.matrix)
            return
        for name in self.names if names is None else names:
            if self.arrow is not None:
                if self.kinds[name] == "time" and name not in times:
                    raise InputError(f"column '{name}' of {self.what} has dates; {TIME_WAY_OUT}")
                self.arrow.add_to(table, name)
            else:
                add_column(table, name, self.column(name), self.what, name in times)


def _seconds(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    missing = np.isnat(values)
    seconds = values.astype("datetime64[ns]").astype(np.int64) / 1e9
    seconds[missing] = math.nan
    return seconds


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)


def _add_objects(table: _core.Table, name: str, values: np.ndarray[Any, Any], what: str, is_time: bool) -> None:
    first = next((value for value in values if not _is_missing(value)), None)
    if isinstance(first, str):
        table.add_texts(name, values)
        return
    if hasattr(first, "isoformat") and is_time:
        table.add_numbers(name, _seconds(np.array([None if _is_missing(v) else v for v in values], dtype="datetime64[us]")))
        return
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        try:
            numbers[row] = math.nan if _is_missing(value) else float(value)
        except (TypeError, ValueError):
            if hasattr(value, "isoformat"):
                raise InputError(f"column '{name}' of {what} has dates; {TIME_WAY_OUT}") from None
            raise InputTypeError(f"column '{name}' of {what} has a value of type {type(value).__name__} in row {row + 1}; the "
                                 "argument must be a string or a number: make all values numbers, or all texts") from None
    table.add_numbers(name, numbers)


def add_column(table: _core.Table, name: str, column: Any, what: str, is_time: bool = False) -> None:
    """Adds one column to a table of the C++ library. Numbers and categories are not converted if that is not needed."""
    _refuse_sparse(column, f"column '{name}' of {what}")
    dtype = getattr(column, "dtype", None)
    if dtype is not None and type(dtype).__name__ == "CategoricalDtype":
        codes = np.ascontiguousarray(column.cat.codes if hasattr(column, "cat") else column.codes, dtype=np.int64)
        table.add_codes(name, codes, [str(label) for label in dtype.categories])
        return
    if type(dtype).__name__ == "SparseDtype":
        raise InputTypeError(f"column '{name}' of {what} is sparse, but dense data is required; give "
                             f"{what}['{name}'].sparse.to_dense()")
    kind = getattr(dtype, "kind", None)
    if dtype is not None and not isinstance(dtype, np.dtype) and kind in ("i", "u", "f", "b"):
        column = column.to_numpy(dtype=np.float64, na_value=math.nan)
    if type(dtype).__name__ == "DatetimeTZDtype":
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    values = np.asarray(column)
    if values.ndim != 1:
        raise InputError(f"column '{name}' of {what} has {values.ndim} dimensions; give one value per row")
    if values.dtype.kind == "f":
        native = values.dtype in (np.float64, np.float32) and values.dtype.isnative
        table.add_numbers(name, values if native else values.astype(np.float64))
    elif values.dtype.kind in "iub":
        table.add_numbers(name, values.astype(np.float64))
    elif values.dtype.kind == "M" and is_time:
        table.add_numbers(name, _seconds(values))
    elif values.dtype.kind in "Mm":
        raise InputError(f"column '{name}' of {what} has dates or durations; {TIME_WAY_OUT}")
    elif values.dtype.kind == "U":
        table.add_texts(name, values.astype(object))
    elif values.dtype.kind == "O":
        _add_objects(table, name, values, what, is_time)
    elif values.dtype.kind == "c":
        raise InputError(f"Complex data not supported: column '{name}' of {what} has complex numbers; give its real part")
    else:
        raise InputTypeError(f"column '{name}' of {what} has the type {values.dtype}; give numbers or texts (bytes: decode "
                             "them first)")


def texts_of(column: Any) -> np.ndarray[Any, Any]:
    """Ids as texts, None where they are missing. Whole numbers have no decimal point."""
    values = np.asarray(column)
    if values.dtype.kind == "f":
        return np.array([None if v != v else str(int(v)) if v == math.floor(v) else repr(float(v)) for v in values.tolist()], dtype=object)
    return np.array([None if _is_missing(v) else str(v) for v in values.tolist()], dtype=object)


def table_of(columns: Columns, names: Optional[Sequence[str]] = None, times: Sequence[str] = ()) -> _core.Table:
    """Returns a table of the C++ library that reads these columns in place."""
    table = _core.Table(columns.what)
    columns.add_to(table, names, times)
    return table


def require_finite(columns: Columns, names: Sequence[str], what: str) -> None:
    """Refuses factors that are missing or infinite. Columns of other types than floats are checked when they are read."""
    for name in names:
        if columns.arrow is not None or name not in columns:
            continue
        values = columns.column(name)
        if getattr(getattr(values, "dtype", None), "kind", "") != "f":
            continue
        numbers = np.asarray(values)
        if numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
            row = int(np.flatnonzero(~np.isfinite(numbers))[0])
            shown = "NaN (missing)" if numbers[row] != numbers[row] else "infinity (inf)"
            raise InputError(f"{what} '{name}' is {shown} in row {row + 1}; a {what} must be a finite number: correct the row, or "
                             "leave it out")


def like(given: Columns, columns: Mapping[str, Any], index: Any = None) -> Any:
    """Returns columns in the form of the caller's table: a frame of the same library, or a numpy record array."""
    if is_pandas(given.data):
        pandas = sys.modules["pandas"]
        return pandas.DataFrame(dict(columns), index=given.index if index is None else index)
    module = type(given.data).__module__.split(".")[0]
    if module == "polars":
        return sys.modules["polars"].DataFrame(dict(columns))
    if module == "pyarrow":
        return sys.modules["pyarrow"].table(dict(columns))
    return records(columns)


def records(columns: Mapping[str, Any]) -> Any:
    """Returns a numpy record array of the columns."""
    arrays = [np.asarray(column) for column in columns.values()]
    made = np.rec.fromarrays(arrays, dtype=[(name, array.dtype) for name, array in zip(columns, arrays)])
    return made


def frame_or_records(columns: Mapping[str, Any], index: Sequence[Any], index_name: str) -> Any:
    """Returns a pandas frame if pandas can be imported, else a record array whose first column is the index."""
    try:
        import pandas
    except ImportError:
        return records({index_name: np.asarray(index, dtype=object), **columns})
    return pandas.DataFrame(dict(columns), index=pandas.Index(index, name=index_name))
