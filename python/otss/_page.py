"""The report page of a fitted model: one HTML file for people who do not read tables of coefficients."""
from __future__ import annotations

import html
import json
import os
from typing import Any, Optional

from . import _core
from ._deciding import Deciding, feasible
from ._errors import InputError
from ._progress import Reporting
from ._units import UnitArguments
from ._using import warn_of_new_values


class Page:
    """A report page. A notebook shows it; `save` writes it to a file."""

    HEIGHT = 800  #: of the frame in a notebook, in pixels

    def __init__(self, made: _core.ReportPage) -> None:
        self._made = made

    @property
    def html(self) -> str:
        """The page: an HTML document that needs no other file and makes no request."""
        return self._made.page

    @property
    def facts(self) -> dict[str, Any]:
        """The numbers that the page shows."""
        facts: dict[str, Any] = json.loads(self._made.facts)
        return facts

    def save(self, path: Any, facts: Any = None) -> None:
        """Writes the page, and its numbers as JSON if `facts` is a path."""
        self._made.write(os.fspath(path), "" if facts is None else os.fspath(facts))

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" style="width: 100%; height: {self.HEIGHT}px; '
                'border: 0"></iframe>')

    def __repr__(self) -> str:
        return f"Page({len(self.html) / 1e6:.1f} MB of HTML)"


class Reported(Deciding):
    """Reports on a fitted model."""

    def report(self, path: Any = None, log: Any = None, *, library: Any = None, candidates: Any = None, id: Optional[str] = None,
               context_id: Optional[str] = None, decision: Optional[str] = None, propensity: Optional[str] = None, in_sample: bool = False,
               compare: Any = None, facts: Any = None, history: Any = None, units: Any = None, unit: Any = None, time: Any = None,
               seed: int = 1) -> Page:
        """Makes a page that explains the model: its segments, decisions and quality. Writes it if `path` is given.

        `log` is a table with the model's contexts, a frame or a file. With factors and outcome, the page says how good the predictions are;
        with a `library` or `candidates` (and `id`, `context_id`), it shows decisions; with `decision` and `propensity`, two columns of the log,
        their value. `compare` is a file that `otss compare --json` printed, `facts` a file for the page's numbers. `history`, `units`, `unit` and
        `time` are those of `weights`. The result shows the page in a notebook.

        >>> import otss
        >>> rows = otss.simulate("overlap", n=500, seed=7)
        >>> model = otss.Pooled().fit(rows.log[["x1", "x2"]], rows.log[["z1", "z2"]], rows.log["y"])
        >>> page = model.report(log=rows.log)
        >>> page.html[:15], page._repr_html_()[:7]
        ('<!doctype html>', '<iframe')
        """
        model = self._fitted("report()")
        self._require_log(log, candidates=candidates, decision=decision, propensity=propensity, history=history, units=units)
        if facts is not None and path is None:
            raise InputError("facts needs path, because both files are written together; give path, or call report().save(path, facts)")
        names = {"model": "model.json", "id": "", "context_id": context_id or "", "decision": decision or "", "propensity": propensity or "",
                 "unit": "", "time": ""}
        source, states = None, None
        if log is not None:
            source, states = self._evaluated_source(model, (log, None, None), names, True, UnitArguments(history, units, unit, time), candidates)
        given = None
        if library is not None or candidates is not None:
            given = feasible(model, library, candidates, id, context_id)
            names["id"] = given.id
        with Reporting(self.progress) as progress:
            made, counts = _core.report_page(
                model, source, given.source if given and library is not None else None, given.source if given and candidates is not None else None,
                names, in_sample, "" if compare is None else os.fspath(compare), *self._policies(), states, seed, self.threads, progress)
        warn_of_new_values(counts)
        page = Page(made)
        if path is not None:
            page.save(path, facts)
        return page

    @staticmethod
    def _require_log(log: Any, **given: Any) -> None:
        for name, value in given.items():
            if value is not None and log is None:
                raise InputError(f"{name} needs log, the table whose rows it is about; give log, or leave out {name}")
