"""Units, such as customers: what their earlier rows say about their weights."""
from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _core
from ._errors import InputError, InputTypeError
from ._log import Array, free_name, one_column
from ._progress import Reporting
from ._tables import Columns, add_column, frame_or_records, texts_of

if TYPE_CHECKING:
    from ._sources import Sources

ALL_ROWS = -1
_PICKLED = "units.parquet"  # a pickle has the bytes of a units file, which are exact
_SECONDS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}


def half_life_of(value: Any) -> Optional[float]:
    """A half-life in the unit of the time column: a number, a text such as "30d", or a timedelta (both in seconds).

    >>> half_life_of("2h")
    7200.0
    """
    if value is None:
        return None
    if hasattr(value, "total_seconds"):
        value = value.total_seconds()
    match = re.fullmatch(r"([0-9.eE+-]+?)(|s|min|h|d|w)", value) if isinstance(value, str) else None
    try:
        number = float(match.group(1)) * _SECONDS[match.group(2)] if match else float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not 0 < number < np.inf:
        raise InputError(f"half_life is {value!r}; give a positive number in the unit of the time column, or, for dates, a time such as "
                         "'30d', '12h' or '4w'")
    return number


class Units:
    """What a fitted model has learned about units, such as customers, from their earlier rows.

    `model` is an estimator that was fitted with `unit=`. `history` is a log of earlier rows: a frame with contexts, factors, outcome
    and unit, a file, or an `otss.read_log`. `unit` and `time` name its columns; `unit` is the unit column of the fit unless given.
    A row counts half after `half_life`. The last `keep_rows` rows of each unit are kept as they are, so that updates are exact for them.
    `candidates` are needed for a model that was fitted with candidates.

    >>> import otss
    >>> rows = otss.simulate("panel", units=60, rows=12, seed=7)
    >>> x, z = [f"x{j}" for j in range(1, 7)], [f"z{j}" for j in range(1, 7)]
    >>> model = otss.OTSS(experts=1, estimator="map").fit(rows.log, roles=otss.Roles(x, z, "y", unit="unit"))
    >>> units = otss.Units(model, rows.log[rows.log["time"] <= 400], time="time")
    >>> units.update(rows.log[rows.log["time"] > 400])
    Units(60 units, 789 rows)
    """

    def __init__(self, model: Any, history: Any = None, *, unit: Optional[str] = None, time: Optional[str] = None, half_life: Any = None,
                 keep_rows: Optional[int] = None, candidates: Any = None) -> None:
        core = fitted_model(model)
        self.model = model  #: the estimator
        self.unit = core.roles["unit"] if unit is None else str(unit)  #: the column of a history that names the unit of each row
        self.time = None if time is None else str(time)  #: the column of a history with the time of each row
        self._first: tuple[Optional[float], Optional[int]] = (half_life_of(half_life), _keep_rows(keep_rows))
        self._states = _core.UnitStates(core)
        if history is not None:
            self.update(history, candidates=candidates)

    def update(self, history: Any, *, candidates: Any = None) -> "Units":
        """Adds the rows of a history, and returns this object. Rows of a known unit must be later than its last row, so an update
        needs `time`."""
        half_life, keep_rows = self._first if len(self) == 0 else (None, None)
        self._states = updated(self.model, self._states, history, self.unit, self.time, half_life, keep_rows, candidates)
        return self

    def save(self, path: Any) -> None:
        """Writes a units file (.parquet, .csv or .json), which the command line and `Units.load` read."""
        self._states.save(os.fspath(path))

    @classmethod
    def load(cls, path: Any, model: Any, *, unit: Optional[str] = None, time: Optional[str] = None) -> "Units":
        """Reads a units file that was made with this model."""
        units = cls(model, unit=unit, time=time)
        units._states = _core.UnitStates.load(fitted_model(model), os.fspath(path))
        return units

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {**self.__dict__, "_states": None}
        if len(self) > 0:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / _PICKLED
                self.save(path)
                state["_states"] = path.read_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        model = fitted_model(self.model)
        self._states = _core.UnitStates(model)
        if state["_states"] is not None:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / _PICKLED
                path.write_bytes(state["_states"])
                self._states = _core.UnitStates.load(model, str(path))

    @property
    def table(self) -> Any:
        """One row per unit: the number of its rows, and the time of the last one."""
        columns = {"rows": self._states.num_rows}
        if self._states.has_times:
            columns["last_time"] = self._states.last_times
        return frame_or_records(columns, self._states.names, "unit")

    def __len__(self) -> int:
        return self._states.num_units

    def __contains__(self, name: Any) -> bool:
        return self._states.has(str(texts_of([name])[0]))

    def __repr__(self) -> str:
        return f"Units({len(self)} units, {int(self._states.num_rows.sum())} rows)"


def fitted_model(estimator: Any) -> _core.Model:
    """The model of a fitted estimator."""
    if not hasattr(estimator, "_fitted"):
        raise InputTypeError(f"model is {estimator!r}; give a fitted estimator, such as otss.OTSS().fit(…, unit=…)")
    model: _core.Model = estimator._fitted("Units")
    return model


