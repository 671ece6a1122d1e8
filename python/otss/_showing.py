"""A fitted model for people: experts, segments, a summary."""
from __future__ import annotations

import html
from typing import Any

import numpy as np

from . import _core
from ._page import Reported
from ._report import DeviationReport, Segment
from ._tables import frame_or_records
from ._using import WeightsWithInterval, level_of

LEAST_SHOWN_SHARE = 0.005  # an expert with a smaller share is not shown


class Showing(Reported):
    """What a fitted model is, in tables and words."""

    @property
    def experts_(self) -> Any:
        """The weights of each expert by factor, in the units of the log's own columns: one row per factor, one column per
        expert (a pandas frame, or a record array without pandas). If the model knows its estimation error, the 90 % intervals follow
        as expert_<k>_lo and expert_<k>_hi (`expert_weights` has other levels). An expert can be more extreme than any context;
        `segments_` has the mean weights of contexts."""
        model = self._model_with_experts("experts_")
        columns = {f"expert_{k + 1}": row for k, row in enumerate(model.experts)}
        if model.has_expert_intervals:
            for k, (lo, hi) in enumerate(zip(*model.expert_intervals(0.9))):
                columns.update({f"expert_{k + 1}_lo": lo, f"expert_{k + 1}_hi": hi})
        return frame_or_records(columns, model.factor_names, "factor")

    def expert_weights(self, interval: float = 0.9) -> WeightsWithInterval:
        """Returns the weights of the experts with intervals of this confidence level: a named tuple (weights, lo, hi) of frames with one
        row per factor and one column per expert. The interval of an expert is that of a context in which it has all of the share.

        >>> import otss
        >>> rows = otss.simulate("overlap", n=500, seed=7)
        >>> model = otss.Pooled().fit(rows.log[["x1", "x2"]], rows.log[["z1", "z2"]], rows.log["y"])
        >>> weights, lo, hi = model.expert_weights(interval=0.5)
        >>> bool((lo < weights).all().all() and (weights < hi).all().all())
        True
        """
        model = self._model_with_experts("expert_weights()")
        lo, hi = model.expert_intervals(level_of(interval, "interval"))
        return WeightsWithInterval(*(frame_or_records({f"expert_{k + 1}": row for k, row in enumerate(part)}, model.factor_names, "factor")
                                     for part in (model.experts, lo, hi)))

    def _model_with_experts(self, method: str) -> _core.Model:
        model = self._fitted(method)
        if model.num_experts == 0:
            raise AttributeError(f"a {model.method} model has no experts; fit OTSS, Pooled, ClusterThenFit, EMMixture or HardRouting")
        return model

    @property
    def segments_(self) -> Any:
        """Who belongs to each expert: share, members, the mean weights of the members, and who they are in words."""
        segments = self._segments()
        columns: dict[str, Any] = {"share": [one.share for one in segments], "members": [one.members for one in segments]}
        for j, factor in enumerate(self._fitted("segments_").factor_names):
            columns[f"w_{factor}"] = [one.weights[j] if one.weights else np.nan for one in segments]
        columns["who"] = [one.who for one in segments]
        return frame_or_records(columns, [f"expert_{k + 1}" for k in range(len(segments))], "segment")

    def _segments(self) -> list[Segment]:
        self._fitted("segments_")
        diagnostics = self.report_.diagnostics
        if diagnostics is None or not diagnostics.segments:
            raise AttributeError("this model has no segments: it has no gate, or too many experts to show")
        return diagnostics.segments

    def summary(self) -> str:
        """Returns what was fitted, whether the log supports different trade-offs, the experts and the segments, as text."""
        model, report = self._fitted("summary()"), self.report_
        rows = f" to {report.data.rows} rows" if report.data else ""
        lines = [f"{type(self).__name__}: {model.method} model, estimator {model.estimator}, family {model.family}, fitted{rows}"]
        lines.append(f"{len(model.context_columns)} contexts, {len(model.factor_names)} factors, {model.num_experts or 'no'} experts"
                     + (f", {model.gate} gate" if model.gate else ""))
        if report.choice is not None:
            lines.append(f"chosen: {report.choice.why}")
        if report.gain is not None:
            lines += ["", verdict(report.gain.supported, report.gain.gain, report.gain.lo, report.gain.hi)]
        if report.deviations is not None:
            lines += ["", units_verdict(report.deviations)]
        if 0 < model.num_experts <= 12:
            lines += ["", *self._expert_lines()]
        if report.diagnostics is not None and report.diagnostics.segments:
            lines += ["", "Segments: the contexts in which an expert has the largest share"]
            for k, one in enumerate(report.diagnostics.segments, 1):
                if one.share >= LEAST_SHOWN_SHARE:
                    lines.append(f"  expert {k}, share {100 * one.share:.0f} %: {100 * one.members:.0f} % of the contexts")
                    if one.who:
                        lines.append(f"    who: {one.who}")
        return "\n".join(lines)

    def _expert_lines(self) -> list[str]:
        model = self._fitted("summary()")
        diagnostics = self.report_.diagnostics
        usage = diagnostics.gate.usage if diagnostics is not None and diagnostics.gate is not None else []
        titles = [f"expert {k + 1}" + (f" ({100 * usage[k]:.0f} %)" if len(usage) == model.num_experts else "")
                  for k in range(model.num_experts)]
        width = max(len("weight of"), *(len(name) for name in model.factor_names))
        lines = ["  " + "weight of".ljust(width) + "".join(f"  {title:>16}" for title in titles)]
        for j, name in enumerate(model.factor_names):
            lines.append("  " + name.ljust(width) + "".join(f"  {weight:>+16.4g}" for weight in model.experts[:, j]))
        return lines

    def _repr_html_(self) -> str:
        if "model_" not in self.__dict__:
            return f"<pre>{html.escape(repr(self))} (not fitted)</pre>"
        model, report = self.model_, self.report_
        parts = [f"<p><b>{html.escape(repr(self))}</b>: {html.escape(self.summary().splitlines()[1])}</p>"]
        if report.gain is not None:
            parts.append(f"<p>{html.escape(verdict(report.gain.supported, report.gain.gain, report.gain.lo, report.gain.hi))}</p>")
        if 0 < model.num_experts <= 12:
            head = "".join(f"<th>expert {k + 1}</th>" for k in range(model.num_experts))
            body = "".join(f"<tr><th>{html.escape(name)}</th>" + "".join(f"<td>{weight:+.4g}</td>" for weight in model.experts[:, j]) + "</tr>"
                           for j, name in enumerate(model.factor_names))
            parts.append(f"<table><thead><tr><th>weight of</th>{head}</tr></thead><tbody>{body}</tbody></table>")
        return "".join(parts)


def verdict(supported: bool, gain: float, lo: float, hi: float) -> str:
    """Says whether the log supports different trade-offs."""
    words = "are supported" if supported else "are not supported"
    return (f"Different trade-offs for different contexts {words} by this log: the gain over one trade-off for everybody is {gain:+.4f} "
            f"log-loss per row, 95 % interval [{lo:+.4f}, {hi:+.4f}].")


def units_verdict(found: DeviationReport) -> str:
    """Says whether the log supports weights of each unit's own."""
    words = "are supported" if found.supported else "are not supported"
    return (f"Personal deviations of the weights of {found.units} units {words} by this log: the gain from a unit's own rows is "
            f"{found.gain.gain:+.4f} log-loss per row, 95 % interval [{found.gain.lo:+.4f}, {found.gain.hi:+.4f}].")
