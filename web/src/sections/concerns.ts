// What speaks against trusting the model: the answer counts these, and the section on trust lists them.
import type { Facts } from "../facts";
import { asSentence, counted, nameOf, type Sentence } from "../format/text";
import { count, interval, number, percent } from "../format/numbers";
import { column } from "../view";

export interface Concern {
  wrong: boolean; // red; otherwise something to know
  says: Sentence;
}

export const SLOPE_LOW = 0.8; // predictions are called wrong when the slope is surely below this, or above SLOPE_HIGH
export const SLOPE_HIGH = 1.25;
export const FEW_AGREE = 0.5;
export const MANY_CHANGES = 0.1; // of the decisions

export function concernsOf(facts: Facts): Concern[] {
  return [...findings(facts), ...calibration(facts), ...chains(facts), ...unseen(facts), ...fit(facts)];
}

function findings({ trust }: Facts): Concern[] {
  const worst = ["not identified", "refused"];
  return (trust.findings ?? [])
    .filter((finding) => finding.severity !== "note")
    .sort((a, b) => Number(worst.includes(b.severity)) - Number(worst.includes(a.severity)))
    .map((finding) => ({ wrong: worst.includes(finding.severity), says: [asSentence(finding.what)] }));
}

function calibration({ trust }: Facts): Concern[] {
  const slope = (trust.on_log ?? trust.held_out)?.calibration_slope;
  if (!slope || slope.value === null) return [];
  const { value, lo, hi } = { value: slope.value, lo: slope.lo ?? slope.value, hi: slope.hi ?? slope.value };
  if (hi >= SLOPE_LOW && lo <= SLOPE_HIGH) return [];
  const direction =
    value < 1 ? "too extreme: reality differs less between decisions" : "too cautious: reality differs more between decisions";
  return [
    {
      wrong: true,
      says: [
        `Predictions are ${direction} than predicted (calibration slope ${number(value)}, ${interval(slope.lo, slope.hi)}; should be near 1).`,
      ],
    },
  ];
}

function chains({ trust }: Facts): Concern[] {
  return trust.chains.filter(({ warning }) => warning !== "").map(({ warning }) => ({ wrong: true, says: [asSentence(warning)] }));
}

function unseen(facts: Facts): Concern[] {
  const found = facts.trust.unseen;
  if (!found) return [];
  const concerns: Concern[] = found.far_values
    .filter((far) => far.count > 0)
    .map((far) => ({
      wrong: false,
      says: [nameOf(column(facts, far.column).name), ` is far outside its range of training in ${counted(far.count, "row")} of the log.`],
    }));
  if (found.unknown_levels > 0)
    concerns.push({
      wrong: false,
      says: [
        `${counted(found.unknown_levels, "value")} of the log ${found.unknown_levels === 1 ? "is a level" : "are levels"} that training did not have.`,
      ],
    });
  if (found.unexpected_missing > 0)
    concerns.push({
      wrong: false,
      says: [
        `${counted(found.unexpected_missing, "value")} of the log ${found.unexpected_missing === 1 ? "is" : "are"} missing in columns that were complete in training.`,
      ],
    });
  return concerns;
}

function fit({ about, answer, trust }: Facts): Concern[] {
  const concerns: Concern[] = trust.warnings.map((warning) => ({ wrong: false, says: [asSentence(warning)] }));
  concerns.push(...(answer.policy?.warnings ?? []).map((warning) => ({ wrong: false, says: [asSentence(warning)] })));
  if (!about.has_intervals) {
    concerns.push({
      wrong: false,
      says: [
        asSentence(about.no_intervals_because || "The weights of this model have no intervals, so the page cannot say how sure they are."),
      ],
    });
  }
  if (trust.starts && trust.starts.tried > 1 && trust.starts.agreeing / trust.starts.tried < FEW_AGREE) {
    concerns.push({
      wrong: false,
      says: [`Only ${count(trust.starts.agreeing)} of ${count(trust.starts.tried)} starting points led to the same fit.`],
    });
  }
  if (trust.seed_changes !== null && trust.seed_changes > MANY_CHANGES) {
    concerns.push({ wrong: false, says: [`${percent(trust.seed_changes)} of the decisions depend on how rows were divided at random.`] });
  }
  return concerns;
}
