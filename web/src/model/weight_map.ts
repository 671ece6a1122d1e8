// The weights w(x) and the shares of the experts, in the arithmetic of the program (src/model/maps).
import type { Gate, Network, WhatIf } from "../facts";
import { quadraticColumns } from "./encoder";

export type ModelMap = WhatIf["map"];

function affine(slopes: readonly number[] | undefined, intercept: number, x: Float64Array): number {
  let sum = intercept;
  if (slopes) for (let i = 0; i < x.length; ++i) sum += (slopes[i] as number) * (x[i] as number);
  return sum;
}

function affineAll(slopes: readonly number[][], intercepts: readonly number[], x: Float64Array): Float64Array {
  return Float64Array.from(intercepts, (intercept, k) => affine(slopes[k], intercept, x));
}

export function softmax(scores: Float64Array): Float64Array {
  const largest = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  let total = 0;
  for (let k = 0; k < scores.length; ++k) total += scores[k] = Math.exp((scores[k] as number) - largest);
  for (let k = 0; k < scores.length; ++k) scores[k] = (scores[k] as number) / total;
  return scores;
}

function network(net: Network, x: Float64Array): Float64Array {
  const active = affineAll(net.hidden_slopes, net.hidden_intercepts, x).map(Math.tanh);
  return affineAll(net.output_slopes, net.output_intercepts, active);
}

/** All to the expert with the largest score; of equal scores, to the first. */
function allToLargest(scores: Float64Array): Float64Array {
  let best = 0;
  for (let k = 1; k < scores.length; ++k) if ((scores[k] as number) > (scores[best] as number)) best = k;
  return scores.map((_, k) => (k === best ? 1 : 0));
}

function nearness(center: readonly number[], x: Float64Array): number {
  let distance = 0;
  for (let i = 0; i < x.length; ++i) distance += ((x[i] as number) - (center[i] as number)) ** 2;
  return -distance;
}

/** The shares α_k(x) of the experts. */
export function sharesOf(gate: Gate, x: Float64Array): Float64Array {
  switch (gate.kind) {
    case "linear":
      return softmax(affineAll(gate.slopes, gate.intercepts, x));
    case "quadratic":
      return softmax(affineAll(gate.slopes, gate.intercepts, quadraticColumns(x)));
    case "one-hot":
      return allToLargest(affineAll(gate.slopes, gate.intercepts, x));
    case "mlp":
      return softmax(network(gate, x));
    case "fixed":
      return allToLargest(Float64Array.from(gate.centers, (center) => nearness(center, x)));
    case "average":
      return Float64Array.from(
        gate.gates.flatMap((member, m) =>
          Array.from(softmax(affineAll(member.slopes, member.intercepts, x)), (share) => share * (gate.weights[m] as number)),
        ),
      );
  }
}

/** Σ_k α_k β_k */
export function mix(experts: readonly number[][], shares: Float64Array): Float64Array {
  const w = new Float64Array(experts[0]?.length ?? 0);
  experts.forEach((expert, k) => {
    const share = shares[k] as number;
    for (let j = 0; j < w.length; ++j) w[j] = (w[j] as number) + share * (expert[j] as number);
  });
  return w;
}

/** The weights of one encoded context; `shares` is null in a model without experts. */
export interface ContextWeights {
  shares: Float64Array | null;
  weights: Float64Array;
}

export function weightsOf(map: ModelMap, x: Float64Array): ContextWeights {
  if (map.kind === "linear weights") return { shares: null, weights: affineAll(map.slopes, map.intercepts, x) };
  if (map.kind === "network weights") return { shares: null, weights: network(map, x) };
  const shares = sharesOf(map.gate, x);
  return { shares, weights: mix(map.experts, shares) };
}
