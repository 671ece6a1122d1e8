// Observable Plot with the page's typography.
import * as Plot from "@observablehq/plot";
import { LABEL_SIZE } from "./labels";
import { PLOT_CLASS } from "./plot_class";

export function draw(options: Plot.PlotOptions): Element {
  return Plot.plot({
    className: PLOT_CLASS,
    style: { fontSize: `${LABEL_SIZE}px`, fontFamily: "inherit", background: "transparent", color: "var(--ink)", overflow: "visible" },
    marginTop: 8,
    ...options,
  });
}

/** The horizontal axis: ticks without lines of their own, a quiet label, faint vertical lines. */
export function xAxis(options: Plot.AxisXOptions = {}): Plot.Markish[] {
  const { ticks, tickFormat, label, ...rest } = options;
  const shared = { ...(ticks === undefined ? {} : { ticks }) } as Plot.AxisXOptions;
  return [
    Plot.gridX({ ...shared, stroke: "var(--faint)", strokeOpacity: 1 } as Plot.GridXOptions),
    Plot.axisX({
      ...shared,
      ...(tickFormat === undefined ? {} : { tickFormat }),
      label: label ?? null,
      tickSize: 0,
      fill: "var(--soft)",
      labelAnchor: "center",
      labelArrow: "none",
      ...rest,
    }),
  ];
}

/** The vertical axis of numbers. */
export function yAxis(options: Plot.AxisYOptions = {}): Plot.Markish[] {
  const { ticks, tickFormat, label, ...rest } = options;
  const shared = { ...(ticks === undefined ? {} : { ticks }) } as Plot.AxisYOptions;
  return [
    Plot.gridY({ ...shared, stroke: "var(--faint)", strokeOpacity: 1 } as Plot.GridYOptions),
    Plot.axisY({
      ...shared,
      ...(tickFormat === undefined ? {} : { tickFormat }),
      label: label ?? null,
      tickSize: 0,
      fill: "var(--soft)",
      labelArrow: "none",
      ...rest,
    }),
  ];
}

/** The names of rows, to the left of the chart. */
export function rowAxis(labels: readonly string[], bold: (row: number) => boolean = () => false): Plot.Markish[] {
  const rows = labels.map((label, row) => ({ label, row }));
  const text = (own: typeof rows, weight: number): Plot.Markish =>
    Plot.text(own, { y: "row", text: "label", frameAnchor: "left", textAnchor: "end", dx: -10, fill: "var(--ink)", fontWeight: weight });
  return [
    text(
      rows.filter(({ row }) => !bold(row)),
      400,
    ),
    text(
      rows.filter(({ row }) => bold(row)),
      600,
    ),
  ];
}

/** How many ticks fit on so many pixels: at least three, so that a scale can be read, but two where three would touch. */
export function tickCount(pixels: number): number {
  return pixels < 130 ? 2 : Math.max(Math.floor(pixels / 85), 3);
}

/** A domain that contains all values, with a little room at both ends. */
export function domainOf(values: readonly (number | null | undefined)[], include: readonly number[] = []): [number, number] {
  const known = [...values.filter((value): value is number => Number.isFinite(value)), ...include];
  if (known.length === 0) return [0, 1];
  const lo = known.reduce((a, b) => Math.min(a, b));
  const hi = known.reduce((a, b) => Math.max(a, b));
  const room = (hi - lo || Math.abs(hi) || 1) * 0.04;
  return [lo - room, hi + room];
}
