// What the model says about the chosen context: shares, weights, decisions. Everything is updated in place.
import { ACCENT, expertColor } from "../chart/colors";
import { figure } from "../chart/figure";
import { LiveRows, type LiveValue } from "../chart/live_rows";
import type { DataTable } from "../chart/table";
import { element } from "../dom/element";
import type { Facts } from "../facts";
import { decimalsFor, percent, signed, signedFixed } from "../format/numbers";
import type { ContextAnswer } from "../model/what_if_model";
import { byImportance } from "../view";

const MOST_FACTORS = 14;

/** A part of the results that follows the context. */
export interface Result {
  node: HTMLElement;
  update(answer: ContextAnswer): void;
}

export function sharesResult(typical: ContextAnswer): Result | null {
  const first = typical.shares;
  if (!first || first.length < 2) return null;
  const rows = Array.from(first, (_, k) => ({ name: `Segment ${k + 1}`, color: expertColor(k + 1) }));
  const shown = rows.map((_, k) => k).slice(0, 12);
  const live = new LiveRows(
    shown.map((k) => rows[k] as (typeof rows)[number]),
    { kind: "bar", domain: [0, 1], fixed: true },
  );
  const sentence = element("span");
  let current = typical;
  const node = figure({
    title: "Which segment",
    class: "small",
    sentence: [sentence],
    draw: (width) => live.draw(width),
    table: (): DataTable => ({
      columns: [{ name: "segment" }, { name: "share", show: percent }, { name: "typical context", show: percent }],
      rows: Array.from(current.shares ?? [], (share, k) => [`segment ${k + 1}`, share, first[k] ?? null]),
    }),
  });
  const update = (answer: ContextAnswer): void => {
    current = answer;
    const shares = Array.from(answer.shares ?? []);
    const top = shares.reduce((best, share, k) => (share > (shares[best] ?? 0) ? k : best), 0);
    sentence.textContent = `This context is ${percent(shares[top])} Segment ${top + 1}; the typical context is ${percent(first[top])}.`;
    live.update(shown.map((k) => ({ value: shares[k] ?? 0, reference: first[k], text: percent(shares[k]) })));
  };
  return { node, update };
}

export function weightsResult(facts: Facts, typical: ContextAnswer): Result {
  const order = byImportance(facts).slice(0, MOST_FACTORS);
  const sd = (j: number): number => facts.factors[j]?.sd ?? 1;
  const largest = Math.max(...order.map((j) => Math.abs(typical.weights[j] ?? 0) * sd(j) * 1.6), 1e-12);
  const live = new LiveRows(
    order.map((j) => ({ name: facts.factors[j]?.name ?? "", color: ACCENT })),
    { kind: "dot", domain: [-largest, largest] },
  );
  const decimals = decimalsFor(largest / 1.6);
  const sentence = element("span");
  let current = typical;
  const node = figure({
    title: "What it wants",
    class: "small",
    sentence: [sentence],
    draw: (width) => live.draw(width),
    table: () => weightsTable(facts, current, typical),
  });
  const valueOf = (answer: ContextAnswer, j: number): LiveValue => ({
    value: (answer.weights[j] ?? 0) * sd(j),
    lo: answer.intervals ? (answer.intervals.lo[j] ?? 0) * sd(j) : undefined,
    hi: answer.intervals ? (answer.intervals.hi[j] ?? 0) * sd(j) : undefined,
    reference: (typical.weights[j] ?? 0) * sd(j),
    text: signedFixed((answer.weights[j] ?? 0) * sd(j), decimals),
  });
  const update = (answer: ContextAnswer): void => {
    current = answer;
    const moved = order
      .map((j) => ({ j, by: ((answer.weights[j] ?? 0) - (typical.weights[j] ?? 0)) * sd(j) }))
      .sort((a, b) => Math.abs(b.by) - Math.abs(a.by))[0];
    sentence.textContent =
      moved && Math.abs(moved.by) > 1e-9
        ? `Against the typical context, ${facts.factors[moved.j]?.name.slice(0, 60)} changes most: ${signed(moved.by)} in comparable units.`
        : "Weights in comparable units, with intervals. Move a control to see them change.";
    live.update(order.map((j) => valueOf(answer, j)));
  };
  return { node, update };
}

/** Comparable weights, as in the chart, then the same in the log's units. */
export function weightsTable(facts: Facts, answer: ContextAnswer, typical: ContextAnswer): DataTable {
  const digits = (value: number | null): string => signed(value, 4);
  const names = ["weight", "low", "high", "typical context"];
  const units = ["comparable", "in the log's units"];
  return {
    columns: [{ name: "factor" }, ...units.flatMap((unit) => names.map((name) => ({ name: `${name}, ${unit}`, show: digits })))],
    rows: byImportance(facts).map((j) => {
      const own = [answer.weights[j], answer.intervals?.lo[j], answer.intervals?.hi[j], typical.weights[j]].map((value) => value ?? null);
      const sd = facts.factors[j]?.sd ?? 1;
      return [facts.factors[j]?.name ?? "", ...own.map((value) => value && value * sd), ...own];
    }),
  };
}
