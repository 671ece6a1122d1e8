// Draws of the estimation error of w(x), and the intervals made of them (src/model/uncertainty).
import type { Discrepancy, DrawnUncertainty, NormalUncertainty, WhatIf } from "../facts";
import { quadraticColumns } from "./encoder";
import { cholesky, quantile } from "./numerics";
import { type Matrix, unpack } from "./packed";
import { type ContextWeights, softmax } from "./weight_map";

/** Draws of the estimation error: draws × J numbers, draw after draw. */
export interface Errors {
  /** Errors of the weights in the context x, whose weights are `deployed`. */
  departures(x: Float64Array, deployed: ContextWeights): Float64Array;
  /** Interval of each factor's weight, as distances from the weight: lo ≤ 0 ≤ hi. */
  interval(departures: Float64Array, numFactors: number, level: number): { lo: Float64Array; hi: Float64Array };
}

export function errorsOf(whatIf: WhatIf): Errors | null {
  const { uncertainty, map } = whatIf;
  if (!uncertainty) return null;
  if (uncertainty.kind === "draws") return new DrawnErrors(uncertainty);
  return map.kind === "mixture" ? new NormalErrors(uncertainty, map.experts) : null;
}

/** The errors together with what a gate that does not fit adds to them. */
export function widened(departures: Float64Array, discrepancy: Discrepancy | null): Float64Array {
  if (!discrepancy) return departures;
  const { sd, normals } = discrepancy;
  return departures.map(
    (error, i) => error + (sd[i % sd.length] as number) * (normals[Math.floor(i / sd.length) % normals.length] as number),
  );
}

/** The gate's columns, followed by a 1 for the intercept. */
function gateColumns(x: Float64Array, quadratic: boolean): Float64Array {
  const columns = quadratic ? quadraticColumns(x) : x;
  const out = new Float64Array(columns.length + 1);
  out.set(columns);
  out[columns.length] = 1;
  return out;
}

/** Σ_i columns_i · rows[first + i]: one number per column of the matrix. */
function combine(rows: Matrix, first: number, columns: Float64Array): Float64Array {
  const out = new Float64Array(rows.columns);
  for (let i = 0; i < columns.length; ++i) {
    const factor = columns[i] as number;
    if (factor === 0) continue;
    const start = (first + i) * rows.columns;
    for (let d = 0; d < out.length; ++d) out[d] = (out[d] as number) + factor * (rows.values[start + d] as number);
  }
  return out;
}

/**
 * Draws of the parameters from posteriors. Errors are counted from the mean of the draws of the same posterior, whose
 * groups are consecutive.
 */
class DrawnErrors implements Errors {
  private readonly groups: { experts: number; posterior: number; parameters: Matrix }[];

  constructor(private readonly facts: DrawnUncertainty) {
    this.groups = facts.groups.map((group) => ({ ...group, parameters: unpack(group.parameters) }));
  }

  departures(x: Float64Array, deployed: ContextWeights): Float64Array {
    const columns = gateColumns(x, this.facts.quadratic);
    const ofGroups = this.groups.map((group) => weightsOfDraws(group.parameters, group.experts, columns));
    const all = new Float64Array(ofGroups.reduce((sum, weights) => sum + weights.length, 0));
    let first = 0;
    let end = 0;
    this.groups.forEach((group, g) => {
      all.set(ofGroups[g] as Float64Array, end);
      end += (ofGroups[g] as Float64Array).length;
      if (this.groups[g + 1]?.posterior === group.posterior) return;
      countFromMean(all.subarray(first, end), deployed.weights.length, this.facts.spread);
      first = end;
    });
    return all;
  }

  interval(departures: Float64Array, numFactors: number, level: number): { lo: Float64Array; hi: Float64Array } {
    const lo = new Float64Array(numFactors);
    const hi = new Float64Array(numFactors);
    const ofFactor = new Float64Array(departures.length / numFactors);
    for (let j = 0; j < numFactors; ++j) {
      for (let d = 0; d < ofFactor.length; ++d) ofFactor[d] = departures[d * numFactors + j] as number;
      lo[j] = Math.min(0, quantile(ofFactor, 0.5 - 0.5 * level));
      hi[j] = Math.max(0, quantile(ofFactor, 0.5 + 0.5 * level));
    }
    return { lo, hi };
  }
}

