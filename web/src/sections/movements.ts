// 4. How weights move along a context column.
import { ACCENT, expertColor } from "../chart/colors";
import { type BandPoint, drawBand, drawShareAreas, drawShareBars } from "../chart/curves";
import { figure } from "../chart/figure";
import { domainOf } from "../chart/plot";
import { drawPending } from "../chart/responsive";
import { drawIntervalRows } from "../chart/rows";
import type { DataTable } from "../chart/table";
import { type Child, element } from "../dom/element";
import { chooser } from "../dom/choice";
import type { Facts, MovementColumn, Movements } from "../facts";
import { percent, signed } from "../format/numbers";
import { counted, inWords, isolated, nameOf, shorten, type Sentence } from "../format/text";
import { byImportance, column, intervalWords, note, type SectionContent, segmentName, valueOf } from "../view";

const SMALL_MULTIPLES = 6;
const MOST_LEVELS = 16;

export function movements(facts: Facts): SectionContent {
  const found = facts.movements;
  if (!found || found.columns.length === 0 || facts.about.same_shares) {
    return { lead: ["The weights of this model are the same in every context, so nothing moves."], body: [] };
  }
  const explorer = new Explorer(facts, found);
  return {
    lead: leadOf(facts, found),
    body: [explorer.smallMultiples(), explorer.node, note(aboutCurves(facts, found))],
  };
}

function leadOf(facts: Facts, found: Movements): Sentence {
  const [first, second] = found.strongest;
  if (!first) return ["No weight changes noticeably along any column."];
  const pair = (one: { factor: number; column: number }): Child => [
    nameOf(facts.factors[one.factor]?.name ?? ""),
    " along ",
    nameOf(column(facts, one.column).name),
  ];
  return ["The weight that moves most is that of ", pair(first), ...(second ? [", then ", pair(second)] : []), "."];
}

function aboutCurves(facts: Facts, found: Movements): string {
  const over =
    found.source === "log"
      ? `averages over ${counted(found.sample_rows, "context")} of the log, the other columns as they are`
      : "the other columns are held at their averages";
  const band = found.columns.some(({ lo }) => lo) ? ` Bands are ${intervalWords(facts.about.level)}s.` : "";
  const left =
    found.left_out.length > 0
      ? ` ${counted(found.left_out.length, "column")} with small effects ${found.left_out.length === 1 ? "has" : "have"} no curve.`
      : "";
  return `Curves: ${over}. Dashed: the average context.${band}${left}`;
}

/** One factor along one column. */
class Curve {
  readonly points: BandPoint[];
  readonly names: string[] | null; // the levels of a text column
  readonly domain: [number, number];

  constructor(
    readonly facts: Facts,
    readonly moved: MovementColumn,
    readonly factor: number,
  ) {
    const own = column(facts, moved.column);
    const weights = moved.weights[factor] ?? [];
    this.names = moved.levels && moved.levels.map((level) => own.levels[level] ?? "");
    this.points = weights.map((value, i) => ({
      at: moved.at?.[i] ?? i,
      value,
      lo: moved.lo?.[factor]?.[i] ?? null,
      hi: moved.hi?.[factor]?.[i] ?? null,
    }));
    this.domain = domainOf(
      this.points.flatMap(({ value, lo, hi }) => [value, lo, hi]),
      this.reference === null ? [] : [this.reference],
    );
  }

  get reference(): number | null {
    return this.facts.segments.average[this.factor]?.value ?? null;
  }

  sentence(): Sentence {
    const own = column(this.facts, this.moved.column);
    const factor = nameOf(this.facts.factors[this.factor]?.name ?? "");
    const sorted = [...this.points].sort((a, b) => a.value - b.value);
    const [least, most] = [sorted[0], sorted.at(-1)];
    if (!least || !most) return [];
    const at = (point: BandPoint): Child =>
      this.names ? nameOf(this.names[this.points.indexOf(point)] ?? "", 32) : valueOf(own)(point.at);
    return [
      "The weight of ",
      factor,
      ` is ${signed(least.value)} at `,
      nameOf(own.name),
      " ",
      at(least),
      ` and ${signed(most.value)} at `,
      at(most),
      ".",
    ];
  }

  draw(width: number, height: number, labels: boolean): Element {
    const own = column(this.facts, this.moved.column);
    const factor = this.facts.factors[this.factor]?.name ?? "";
    if (this.names) return this.drawLevels(width, labels ? MOST_LEVELS * 2 : 6, labels);
    return drawBand(
      {
        points: this.points,
        color: ACCENT,
        xLabel: labels ? isolated(own.name, 60) : null,
        yLabel: labels ? `weight of ${isolated(factor, 40)}` : null,
        xFormat: valueOf(own),
        yFormat: (value) => signed(value),
        domain: this.domain,
        height,
        ...(this.reference === null ? {} : { reference: this.reference }),
      },
      width,
    );
  }

  private drawLevels(width: number, most: number, labelled: boolean): Element {
    const rows = this.points
      .slice(0, most)
      .map((point, i) => ({ name: this.names?.[i] ?? "", estimate: point, color: ACCENT, pale: false, reference: this.reference }));
    return drawIntervalRows(
      { rows, label: labelled ? "weight" : "", format: (value) => signed(value), domain: this.domain, zero: false, rowHeight: 22 },
      width,
    );
  }

