// What sections say, without a browser.
import { expect, test } from "vitest";
import { element } from "../../src/dom/element";
import type { Facts, Segment } from "../../src/facts";
import { number } from "../../src/format/numbers";
import { WhatIfModel } from "../../src/model/what_if_model";
import { readFacts } from "../../src/read_facts";
import { answer } from "../../src/sections/answer";
import { decisions } from "../../src/sections/decisions";
import { cautionWords } from "../../src/sections/policy_words";
import { checksMade } from "../../src/sections/checks";
import { comparisonWords } from "../../src/sections/comparison_words";
import { concernsOf } from "../../src/sections/concerns";
import { membership } from "../../src/sections/membership";
import { trust } from "../../src/sections/trust";
import { usedIn } from "../../src/sections/trust_charts";
import { wantsOf } from "../../src/sections/wants";
import { type SectionContent, weightsOfSegment } from "../../src/view";
import { weightsTable } from "../../src/what_if/results";
import { makeFacts } from "../fixtures/make_facts";
import { escaped } from "../fixtures/page_of";

const textOf = ({ lead, body }: SectionContent): string => (element("div", {}, lead, body).textContent ?? "").replaceAll("\u202f", " ");

test("the answer says whether different trade-offs are supported", () => {
  expect(textOf(answer(makeFacts()))).toContain("Yes: people in different contexts want different things");
  expect(textOf(answer(makeFacts({ supported: false })))).toContain("The interval includes zero");
  expect(textOf(answer(makeFacts({ experts: 1 })))).toContain("one trade-off for everybody");
});

test("the answer gives the value of decisions with its interval", () => {
  expect(textOf(answer(makeFacts()))).toContain("a difference of +6.9 percentage points (90 % interval +4.8 to +9.0)");
});

test("the comparison says what is within chance and what is clearly worse", () => {
  const { comparison } = makeFacts().trust;
  if (!comparison) throw new Error("no comparison");
  const estimate = (lo: number, hi: number) => ({ value: (lo + hi) / 2, lo, hi });
  const method = (name: string, lo: number, hi: number) => ({ method: name, log_loss: 0.6, difference: estimate(lo, hi), seconds: null });
  const methods = [method("otss", 0, 0), method("em", -0.1, 0.2), method("mlp", -0.1, 0.2), method("pooled", 0.1, 0.2)];
  expect(comparisonWords({ ...comparison, methods })).toBe(
    "As good as otss, within chance: em and mlp. Clearly worse: pooled (one trade-off for everybody).",
  );
  expect(comparisonWords({ ...comparison, methods: [method("gbm", -0.2, -0.1)] })).toBe("Clearly better: gbm.");
  const text = textOf(trust(makeFacts()));
  expect(text).toContain("pooled: one trade-off for everybody.");
  expect(text).toContain("pale: the difference may be chance");
});

test("checks that passed are listed, and starting points that were not tried are left out", () => {
  const facts = makeFacts();
  expect(textOf(trust(facts))).toContain("What was checked");
  expect(checksMade(facts).join()).toContain("predictions are neither too extreme nor too cautious");
  facts.trust.starts = { tried: 0, agreeing: 0 };
  expect(textOf(trust(facts))).not.toContain("starting point");
  expect(textOf(trust(makeFacts({ wrong: true })))).not.toContain("What was checked");
});

test("a setting without weight is not used", () => {
  const setting = (weight: number | null, chosen = true) => ({ words: "3 experts", log_loss: 0.6, weight, chosen });
  const averaged = [setting(0.43), setting(0.00002), setting(0, false)];
  expect(averaged.map(usedIn(averaged))).toEqual([true, false, false]);
  const picked = [setting(null), setting(null, false)];
  expect(picked.map(usedIn(picked))).toEqual([true, false]);
});

test("the numbers of What if are in the units of the chart and of the log", () => {
  const facts = makeFacts();
  const answer = new WhatIfModel(facts).answer(facts.what_if?.typical ?? [], 1);
  const { columns, rows } = weightsTable(facts, answer, answer);
  expect(columns.map(({ name }) => name)).toContain("weight, comparable");
  const j = facts.factors.findIndex(({ name }) => name === rows[0]?.[0]);
  expect(rows[0]?.[5]).toBe(answer.weights[j]);
  expect(rows[0]?.[1]).toBe((answer.weights[j] ?? 0) * (facts.factors[j]?.sd ?? 0));
});

