// The best decisions of a context, and how sure they are (src/decide/ranking.cpp and src/decide/certify.cpp).
import type { Library } from "../facts";
import { cholesky, quantile } from "./numerics";

/** The decisions of a library, with their factors row after row. */
export class Decisions {
  readonly numFactors: number;
  private readonly factors: Float64Array;

  constructor(readonly library: Library) {
    this.numFactors = library.factors[0]?.length ?? 0;
    this.factors = Float64Array.from(library.factors.flat());
  }

  get size(): number {
    return this.library.ids.length;
  }

  factorsOf(decision: number): Float64Array {
    return this.factors.subarray(decision * this.numFactors, (decision + 1) * this.numFactors);
  }

  /** w'z of every decision. */
  scores(w: Float64Array): Float64Array {
    const scores = new Float64Array(this.size);
    for (let d = 0, at = 0; d < scores.length; ++d) {
      let sum = 0;
      for (let j = 0; j < w.length; ++j) sum += (w[j] as number) * (this.factors[at++] as number);
      scores[d] = sum;
    }
    return scores;
  }
}

export interface Ranked {
  decision: number; // position in the library
  score: number;
  margin: number | null; // score minus the best other score; null: there is no other decision
  ahead: Float64Array; // share of each factor in the margin: w_j (z_j − other z_j)
}

/** The `count` best decisions, the best first; of equal scores the first in the library. */
export function rank(decisions: Decisions, w: Float64Array, count: number): Ranked[] {
  const scores = decisions.scores(w);
  const best: number[] = [];
  for (let d = 0; d < scores.length; ++d) {
    let at = best.length;
    while (at > 0 && (scores[d] as number) > (scores[best[at - 1] as number] as number)) --at;
    if (at >= Math.max(count, 2)) continue;
    best.splice(at, 0, d);
    if (best.length > Math.max(count, 2)) best.pop();
  }
  return best.slice(0, count).map((decision, i) => {
    const other = best[i === 0 ? 1 : 0];
    const z = decisions.factorsOf(decision);
    const otherZ = other === undefined ? z : decisions.factorsOf(other);
    const score = scores[decision] as number;
    return {
      decision,
      score,
      margin: other === undefined ? null : score - (scores[other] as number),
      ahead: w.map((weight, j) => weight * ((z[j] as number) - (otherZ[j] as number))),
    };
  });
}

export interface Certificate {
  certified: boolean; // at the level: no other decision is better
  regretBound: number; // at the level: what choosing this decision loses at most, in units of the score
  probabilityBest: number; // share of the draws in which no other decision is better
  expectedRegret: number; // mean over the draws
}

/** How sure a certificate is: its confidence, and the lead, in standard deviations, that the best of three or more needs. */
export interface Certainty {
  level: number;
  pairLead: number;
}

/** Is decision `chosen` the best one, given draws of the error of the weights w? */
export function certify(
  decisions: Decisions,
  w: Float64Array,
  departures: Float64Array,
  chosen: number,
  { level, pairLead }: Certainty,
): Certificate {
  const rivals = new Rivals(decisions, w, departures, chosen);
  const simultaneous = Math.max(0, quantile(rivals.largestErrors.slice(), level));
  const enough = rivals.differ ? pairLead : simultaneous;
  let certified = true;
  let regretBound = 0;
  for (let r = 0; r < rivals.size; ++r) {
    const ahead = rivals.ahead[r] as number;
    const deviation = rivals.deviations[r] as number;
    certified &&= ahead + enough * deviation < 0;
    regretBound = Math.max(regretBound, ahead + Math.max(simultaneous, enough) * deviation);
  }
  const regrets = rivals.largestAhead;
  return {
    certified,
    regretBound,
    probabilityBest: regrets.reduce((count, regret) => count + (regret <= 0 ? 1 : 0), 0) / regrets.length,
    expectedRegret: regrets.reduce((sum, regret) => sum + regret, 0) / regrets.length,
  };
}

/** The decisions whose factors differ from those of the chosen one, compared with it under every draw. */
class Rivals {
  readonly size: number;
  readonly differ: boolean; // whether not all of them have the same factors
  readonly ahead: Float64Array; // score minus that of the chosen decision
  readonly deviations: Float64Array; // standard deviation of this difference over the draws
  readonly largestErrors: Float64Array; // per draw: the largest error of a difference, in standard deviations
  readonly largestAhead: Float64Array; // per draw: how much better the best decision is than the chosen one

  constructor(decisions: Decisions, w: Float64Array, departures: Float64Array, chosen: number) {
    const n = w.length;
    const numDraws = departures.length / n;
    const differences = differencesFrom(decisions, chosen);
    this.size = differences.length / n;
    this.differ = differences.some((difference, i) => difference !== differences[i % n]);
    this.ahead = new Float64Array(this.size);
    this.deviations = new Float64Array(this.size);
    this.largestErrors = new Float64Array(numDraws);
    this.largestAhead = new Float64Array(numDraws);
    const lower = cholesky(covarianceOf(departures, n), n);
    for (let r = 0; r < this.size; ++r) {
      const difference = differences.subarray(r * n, (r + 1) * n);
      let ahead = 0;
      for (let j = 0; j < n; ++j) ahead += (w[j] as number) * (difference[j] as number);
      this.ahead[r] = ahead;
      this.deviations[r] = deviationOf(lower, difference);
      this.compare(difference, departures, ahead, this.deviations[r] as number);
    }
  }

  private compare(difference: Float64Array, departures: Float64Array, ahead: number, deviation: number): void {
    const n = difference.length;
    const scale = deviation > 0 ? 1 / deviation : 0;
    for (let d = 0, at = 0; d < this.largestErrors.length; ++d) {
      let error = 0;
      for (let j = 0; j < n; ++j) error += (departures[at++] as number) * (difference[j] as number);
      if (error * scale > (this.largestErrors[d] as number)) this.largestErrors[d] = error * scale;
      if (ahead + error > (this.largestAhead[d] as number)) this.largestAhead[d] = ahead + error;
    }
  }
}

function differencesFrom(decisions: Decisions, chosen: number): Float64Array {
  const n = decisions.numFactors;
  const own = decisions.factorsOf(chosen);
  const out = new Float64Array(decisions.size * n);
  let size = 0;
  for (let d = 0; d < decisions.size; ++d) {
    const z = decisions.factorsOf(d);
    let differs = false;
    for (let j = 0; j < n; ++j) {
      const difference = (z[j] as number) - (own[j] as number);
      differs ||= difference !== 0;
      out[size + j] = difference;
    }
    if (differs) size += n;
  }
  return out.subarray(0, size);
}

function covarianceOf(departures: Float64Array, n: number): Float64Array {
  const out = new Float64Array(n * n);
  const numDraws = departures.length / n;
  for (let first = 0; first < departures.length; first += n) {
    for (let i = 0; i < n; ++i) {
      for (let j = 0; j <= i; ++j) {
        const at = i * n + j;
        out[at] = (out[at] as number) + ((departures[first + i] as number) * (departures[first + j] as number)) / numDraws;
      }
    }
  }
  return out;
}

/** √(difference' L L' difference) */
function deviationOf(lower: Float64Array, difference: Float64Array): number {
  const n = difference.length;
  let squares = 0;
  for (let k = 0; k < n; ++k) {
    let sum = 0;
    for (let j = k; j < n; ++j) sum += (lower[j * n + k] as number) * (difference[j] as number);
    squares += sum * sum;
  }
  return Math.sqrt(squares);
}