  table(): DataTable {
    const own = column(this.facts, this.moved.column);
    const digits = (value: number | null): string => signed(value, 4);
    const listed = this.facts.segments.list;
    const show = valueOf(own);
    return {
      columns: [
        { name: own.name, show: (value) => (value === null ? "" : show(value)) },
        { name: "weight", show: digits },
        { name: "low", show: digits },
        { name: "high", show: digits },
        ...this.moved.shares.map((_, k) => ({ name: `share of segment ${listed[k]?.expert ?? k + 1}`, show: percent })),
      ],
      rows: this.points.map((point, i) => [
        this.names ? (this.names[i] ?? "") : point.at,
        point.value,
        point.lo,
        point.hi,
        ...this.moved.shares.map((row) => row[i] ?? null),
      ]),
    };
  }
}

/** Small charts of the strongest pairs, and one large chart of a pair that the reader chooses. */
class Explorer {
  readonly node: HTMLElement;
  private readonly chart = element("div", { class: "explorer" });
  private factor: number;
  private moved: MovementColumn;
  private readonly selects: { factor: HTMLSelectElement; column: HTMLSelectElement };

  constructor(
    private readonly facts: Facts,
    private readonly found: Movements,
  ) {
    const first = found.strongest[0];
    this.factor = first?.factor ?? byImportance(facts)[0] ?? 0;
    this.moved = found.columns.find((moved) => moved.column === first?.column) ?? (found.columns[0] as MovementColumn);
    const factor = chooser(
      "Weight of",
      byImportance(facts).map((j) => ({ value: String(j), label: shorten(facts.factors[j]?.name ?? "", 60) })),
      String(this.factor),
      (value) => this.show(Number(value), this.moved.column),
    );
    const along = chooser(
      "along",
      found.columns.map((moved) => ({ value: String(moved.column), label: shorten(column(facts, moved.column).name, 60) })),
      String(this.moved.column),
      (value) => this.show(this.factor, Number(value)),
    );
    this.selects = { factor: factor.select, column: along.select };
    this.node = element(
      "div",
      { class: "panel", id: "explorer" },
      element("div", { class: "controls" }, factor.node, along.node),
      this.chart,
    );
    this.chart.append(...this.charts());
  }

  private show(factor: number, position: number): void {
    const moved = this.found.columns.find((one) => one.column === position);
    if (!moved) return;
    this.factor = factor;
    this.moved = moved;
    this.selects.factor.value = String(factor);
    this.selects.column.value = String(position);
    this.chart.replaceChildren(...this.charts());
    drawPending();
  }

  private charts(): HTMLElement[] {
    const curve = new Curve(this.facts, this.moved, this.factor);
    const weight = figure({
      title: this.titleOf(curve),
      sentence: curve.sentence(),
      draw: (width) => curve.draw(width, 300, true),
      table: curve.table(),
    });
    return this.moved.shares.length < 2 ? [weight] : [weight, this.shares(curve)];
  }

  private titleOf(curve: Curve): HTMLElement {
    return element(
      "span",
      {},
      nameOf(this.facts.factors[curve.factor]?.name ?? "", 40),
      " along ",
      nameOf(column(this.facts, curve.moved.column).name, 40),
    );
  }

  private shares(curve: Curve): HTMLElement {
    const { moved } = curve;
    const own = column(this.facts, moved.column);
    const experts = this.facts.segments.list.map(({ expert }) => expert);
    const legend = element("p", { class: "legend" }, experts.slice(0, moved.shares.length).map(segmentName));
    return figure({
      title: element("span", {}, "Who is there along ", nameOf(own.name, 40)),
      sentence: this.sharesSentence(curve, experts),
      legend,
      draw: (width) => {
        if (curve.names) {
          const names = curve.names.slice(0, 2 * MOST_LEVELS);
          return drawShareBars(
            names,
            moved.shares.flatMap((row, k) => names.map((_, i) => ({ row: i, share: row[i] ?? 0, expert: experts[k] ?? k + 1 }))),
            expertColor,
            width,
          );
        }
        const points = moved.shares.flatMap((row, k) =>
          row.map((share, i) => ({ at: moved.at?.[i] ?? i, share, expert: experts[k] ?? k + 1 })),
        );
        return drawShareAreas(points, expertColor, isolated(own.name, 60), valueOf(own), width);
      },
      table: curve.table(),
    });
  }

  private sharesSentence(curve: Curve, experts: readonly number[]): Sentence {
    const changes = curve.moved.shares.map((row, k) => ({ expert: experts[k] ?? k + 1, lo: Math.min(...row), hi: Math.max(...row) }));
    const most = changes.sort((a, b) => b.hi - b.lo - (a.hi - a.lo))[0];
    return most ? [segmentName(most.expert), ` has between ${percent(most.lo)} and ${percent(most.hi)} of the contexts.`] : [];
  }

  smallMultiples(): HTMLElement {
    const pairs = this.found.strongest.slice(0, SMALL_MULTIPLES);
    const figures = pairs.flatMap((pair) => {
      const moved = this.found.columns.find((one) => one.column === pair.column);
      if (!moved) return [];
      const curve = new Curve(this.facts, moved, pair.factor);
      const look = element(
        "button",
        {
          type: "button",
          class: "link",
          onclick: () => {
            this.show(pair.factor, pair.column);
            this.node.scrollIntoView({ block: "nearest" });
          },
        },
        this.titleOf(curve),
      );
      return [
        figure({
          title: look,
          class: "small",
          sentence: rangeOf(curve),
          draw: (width) => curve.draw(width, 170, false),
          table: curve.table(),
        }),
      ];
    });
    return element(
      "div",
      {},
      element("p", { class: "label" }, `The strongest ${inWords(figures.length)}`),
      element("div", { class: "grid tight" }, figures),
    );
  }
}

function rangeOf(curve: Curve): Sentence {
  const values = curve.points.map(({ value }) => value);
  return [
    `Mean weight from ${signed(Math.min(...values))} to ${signed(Math.max(...values))}, in the average context ${signed(curve.reference)}.`,
  ];
}
