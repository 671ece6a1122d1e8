"""The typed report of a fit: what was tried, what was chosen and why."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional, Union

Value = Union[bool, int, float, str]


@dataclass(frozen=True)
class FittedData:
    """The log that a model was fitted on."""
    rows: int
    fingerprint: str  #: a hash of its columns and rows


@dataclass(frozen=True)
class HeldOutLosses:
    """Mean log-losses on held-out rows."""
    model: float
    pooled: float  #: of the model with one trade-off for everybody


@dataclass(frozen=True)
class Gain:
    """By how much the model's held-out loss is below that of one trade-off for everybody."""
    gain: float
    standard_error: float
    lo: float  #: 95 % interval
    hi: float
    supported: bool  #: the whole interval is above 0


@dataclass(frozen=True)
class Settings:
    """The settings that were tried on held-out rows."""
    kind: str  #: "averaged" (a mixture) or "compared" (a comparison method)
    tried: list[dict[str, Any]]
    chosen: dict[str, Value]


@dataclass(frozen=True)
class Choice:
    """Which setting was chosen, and how."""
    settings: Settings
    why: str
    split: str
    gates: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Quality:
    """The quality of predictions on held-out rows."""
    log_loss: float
    squared_error: float  #: for 0/1 outcomes the Brier score
    deviance: float
    explained: float
    auc: float
    calibration_slope: float


@dataclass(frozen=True)
class GateUse:
    """How the gate divides contexts among experts."""
    entropy: float
    effective_experts: float
    effective_experts_overall: float
    usage: list[float]


@dataclass(frozen=True)
class Contrast:
    """How the members of a segment differ from everybody in one context column."""
    column: str
    level: str  #: the text level; empty for a number
    missing: bool
    members: float
    everybody: float
    difference: float  #: in standard deviations

    def __str__(self) -> str:
        if self.missing or self.level:
            what = f"{self.column} is missing" if self.missing else f"{self.column} = {self.level}"
            return f"{what} ({100 * self.members:.0f} %, everybody {100 * self.everybody:.0f} %)"
        return f"{'higher' if self.difference > 0 else 'lower'} {self.column} (mean {self.members:.3g}, everybody {self.everybody:.3g})"


@dataclass(frozen=True)
class Segment:
    """The contexts in which an expert has the largest share."""
    share: float    #: the mean share of the expert over all contexts
    members: float  #: the share of all contexts that are members
    weights: list[float]
    contrasts: list[Contrast]

    @property
    def who(self) -> str:
        """The members in words: up to three columns in which they differ by at least a fifth of a standard deviation."""
        notable = [str(one) for one in self.contrasts if abs(one.difference) >= 0.2]
        return "; ".join(notable[:3])


@dataclass(frozen=True)
class Starts:
    """How many starting points led to about the same loss."""
    tried: int
    agreeing: int


@dataclass(frozen=True)
class Diagnostics:
    """The quality of the fit."""
    quality: Quality
    gate: Optional[GateUse]
    starts: Optional[Starts]
    segments: list[Segment]


@dataclass(frozen=True)
class Chains:
    """The Markov chains that sampled one posterior."""
    experts: int
    gate_columns: str
    chains: int
    draws: int
    acceptance: float
    r_hat: float
    effective_sample: float
    warning: str


@dataclass(frozen=True)
class Finding:
    """A problem of a log and what to do about it, or a note."""
    severity: str  #: "not identified", "refused", "warning" or "note"
    kind: str
    what: str
    columns: list[str]


@dataclass(frozen=True)
class UnitLosses:
    """Mean log-losses with and without deviations of units, on the same held-out rows."""
    model: float
    without: float


@dataclass(frozen=True)
class Variation:
    """Shares of the variation of the outcome; they sum to 1."""
    decision: float  #: the same weights for everybody
    context: float   #: weights and baseline differ by context
    unit: float      #: the deviations of units
    rest: float


@dataclass(frozen=True)
class DeviationReport:
    """How much units, such as customers, differ from each other."""
    units: int  #: the number of units of the log
    tried: list[dict[str, Any]]
    form: str   #: the simplest form within one standard error of the best
    supported: bool  #: only then the model has deviations
    gain: Gain  #: from a unit's own rows
    known_units: UnitLosses
    new_units: Optional[UnitLosses]
    variation: Optional[Variation]


@dataclass(frozen=True)
class GateTest:
    """The test whether squares and pairs of context columns would change the weights."""
    columns: int    #: the number of squares and pairs
    p_value: float
    gain: float     #: by which they lower the held-out loss per row
    discrepancy: list[float]  #: sd of the weights' error that the gate causes, per factor; empty if the gate fits


@dataclass(frozen=True)
class WeightChecks:
    """How far intervals and certificates can be trusted."""
    gate: Optional[GateTest]
    known_share: Optional[float]  #: of the variation of the weights; below 0.5 no decision is certified
    failed: list[str]  #: a sentence for each check that failed


@dataclass(frozen=True)
class FitReport:
    """What a fit did. A field is None if it does not apply to the method."""
    software: str
    options: dict[str, Value]
    data: Optional[FittedData]
    choice: Optional[Choice]
    held_out: Optional[HeldOutLosses]
    gain: Optional[Gain]
    diagnostics: Optional[Diagnostics]
    chains: list[Chains]
    uncertainty_warning: str
    deviations: Optional[DeviationReport] = None  #: of a fit with units
    weight_checks: Optional[WeightChecks] = None
    findings: Optional[list[Finding]] = None  #: problems of the log, the most severe first; None in older model files


def _segment(given: dict[str, Any]) -> Segment:
    return Segment(given["share"], given["members"], given["weights"], [Contrast(**one) for one in given["contrasts"]])


def _diagnostics(given: dict[str, Any]) -> Diagnostics:
    return Diagnostics(Quality(**given["quality"]), GateUse(**given["gate"]) if given["gate"] else None,
                       Starts(**given["starts"]) if given["starts"] else None,
                       [_segment(one) for one in given["segments"]])


def _choice(given: dict[str, Any]) -> Choice:
    return Choice(Settings(**given["settings"]), given["why"], given["split"], given["gates"])


def _deviations(given: dict[str, Any]) -> DeviationReport:
    return DeviationReport(given["units"], given["tried"], given["form"], given["supported"], Gain(**given["gain"]),
                           UnitLosses(**given["known_units"]), UnitLosses(**given["new_units"]) if given["new_units"] else None,
                           Variation(**given["variation"]) if given["variation"] else None)


def _weight_checks(given: dict[str, Any]) -> WeightChecks:
    return WeightChecks(GateTest(**given["gate"]) if given["gate"] else None, given["known_share"], given["failed"])


def report_from(given: dict[str, Any]) -> FitReport:
    """Returns the report that `_core.report` gives as nested dicts."""
    return FitReport(
        software=given["software"], options=given["options"],
        data=FittedData(**given["data"]) if given["data"] else None,
        choice=_choice(given["choice"]) if given["choice"] else None,
        held_out=HeldOutLosses(**given["held_out"]) if given["held_out"] else None,
        gain=Gain(**given["gain"]) if given["gain"] else None,
        diagnostics=_diagnostics(given["diagnostics"]) if given["diagnostics"] else None,
        chains=[Chains(**one) for one in given["chains"]], uncertainty_warning=given["uncertainty_warning"],
        deviations=_deviations(given["deviations"]) if given["deviations"] else None,
        weight_checks=_weight_checks(given["weight_checks"]) if given["weight_checks"] else None,
        findings=None if given["findings"] is None else [Finding(**one) for one in given["findings"]])
