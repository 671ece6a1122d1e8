"""Functions beside the estimators: check, compare, simulate, study."""
from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from . import _core
from ._base import Estimator
from ._errors import InputTypeError
from ._log import Log, from_roles
from ._options import DESCRIBED
from ._progress import Progress, Reporting
from ._report import Finding
from ._tables import frame_or_records, records


@dataclass(frozen=True)
class Check:
    """Whether a log can support a model."""
    rows: int
    usable_rows: int
    contexts: int
    encoded_contexts: int
    factors: int
    outcome_rate: Optional[float]
    condition: Optional[float]
    findings: list[Finding]
    identified: bool  #: False if no fit can identify every weight

    def __str__(self) -> str:
        lines = [f"{self.usable_rows} of {self.rows} rows are usable; {'' if self.identified else 'not '}every weight is identified"]
        return "\n".join(lines + [f"  {one.severity}: {one.what}" for one in self.findings])


@dataclass(frozen=True)
class Comparison:
    """Methods compared on the same held-out rows."""
    methods: Any  #: one row per method, the lowest log-loss first
    training_rows: int
    validation_rows: int
    test_rows: int
    supported: bool
    verdict: str

    def __str__(self) -> str:
        return self.verdict


@dataclass(frozen=True)
class Simulation:
    """A simulated log with known truth. The tables are pandas frames, or record arrays without pandas."""
    log: Any       #: training rows: contexts x1…, factors z1…, outcome y, decision, propensity
    test: Any      #: held-out rows of the same columns
    contexts: Any  #: the contexts of `test`
    library: Any   #: the decisions: id, z1…
    truth: Any     #: the true weights w_z1… of `contexts`
    spec: dict[str, Any]


def _log_of(log: Any, roles: Any, family: str, threads: int) -> tuple[_core.Source, dict[str, Any]]:
    if isinstance(log, Log):
        return log.source, log.roles
    made = from_roles(log, roles, family, threads)
    return made.source, made.roles


def check(log: Any, roles: Any = None, *, library: Any = None, candidates: Any = None, context_id: str = "", family: str = "bernoulli",
          threads: int = 0, progress: Progress = "auto") -> Check:
    """Checks, before any fit, whether a log can support a model: `check(frame, roles)` or `check(otss.read_log(...))`.

    With `library` or `candidates` the check also looks at decisions outside of what was logged.

    >>> import otss
    >>> rows = otss.simulate("overlap", n=500, seed=7)
    >>> otss.check(rows.log, otss.Roles(["x1", "x2"], ["z1", "z2"], "y")).identified
    True
    """
    source, named = _log_of(log, roles, family, threads)
    table = library if library is not None else candidates
    decisions = None if table is None else Estimator._source(table, "library" if library is not None else "candidates")
    with Reporting(progress) as report:
        found = _core.check(source, named, decisions, context_id, threads, report)
    found["findings"] = [Finding(**one) for one in found["findings"]]
    return Check(**found)


def compare(log: Any, roles: Any = None, *, methods: Sequence[str] = (), treatments: Sequence[str] = ("pick", "average"),
            test: float = 0.2, validation: float = 0.2, refit: bool = False, repeats: int = 1, progress: Progress = "auto",
            **options: Any) -> Comparison:
    """Fits several methods to the same rows and compares them on rows that none has seen.

    `methods` are words of the command line ("otss", "pooled", "linear", …); none means all. Other keyword arguments are parameters
    of OTSS. `treatments` says what is done with the settings of each method: "pick" keeps the one with the lowest loss on the
    validation rows, "average" averages all of them. The row of a method that does not have its default treatment is named after
    both, such as "linear-average".

    >>> import otss
    >>> rows = otss.simulate("overlap", n=800, seed=7)
    >>> roles = otss.Roles([f"x{j}" for j in range(1, 11)], [f"z{j}" for j in range(1, 9)], "y")
    >>> sorted(otss.compare(rows.log, roles, methods=["linear"], experts=2, estimator="map").methods.index)
    ['linear', 'linear-average', 'otss', 'otss-pick', 'pooled']
    """
    for name in options:
        if name not in DESCRIBED:
            raise InputTypeError(f"compare() got an unexpected argument {name!r}")
    family, threads = options.get("family", "bernoulli"), options.get("threads", 0)
    source, named = _log_of(log, roles, family, threads)
    with Reporting(progress) as report:
        data = _core.read_log(source, named, family, "none", 1, None, "", report)
        found = _core.compare(data, [str(one) for one in methods], [str(one) for one in treatments], options, test, validation, refit, repeats, report)
    rows = found.pop("methods")
    names = [name for name in rows[0] if name != "method"]
    table = {name: np.array([np.nan if row[name] is None else row[name] for row in rows]) for name in names}
    return Comparison(frame_or_records(table, [row["method"] for row in rows], "method"), **found)


def _read_frame(path: str) -> Any:
    columns = _core.read_columns(_core.Source(path))
    arrays = {name: np.asarray(values, dtype=None if isinstance(values[0], float) else object) for name, values in columns.items()}
    try:
        import pandas
    except ImportError:
        return records(arrays)
    return pandas.DataFrame(arrays)


def simulate(world: str, *, folder: Optional[Any] = None, **parameters: Any) -> Simulation:
    """Draws a log from a world with known truth: "overlap", "matched", "experts", "pooled" or "panel" (units with many rows each).

    The parameters are those of `otss simulate`: n, seed, tau, nuisance, score, truth, rand, experts, top, units, rows, spread, factors.
    With `folder` the CSV files are kept there.

    >>> import otss
    >>> len(otss.simulate("pooled", n=200, seed=3).log)
    200
    """
    with tempfile.TemporaryDirectory() as scratch:
        place = scratch if folder is None else os.fspath(folder)
        spec = _core.simulate(world, place, parameters)
        tables = {name: _read_frame(os.path.join(place, f"{name}.csv")) for name in ("log", "test", "contexts", "library", "truth")}
    return Simulation(**tables, spec=json.loads(spec))


def study(name: str, folder: Any, *, seeds: int = 8, first_seed: int = 1, threads: int = 0, refit: bool = False, data: str = "",
          progress: Progress = "auto") -> str:
    """Runs a study of the paper again, writes its tables and figures to folder/<study>, and returns the table as Markdown."""
    with Reporting(progress) as report:
        return _core.study(name, os.fspath(folder), seeds, first_seed, threads, refit, data, report)
