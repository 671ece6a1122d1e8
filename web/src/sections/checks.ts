// What the checks looked at, for a model in which they found nothing.
import type { Facts } from "../facts";
import { interval, number, percent } from "../format/numbers";
import { counted } from "../format/text";
import { FEW_AGREE, MANY_CHANGES, SLOPE_HIGH, SLOPE_LOW } from "./concerns";

export function checksMade({ about, answer, trust }: Facts): string[] {
  const slope = (trust.on_log ?? trust.held_out)?.calibration_slope.value ?? null;
  const checks: [boolean, string][] = [
    [trust.findings !== null, "otss check found no problem in the log: every weight can be told from the others"],
    [
      slope !== null,
      `predictions are neither too extreme nor too cautious (calibration slope ${number(slope)}; right: 1, wrong if surely outside ${interval(SLOPE_LOW, SLOPE_HIGH)})`,
    ],
    [true, "the fit ended without a warning"],
    [trust.chains.length > 0, "the chains of the sampler agree"],
    [trust.unseen !== null, "the log has no values that training did not have, and none far outside"],
    [about.has_intervals, "the weights have intervals"],
    [answer.policy !== null, "estimating what the decisions are worth raised no warning"],
    [
      (trust.starts?.tried ?? 0) > 1,
      `at least ${percent(FEW_AGREE)} of ${counted(trust.starts?.tried ?? 0, "starting point")} led to the same fit`,
    ],
    [
      trust.seed_changes !== null,
      `few decisions depend on how rows were divided at random (${percent(trust.seed_changes)}; at most ${percent(MANY_CHANGES)})`,
    ],
  ];
  return checks.filter(([made]) => made).map(([, says]) => says);
}
