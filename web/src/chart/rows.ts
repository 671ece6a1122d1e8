// A row per name: a dot with an interval, or a bar, around a line at zero.
import * as Plot from "@observablehq/plot";
import type { Estimate } from "../facts";
import { INK, SOFT } from "./colors";
import { rowLabels } from "./labels";
import { domainOf, draw, rowAxis, tickCount, xAxis } from "./plot";

export interface IntervalRow {
  name: string;
  estimate: Estimate;
  color: string;
  reference?: number | null; // a value to compare with, drawn as a small upright line
  pale?: boolean; // drawn pale; default: whether the interval contains zero
  bold?: boolean;
}

export interface IntervalRows {
  rows: IntervalRow[];
  label: string; // of the axis
  format: (value: number) => string; // of the ticks
  domain?: [number, number];
  zero?: boolean; // a line at zero, which the axis always includes; default: true
  rowHeight?: number;
  labels?: number; // the share of the width that names may take; default: 0.4
}

/** Whether an estimate could be zero: its interval contains zero. */
export function couldBeZero(estimate: Estimate): boolean {
  return estimate.lo !== null && estimate.hi !== null && estimate.lo <= 0 && estimate.hi >= 0;
}

export function domainOfRows(rows: readonly IntervalRow[], zero = true): [number, number] {
  const values = rows.flatMap((row) => [row.estimate.value, row.estimate.lo, row.estimate.hi, row.reference]);
  return domainOf(values, zero ? [0] : []);
}

const PALE = 0.45;

export function drawIntervalRows(chart: IntervalRows, width: number): Element {
  const zero = chart.zero ?? true;
  const { margin, labels } = rowLabels(
    chart.rows.map((row) => row.name),
    width,
    chart.labels,
  );
  const rows = chart.rows.map((row, i) => ({
    ...row,
    ...row.estimate,
    row: i,
    opacity: (row.pale ?? couldBeZero(row.estimate)) ? PALE : 1,
  }));
  const height = chart.rows.length * (chart.rowHeight ?? 26) + 56;
  return draw({
    width,
    height,
    marginLeft: margin,
    marginRight: 16,
    marginBottom: 44,
    x: { domain: chart.domain ?? domainOfRows(chart.rows, zero) },
    y: { type: "band", domain: rows.map(({ row }) => row), axis: null },
    marks: [
      ...xAxis({ label: chart.label, tickFormat: chart.format, ticks: tickCount(width - margin) }),
      zero ? Plot.ruleX([0], { stroke: SOFT, strokeOpacity: 0.7 }) : null,
      ...rowAxis(labels, (row) => chart.rows[row]?.bold ?? false),
      Plot.tickX(
        rows.filter(({ reference }) => reference !== null && reference !== undefined),
        { x: "reference", y: "row", stroke: INK, strokeOpacity: 0.55, strokeWidth: 1.5, insetTop: 6, insetBottom: 6 },
      ),
      Plot.ruleY(
        rows.filter(({ lo }) => lo !== null),
        { x1: "lo", x2: "hi", y: "row", stroke: "color", strokeOpacity: "opacity", strokeWidth: 3, strokeLinecap: "round" },
      ),
      Plot.dot(
        rows.filter(({ value }) => value !== null),
        { x: "value", y: "row", fill: "color", fillOpacity: "opacity", r: 4, stroke: "var(--paper)", strokeWidth: 0.75 },
      ),
    ],
  });
}

/** Bars from zero with an interval as a thin line. */
export function drawBarRows(chart: IntervalRows, width: number): Element {
  const { margin, labels } = rowLabels(
    chart.rows.map((row) => row.name),
    width,
    0.46,
  );
  const rows = chart.rows.map((row, i) => ({
    ...row,
    ...row.estimate,
    row: i,
    opacity: (row.pale ?? couldBeZero(row.estimate)) ? PALE : 1,
  }));
  return draw({
    width,
    height: rows.length * (chart.rowHeight ?? 24) + 56,
    marginLeft: margin,
    marginRight: 16,
    marginBottom: 44,
    x: { domain: chart.domain ?? domainOfRows(chart.rows) },
    y: { type: "band", domain: rows.map(({ row }) => row), axis: null, padding: 0.3 },
    marks: [
      ...xAxis({ label: chart.label, tickFormat: chart.format, ticks: tickCount(width - margin) }),
      ...rowAxis(labels),
      Plot.barX(rows, { x1: 0, x2: "value", y: "row", fill: "color", fillOpacity: "opacity" }),
      Plot.ruleX([0], { stroke: SOFT, strokeOpacity: 0.7 }),
      Plot.ruleY(
        rows.filter(({ lo }) => lo !== null),
        { x1: "lo", x2: "hi", y: "row", stroke: INK, strokeOpacity: 0.65, strokeWidth: 1.25 },
      ),
    ],
  });
}
