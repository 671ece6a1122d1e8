// The page computes what the program prints: weights, shares, intervals, decisions and certificates.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Facts } from "../../src/facts";
import { type ContextAnswer, WhatIfModel } from "../../src/model/what_if_model";
import { Reports } from "../browser/chromium";
import { checkPage } from "../browser/check_page";
import { pageOf } from "../fixtures/page_of";
import { KINDS, OTSS, Program, rowsOf } from "./program";

const NUM_CONTEXTS = 1000;
const NUM_DECIDED = 20;
let program: Program;
let reports: Reports;
beforeAll(async () => {
  program = new Program(NUM_CONTEXTS);
  reports = await Reports.start();
});
afterAll(async () => {
  program.stop();
  await reports.stop();
});

/** Σ_k |α_k β_kj|, the size of what is summed; without experts that of the weight itself. */
function sizeOf(facts: Facts, answer: ContextAnswer, j: number): number {
  const map = facts.what_if?.map;
  if (map?.kind !== "mixture") return Math.max(...answer.weights.map(Math.abs), 1);
  return map.experts.reduce((sum, expert, k) => sum + Math.abs((answer.shares?.[k] ?? 0) * (expert[j] ?? 0)), 0);
}

function compareWeights(facts: Facts, printed: Record<string, string>, answer: ContextAnswer): void {
  facts.factors.forEach(({ name }, j) => {
    const error = Math.abs((answer.weights[j] as number) - Number(printed[`w_${name}`]));
    expect(error).toBeLessThanOrEqual(1e-12 * sizeOf(facts, answer, j));
    if (!answer.intervals) return;
    const [lo, hi] = [Number(printed[`w_${name}_lo`]), Number(printed[`w_${name}_hi`])];
    expect(Math.abs((answer.intervals.lo[j] as number) - lo)).toBeLessThanOrEqual(2e-3 * (hi - lo));
    expect(Math.abs((answer.intervals.hi[j] as number) - hi)).toBeLessThanOrEqual(2e-3 * (hi - lo));
  });
  answer.shares?.forEach((share, k) => expect(Math.abs(share - Number(printed[`alpha_${k + 1}`]))).toBeLessThanOrEqual(1e-12));
}

async function compareDecisions(facts: Facts, model: WhatIfModel, certifies: boolean): Promise<void> {
  const printed = rowsOf(
    await program.run(
      "decide",
      "model.json",
      "contexts.csv",
      "--library",
      "library.csv",
      "--id",
      "id",
      "--unknown",
      "warn",
      ...(certifies ? ["--certify", 0.9] : []),
    ),
  );
  program.contexts.slice(0, NUM_DECIDED).forEach((context, i) => {
    const answer = model.answer(context, 1);
    const best = answer.decisions[0];
    const row = printed[i];
    expect(facts.what_if?.library?.ids[best?.decision ?? -1]).toBe(row?.decision);
    expect(best?.score).toBeCloseTo(Number(row?.score), 9);
    expect(best?.margin).toBeCloseTo(Number(row?.margin), 9);
    const certificate = model.certificate(answer);
    if (!certifies || !certificate) return;
    expect(Math.abs(certificate.regretBound - Number(row?.regret_bound))).toBeLessThanOrEqual(5e-3 * Math.max(1, certificate.regretBound));
  });
}

describe.skipIf(!OTSS)("what the page computes is what the program prints", () => {
  for (const [kind, options] of Object.entries(KINDS)) {
    test(`${kind}, ${NUM_CONTEXTS} contexts with missing values and unknown levels, and its page is drawn`, async () => {
      const facts = await program.fit(options);
      const model = new WhatIfModel(facts);
      const has = facts.what_if?.uncertainty ? ["--interval", 0.9] : [];
      const printed = rowsOf(
        await program.run("weights", "model.json", "contexts.csv", "--unknown", "warn", ...(facts.about.gate ? ["--gate"] : []), ...has),
      );
      expect(printed).toHaveLength(NUM_CONTEXTS);
      program.contexts.forEach((context, i) => compareWeights(facts, printed[i] as Record<string, string>, model.answer(context, 1)));
      await compareDecisions(facts, model, facts.what_if?.uncertainty !== null);
      const opened = await reports.open(reports.address(kind, () => facts));
      await checkPage(opened);
      await opened.page.context().close();
    });
  }
});

test.skipIf(!OTSS)("the program writes this page with its facts inside", async () => {
  const facts = await program.fit(KINDS["pooled"] as string[]);
  expect(program.read("report.html") === pageOf(facts, program.read("facts.json").trimEnd())).toBe(true);
});
