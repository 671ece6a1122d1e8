// The arithmetic of the page against formulas written down once more, plainly, from docs/reference/facts.md.
import { describe, expect, test } from "vitest";
import type { Facts, Gate, Network } from "../../src/facts";
import type { RawValue } from "../../src/model/encoder";
import { WhatIfModel } from "../../src/model/what_if_model";
import { randomContext } from "../fixtures/columns";
import { KINDS } from "../fixtures/kinds";
import { makeFacts } from "../fixtures/make_facts";
import { Random } from "../fixtures/random";

function encoded(facts: Facts, context: RawValue[]): number[] {
  const x: number[] = [];
  facts.columns.forEach((column, i) => {
    const value = context[i] ?? null;
    if (column.kind === "number" && column.scale > 0) x.push(value === null ? 0 : (Number(value) - column.center) / column.scale);
    column.levels.forEach((level, l) =>
      x.push(value === null && !column.missing ? 0 : ((value === level ? 1 : 0) - (column.frequencies[l] as number)) / 0.5),
    );
    if (column.missing) x.push(((value === null ? 1 : 0) - column.missing_frequency) / 0.5);
  });
  for (const { columns, pairs, frequencies } of facts.what_if?.level_pairs ?? []) {
    pairs.forEach(([a, b], i) => {
      const both =
        context[columns[0]] === facts.columns[columns[0]]?.levels[a] && context[columns[1]] === facts.columns[columns[1]]?.levels[b];
      x.push(((both ? 1 : 0) - (frequencies[i] as number)) / 0.5);
    });
  }
  return x;
}

const dot = (a: number[], b: number[]): number => a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
const net = (n: Network, x: number[]): number[] => {
  const hidden = n.hidden_slopes.map((row, h) => Math.tanh(dot(row, x) + (n.hidden_intercepts[h] as number)));
  return n.output_slopes.map((row, o) => dot(row, hidden) + (n.output_intercepts[o] as number));
};
const softmax = (s: number[]): number[] => s.map((v) => 1 / s.reduce((sum, other) => sum + Math.exp(other - v), 0));
const only = (s: number[]): number[] => s.map((_, k) => (k === s.indexOf(Math.max(...s)) ? 1 : 0));

function shares(gate: Gate, x: number[]): number[] {
  if (gate.kind === "mlp") return softmax(net(gate, x));
  if (gate.kind === "fixed")
    return only(
      gate.centers.map(
        (c) =>
          -dot(
            c.map((v, i) => v - (x[i] as number)),
            c.map((v, i) => v - (x[i] as number)),
          ),
      ),
    );
  if (gate.kind === "average")
    return gate.gates.flatMap((g, m) =>
      softmax(g.slopes.map((row, k) => dot(row, x) + (g.intercepts[k] as number))).map((a) => a * (gate.weights[m] as number)),
    );
  const squares = x.flatMap((a, i) => [(a * a - 1) / Math.SQRT2, ...x.slice(i + 1).map((b) => a * b)]);
  const columns = gate.kind === "quadratic" ? [...x, ...squares] : x;
  const scores = gate.intercepts.map((c, k) => c + dot(gate.slopes[k] ?? [], columns));
  return gate.kind === "one-hot" ? only(scores) : softmax(scores);
}

function weights(facts: Facts, x: number[]): { w: number[]; size: number[] } {
  const map = facts.what_if?.map;
  if (!map) throw new Error("no model");
  const numFactors = facts.factors.length;
  if (map.kind === "linear weights")
    return {
      w: map.slopes.map((row, j) => dot(row, x) + (map.intercepts[j] as number)),
      size: map.slopes.map((row) => row.reduce((sum, v, i) => sum + Math.abs(v * (x[i] as number)), 0)),
    };
  if (map.kind === "network weights")
    return { w: net(map, x), size: map.output_slopes.map((row) => row.reduce((sum, v) => sum + Math.abs(v), 1)) };
  const alpha = shares(map.gate, x);
  const factor = (part: (v: number) => number): number[] =>
    Array.from({ length: numFactors }, (_, j) =>
      map.experts.reduce((sum, expert, k) => sum + part((alpha[k] as number) * (expert[j] as number)), 0),
    );
  return { w: factor((v) => v), size: factor(Math.abs) };
}

describe("weights of random contexts, missing values and unknown levels included", () => {
  for (const [kind, shape] of Object.entries(KINDS)) {
    test(kind, () => {
      const facts = makeFacts({ ...shape, decisions: 0 });
      const model = new WhatIfModel(facts);
      const random = new Random(7);
      for (let i = 0; i < 100; ++i) {
        const context = randomContext(facts.columns, random, true);
        const { w, size } = weights(facts, encoded(facts, context));
        const found = model.weights(context).weights;
        w.forEach((value, j) => expect(Math.abs((found[j] as number) - value)).toBeLessThanOrEqual(1e-12 * (size[j] as number)));
      }
    });
  }
});
