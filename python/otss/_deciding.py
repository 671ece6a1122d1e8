"""Decisions of a fitted model, and how good they are."""
from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from . import _core
from ._errors import DataWarning, InputError, InputTypeError
from ._log import Array
from ._progress import Reporting
from ._report import GateUse
from ._tables import Columns, add_column, is_pandas, like, texts_of
from ._units import UnitArguments, row_units
from ._using import Using, level_of, of_contexts, warn_of_new_values


@dataclass(frozen=True)
class Estimate:
    """A number and the bounds of its confidence interval."""
    value: float
    lo: float
    hi: float


@dataclass(frozen=True)
class PolicyValue:
    """The value of the model's decisions, estimated from a log of other decisions."""
    ips: Estimate
    snips: Estimate
    direct: Estimate
    doubly_robust: Estimate
    logging: Estimate  #: of the decisions in the log
    gain: Estimate     #: doubly_robust minus logging
    level: float
    rows: int
    effective_sample_size: float
    agreement: float
    never_logged: float
    in_sample: bool
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Evaluation:
    """The result of evaluate(): measures by name, with intervals. `evaluation["log_loss"]` is an Estimate."""
    rows: int
    measures: dict[str, Estimate]
    gate: Optional[GateUse]
    segment_agreement: Optional[float]
    level: float
    num_units: int
    group: str
    in_sample: bool
    policy: Optional[PolicyValue]

    def __getitem__(self, name: str) -> Estimate:
        return self.measures[name]

    def __str__(self) -> str:
        lines = [f"{self.rows} rows, {100 * self.level:g} % intervals"]
        lines += [f"  {name:<20} {one.value:10.5g}  [{one.lo:.5g}, {one.hi:.5g}]" for name, one in self.measures.items()]
        return "\n".join(lines)


def _evaluation_from(given: dict[str, Any]) -> Evaluation:
    measures = {name: Estimate(value, *given["intervals"][name]) for name, value in given["values"].items()}
    policy = given["policy"]
    if policy is not None:
        estimates = ("ips", "snips", "direct", "doubly_robust", "logging", "gain")
        policy = PolicyValue(**{name: Estimate(*value) if name in estimates else value for name, value in policy.items()})
    return Evaluation(given["rows"], measures, GateUse(**given["gate"]) if given["gate"] else None, given["segment_agreement"],
                      given["level"], given["num_units"], given["group"], given["in_sample"], policy)


class Decisions:
    """A table of feasible decisions: its factors, and a label for each decision."""

    def __init__(self, table: Any, what: str, model: _core.Model, id: Optional[str], context_id: Optional[str]) -> None:
        self.labels: Optional[Array] = None
        self.id, self.context_id = "", context_id or ""
        if isinstance(table, (str, os.PathLike)):
            if id is None:
                raise InputError(f"id is missing; give the column of {what} with the ids of the decisions")
            self.id = id
            self.source = _core.Source(os.fspath(table))
            return
        columns = Columns(table, what, "z")
        wanted = [name for name, _ in model.factor_columns]
        if columns.is_array:
            if len(columns.names) != len(wanted):
                raise InputError(f"{what} has {len(columns.names)} columns, but the model has {len(wanted)} factors: {', '.join(wanted[:12])}")
            columns.rename(wanted)
        for name in [*wanted, *([id] if id else []), *([context_id] if context_id else [])]:
            if name not in columns:
                raise InputError(f"{what} has no column '{name}'; its columns are " + ", ".join(f"'{known}'" for known in columns.names[:12]))
        if columns.num_rows == 0:
            raise InputError(f"{what} has no rows; give at least one decision")
        self.labels = self._labels(columns, id)
        if context_id is None and len(np.unique(texts_of(self.labels).astype(str))) != len(self.labels):
            raise InputError(f"{what} has two decisions with the same id in {id!r}; give every decision an id of its own")
        made = _core.Table(what)
        columns.add_to(made, wanted)
        if context_id is not None:
            add_column(made, context_id, texts_of(columns.column(context_id)), what)
        self._ids(made, what)
        self.source = _core.Source(made)

    @staticmethod
    def _labels(columns: Columns, id: Optional[str]) -> Array:
        if id is not None:
            return np.asarray(columns.column(id))
        return np.asarray(columns.index) if columns.index is not None else np.arange(columns.num_rows)

    def _ids(self, made: _core.Table, what: str) -> None:
        """Adds the labels as texts, for evaluate(), which finds logged decisions by their ids."""
        assert self.labels is not None
        self.id = "id"
        while self.id in made.names:
            self.id += "_"
        add_column(made, self.id, texts_of(self.labels), what)


def feasible(model: _core.Model, library: Any, candidates: Any, id: Optional[str], context_id: Optional[str]) -> Decisions:
    """The decisions to choose from: a library, or candidates of each context."""
    if (library is None) == (candidates is None):
        raise InputError("give one of library (the same decisions for all contexts) and candidates (decisions per context)")
    if (candidates is None) != (context_id is None):
        raise InputError("candidates and context_id must be given together; context_id is a column of contexts and of candidates")
    if library is not None:
        return Decisions(library, "library", model, id, None)
    return Decisions(candidates, "candidates", model, id, context_id)


