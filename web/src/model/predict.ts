// The expected outcome of a decision (docs/reference/facts.md).
import type { Facts } from "../facts";
import { quadraticColumns } from "./encoder";
import type { ContextWeights } from "./weight_map";

function logistic(t: number): number {
  return 1 / (1 + Math.exp(-t));
}

function meanOf(eta: number, family: Facts["about"]["family"]): number {
  if (family === "gaussian") return eta;
  return family === "poisson" ? Math.exp(eta) : logistic(eta);
}

/** Null where the page does not know the context's candidates, from whose mean the factors are counted. */
export function expectedOutcome(facts: Facts, x: Float64Array, deployed: ContextWeights, z: Float64Array): number | null {
  const whatIf = facts.what_if;
  if (!whatIf || whatIf.baseline.centered_by !== null) return null;
  const { intercept, slopes, expert_intercepts, centers } = whatIf.baseline;
  const columns = slopes.length > x.length ? quadraticColumns(x) : x;
  let baseline = intercept;
  slopes.forEach((slope, i) => (baseline += slope * (columns[i] ?? 0)));
  const score = (weights: ArrayLike<number>): number => {
    let sum = 0;
    for (let j = 0; j < z.length; ++j) sum += (weights[j] as number) * ((z[j] as number) - (centers[j] ?? 0));
    return sum;
  };
  const { shares } = deployed;
  if (!shares || whatIf.map.kind !== "mixture") return meanOf(baseline + score(deployed.weights), facts.about.family);
  const etas = whatIf.map.experts.map((expert, k) => baseline + (expert_intercepts[k] ?? 0) + score(expert));
  const average = (value: (eta: number) => number): number => etas.reduce((sum, eta, k) => sum + (shares[k] as number) * value(eta), 0);
  return facts.about.mixes_probabilities
    ? average(logistic)
    : meanOf(
        average((eta) => eta),
        facts.about.family,
      );
}
