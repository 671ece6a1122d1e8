// Everything that the page computes about one context.
import type { Facts, WhatIf } from "../facts";
import { type Certificate, certify, Decisions, type Ranked, rank } from "./decide";
import { Encoder, type RawValue } from "./encoder";
import { expectedOutcome } from "./predict";
import { type Errors, errorsOf, widened } from "./uncertainty";
import { type ContextWeights, weightsOf } from "./weight_map";

export interface WeightIntervals {
  lo: Float64Array;
  hi: Float64Array;
}

/** What the model says about one context. */
export interface ContextAnswer extends ContextWeights {
  x: Float64Array; // the encoded context
  intervals: WeightIntervals | null;
  decisions: Ranked[]; // the best ones; empty without a library
  departures: Float64Array | null; // draws of the error of the weights
}

export class WhatIfModel {
  readonly encoder: Encoder;
  readonly library: Decisions | null;
  private readonly whatIf: WhatIf;
  private readonly errors: Errors | null;
  private readonly level: number;

  constructor(private readonly facts: Facts) {
    if (!facts.what_if) throw new Error("the facts have no model to compute with");
    this.whatIf = facts.what_if;
    this.level = facts.about.level;
    this.encoder = new Encoder(facts.columns, this.whatIf.texts, this.whatIf.level_pairs);
    this.library = this.whatIf.library && this.whatIf.library.ids.length > 0 ? new Decisions(this.whatIf.library) : null;
    this.errors = errorsOf(this.whatIf);
  }

  weights(context: readonly RawValue[]): ContextWeights {
    return weightsOf(this.whatIf.map, this.encoder.encode(context));
  }

  answer(context: readonly RawValue[], numDecisions: number): ContextAnswer {
    const x = this.encoder.encode(context);
    const deployed = weightsOf(this.whatIf.map, x);
    const departures = this.errors ? widened(this.errors.departures(x, deployed), this.whatIf.discrepancy) : null;
    return {
      ...deployed,
      x,
      departures,
      intervals: departures && this.intervalsOf(deployed.weights, departures),
      decisions: this.library ? rank(this.library, deployed.weights, numDecisions) : [],
    };
  }

  /** How sure it is that the best decision is the best one; null without intervals or without a library. */
  certificate(answer: ContextAnswer): Certificate | null {
    const best = answer.decisions[0];
    if (!best || !this.library || !answer.departures) return null;
    const certainty = { level: this.level, pairLead: this.whatIf.pair_lead };
    const certificate = certify(this.library, answer.weights, answer.departures, best.decision, certainty);
    const certified = this.whatIf.determined && certificate.certified;
    return { ...certificate, certified, regretBound: certified ? 0 : certificate.regretBound };
  }

  /** The expected outcome of a decision of the library; null where the page does not know it. */
  expected(answer: ContextAnswer, decision: number): number | null {
    return this.library && expectedOutcome(this.facts, answer.x, answer, this.library.factorsOf(decision));
  }

  private intervalsOf(weights: Float64Array, departures: Float64Array): WeightIntervals {
    const { lo, hi } = (this.errors as Errors).interval(departures, weights.length, this.level);
    return {
      lo: weights.map((weight, j) => weight + (lo[j] as number)),
      hi: weights.map((weight, j) => weight + (hi[j] as number)),
    };
  }
}
