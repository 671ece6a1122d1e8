"""Tables of callers as tables of the C++ library: which of their columns a fitted model needs."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from . import _core
from ._base import Estimator
from ._errors import InputError
from ._log import Log, Outcome, free_name
from ._tables import Columns, add_column, require_finite, texts_of
from ._units import RowUnits, UnitArguments, row_units


class Sources(Estimator):
    """Finds the contexts, factors and other columns of a fitted model in what a caller gives."""

    def _policies(self) -> tuple[bool, bool]:
        for name in ("unknown", "outside"):
            if getattr(self, name) not in ("warn", "error"):
                raise InputError(f"{name} is {getattr(self, name)!r}; give 'warn' or 'error'")
        return self.unknown == "error", self.outside == "error"

    def _named(self, columns: Columns, wanted: Sequence[tuple[str, str]], what: str) -> None:
        """Checks that a table with named columns has the wanted ones; gives an array their names."""
        names = [name for name, _ in wanted]
        if columns.is_array:
            joined = self.__dict__.get("_joined")
            if joined is not None and len(columns.names) != len(names):
                raise InputError(f"X has {len(columns.names)} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                                 "features as input")
            if len(columns.names) != len(names):
                raise InputError(f"{columns.what} has {len(columns.names)} columns, but the model has {len(names)} {what}: "
                                 + ", ".join(names[:12]))
            columns.rename(names)
            return
        for name in names:
            if name not in columns:
                raise InputError(f"{columns.what} has no column '{name}', which is one of the {what} of the model; its columns are "
                                 + ", ".join(f"'{known}'" for known in columns.names[:12]))

    def _context_columns(self, model: _core.Model, contexts: Any) -> Columns:
        columns = Columns(contexts, "contexts")
        joined = self.__dict__.get("_joined")
        if columns.is_array and joined is not None and len(columns.names) == self.n_features_in_:
            columns = columns.select(joined[0])
        self._named(columns, model.context_columns, "contexts")
        return columns

    def _context_table(self, model: _core.Model, contexts: Any) -> tuple[Columns, _core.Table]:
        columns = self._context_columns(model, contexts)
        if columns.num_rows == 0:
            raise InputError("contexts has no rows: Found array with 0 sample(s) while a minimum of 1 is required")
        wanted = [name for name, _ in model.context_columns]
        table = _core.Table("contexts")
        times = [name for name, kind in model.context_columns if kind == "time"]
        columns.add_to(table, None if columns.matrix is not None else wanted, times)
        return columns, table

    def _rows_of_decisions(self, model: _core.Model, contexts: Any, factors: Any) -> tuple[Columns, _core.Table]:
        """The contexts, and a table with contexts and factors, which may be two arguments or one."""
        table = _core.Table("X" if factors is None else "contexts and factors")
        first, second = self._split(model, contexts, factors)
        times = [name for name, kind in model.context_columns if kind == "time"]
        first.add_to(table, [name for name, _ in model.context_columns], times)
        second.add_to(table, [name for name, _ in model.factor_columns])
        if model.centered_by and model.centered_by not in table.names:
            first.add_to(table, [model.centered_by])
        return first, table

    def _split(self, model: _core.Model, contexts: Any, factors: Any) -> tuple[Columns, Columns]:
        if factors is not None:
            first, second = self._context_columns(model, contexts), Columns(factors, "factors", "z")
        else:
            both = Columns(contexts, "X")
            joined = self.__dict__.get("_joined")
            if both.is_array and joined is None:
                raise InputError("factors is missing; give (contexts, factors), because the model was not fitted with fit(X, y)")
            if both.is_array and joined is not None:
                if len(both.names) != self.n_features_in_:
                    raise InputError(f"X has {len(both.names)} features, but {type(self).__name__} is expecting "
                                     f"{self.n_features_in_} features as input")
                first, second = both.select(joined[0]), both.select(joined[1])
            else:
                first = second = both
            self._named(first, model.context_columns, "contexts")
        self._named(second, model.factor_columns, "factors")
        for columns in (first, second):
            if columns.num_rows == 0:
                raise InputError(f"{columns.what} has no rows: Found array with 0 sample(s) while a minimum of 1 is required")
        require_finite(second, [name for name, _ in model.factor_columns], "factor")
        if first.num_rows != second.num_rows:
            raise InputError(f"contexts has {first.num_rows} rows, but factors has {second.num_rows} rows; give one decision per context")
        return first, second

    def _evaluated_table(self, model: _core.Model, contexts: Any, factors: Any, outcome: Any, names: Mapping[str, str],
                         may_lack: bool) -> _core.Table:
        """A table with contexts, factors, outcome and the named columns. With `may_lack`, factors and outcome may be missing."""
        table = _core.Table("contexts" if factors is not None else "table")
        first = self._context_columns(model, contexts) if factors is not None else Columns(contexts, "table")
        second = Columns(factors, "factors", "z") if factors is not None else first
        wanted = [name for name, _ in model.context_columns]
        self._named(first, model.context_columns, "contexts")
        first.add_to(table, wanted)
        own = [name for name, _ in model.factor_columns]
        if factors is not None or not may_lack or all(name in first for name in own):
            self._named(second, model.factor_columns, "factors")
            second.add_to(table, own)
        self._add_outcome(model, first, outcome, table, may_lack)
        for key in ("segments", "propensity", "group"):
            if names.get(key) and names[key] not in table.names:
                first.add_to(table, [names[key]])
        for key in ("decision", "context_id"):
            if names.get(key) and names[key] not in table.names:
                add_column(table, names[key], texts_of(first.column(names[key])), "table")
        return table

    def _add_outcome(self, model: _core.Model, table: Columns, outcome: Any, made: _core.Table, may_lack: bool) -> None:
        name = model.roles["outcome"]
        if outcome is None:
            if name not in table:
                if may_lack:
                    return
                raise InputError(f"table has no column '{name}', the outcome; its columns are "
                                 + ", ".join(f"'{known}'" for known in table.names[:12]))
            outcome = table.column(name)
        classes = self.classes_ if self._family == "bernoulli" else None
        add_column(made, name, Outcome(outcome, self._family, "outcome", classes).numbers, "outcome")

    def _history_source(self, model: _core.Model, history: Any, unit: str, time: str) -> tuple[_core.Source, str]:
        """A log with earlier rows of units, and the name of its column with the unit of each row."""
        if isinstance(history, Log):
            return history.source, unit
        if isinstance(history, (str, os.PathLike)):
            return _core.Source(os.fspath(history), "", {}, self.threads), unit
        columns = Columns(history, "history")
        for name, what in ((unit, "unit"), (time, "time")):
            if name and name not in columns:
                raise InputError(f"history has no column '{name}', the {what} of each row; its columns are "
                                 + ", ".join(f"'{known}'" for known in columns.names[:12]))
        table = self._evaluated_table(model, history, None, None, {"context_id": model.centered_by}, False)
        shown = free_name(unit, table.names)  # the unit may be a context, too, and then it may be a number
        table.add_texts(shown, texts_of(columns.column(unit)))
        if time and time not in table.names:
            add_column(table, time, columns.column(time), "history", is_time=True)
        return _core.Source(table, "", {}, self.threads), shown

    def _row_units(self, model: _core.Model, columns: Columns, given: UnitArguments, candidates: Any = None) -> Optional[RowUnits]:
        """The units of rows of contexts. Without times, rows that are also in the history are refused."""
        units = row_units(self, model, columns, given, candidates)
        if units is None or units.times is not None or not units.states.keeps_rows:
            return units
        table = self._logged(model, columns)
        if table is not None:
            unit, _ = units.add_to(table)
            _core.require_new_rows(units.states, unit, _core.Source(table, "", {}, self.threads))
        return units

    def _logged(self, model: _core.Model, columns: Columns) -> Optional[_core.Table]:
        """The contexts, factors and outcomes of a table; None if it does not have them all."""
        if columns.is_array or any(name not in columns for name in [*(name for name, _ in model.factor_columns), model.roles["outcome"]]):
            return None
        try:
            return self._evaluated_table(model, columns.data, None, None, {}, False)
        except InputError:  # outcomes that are missing, for example
            return None