class Deciding(Using):
    """Decisions, plans and evaluation of a fitted model."""

    def decide(self, contexts: Any, library: Any = None, *, candidates: Any = None, id: Optional[str] = None,
               context_id: Optional[str] = None, top: int = 1, certify: Optional[float] = None, explain: bool = False,
               history: Any = None, units: Any = None, unit: Any = None, time: Any = None) -> Any:
        """Returns the best decisions of each context by exact search: row, rank, decision, score, margin.

        `library` is a table of decisions that all contexts share: a frame (its index, or the column `id`, names the decisions),
        an array (decisions are numbered from 0), a dict, or a file. `candidates` lists the decisions of each context; then
        `context_id` is a column of both tables. `top` is the number of decisions per context. `certify`, a confidence level,
        adds certified, regret_bound, prob_optimal and expected_regret; `explain` adds contributions c_<factor> to the score and
        d_<factor> to the margin, alpha_<k> and e_<k>. The result is a frame if contexts is one, else a record array. `history`,
        `units`, `unit` and `time` are those of `weights`: decisions and certificates are then those of each row's unit.

        >>> import otss
        >>> rows = otss.simulate("overlap", n=500, seed=7)
        >>> roles = otss.Roles(context=["x1", "x2"], factors=["z1", "z2"], outcome="y")
        >>> model = otss.Pooled().fit(rows.log, roles=roles)
        >>> list(model.decide(rows.contexts, rows.library, id="id", top=2).columns)
        ['row', 'rank', 'decision', 'score', 'margin']
        """
        model = self._fitted("decide()")
        if not isinstance(top, (int, np.integer)) or isinstance(top, bool) or top < 1:
            raise InputError(f"top is {top!r}; give the number of decisions per context, at least 1")
        level = 0.0 if certify is None else level_of(certify, "certify")
        decisions = feasible(model, library, candidates, id, context_id)
        columns, table = self._context_table(model, contexts)
        context_ids: list[str] = []
        if context_id is not None:
            if context_id not in columns:
                raise InputError(f"contexts has no column '{context_id}' (context_id)")
            context_ids = [str(one) for one in texts_of(columns.column(context_id))]
        rows = self._row_units(model, columns, UnitArguments(history, units, unit, time), candidates)
        threads = self.threads if self.threads else os.cpu_count() or 1
        with Reporting(self.progress) as report:
            found, ids, unused, counts = _core.decide(
                model, table, context_ids, decisions.source, decisions.id if decisions.labels is None else "", decisions.context_id,
                int(top), level, bool(explain), threads, *self._policies(), of_contexts(rows), report)
        warn_of_new_values(counts)
        if unused:
            warnings.warn(f"{unused} rows of candidates were ignored, because their contexts are not in contexts", DataWarning, 2)
        index = found.pop("index")
        chosen = np.array(ids, dtype=object) if decisions.labels is None else decisions.labels[index]
        return self._decision_table(model, columns, found, chosen)

    @staticmethod
    def _decision_table(model: _core.Model, columns: Columns, found: dict[str, Any], chosen: Array) -> Any:
        table: dict[str, Any] = {"row": found["row"], "rank": found["rank"], "decision": chosen}
        table.update({name: found[name] for name in found if name not in table and found[name].ndim == 1})
        own = model.own_factors
        for prefix, name, titles in (("c_", "contributions", own), ("d_", "margin_contributions", own)):
            if name in found:
                table.update({prefix + title: found[name][:, j] for j, title in enumerate(titles)})
        for prefix, name in (("alpha_", "shares"), ("e_", "expert_scores")):
            if name in found:
                table.update({f"{prefix}{k + 1}": found[name][:, k] for k in range(found[name].shape[1])})
        if "unit_scores" in found:
            table["e_unit"] = table.pop("unit_scores")
        index_of_rows = columns.index.take(table["row"]) if is_pandas(columns.data) else None
        return like(columns, table, index_of_rows)

    def objective(self, contexts: Any, factor_map: Any, *, history: Any = None, units: Any = None, unit: Any = None, time: Any = None) -> Any:
        """Returns the objective coefficients A'w(x) of a plan's variables, one row per context, for a solver of your choice.

        `factor_map` is a table with the columns variable, factor and coefficient. A frame gives a frame with one column per
        variable. Constants of the map (rows without a variable) do not change the best solution and are left out. `history`, `units`,
        `unit` and `time` are those of `weights`.
        """
        model = self._fitted("objective()")
        columns, w = self._weights_of(model, contexts, UnitArguments(history, units, unit, time), 5)
        values, _, names = _core.objective(model, w, self._source(factor_map, "factor_map"))
        if is_pandas(columns.data) or columns.arrow is not None:
            return self._shaped(columns, values, names)
        return values

    def decide_plan(self, contexts: Any, plan: Any, factor_map: Any, *, overrides: Any = None, time_limit: Optional[float] = None,
                    gap: float = 0.0, keep_objective: bool = False, history: Any = None, units: Any = None, unit: Any = None,
                    time: Any = None) -> Any:
        """Solves one mixed-integer program per context: maximise w'z over the solutions of the plan, an .mps or .lp file.

        Returns status, objective, bound, gap, z_<factor> (the total of each factor) and v_<variable> (its value). `history`, `units`,
        `unit` and `time` are those of `weights`.
        """
        model = self._fitted("decide_plan()")
        if not isinstance(plan, (str, os.PathLike)):
            raise InputTypeError(f"plan is a {type(plan).__name__}; give the path of an .mps or .lp file (objective() serves other solvers)")
        columns, w = self._weights_of(model, contexts, UnitArguments(history, units, unit, time), 5)
        changes = None if overrides is None else self._source(overrides, "overrides")
        with Reporting(self.progress) as report:
            found = _core.decide_plan(model, w, os.fspath(plan), self._source(factor_map, "factor_map"), changes,
                                      np.inf if time_limit is None else float(time_limit), float(gap), bool(keep_objective),
                                      self.threads if self.threads else os.cpu_count() or 1, report)
        result: dict[str, Any] = {"status": np.array(found["status"], dtype=object)}
        result.update({name: found[name] for name in ("objective", "bound", "gap")})
        result.update({f"z_{name}": found["factor_totals"][:, j] for j, name in enumerate(model.factor_names)})
        result.update({f"v_{name}": found["values"][:, j] for j, name in enumerate(found["variables"])})
        return like(columns, result)

    def evaluate(self, contexts: Any, factors: Any = None, outcome: Any = None, *, truth: Any = None, library: Any = None,
                 candidates: Any = None, id: Optional[str] = None, context_id: Optional[str] = None,
                 propensity: Optional[str] = None, decision: Optional[str] = None, segments: Optional[str] = None,
                 group: Optional[str] = None, level: float = 0.9, in_sample: bool = False, history: Any = None, units: Any = None,
                 unit: Any = None, time: Any = None) -> Evaluation:
        """Evaluates the model on rows that it was not fitted on: `evaluate(frame)` or `evaluate(contexts, factors, outcome)`.

        `truth` has the true weights in columns w_<factor>; with `library` this gives the regret. `propensity` and `decision`, two
        columns of the frame, ask for the value of the model's decisions (the result's `policy`). `segments` is a column with a
        known segmentation; `group` one with rows that depend on each other. `history`, `units`, `unit` and `time` are those of `weights`:
        predictions and decisions are then those of each row's unit.
        """
        model = self._fitted("evaluate()")
        names = {"id": "", "context_id": context_id or "", "segments": segments or "", "decision": decision or "",
                 "propensity": propensity or "", "group": group or ""}
        given_units = UnitArguments(history, units, unit, time)
        source, states = self._evaluated_source(model, (contexts, factors, outcome), names, truth is not None or propensity is not None,
                                                given_units, candidates)
        given = None
        if library is not None or candidates is not None:
            given = feasible(model, library, candidates, id, context_id)
            names["id"] = given.id
        with Reporting(self.progress) as report:
            result = _core.evaluate(
                model, source, None if truth is None else self._source(truth, "truth"),
                given.source if given and library is not None else None, given.source if given and candidates is not None else None,
                names, level_of(level, "level"), in_sample, *self._policies(), states, report)
        warn_of_new_values(result["counts"])
        evaluation = _evaluation_from(result)
        for warning in evaluation.policy.warnings if evaluation.policy else []:
            warnings.warn(warning, DataWarning, stacklevel=2)
        return evaluation

    def _evaluated_source(self, model: _core.Model, rows: tuple[Any, Any, Any], names: dict[str, str], may_lack: bool,
                          given: UnitArguments, candidates: Any) -> tuple[_core.Source, Optional[_core.UnitStates]]:
        """The table to evaluate, and what is known about its units. Sets the names of the columns with unit and time."""
        names.update({"unit": "", "time": ""})
        if isinstance(rows[0], (str, os.PathLike)):
            states = given.states(self, model, candidates)
            source = _core.Source(os.fspath(rows[0]), "", {}, self.threads)
            if states is not None:
                names["unit"], names["time"] = given.column_names(model)
        else:
            table = self._evaluated_table(model, *rows, names, may_lack)
            units = row_units(self, model, Columns(rows[0], "contexts"), given, candidates)
            states = None if units is None else units.states
            if units is not None:
                names["unit"], names["time"] = units.add_to(table)
            source = _core.Source(table, "", {}, self.threads)
        if states is not None and not names["time"] and not states.keeps_rows:
            warnings.warn("units does not say which rows it has counted; if rows of the table are among them, the measures are too good: "
                          "give time, or units made with keep_rows", DataWarning, stacklevel=3)
        return source, states