def _keep_rows(value: Any) -> Optional[int]:
    if value is None:
        return None
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not 0 <= value <= 1_000_000:
        raise InputError(f"keep_rows is {value!r}; give a number of rows from 0 to 1000000")
    return int(value)


def updated(estimator: Any, states: _core.UnitStates, history: Any, unit: str, time: Optional[str], half_life: Optional[float],
            keep_rows: Optional[int], candidates: Any) -> _core.UnitStates:
    """The states after the rows of a history."""
    from ._using import warn_of_new_values

    source, unit = estimator._history_source(estimator._fitted("Units"), history, unit, time or "")
    beside = None if candidates is None else estimator._source(candidates, "candidates")
    refuse_unknown, refuse_outside = estimator._policies()
    with Reporting(estimator.progress) as report:
        result, counts = _core.update_units(states, source, unit, time or "", half_life, keep_rows, beside, refuse_unknown, refuse_outside,
                                            estimator.threads, report)
    warn_of_new_values(counts, 5)
    return result


@dataclass(frozen=True)
class UnitArguments:
    """The arguments history, units, unit and time of a method."""
    history: Any = None
    units: Any = None
    unit: Any = None
    time: Any = None

    def column_names(self, model: _core.Model) -> tuple[str, str]:
        """The columns of a history, or of a file, with the unit and the time of each row."""
        for name, value in (("unit", self.unit), ("time", self.time)):
            if value is not None and not isinstance(value, str):
                raise InputError(f"{name} has one value per row, so the column of the history is not known; name a column, or make "
                                 f"otss.Units(model, history, {name}='…') and give it as units")
        return self.unit or model.roles["unit"], self.time or ""

    def states(self, estimator: Any, model: _core.Model, candidates: Any) -> Optional[_core.UnitStates]:
        """What is known about units; None if neither history nor units is given."""
        if self.history is not None and self.units is not None:
            raise InputError("history and units cannot be combined; update the units with the history, or leave out one of them")
        if self.units is not None:
            return self._given_states(model)
        if self.history is None:
            for name, value in (("unit", self.unit), ("time", self.time)):
                if value is not None:
                    raise InputError(f"{name} is used only with history or units; give one of them, or leave out {name}")
            return None
        if model.centered_by and candidates is None:
            raise InputError("the model was fitted with candidates, so the history needs them; give otss.Units(model, history, "
                             "candidates=…) as units")
        unit, time = self.column_names(model)
        return updated(estimator, _core.UnitStates(model), self.history, unit, time, None, ALL_ROWS, candidates)

    def _given_states(self, model: _core.Model) -> _core.UnitStates:
        if isinstance(self.units, (str, os.PathLike)):
            return _core.UnitStates.load(model, os.fspath(self.units))
        if not isinstance(self.units, Units):
            raise InputTypeError(f"units is {self.units!r}; give an otss.Units, or the path of a units file")
        states = self.units._states
        if states.model.checksum() != model.checksum():
            raise InputError("units was made with another model; make it again: otss.Units(model, history)")
        return states


@dataclass(frozen=True)
class RowUnits:
    """The unit of each row of a table, and what is known about the units."""
    states: _core.UnitStates
    ids: Array  #: texts; None for a row without a unit
    times: Any  #: a column of times; None: all rows of the history count
    threads: int

    def of_contexts(self) -> _core.RowUnits:
        """The units for a table of contexts that is read row by row."""
        table = _core.Table("contexts")
        self.add_to(table)
        return _core.RowUnits(self.states, table, self.threads)

    def add_to(self, table: _core.Table) -> tuple[str, str]:
        """Adds unit and time to a table, and returns the names of their columns."""
        unit = free_name("unit", table.names)
        table.add_texts(unit, self.ids)
        if self.times is None:
            return unit, ""
        time = free_name("time", table.names)
        add_column(table, time, self.times, "contexts", is_time=True)
        return unit, time


def row_units(estimator: "Sources", model: _core.Model, columns: Columns, given: UnitArguments, candidates: Any) -> Optional[RowUnits]:
    """The units of the rows of `columns`; None if the caller asks for none."""
    states = given.states(estimator, model, candidates)
    if states is None:
        return None
    name = model.roles["unit"] if given.unit is None else given.unit
    ids = texts_of(_per_row(columns, name, "unit"))
    return RowUnits(states, ids, None if given.time is None else _per_row(columns, given.time, "time"), estimator.threads)


def _per_row(columns: Columns, given: Any, what: str) -> Any:
    """One value per row of a table: a column of it, or values that the caller gives beside it."""
    if not isinstance(given, str):
        values = given if hasattr(given, "dtype") and given.ndim == 1 else one_column(given, what)
        if len(values) != columns.num_rows:
            raise InputError(f"{what} has {len(values)} values, but {columns.what} has {columns.num_rows} rows; give one value per row")
        return values
    if given not in columns:
        raise InputError(f"{columns.what} has no column '{given}', the {what} of each row; name another column, or give one value per "
                         f"row: {what}=…")
    return columns.column(given)
