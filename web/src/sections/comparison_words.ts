// The comparison with other methods, in words.
import type { Comparison } from "../facts";
import { listed, plainText } from "../format/text";

/** What each method is, one line each. */
const METHODS: Record<string, string> = {
  otss: "segments that overlap; the context says how much of each segment somebody is.",
  pooled: "one trade-off for everybody.",
  linear: "weights that rise or fall in a straight line with the context.",
  "low-rank": "the same, but weights move only along a few directions.",
  mlp: "weights from a small neural network.",
  cluster: "groups made from the contexts alone, then one trade-off for each.",
  em: "segments that overlap, whose predicted outcomes are mixed instead of their weights.",
  hard: "segments that do not overlap: everybody belongs to one.",
  gbm: "boosted trees: scores for decisions, but no weights to read.",
};

export function methodLines(found: Comparison): [string, string][] {
  return found.methods.flatMap(({ method }): [string, string][] => (METHODS[method] ? [[method, METHODS[method]]] : []));
}

function named(method: string): string {
  return method === "pooled" ? "pooled (one trade-off for everybody)" : method;
}

/** Which methods predict as well within chance, and which clearly worse or better. */
export function comparisonWords(found: Comparison): string {
  const others = found.methods.filter(({ method, difference }) => method !== found.reference && difference.lo !== null);
  const say = (what: string, kept: (lo: number, hi: number) => boolean): string => {
    const names = others.filter(({ difference: { lo, hi } }) => kept(lo ?? 0, hi ?? 0)).map(({ method }) => named(method));
    return names.length === 0 ? "" : `${what}: ${plainText(listed(names))}. `;
  };
  return [
    say("Clearly better", (_, hi) => hi < 0),
    say(`As good as ${found.reference}, within chance`, (lo, hi) => lo <= 0 && hi >= 0),
    say("Clearly worse", (lo) => lo > 0),
  ]
    .join("")
    .trim();
}
