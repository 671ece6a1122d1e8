// How much the value of the model's decisions can be relied on, in words.
import type { PolicyValue } from "../facts";
import { count, percent } from "../format/numbers";

/** The caution beside the headline: how many rows it rests on, and what the other estimates say. */
export function cautionWords(policy: PolicyValue, mean: (value: number | null) => string): string {
  const others = [policy.ips.value, policy.snips.value, policy.direct.value].filter((value) => value !== null);
  const [least, most] = [mean(Math.min(...others)), mean(Math.max(...others))];
  const range = others.length === 0 ? "" : `; the other estimates ${least === most ? `say ${most}` : `range from ${least} to ${most}`}`;
  return `Caution: ${policy.agreement < 0.5 ? "only " : ""}${percent(policy.agreement)} of the ${count(policy.rows)} logged decisions are what the model would choose, so this rests on about ${count(policy.effective_sample_size)} rows${range}.`;
}

/** What each estimate does, one line each. */
export const ESTIMATES: readonly [string, string][] = [
  [
    "Doubly robust",
    "the model's predictions, corrected by the logged rows that agree; right if the predictions or the logged chances are right.",
  ],
  ["Inverse propensity", "the rows that agree, each weighted by one over the chance of its logged decision; right on average, but jumpy."],
  ["Self-normalised", "the same weighted mean, divided by the sum of the weights; steadier."],
  ["Direct", "the model's predictions alone; as right as the model."],
];
