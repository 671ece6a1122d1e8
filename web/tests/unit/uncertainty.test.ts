import { expect, test } from "vitest";
import { cholesky, quantile } from "../../src/model/numerics";
import { pack, unpack } from "../../src/model/packed";
import { errorsOf } from "../../src/model/uncertainty";
import { WhatIfModel } from "../../src/model/what_if_model";
import { certify, Decisions, rank } from "../../src/model/decide";
import { makeFacts } from "../fixtures/make_facts";
import { Random } from "../fixtures/random";

test("a packed matrix is unpacked to within its rounding", () => {
  const rows = new Random(1).matrix(3, 5, 10);
  const { values, columns } = unpack(pack(rows));
  rows.flat().forEach((value, i) => {
    const largest = Math.max(...(rows[Math.floor(i / columns)] as number[]).map(Math.abs));
    expect(Math.abs((values[i] as number) - value)).toBeLessThanOrEqual(largest / 65534 + 1e-12);
  });
});

test("a packed matrix of the wrong size is refused", () => {
  expect(() => unpack({ ...pack([[1, 2]]), rows: 2 })).toThrow("2 numbers instead of 4");
});

test("a quantile is interpolated at position p (n + 1)", () => {
  expect(quantile(Float64Array.of(4, 1, 3, 2), 0.5)).toBe(2.5);
  expect(quantile(Float64Array.of(1, 2, 3), 0.95)).toBe(3);
  expect(quantile(Float64Array.of(1, 2, 3), 0.25)).toBe(1);
});

test("the Cholesky factor of a singular matrix has a column of zeros", () => {
  expect([...cholesky(Float64Array.of(4, 2, 2, 1), 2)]).toEqual([2, 0, 1, 0]);
});

test("the errors of drawn weights have mean zero within each posterior", () => {
  const facts = makeFacts();
  const model = new WhatIfModel(facts);
  const whatIf = facts.what_if;
  if (!whatIf) throw new Error("no model");
  const x = model.encoder.encode(whatIf.typical);
  const departures = errorsOf(whatIf)?.departures(x, model.weights(whatIf.typical)) as Float64Array;
  const numFactors = facts.factors.length;
  const meanOf = (from: number, to: number): number =>
    departures
      .filter((_, i) => i % numFactors === 0 && i / numFactors >= from && i / numFactors < to)
      .reduce((sum, value) => sum + value, 0);
  expect(meanOf(0, 60)).toBeCloseTo(0, 10);
  expect(meanOf(60, 100)).toBeCloseTo(0, 10);
});

test("the interval of a pooled normal model is its standard error times the quantile", () => {
  const facts = makeFacts({ experts: 1, uncertainty: "normal", texts: [], numbers: ["age"], booleans: [], missing: false });
  const whatIf = facts.what_if;
  if (whatIf?.uncertainty?.kind !== "normal") throw new Error("no normal uncertainty");
  const { values, columns } = unpack(whatIf.uncertainty.factor);
  const answer = new WhatIfModel(facts).answer(whatIf.typical, 1);
  const { hi } = answer.intervals ?? { hi: new Float64Array() };
  // The made-up normals are no exact standard normals, so the interval follows their own mean square.
  const normals = unpack(whatIf.uncertainty.normals);
  let square = 0;
  for (let d = 0; d < normals.rows; ++d) square += (normals.values[d * normals.columns] as number) ** 2 / normals.rows;
  const variance = values.slice(0, columns).reduce((sum, value) => sum + value * value, 0);
  expect((hi[0] as number) - (answer.weights[0] as number)).toBeCloseTo(whatIf.uncertainty.quantile * Math.sqrt(variance * square), 10);
});

const LIBRARY = new Decisions({
  ids: ["a", "b", "c", "d"],
  factors: [
    [1, 0],
    [0, 1],
    [1, 0],
    [-1, 0],
  ],
  total: 4,
});

test("decisions are ranked by score, and the first of equals comes first", () => {
  const ranked = rank(LIBRARY, Float64Array.of(2, 1), 3);
  expect(ranked.map(({ decision }) => decision)).toEqual([0, 2, 1]);
  expect(ranked.map(({ margin }) => margin)).toEqual([0, 0, -1]);
});

test("what a factor adds to the margin sums to the margin", () => {
  const [, , third] = rank(LIBRARY, Float64Array.of(2, 1), 3);
  expect([...(third?.ahead ?? [])]).toEqual([-2, 1]);
});

test("a decision far ahead is certified, one within the error is not", () => {
  const draws = Float64Array.from(new Random(3).normals(400, 0.3));
  const far = certify(LIBRARY, Float64Array.of(5, 1), draws, 0, { level: 0.9, pairLead: 1.645 });
  expect(far).toMatchObject({ certified: true, regretBound: 0, probabilityBest: 1, expectedRegret: 0 });
  const near = certify(LIBRARY, Float64Array.of(1.05, 1), draws, 0, { level: 0.9, pairLead: 1.645 });
  expect(near.certified).toBe(false);
  expect(near.regretBound).toBeGreaterThan(0);
  expect(near.probabilityBest).toBeGreaterThan(0.4);
  expect(near.probabilityBest).toBeLessThan(0.8);
});

test("one rival needs the lead of a one-sided interval, two need that of a two-sided one", () => {
  const draws = Float64Array.from(new Random(3).normals(4000, 1));
  const certainty = { level: 0.9, pairLead: 1.645 };
  const of = (factors: number[]) =>
    certify(
      new Decisions({ ids: factors.map(String), factors: factors.map((z) => [z]), total: factors.length }),
      Float64Array.of(1.5),
      draws,
      0,
      certainty,
    );
  expect(of([1, 0]).certified).toBe(true);
  expect(of([1, 0, 0]).certified).toBe(true);
  const two = of([1, 0, -0.1]);
  expect(two.certified).toBe(false);
  expect(two.regretBound).toBeGreaterThan(0);
});
