"""Pictures of fitted models. Each function returns its axes; matplotlib is needed only here.

>>> import otss
>>> rows = otss.simulate("overlap", n=600, seed=7)
>>> roles = otss.Roles([f"x{j}" for j in range(1, 11)], [f"z{j}" for j in range(1, 9)], "y")
>>> model = otss.OTSS(experts=2, estimator="map").fit(rows.log, roles=roles)
>>> otss.plot.experts(model).get_xlabel()
'weight and 90 % interval'
"""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

from ._deciding import PolicyValue
from ._errors import InputError
from ._functions import Comparison
from ._tables import Columns
from ._using import level_of

# Colours that people with any colour vision can tell apart (Okabe & Ito).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")


def _axes(ax: Any, size: tuple[float, float] = (6.4, 4.0)) -> Any:
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError("otss.plot needs matplotlib; install matplotlib (on Debian: python3-matplotlib)") from None
        _, ax = plt.subplots(figsize=size, layout="constrained")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax


def _intervals_by_name(ax: Any, names: list[str], series: Mapping[str, tuple[Any, Any, Any]]) -> None:
    """Dots with intervals, one line per name, one colour per series; the first name on top."""
    places = np.arange(len(names))[::-1]
    step = 0.6 / max(len(series), 1)
    for k, (label, (value, lo, hi)) in enumerate(series.items()):
        shift = (len(series) - 1) / 2 * step - k * step
        value = np.asarray(value, dtype=float)
        colour = COLOURS[k % len(COLOURS)]
        if lo is not None:
            ax.hlines(places + shift, np.asarray(lo, dtype=float), np.asarray(hi, dtype=float), color=colour, linewidth=2, alpha=0.5)
        ax.plot(value, places + shift, "o", color=colour, label=label)
    ax.set_yticks(places, names)
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.grid(axis="x", alpha=0.25)


def experts(model: Any, contexts: Any = None, interval: float = 0.9, ax: Any = None) -> Any:
    """The weights of each expert by factor, with intervals if the model knows its estimation error. With `contexts`, the mean weights of
    the contexts in which each expert has the largest share, and the mean of their intervals."""
    core = model._fitted("plot.experts")
    ax = _axes(ax, (6.4, 1.2 + 0.45 * len(core.factor_names)))
    if contexts is None:
        lo, hi = core.expert_intervals(level_of(interval, "interval")) if core.has_expert_intervals else (None, None)
        series = {f"expert {k + 1}": (row, None if lo is None else lo[k], None if hi is None else hi[k]) for k, row in enumerate(core.experts)}
        if not series:
            raise InputError(f"a {core.method} model has no experts; give contexts to plot.weights instead")
    else:
        w, lo, hi = (np.asarray(one) for one in model.weights(contexts, interval=interval))
        largest = np.asarray(model.gate(contexts)).argmax(axis=1)
        series = {f"expert {k + 1}": (w[largest == k].mean(axis=0), lo[largest == k].mean(axis=0), hi[largest == k].mean(axis=0))
                  for k in range(core.num_experts) if (largest == k).any()}
    _intervals_by_name(ax, core.factor_names, series)
    ax.axvline(0, color="0.6", linewidth=1, zorder=0)
    of_experts = "weight" if contexts is None else "mean weight"
    has_intervals = contexts is not None or core.has_expert_intervals
    ax.set_xlabel(f"{of_experts} and {100 * interval:g} % interval" if has_intervals else of_experts)
    ax.legend(frameon=False)
    return ax


def segments(model: Any, ax: Any = None) -> Any:
    """Who uses which expert: how the members of each segment differ from everybody, in standard deviations."""
    found = model._segments()
    names = list(dict.fromkeys(_who(contrast) for one in found for contrast in one.contrasts))
    if not names:
        raise InputError("the segments of this model do not differ in any context column")
    ax = _axes(ax, (6.4, 1.2 + 0.35 * len(names)))
    series = {}
    for k, one in enumerate(found):
        known = {_who(contrast): contrast.difference for contrast in one.contrasts}
        series[f"expert {k + 1} ({100 * one.share:.0f} %)"] = ([known.get(name, np.nan) for name in names], None, None)
    _intervals_by_name(ax, names, series)
    ax.axvline(0, color="0.6", linewidth=1, zorder=0)
    ax.set_xlabel("members minus everybody, in standard deviations")
    ax.legend(frameon=False)
    return ax


def _who(contrast: Any) -> str:
    if contrast.missing:
        return f"{contrast.column} is missing"
    return f"{contrast.column} = {contrast.level}" if contrast.level else str(contrast.column)


