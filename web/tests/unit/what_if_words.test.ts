// The sentences of "What if".
import { expect, test } from "vitest";
import { whatIf } from "../../src/sections/what_if";
import { element } from "../../src/dom/element";
import type { ContextColumn } from "../../src/facts";
import { outsideWords } from "../../src/what_if/range";
import { changeWords, marginWords, outcomeWords } from "../../src/what_if/before_after";
import { makeFacts } from "../fixtures/make_facts";

test("the best decision is told beside that of the typical context", () => {
  const facts = makeFacts();
  expect(changeWords(facts, { id: "a", expected: 0.5 }, { id: "b", expected: 0.56 })).toBe(
    "Another decision than in the typical context; the expected outcome changes by +6.0 percentage points.",
  );
  expect(changeWords(facts, { id: "a", expected: 0.5 }, { id: "a", expected: 0.5 })).toContain("The same decision");
  expect(changeWords(facts, { id: "a", expected: 0.5 }, { id: "a", expected: 0.5 })).toContain("stays the same");
  expect(changeWords(facts, { id: "a", expected: null }, { id: "b", expected: null })).toBe(
    "Another decision than in the typical context.",
  );
});

test("a decision below the first is behind", () => {
  expect(marginWords(0.12)).toBe("ahead by 0.12");
  expect(marginWords(-0.31)).toBe("behind by 0.31");
  expect(marginWords(null)).toBe("–");
});

test("the ranking has the expected outcome and defines the score", () => {
  const facts = makeFacts();
  const node = element("div", {}, whatIf(facts).body);
  const rows = [...node.querySelectorAll(".compared tbody tr")].map((row) => row.textContent ?? "");
  expect(rows.map((row) => row.replace(/context.*/, "context"))).toEqual(["Typical context", "This context"]);
  const ranking = node.querySelector(".ranking tbody tr:nth-child(2)")?.textContent ?? "";
  expect(ranking).toContain("behind by");
  expect(ranking).toContain("%");
  expect(node.textContent).toContain("The score of a decision is the sum");
  expect(outcomeWords(facts, 0.815).replaceAll("\u202f", " ")).toBe("82 %");
});

test("a number outside the log gets a quiet note", () => {
  const column = {
    ...(makeFacts().columns[0] as ContextColumn),
    type: "whole number" as const,
    range: [18, 80] as [number, number],
    quantiles: null,
  };
  expect(outsideWords(column, 44)).toBe("");
  expect(outsideWords(column, 80)).toBe("");
  expect(outsideWords(column, 85)).toBe("outside the log: 18 to 80");
  expect(outsideWords(column, 400)).toBe("far outside the log: 18 to 80");
  expect(outsideWords({ ...column, range: null }, 400)).toBe("");
});
