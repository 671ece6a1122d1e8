// Rows that change while a slider moves. The elements are made once and then only moved, which is fast.
import { svg } from "../dom/element";
import { fitted, rowLabels } from "./labels";

export interface LiveRow {
  name: string;
  color: string;
}

export interface LiveValue {
  value: number;
  lo?: number | undefined;
  hi?: number | undefined;
  reference?: number | undefined; // the typical context
  text: string; // at the end of the row; empty: the row shows nothing
}

interface Options {
  kind: "dot" | "bar";
  domain: [number, number]; // it grows where a value lies outside
  fixed?: boolean; // the domain never grows
  rowHeight?: number;
  renamed?: boolean; // names change, so the margin is fixed
}

interface Parts {
  name: SVGTextElement;
  interval: SVGLineElement;
  mark: SVGCircleElement | SVGRectElement;
  reference: SVGLineElement;
  text: SVGTextElement;
}

const VALUE_WIDTH = 64;
const RENAMED_ROOM = 0.4; // of the width, for names that change
const TOP = 4;

export class LiveRows {
  private parts: Parts[] = [];
  private zero: SVGLineElement | null = null;
  private values: readonly LiveValue[] = [];
  private domain: [number, number];
  private left = 0;
  private right = 0;

  constructor(
    private rows: LiveRow[],
    private readonly options: Options,
  ) {
    this.domain = [...options.domain];
  }

  get size(): number {
    return this.rows.length;
  }

  /** Makes the drawing for a new width. */
  draw(width: number): SVGSVGElement {
    const height = this.options.rowHeight ?? 26;
    const { margin, labels } = rowLabels(
      this.rows.map(({ name }) => name),
      width,
      this.options.renamed ? RENAMED_ROOM : 0.4,
    );
    this.left = this.options.renamed ? Math.round(width * RENAMED_ROOM) : margin;
    this.right = width - VALUE_WIDTH;
    const total = this.rows.length * height + 2 * TOP;
    this.zero = svg("line", { y1: 0, y2: total, stroke: "var(--soft)", "stroke-opacity": 0.7 });
    const drawing = svg(
      "svg",
      { class: "live", width, height: total, viewBox: `0 0 ${width} ${total}`, "font-size": 13, fill: "currentColor" },
      this.zero,
    );
    this.parts = this.rows.map((row, i) => this.makeRow(drawing, row, labels[i] ?? "", TOP + height * (i + 0.5), width));
    this.place();
    return drawing;
  }

  private makeRow(drawing: SVGSVGElement, row: LiveRow, label: string, y: number, width: number): Parts {
    const name = svg("text", { x: this.left - 10, y, dy: "0.35em", "text-anchor": "end" }, label);
    const reference = svg("line", { y1: y - 8, y2: y + 8, stroke: "var(--ink)", "stroke-opacity": 0.5, "stroke-width": 1.5 });
    const interval = svg("line", { y1: y, y2: y, stroke: row.color, "stroke-width": 3, "stroke-linecap": "round" });
    const mark =
      this.options.kind === "dot"
        ? svg("circle", { cy: y, r: 4.5, fill: row.color, stroke: "var(--paper)", "stroke-width": 0.75 })
        : svg("rect", { y: y - 7, height: 14, fill: row.color, "fill-opacity": 0.85 });
    const text = svg("text", { x: width - 2, y, dy: "0.35em", "text-anchor": "end", class: "tabular" });
    drawing.append(name, interval, mark, reference, text);
    return { name, interval, mark, reference, text };
  }

  update(values: readonly LiveValue[]): void {
    this.values = values;
    if (!this.options.fixed) this.grow();
    this.place();
  }

  /** Changes names without making a new drawing. */
  rename(names: readonly string[]): void {
    names.forEach((name, i) => {
      const row = this.rows[i];
      if (!row || row.name === name) return;
      row.name = name;
      const part = this.parts[i];
      if (part) part.name.textContent = fitted(name, this.left - 14);
    });
  }

  private grow(): void {
    for (const { value, lo, hi } of this.values) {
      const least = Math.min(value, lo ?? value);
      const most = Math.max(value, hi ?? value);
      if (least < this.domain[0]) this.domain[0] = least * (least < 0 ? 1.15 : 1);
      if (most > this.domain[1]) this.domain[1] = most * (most > 0 ? 1.15 : 1);
    }
  }

  private at(value: number): number {
    const [lo, hi] = this.domain;
    const share = hi > lo ? (Math.min(Math.max(value, lo), hi) - lo) / (hi - lo) : 0;
    return this.left + 6 + share * (this.right - this.left - 12);
  }

  private place(): void {
    const zero = this.at(0);
    this.zero?.setAttribute("x1", zero.toFixed(1));
    this.zero?.setAttribute("x2", zero.toFixed(1));
    this.values.forEach((row, i) => {
      const part = this.parts[i];
      if (part) this.placeRow(part, row, zero);
    });
  }

  private placeRow({ interval, mark, reference, text }: Parts, row: LiveValue, zero: number): void {
    const x = this.at(row.value);
    if (this.options.kind === "dot") mark.setAttribute("cx", x.toFixed(1));
    else {
      mark.setAttribute("x", Math.min(x, zero).toFixed(1));
      mark.setAttribute("width", Math.max(Math.abs(x - zero), 0.5).toFixed(1));
    }
    const pale = row.lo !== undefined && row.hi !== undefined && row.lo <= 0 && row.hi >= 0;
    mark.setAttribute("opacity", row.text === "" ? "0" : pale ? "0.45" : "1");
    interval.setAttribute("opacity", row.lo === undefined ? "0" : pale ? "0.45" : "1");
    interval.setAttribute("x1", this.at(row.lo ?? row.value).toFixed(1));
    interval.setAttribute("x2", this.at(row.hi ?? row.value).toFixed(1));
    reference.setAttribute("opacity", row.reference === undefined ? "0" : "1");
    const at = this.at(row.reference ?? row.value).toFixed(1);
    reference.setAttribute("x1", at);
    reference.setAttribute("x2", at);
    if (text.textContent !== row.text) text.textContent = row.text;
  }
}