def weights(model: Any, contexts: Any, column: str, factor: str, interval: Optional[float] = 0.9, points: int = 60, ax: Any = None) -> Any:
    """The weight of a factor along a context column, with its band. The other columns stay at their values in the first row of
    `contexts`."""
    core = model._fitted("plot.weights")
    if factor not in core.factor_names:
        raise InputError(f"the model has no factor '{factor}'; its factors are {', '.join(core.factor_names)}")
    known = dict(core.context_columns)
    if known.get(column) != "number":
        raise InputError(f"'{column}' is not a number column of the contexts; these are "
                         + ", ".join(name for name, kind in core.context_columns if kind == "number"))
    table = Columns(contexts, "contexts")
    values = np.asarray(table.column(column), dtype=float)
    grid = np.linspace(np.nanmin(values), np.nanmax(values), points)
    along = {name: grid if name == column else np.repeat(np.asarray(table.column(name))[:1], points) for name in known}
    j = core.factor_names.index(factor)
    ax = _axes(ax)
    if interval is None:
        ax.plot(grid, model.weights(along)[:, j], color=COLOURS[0])
    else:
        w, lo, hi = model.weights(along, interval=interval)
        ax.fill_between(grid, lo[:, j], hi[:, j], color=COLOURS[0], alpha=0.2, linewidth=0, label=f"{100 * interval:g} % interval")
        ax.plot(grid, w[:, j], color=COLOURS[0])
        ax.legend(frameon=False)
    ax.axhline(0, color="0.6", linewidth=1, zorder=0)
    ax.set_xlabel(column)
    ax.set_ylabel(f"weight of {factor}")
    return ax


def gate(model: Any, contexts: Any, ax: Any = None) -> Any:
    """The shares of the experts: contexts are sorted by the share of the first expert, and the shares are stacked."""
    shares = np.asarray(model.gate(contexts))
    shares = shares[np.argsort(-shares[:, 0], kind="stable")]
    ax = _axes(ax)
    at = np.linspace(0, 100, len(shares))
    colours = [COLOURS[k % len(COLOURS)] for k in range(shares.shape[1])]
    ax.stackplot(at, shares.T, labels=[f"expert {k + 1}" for k in range(shares.shape[1])], colors=colours, alpha=0.85, linewidth=0)
    ax.set_xlim(0, 100)
    ax.set_ylim(0, 1)
    ax.set_xlabel("contexts, % (sorted by the share of expert 1)")
    ax.set_ylabel("share")
    ax.legend(loc="upper right", framealpha=0.9)
    return ax


def calibration(model: Any, contexts: Any, factors: Any, outcome: Any, bins: int = 10, ax: Any = None) -> Any:
    """Observed against predicted mean outcomes, in bins of equally many rows, with 90 % intervals of the observed means."""
    predicted = model.predict_mean(contexts, factors)
    from ._log import Outcome

    observed = Outcome(outcome, model._family, "outcome", getattr(model, "classes_", None)).numbers
    order = np.array_split(np.argsort(predicted, kind="stable"), bins)
    x = np.array([predicted[rows].mean() for rows in order if len(rows)])
    y = np.array([observed[rows].mean() for rows in order if len(rows)])
    error = 1.645 * np.array([observed[rows].std() / np.sqrt(len(rows)) for rows in order if len(rows)])
    ax = _axes(ax, (4.6, 4.4))
    ends = [min(x.min(), y.min()), max(x.max(), y.max())]
    ax.plot(ends, ends, color="0.6", linewidth=1, label="perfectly calibrated")
    ax.errorbar(x, y, yerr=error, fmt="o", color=COLOURS[0], capsize=0, label="bins of rows, 90 % intervals")
    ax.set_xlabel("predicted mean outcome")
    ax.set_ylabel("observed mean outcome")
    ax.legend(frameon=False)
    return ax


def comparison(compared: Comparison, ax: Any = None) -> Any:
    """Held-out log-losses of several methods: the difference of OTSS to each, with its 95 % interval."""
    table = compared.methods
    names = list(table.index) if hasattr(table, "index") else list(table["method"])
    others = [i for i, name in enumerate(names) if name not in ("otss", "otss-pick")]
    pick = {name: np.asarray(table[name], dtype=float)[others] for name in ("difference", "difference_lo", "difference_hi")}
    ax = _axes(ax, (6.4, 1.2 + 0.4 * len(others)))
    _intervals_by_name(ax, [names[i] for i in others],
                       {"otss minus method": (pick["difference"], pick["difference_lo"], pick["difference_hi"])})
    ax.axvline(0, color="0.6", linewidth=1, zorder=0)
    ax.set_xlabel("log-loss of OTSS minus log-loss of the method (below 0: OTSS predicts better)")
    return ax


def policy_value(value: PolicyValue, ax: Any = None) -> Any:
    """The value of the model's decisions by each estimator, beside the value of the logged decisions."""
    names = ["logging", "ips", "snips", "direct", "doubly_robust"]
    estimates = [getattr(value, name) for name in names]
    ax = _axes(ax, (6.4, 1.2 + 0.4 * len(names)))
    titles = ["logged decisions", "inverse propensity", "self-normalised", "model alone", "doubly robust"]
    _intervals_by_name(ax, titles, {"value": ([one.value for one in estimates], [one.lo for one in estimates], [one.hi for one in estimates])})
    ax.set_xlabel(f"mean outcome and {100 * value.level:g} % interval")
    return ax
