import { expect, test } from "vitest";
import { contextOf, hashOf } from "../../src/state/address";
import { sliderRange } from "../../src/what_if/range";
import { unknownLevel } from "../../src/what_if/controls";
import type { ContextColumn } from "../../src/facts";
import { columnsOf, randomContext, typicalOf } from "../fixtures/columns";
import { HOSTILE } from "../fixtures/kinds";
import { Random } from "../fixtures/random";
import { DEFAULT_SHAPE } from "../fixtures/shape";

test("a link reproduces any context, whatever the names", () => {
  const columns = columnsOf({ ...DEFAULT_SHAPE, numbers: HOSTILE.numbers, texts: HOSTILE.texts });
  const typical = typicalOf(columns);
  const random = new Random(5);
  for (let i = 0; i < 50; ++i) {
    const context = randomContext(columns, random, true);
    expect(contextOf(hashOf(columns, typical, context), columns, typical) ?? typical).toEqual(context);
  }
});

test("the address of the typical context has no values", () => {
  const columns = columnsOf(DEFAULT_SHAPE);
  expect(hashOf(columns, typicalOf(columns), typicalOf(columns))).toBe("#what-if");
  expect(contextOf("#segments", columns, typicalOf(columns))).toBeNull();
});

test("values that the model cannot read are ignored", () => {
  const columns = columnsOf(DEFAULT_SHAPE);
  const typical = typicalOf(columns);
  expect(contextOf("#what-if?age=old&region=north&nothing=1", columns, typical)).toEqual(typical);
});

const NUMBER = columnsOf(DEFAULT_SHAPE)[0] as ContextColumn;

test("a slider covers the range in round steps", () => {
  expect(sliderRange({ ...NUMBER, type: "number", range: [0.13, 9.87], quantiles: null })).toMatchObject({
    lo: 0.12,
    hi: 9.88,
    step: 0.02,
  });
  expect(sliderRange(NUMBER).step).toBe(1);
});

test("a slider leaves outliers to the box beside it", () => {
  const { lo, hi } = sliderRange({ ...NUMBER, range: [0, 1_000_000], quantiles: [0, 1, 2, 3, 5, 8, 9, 10, 1_000_000] });
  expect(lo).toBe(0);
  expect(hi).toBeLessThan(20);
});

test("a constant column has a slider too", () => {
  const { lo, hi } = sliderRange({ ...NUMBER, range: [3, 3], quantiles: null });
  expect(hi).toBeGreaterThan(lo);
});

test("the value for an unknown level is no level", () => {
  expect(unknownLevel({ ...NUMBER, kind: "text", levels: ["another value"] })).toBe("another value'");
});
