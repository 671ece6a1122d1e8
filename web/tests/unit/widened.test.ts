import { expect, test } from "vitest";
import { widened } from "../../src/model/uncertainty";
import { WhatIfModel } from "../../src/model/what_if_model";
import { makeFacts } from "../fixtures/make_facts";

test("every draw of the errors gets its own multiple of the discrepancy", () => {
  const errors = Float64Array.of(1, 2, 3, 4);
  expect([...widened(errors, { sd: [10, -1], normals: [0.5, -2] })]).toEqual([6, 1.5, -17, 6]);
  expect([...widened(errors, null)]).toEqual([1, 2, 3, 4]);
});

test("a gate that does not fit makes intervals wider, and a log that determines nothing certifies nothing", () => {
  const facts = makeFacts();
  const whatIf = facts.what_if;
  if (!whatIf) throw new Error("no model");
  const sure = new WhatIfModel(facts).answer(whatIf.typical, 1);
  const draws = (sure.departures?.length ?? 0) / facts.factors.length;
  const normals = Array.from({ length: draws }, (_, i) => (i % 2 === 0 ? 1 : -1));
  const misfit = { ...facts, what_if: { ...whatIf, discrepancy: { sd: facts.factors.map(() => 100), normals } } };
  const unsure = new WhatIfModel(misfit).answer(whatIf.typical, 1);
  expect((unsure.intervals?.hi[0] as number) - (unsure.intervals?.lo[0] as number)).toBeGreaterThan(100);
  const unknown = new WhatIfModel({ ...facts, what_if: { ...whatIf, determined: false } });
  expect(unknown.certificate(unknown.answer(whatIf.typical, 1))?.certified ?? false).toBe(false);
});