test("the value of decisions has its caution beside it", () => {
  const { policy } = makeFacts().answer;
  if (!policy) throw new Error("no policy");
  const estimate = (value: number | null) => ({ value, lo: null, hi: null });
  const given = {
    ...policy,
    rows: 6000,
    agreement: 0.0255,
    effective_sample_size: 152.6,
    ips: estimate(0.763),
    snips: estimate(0.811),
    direct: estimate(0.817),
  };
  expect(cautionWords(given, number)).toBe(
    "Caution: only 2.5\u202f% of the 6,000 logged decisions are what the model would choose, so this rests on about 153 rows; the other estimates range from 0.763 to 0.817.",
  );
  expect(cautionWords({ ...given, ips: estimate(null), snips: estimate(null), direct: estimate(null) }, number)).toContain("153 rows.");
  expect(textOf(answer(makeFacts()))).toContain("Direct: the model's predictions alone");
});

test("decisions say over which contexts, and when nearly everybody gets the same one", () => {
  const facts = makeFacts();
  const found = facts.decisions;
  if (!found?.list[0]) throw new Error("no decisions");
  expect(textOf(decisions(facts))).not.toContain("nearly everybody");
  found.list[0].chosen = 0.97;
  found.rows = 6000;
  found.never_chosen = { count: 33, ids: ["a"] };
  expect(textOf(decisions(facts))).toContain("is the best one for nearly everybody, although weights differ");
  expect(textOf(decisions(facts))).toContain("33 decisions are the best one in none of the 6,000 contexts looked at");
  expect(textOf(decisions(facts))).toContain("are the best with 90 % confidence");
});

test("nothing wrong is one green line; what is wrong is red", () => {
  expect(concernsOf(makeFacts())).toEqual([]);
  const bad = element("div", {}, trust(makeFacts({ wrong: true })).body);
  expect([...bad.querySelectorAll(".concerns .bad")].map((node) => node.textContent)).toEqual([
    expect.stringContaining("collinear"),
    expect.stringContaining("too extreme"),
    expect.stringContaining("R-hat 1.34"),
  ]);
  expect(element("div", {}, trust(makeFacts()).body).querySelector(".verdict.good")).not.toBeNull();
});

/** Facts of two factors, whose average weights are `average` and those of the only segment `own`. */
function twoFactors(average: number[], own: [number, number, number][]): Facts {
  const facts = makeFacts({ factors: ["price", "novelty"], experts: 2 });
  facts.factors.forEach((factor) => Object.assign(factor, { sd: 1, importance: 1 }));
  facts.segments.average = average.map((value) => ({ value, lo: value - 0.01, hi: value + 0.01 }));
  const first = facts.segments.list[0];
  if (first) first.weights = own.map(([value, lo, hi]) => ({ value, lo, hi }));
  return facts;
}

const wants = (facts: Facts): string =>
  element("p", {}, facts.segments.list[0] ? wantsOf(facts, facts.segments.list[0]) : []).textContent ?? "";

test("a segment is told by how it differs from the average context", () => {
  expect(
    wants(
      twoFactors(
        [-1, 0.8],
        [
          [-2.1, -2.2, -2],
          [0.02, -0.1, 0.1],
        ],
      ),
    ),
  ).toBe("wants less price above all; it cares about price 2.1 times as much as the average context and is indifferent to novelty");
  expect(
    wants(
      twoFactors(
        [-1, 0.8],
        [
          [0.5, 0.4, 0.6],
          [0.8, 0.7, 0.9],
        ],
      ),
    ),
  ).toContain("wants more price, where the average context wants less");
  expect(
    wants(
      twoFactors(
        [-1, 0.8],
        [
          [-1, -1.1, -0.9],
          [0.8, 0.7, 0.9],
        ],
      ),
    ),
  ).toContain("differs little");
});

test("a model whose contexts do not tell the segments says so, and tells the segments by their experts", () => {
  const facts = makeFacts({ sameShares: true, supported: false });
  expect(textOf(answer(facts))).toContain("their context does not tell who wants what");
  expect(textOf(answer(facts))).toContain("the contexts explain +0.0009 (−0.0017 to +0.0035). The interval includes zero");
  expect(textOf(membership(facts))).toContain("no column tells who belongs to which segment");
  const first = facts.segments.list[0] as Segment;
  expect(weightsOfSegment(facts, first).map(({ value }) => value)).toEqual(first.expert_weights);
});

test("a model without segments says so", () => {
  expect(textOf(membership(makeFacts({ map: "linear weights", experts: 0, uncertainty: "none" })))).toContain("no segments");
});

test("facts are read back from the page, and others are refused", () => {
  const facts = makeFacts({ outcome: "</script>" });
  expect(escaped(facts)).not.toContain("</script>");
  expect(readFacts(escaped(facts))).toEqual(JSON.parse(JSON.stringify(facts)));
  expect(() => readFacts("OTSS_FACTS")).toThrow("template");
  expect(() => readFacts('{"format":"otss-facts","version":2}')).toThrow("version 2");
  expect(() => readFacts('{"format":"other"}')).toThrow("not those of otss report");
});