/** The weights of every draw, draw after draw. `parameters` has a row per parameter and a column per draw. */
function weightsOfDraws(parameters: Matrix, numExperts: number, columns: Float64Array): Float64Array {
  const numDraws = parameters.columns;
  const firstExpert = (numExperts - 1) * columns.length;
  const numFactors = (parameters.rows - firstExpert) / numExperts;
  const scores = Array.from({ length: numExperts - 1 }, (_, k) => combine(parameters, k * columns.length, columns));
  const weights = new Float64Array(numDraws * numFactors);
  const shares = new Float64Array(numExperts);
  for (let d = 0; d < numDraws; ++d) {
    scores.forEach((score, k) => (shares[k] = score[d] as number));
    shares[numExperts - 1] = 0;
    softmax(shares);
    for (let k = 0; k < numExperts; ++k) {
      const share = shares[k] as number;
      const start = (firstExpert + k * numFactors) * numDraws + d;
      for (let j = 0; j < numFactors; ++j) {
        const at = d * numFactors + j;
        weights[at] = (weights[at] as number) + share * (parameters.values[start + j * numDraws] as number);
      }
    }
  }
  return weights;
}

/** Subtracts the mean row, and multiplies by spread · √(n / (n − 1)), which makes the variance of the rows unbiased. */
function countFromMean(rows: Float64Array, width: number, spread: number): void {
  const numRows = rows.length / width;
  const factor = numRows > 1 ? spread * Math.sqrt(numRows / (numRows - 1)) : 0;
  for (let j = 0; j < width; ++j) {
    let mean = 0;
    for (let r = 0; r < numRows; ++r) mean += (rows[r * width + j] as number) / numRows;
    for (let r = 0; r < numRows; ++r) rows[r * width + j] = factor * ((rows[r * width + j] as number) - mean);
  }
}

/** A normal distribution of the parameters with covariance F F'; the delta method carries it over to w(x). */
class NormalErrors implements Errors {
  private readonly factor: Matrix;
  private readonly normals: Matrix;

  constructor(
    private readonly facts: NormalUncertainty,
    private readonly experts: number[][],
  ) {
    this.factor = unpack(facts.factor);
    this.normals = unpack(facts.normals);
  }

  departures(x: Float64Array, deployed: ContextWeights): Float64Array {
    const numFactors = deployed.weights.length;
    const lower = cholesky(this.covariance(x, deployed), numFactors);
    const half = this.normals.rows;
    const out = new Float64Array(2 * half * numFactors);
    for (let d = 0; d < half; ++d) {
      for (let j = 0; j < numFactors; ++j) {
        let sum = 0;
        for (let k = 0; k <= j; ++k) sum += (lower[j * numFactors + k] as number) * (this.normals.values[d * numFactors + k] as number);
        out[d * numFactors + j] = sum;
        out[(half + d) * numFactors + j] = -sum;
      }
    }
    return out;
  }

  interval(departures: Float64Array, numFactors: number): { lo: Float64Array; hi: Float64Array } {
    const squares = new Float64Array(numFactors);
    for (let i = 0; i < departures.length; ++i) {
      const j = i % numFactors;
      squares[j] = (squares[j] as number) + (departures[i] as number) ** 2;
    }
    const numDraws = departures.length / numFactors;
    const hi = squares.map((sum) => this.facts.quantile * Math.sqrt(sum / numDraws));
    return { lo: hi.map((value) => -value), hi };
  }

  /** The covariance of w(x), J × J. Its square root has the rows Σ_k α_k ((β_kj − w_j) [c, 1]'F_k + F_(β_kj)). */
  private covariance(x: Float64Array, deployed: ContextWeights): Float64Array {
    const columns = gateColumns(x, this.facts.quadratic);
    const w = deployed.weights;
    const numFactors = w.length;
    const rank = this.factor.columns;
    const numExperts = this.experts.length;
    const spread = new Float64Array(numFactors * rank);
    for (let k = 0; k < numExperts; ++k) {
      const share = deployed.shares?.[k] ?? 1;
      const scores = k + 1 < numExperts ? combine(this.factor, k * columns.length, columns) : new Float64Array(rank);
      const firstRow = (numExperts - 1) * columns.length + k * numFactors;
      for (let j = 0; j < numFactors; ++j) {
        const ahead = (this.experts[k]?.[j] as number) - (w[j] as number);
        for (let r = 0; r < rank; ++r) {
          const at = j * rank + r;
          const own = this.factor.values[(firstRow + j) * rank + r] as number;
          spread[at] = (spread[at] as number) + share * (ahead * (scores[r] as number) + own);
        }
      }
    }
    return outerProduct(spread, numFactors, rank);
  }
}

function outerProduct(rows: Float64Array, numRows: number, rank: number): Float64Array {
  const out = new Float64Array(numRows * numRows);
  for (let i = 0; i < numRows; ++i) {
    for (let j = 0; j <= i; ++j) {
      let sum = 0;
      for (let r = 0; r < rank; ++r) sum += (rows[i * rank + r] as number) * (rows[j * rank + r] as number);
      out[i * numRows + j] = out[j * numRows + i] = sum;
    }
  }
  return out;
}
