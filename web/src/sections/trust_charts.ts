// The charts of the section on trust.
import * as Plot from "@observablehq/plot";
import { ACCENT, INK, SOFT } from "../chart/colors";
import { figure } from "../chart/figure";
import { domainOf, draw, xAxis, yAxis } from "../chart/plot";
import { couldBeZero, drawBarRows, drawIntervalRows, type IntervalRow } from "../chart/rows";
import type { Facts, Tried, Units } from "../facts";
import { count, number, percent, signed } from "../format/numbers";
import { counted, differingFirst, nameOf } from "../format/text";
import { explained, intervalWords, more } from "../view";
import { comparisonWords, methodLines } from "./comparison_words";

const MOST_TRIED = 12;

export function calibrationFigure(facts: Facts): HTMLElement | null {
  const found = facts.trust.calibration;
  if (!found || found.bins.length === 0) return null;
  const isShare = facts.about.family === "bernoulli";
  const format = (value: number | null): string => (isShare ? percent(value) : number(value));
  const bins = found.bins.map((bin) => ({ predicted: bin.predicted, ...bin.observed }));
  const domain = domainOf(bins.flatMap((bin) => [bin.predicted, bin.value, bin.lo, bin.hi]));
  const covered = bins.filter((bin) => bin.lo !== null && bin.hi !== null && bin.lo <= bin.predicted && bin.predicted <= bin.hi).length;
  return figure({
    title: "Do predictions come true?",
    sentence: [
      `In ${covered} of ${bins.length} groups of rows the mean prediction lies within the ${intervalWords(facts.about.level)} of what happened (${counted(found.rows, "row")} ${found.held_out ? "held out of the fit" : "of the log"}). On the line, prediction and reality agree.`,
    ],
    draw: (width) => {
      const size = Math.min(width, 480);
      return draw({
        width: size,
        height: size * 0.72,
        marginLeft: 60,
        marginRight: 16,
        marginTop: 28,
        marginBottom: 44,
        x: { domain },
        y: { domain },
        marks: [
          ...yAxis({ label: "observed", ticks: 5, tickFormat: format }),
          ...xAxis({ label: "predicted", ticks: size < 400 ? 3 : 5, tickFormat: format }),
          Plot.line(
            [domain[0], domain[1]].map((at) => ({ at })),
            { x: "at", y: "at", stroke: SOFT, strokeDasharray: "3 4" },
          ),
          Plot.ruleX(
            bins.filter((bin) => bin.lo !== null),
            { x: "predicted", y1: "lo", y2: "hi", stroke: ACCENT, strokeWidth: 2.5, strokeLinecap: "round" },
          ),
          Plot.dot(
            bins.filter((bin) => bin.value !== null),
            { x: "predicted", y: "value", fill: ACCENT, r: 4.5, stroke: "var(--paper)", strokeWidth: 1.5 },
          ),
        ],
      });
    },
    table: {
      columns: [
        { name: "mean prediction", show: format },
        { name: "observed", show: format },
        { name: "low", show: format },
        { name: "high", show: format },
        { name: "rows", show: count },
      ],
      rows: found.bins.map((bin) => [bin.predicted, bin.observed.value, bin.observed.lo, bin.observed.hi, bin.rows]),
    },
  });
}

export function comparisonFigure(facts: Facts): HTMLElement | null {
  const found = facts.trust.comparison;
  if (!found) return null;
  const others = found.methods.filter(({ method }) => method !== found.reference);
  const rows: IntervalRow[] = others.map((one) => ({
    name: one.method,
    estimate: one.difference,
    color: ACCENT,
    pale: couldBeZero(one.difference),
  }));
  const chart = figure({
    title: "Against other methods",
    sentence: [found.verdict, " ", comparisonWords(found), ` Right of zero, a method predicts worse; pale: the difference may be chance.`],
    draw: (width) =>
      drawIntervalRows({ rows, label: `log-loss minus that of ${found.reference}`, format: (value) => signed(value) }, width),
    table: {
      columns: [
        { name: "method" },
        { name: "log-loss", show: (value) => number(value, 5) },
        { name: "difference", show: (value) => signed(value, 4) },
        { name: "low", show: (value) => signed(value, 4) },
        { name: "high", show: (value) => signed(value, 4) },
        { name: "seconds" },
      ],
      rows: found.methods.map((one) => [one.method, one.log_loss, one.difference.value, one.difference.lo, one.difference.hi, one.seconds]),
    },
  });
  chart.append(more("What the methods are", explained(methodLines(found))));
  return chart;
}

const LEAST_WEIGHT = 0.005; // of the average; a smaller one rounds to nothing

