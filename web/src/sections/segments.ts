// 2. What each segment wants: a dot with an interval for every factor.
import { ACCENT, expertColor } from "../chart/colors";
import { figure } from "../chart/figure";
import { domainOf } from "../chart/plot";
import { drawAgain } from "../chart/responsive";
import { couldBeZero, drawIntervalRows, type IntervalRow } from "../chart/rows";
import type { DataTable } from "../chart/table";
import { choice } from "../dom/choice";
import { element } from "../dom/element";
import type { Estimate, Facts, Segment } from "../facts";
import { percent, signed } from "../format/numbers";
import { capitalized, inWords, nameOf, type Sentence } from "../format/text";
import { byImportance, intervalWords, isTold, note, segmentName, type SectionContent, times, weightsOfSegment } from "../view";
import { mainWants, wantsOf } from "./wants";

type Units = "comparable" | "own";
const MOST_FACTORS = 12;
const MOST_TOLD = 3; // segments in the first sentence

/** One chart of weights: of a segment's members, or of all contexts. */
interface Panel {
  key: string;
  title: HTMLElement | string;
  sentence: Sentence;
  weights: Estimate[];
  color: string;
  compare: boolean; // with the average context
  expertWeights: number[] | null;
}

export function segments(facts: Facts): SectionContent {
  const panels = panelsOf(facts);
  return {
    lead: leadOf(facts),
    body: [new SegmentCharts(facts, panels).node, legend(facts, panels), units(facts)],
  };
}

function panelsOf(facts: Facts): Panel[] {
  if (facts.segments.list.length < 2) return [averagePanel(facts)];
  return facts.segments.list.map((segment) => segmentPanel(facts, segment));
}

function averagePanel(facts: Facts): Panel {
  return {
    key: "average",
    title: facts.segments.list.length === 1 || facts.about.experts === 1 ? "Everybody" : "The average context",
    sentence: ["It ", mainWants(facts, facts.segments.average, 3), "."],
    weights: facts.segments.average,
    color: ACCENT,
    compare: false,
    expertWeights: null,
  };
}

function segmentPanel(facts: Facts, segment: Segment): Panel {
  return {
    key: `segment ${segment.expert}`,
    title: element(
      "span",
      {},
      segmentName(segment.expert),
      segment.share !== null && element("span", { class: "share" }, percent(segment.share)),
    ),
    sentence: ["It ", wantsOf(facts, segment), ".", alone(facts, segment)],
    weights: weightsOfSegment(facts, segment),
    color: expertColor(segment.expert),
    compare: true,
    expertWeights: segment.expert_weights,
  };
}

function alone(facts: Facts, segment: Segment): string {
  if (facts.about.same_shares || isTold(facts, segment) === "members") return "";
  return " It is the largest segment of no context; these are the weights of its expert alone, without intervals.";
}

function leadOf(facts: Facts): Sentence {
  const told = facts.segments.list.slice(0, MOST_TOLD);
  if (told.length < 2) {
    return [
      "A weight says how much the outcome changes with a factor. The average context ",
      mainWants(facts, facts.segments.average, 3),
      ".",
    ];
  }
  return told.flatMap((segment, i) => [
    i > 0 && "; ",
    segmentName(segment.expert),
    " ",
    mainWants(facts, weightsOfSegment(facts, segment)),
    i === told.length - 1 && ".",
  ]);
}

class SegmentCharts {
  readonly node: HTMLElement;
  private units: Units = "comparable";
  private all = false;
  private readonly order: number[];

  constructor(
    private readonly facts: Facts,
    private readonly panels: Panel[],
  ) {
    this.order = byImportance(facts);
    const figures = panels.map((panel) => this.figureOf(panel));
    const grid = element(
      "div",
      { class: `grid ${panels.length === 1 ? "single" : panels.length === 2 || panels.length === 4 ? "two" : "three"}` },
      figures,
    );
    this.node = element("div", {}, this.controls(grid), grid);
  }

