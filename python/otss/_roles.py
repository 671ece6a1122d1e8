"""Which columns of a table are contexts, factors, outcome, and so on."""
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _core
from ._errors import InputError, InputTypeError
from ._tables import Columns, frame_or_records, table_of

_TERM = re.compile(r"^\s*(?:log\((?:1\+)?(?P<log>[^()]+)\)|(?P<square>[^*^]+)\^2|(?P<a>[^*^]+)\*(?P<b>[^*^]+))\s*$")


def _names(value: Any, role: str) -> list[str]:
    if isinstance(value, str):
        return [value]
    try:
        names = list(value)
    except TypeError:
        raise InputTypeError(f"{role} is {value!r}; give a list of column names") from None
    return [str(name) for name in names]


@dataclass(frozen=True)
class Roles:
    """The roles of the columns of a frame or a file.

    >>> Roles(context=["age", "region"], factors=["price", "hours"], outcome="kept")
    Roles(context=['age', 'region'], factors=['price', 'hours'], outcome='kept')
    """

    context: Union[str, Sequence[str]]  #: columns known before the decision; "all": every column without another role
    factors: Union[str, Sequence[str]]  #: columns that describe the decision, and terms such as "price^2"
    outcome: str                        #: the column with the outcome
    weight: Optional[str] = None        #: row weights; a row of weight 3 counts like three rows
    group: Optional[str] = None         #: rows of one group stay together in every split
    time: Optional[str] = None          #: the latest rows are held out
    exclude: Sequence[str] = ()         #: columns that context="all" leaves out
    unit: Optional[str] = None          #: the unit of each row, such as a customer, with weights of its own

    def __repr__(self) -> str:
        given = {"context": self.context, "factors": self.factors, "outcome": self.outcome}
        for name in ("weight", "group", "time", "exclude", "unit"):
            if getattr(self, name):
                given[name] = getattr(self, name)
        return f"Roles({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def as_dict(self) -> dict[str, Any]:
        """The roles as the C++ library takes them."""
        roles: dict[str, Any] = {"contexts": _names(self.context, "context"), "factors": _names(self.factors, "factors"),
                                 "outcome": str(self.outcome), "exclude": _names(self.exclude, "exclude")}
        for name in ("weight", "group", "time", "unit"):
            if getattr(self, name) is not None:
                roles[name] = str(getattr(self, name))
        return roles

    def columns_of(self, table: Columns) -> list[str]:
        """The columns of the table that the roles use. A column that is missing is an error that names it."""
        roles = self.as_dict()
        single = [roles[name] for name in ("outcome", "weight", "group", "time", "unit") if name in roles]
        factors = [column for factor in roles["factors"] for column in _columns_of_factor(factor, table)]
        if roles["contexts"] == ["all"]:
            excluded = set(roles["exclude"])
            wanted = [name for name in table.names if name not in excluded or name in factors + single]
            needed = factors + single
        else:
            wanted = needed = roles["contexts"] + factors + single
        for name in needed:
            if name not in table:
                raise InputError(f"{table.what} has no column '{name}'; its columns are "
                                 + ", ".join(f"'{known}'" for known in table.names[:12]))
        return list(dict.fromkeys(wanted))


def _columns_of_factor(factor: str, table: Columns) -> list[str]:
    match = None if factor in table else _TERM.match(factor)
    if match is None:
        return [factor]
    return [name.strip() for name in match.groupdict().values() if name]


def roles(frame: Any, roles: Roles, family: str = "bernoulli") -> Any:
    """Shows what the columns of a frame become: one row per column with its role and its encoding.

    >>> import otss
    >>> shown = otss.roles({"age": [20, 30, 40, 50], "region": ["n", "s", "n", "s"], "price": [1, 2, 2, 1],
    ...                     "kept": [1, 0, 0, 1]}, otss.Roles(["age", "region"], ["price"], "kept"))
    >>> list(shown["role"])
    ['context', 'context', 'factor', 'outcome']
    >>> list(shown["encoded"])
    [1, 2, 1, 0]
    """
    columns = Columns(frame, "frame")
    table = table_of(columns, roles.columns_of(columns), [roles.time] if roles.time else [])
    log = _core.read_log(_core.Source(table), roles.as_dict(), family, "none", 1, None, "", None)
    rows: dict[str, tuple[str, str, int, str]] = {}
    for name, one in log.encoding.items():
        note = f"levels {', '.join(one['levels'][:8])}" if one["levels"] else "standardised" if one["encoded"] else "constant: left out"
        rows[name] = ("context", one["kind"], one["encoded"], note + (", missing values" if one["missing"] else ""))
    for name in log.roles["factors"]:
        rows[name] = ("factor", "number", 1, "standardised")
    for role in ("outcome", "weight", "group", "time", "unit"):
        if log.roles[role]:
            rows[log.roles[role]] = (role, "number", 0, "")
    titles = ("role", "kind", "encoded", "note")
    return frame_or_records({title: [row[i] for row in rows.values()] for i, title in enumerate(titles)}, list(rows), "column")
