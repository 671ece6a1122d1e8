// A small distribution: members as bars, everybody as a line of steps above them.
import * as Plot from "@observablehq/plot";
import { INK } from "./colors";
import { rowLabels } from "./labels";
import { draw, rowAxis } from "./plot";

export interface Bin {
  from: number;
  to: number;
  members: number;
  everybody: number;
}

const HEIGHT = 104;

/** The number at one end of the axis, below it. */
function endLabel(value: number, textAnchor: "start" | "end", format: (value: number) => string): Plot.Markish {
  const place = { frameAnchor: "bottom", textAnchor, dy: 16 } as const;
  return Plot.text([value], { x: (own: number) => own, text: format, ...place, fill: "var(--soft)", fontSize: 12 });
}

export function drawNumberBins(bins: Bin[], color: string, format: (value: number) => string, width: number): Element {
  const first = bins[0]?.from ?? 0;
  const last = bins.at(-1)?.to ?? 1;
  return draw({
    width,
    height: HEIGHT,
    marginLeft: 4,
    marginRight: 4,
    marginTop: 6,
    marginBottom: 20,
    x: { domain: [first, last], axis: null },
    y: { axis: null },
    marks: [
      Plot.rectY(bins, { x1: "from", x2: "to", y: "members", fill: color, fillOpacity: 0.75, insetLeft: 0.5, insetRight: 0.5 }),
      Plot.ruleY(bins, { x1: "from", x2: "to", y: "everybody", stroke: INK, strokeWidth: 1.5 }),
      Plot.ruleY([0], { stroke: "var(--soft)", strokeOpacity: 0.6 }),
      endLabel(first, "start", format),
      endLabel(last, "end", format),
    ],
  });
}

export interface LevelBin {
  name: string;
  members: number;
  everybody: number;
}

export function drawLevelBins(bins: LevelBin[], color: string, width: number): Element {
  const { margin, labels } = rowLabels(
    bins.map((bin) => bin.name),
    width,
    0.5,
  );
  const rows = bins.map((bin, row) => ({ ...bin, row }));
  return draw({
    width,
    height: Math.max(rows.length * 18 + 10, 40),
    marginLeft: margin,
    marginRight: 6,
    marginTop: 4,
    marginBottom: 6,
    x: { axis: null },
    y: { type: "band", domain: rows.map(({ row }) => row), axis: null, padding: 0.25 },
    marks: [
      ...rowAxis(labels),
      Plot.barX(rows, { x: "members", y: "row", fill: color, fillOpacity: 0.75 }),
      Plot.tickX(rows, { x: "everybody", y: "row", stroke: INK, strokeWidth: 2, insetTop: -1, insetBottom: -1 }),
    ],
  });
}