  private controls(grid: HTMLElement): HTMLElement {
    const redraw = (): void => {
      grid.querySelectorAll<HTMLElement>(".drawing").forEach((place, i) => {
        drawAgain(place, (width) => this.draw(this.panels[i] as Panel, width));
      });
    };
    const unitSwitch = choice(
      "Units of the weights",
      [
        { value: "comparable", label: "Comparable" },
        { value: "own", label: "The log's own" },
      ],
      (value) => {
        this.units = value as Units;
        redraw();
      },
    );
    const hidden = this.order.length - MOST_FACTORS;
    const showAll = element("button", { type: "button", class: "quiet", "aria-pressed": "false" }, `Show all ${this.order.length} factors`);
    showAll.addEventListener("click", () => {
      this.all = !this.all;
      showAll.setAttribute("aria-pressed", String(this.all));
      showAll.textContent = this.all ? `Show the ${MOST_FACTORS} most important factors` : `Show all ${this.order.length} factors`;
      redraw();
    });
    return element("div", { class: "controls" }, unitSwitch, hidden > 0 && showAll);
  }

  private figureOf(panel: Panel): HTMLElement {
    return figure({ title: panel.title, sentence: panel.sentence, draw: (width) => this.draw(panel, width), table: this.tableOf(panel) });
  }

  private scale(factor: number): number {
    return this.units === "comparable" ? (this.facts.factors[factor]?.sd ?? 1) : 1;
  }

  private rows(panel: Panel): IntervalRow[] {
    const shown = this.all ? this.order : this.order.slice(0, MOST_FACTORS);
    return shown.map((j) => {
      const estimate = times(panel.weights[j] as Estimate, this.scale(j));
      const average = this.facts.segments.average[j]?.value ?? null;
      return {
        name: this.facts.factors[j]?.name ?? "",
        estimate,
        color: panel.color,
        reference: panel.compare && average !== null ? average * this.scale(j) : null,
        pale: couldBeZero(estimate),
      };
    });
  }

  // All segments share one axis in comparable units, so that they can be compared at a glance.
  private draw(panel: Panel, width: number): Element {
    const all = this.panels.flatMap((one) => this.rows(one));
    const domain = domainOf(
      all.flatMap(({ estimate, reference }) => [estimate.value, estimate.lo, estimate.hi, reference]),
      [0],
    );
    const label = this.units === "comparable" ? "comparable weight" : "weight, in the log's units";
    return drawIntervalRows({ rows: this.rows(panel), label, format: (value) => signed(value), domain }, width);
  }

  private tableOf(panel: Panel): DataTable {
    const digits = (value: number | null): string => signed(value, 4);
    const weight = (name: string) => ({ name, show: digits });
    const expert = panel.expertWeights;
    return {
      columns: [
        { name: "factor" },
        weight("weight"),
        weight("low"),
        weight("high"),
        weight("average context"),
        weight("typical difference"),
        weight("comparable weight"),
        ...(expert ? [weight("weight of a context wholly of this segment")] : []),
      ],
      rows: this.order.map((j) => {
        const own = panel.weights[j] as Estimate;
        const { name, sd } = this.facts.factors[j] as Facts["factors"][number];
        return [
          name,
          own.value,
          own.lo,
          own.hi,
          this.facts.segments.average[j]?.value ?? null,
          sd,
          own.value === null ? null : own.value * sd,
          ...(expert ? [expert[j] ?? null] : []),
        ];
      }),
    };
  }
}

function legend(facts: Facts, panels: Panel[]): HTMLElement {
  const pale = facts.about.has_intervals
    ? `A line is the ${intervalWords(facts.about.level)}; where it includes zero, the weight may be nothing and is drawn pale. `
    : "";
  if (!panels.some((panel) => panel.compare)) return note(pale);
  return note(
    pale,
    "The upright mark is the average context: the mean weights over all contexts. (In What if, marks are the typical context: one context with a usual value in every column. The two differ.) ",
    "A context mixes segments, so the weights of a context wholly of one segment, in the last column of Numbers, may be more extreme than those shown here.",
  );
}

function units(facts: Facts): HTMLElement {
  const over = { library: "the decisions of the library", candidates: "the candidates of a context", log: "the log" }[
    facts.factors[0]?.sd_over ?? "log"
  ];
  const terms = facts.factors.filter((factor) => factor.term);
  return note(
    `Comparable units: the weight times a typical difference of the factor (its standard deviation over ${over}), so that factors can be compared. Right of zero, more of the factor raises the outcome.`,
    terms.length > 0 && [
      ` ${capitalized(inWords(terms.length))} ${terms.length === 1 ? "factor is" : "factors are"} computed from other columns, such as `,
      nameOf(terms[0]?.name ?? ""),
      ".",
    ],
  );
}
