// Curves along a column: a line with its band, and the shares of segments as areas that sum to one.
import * as Plot from "@observablehq/plot";
import { FAINT, SOFT } from "./colors";
import { rowLabels } from "./labels";
import { domainOf, draw, rowAxis, xAxis, yAxis } from "./plot";

export interface BandPoint {
  at: number;
  value: number;
  lo: number | null;
  hi: number | null;
}

export interface BandChart {
  points: BandPoint[];
  color: string;
  xLabel: string | null;
  yLabel: string | null;
  xFormat: (value: number) => string;
  yFormat: (value: number) => string;
  domain: [number, number]; // of the values
  height: number;
  reference?: number; // a horizontal line: the average
}

const LEFT = 56;

export function drawBand(chart: BandChart, width: number): Element {
  const [lo, hi] = chart.domain;
  return draw({
    width,
    height: chart.height,
    marginLeft: LEFT,
    marginRight: 16,
    marginTop: chart.yLabel ? 26 : 10,
    marginBottom: chart.xLabel ? 44 : 26,
    x: { domain: domainOf([], [chart.points[0]?.at ?? 0, chart.points.at(-1)?.at ?? 1]) },
    y: { domain: chart.domain },
    marks: [
      ...yAxis({ label: chart.yLabel, tickFormat: chart.yFormat, ticks: Math.max(Math.floor(chart.height / 60), 2) }),
      ...xAxis({ label: chart.xLabel, tickFormat: chart.xFormat, ticks: Math.max(Math.floor((width - LEFT) / 80), 2) }),
      lo < 0 && hi > 0 ? Plot.ruleY([0], { stroke: SOFT, strokeOpacity: 0.7 }) : null,
      chart.reference === undefined ? null : Plot.ruleY([chart.reference], { stroke: SOFT, strokeDasharray: "3 4" }),
      Plot.areaY(
        chart.points.filter(({ lo }) => lo !== null),
        { x: "at", y1: "lo", y2: "hi", fill: chart.color, fillOpacity: 0.16 },
      ),
      Plot.lineY(chart.points, { x: "at", y: "value", stroke: chart.color, strokeWidth: 2.5, strokeLinecap: "round" }),
    ],
  });
}

export interface SharePoint {
  at: number;
  share: number;
  expert: number;
}

/** Shares of segments along a number column. */
export function drawShareAreas(
  points: SharePoint[],
  colorOf: (expert: number) => string,
  xLabel: string,
  xFormat: (value: number) => string,
  width: number,
): Element {
  const ats = points.map(({ at }) => at);
  return draw({
    width,
    height: 190,
    marginLeft: LEFT,
    marginRight: 16,
    marginTop: 26,
    marginBottom: 44,
    x: { domain: domainOf([], [Math.min(...ats), Math.max(...ats)]) },
    y: { domain: [0, 1] },
    marks: [
      Plot.areaY(points, {
        x: "at",
        y: "share",
        z: "expert",
        fill: ({ expert }: SharePoint) => colorOf(expert),
        fillOpacity: 0.85,
        order: "z",
        reverse: true,
        stroke: "var(--paper)",
        strokeWidth: 1,
      }),
      ...yAxis({ label: "Share of each segment", ticks: 3, tickFormat: (value: number) => `${Math.round(value * 100)} %` }),
      ...xAxis({ label: xLabel, tickFormat: xFormat, ticks: Math.max(Math.floor((width - LEFT) / 80), 2) }),
    ],
  });
}

export interface LevelShare {
  row: number;
  share: number;
  expert: number;
}

/** Shares of segments at each level of a text column: a bar per level that sums to one. */
export function drawShareBars(names: string[], shares: LevelShare[], colorOf: (expert: number) => string, width: number): Element {
  const { margin, labels } = rowLabels(names, width);
  return draw({
    width,
    height: names.length * 24 + 52,
    marginLeft: margin,
    marginRight: 16,
    marginBottom: 40,
    x: { domain: [0, 1] },
    y: { type: "band", domain: names.map((_, row) => row), axis: null, padding: 0.25 },
    marks: [
      ...rowAxis(labels),
      Plot.ruleY(
        names.map((_, row) => row),
        { stroke: FAINT },
      ),
      Plot.barX(shares, {
        x: "share",
        y: "row",
        z: "expert",
        fill: ({ expert }: LevelShare) => colorOf(expert),
        fillOpacity: 0.85,
        order: "z",
        insetLeft: 0.5,
        insetRight: 0.5,
      }),
      ...xAxis({ label: "Share of each segment", ticks: 5, tickFormat: (value: number) => `${Math.round(value * 100)} %` }),
    ],
  });
}