/** Whether a setting is used in the model: in an average, one with a weight that is not nothing; otherwise the chosen one. */
export function usedIn(tried: readonly Tried[]): (one: Tried) => boolean {
  const averaged = tried.some(({ weight }) => (weight ?? 0) >= LEAST_WEIGHT);
  return (one) => one.chosen && (!averaged || (one.weight ?? 0) >= LEAST_WEIGHT);
}

export function triedFigure(facts: Facts): HTMLElement | null {
  const tried = [...facts.trust.tried].sort((a, b) => a.log_loss - b.log_loss);
  if (tried.length < 2) return null;
  const isUsed = usedIn(tried);
  const names = differingFirst(tried.map(({ words }) => words));
  const rows: IntervalRow[] = tried.slice(0, MOST_TRIED).map((one, i) => ({
    name: names[i] ?? "",
    estimate: { value: one.log_loss, lo: null, hi: null },
    color: isUsed(one) ? ACCENT : SOFT,
    bold: isUsed(one),
  }));
  const worst = tried.at(-1);
  return figure({
    title: "What was tried",
    sentence: [
      `The best of ${counted(tried.length, "setting")} is `,
      nameOf(tried[0]?.words ?? "", 60),
      ` with a loss of ${number(tried[0]?.log_loss, 5)} on rows held out; the worst has ${number(worst?.log_loss, 5)}. Bold: used in the model, with a weight of at least ${percent(LEAST_WEIGHT)}.`,
    ],
    draw: (width) =>
      drawIntervalRows(
        { rows, label: "held-out log-loss", format: (value) => number(value, 4), zero: false, labels: width < 420 ? 0.64 : 0.55 },
        width,
      ),
    table: {
      columns: [
        { name: "setting" },
        { name: "held-out loss", show: (value) => number(value, 5) },
        { name: "weight", show: percent },
        { name: "used" },
      ],
      rows: tried.map((one) => [one.words, one.log_loss, one.weight, isUsed(one)]),
    },
  });
}

export function topShareFigure(facts: Facts): HTMLElement | null {
  const gate = facts.trust.gate;
  const bins = gate?.top_share;
  if (!gate || !bins || facts.about.experts < 2) return null;
  const width = 1 / bins.length;
  const rows = bins.map((share, i) => ({ from: i * width, to: (i + 1) * width, share }));
  const clear = rows.filter(({ from }) => from >= 0.9 - 1e-9).reduce((sum, { share }) => sum + share, 0);
  return figure({
    title: "Hard or soft",
    sentence: [
      `In ${percent(clear)} of the contexts one segment has at least 90 % of the share. A context uses ${number(gate.effective_experts, 2)} segments on average, all contexts together ${number(gate.effective_experts_overall, 2)}.`,
    ],
    draw: (pixels) =>
      draw({
        width: pixels,
        height: 240,
        marginLeft: 52,
        marginRight: 24,
        marginTop: 28,
        marginBottom: 44,
        x: { domain: [0, 1] },
        y: { domain: [0, Math.max(...bins) * 1.05 || 1] },
        marks: [
          ...yAxis({ label: "share of contexts", ticks: 4, tickFormat: (value: number) => percent(value) }),
          ...xAxis({ label: "share of the largest segment", ticks: 5, tickFormat: (value: number) => percent(value) }),
          Plot.rectY(rows, { x1: "from", x2: "to", y: "share", fill: ACCENT, fillOpacity: 0.8, insetLeft: 0.5, insetRight: 0.5 }),
          Plot.ruleY([0], { stroke: INK, strokeOpacity: 0.4 }),
        ],
      }),
    table: {
      columns: [
        { name: "from", show: percent },
        { name: "to", show: percent },
        { name: "contexts", show: percent },
      ],
      rows: rows.map(({ from, to, share }) => [from, to, share]),
    },
  });
}

export function variationFigure(units: Units): HTMLElement | null {
  const parts = units.variation;
  if (!parts) return null;
  const entries: [string, number][] = [
    ["the decision", parts.decision],
    ["the context", parts.context],
    ["the unit itself", parts.unit],
    ["nothing known", parts.rest],
  ];
  const rows: IntervalRow[] = entries.map(([name, value]) => ({
    name,
    estimate: { value, lo: null, hi: null },
    color: ACCENT,
    pale: false,
  }));
  return figure({
    title: "What explains outcomes",
    sentence: [
      "Units (",
      nameOf(units.column),
      `) explain ${percent(parts.unit)} of the variation, contexts ${percent(parts.context)}, decisions ${percent(parts.decision)}.`,
    ],
    draw: (width) => drawBarRows({ rows, label: "share of the variation", format: (value) => percent(value) }, width),
    table: { columns: [{ name: "explained by" }, { name: "share", show: percent }], rows: entries },
  });
}
