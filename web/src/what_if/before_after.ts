// The best decision of the chosen context beside that of the typical one, and what a score is, in words.
import type { Facts } from "../facts";
import { number, percent, points, signed } from "../format/numbers";

/** The best decision of a context. */
export interface Choice {
  id: string;
  expected: number | null; // outcome; null: the page does not know it
}

export const SCORE_WORDS =
  "The score of a decision is the sum of its factors, each times its weight in this context. Only differences between scores mean something: the decision with the highest score is the best one.";

export function outcomeWords(facts: Facts, expected: number | null): string {
  return facts.about.family === "bernoulli" ? percent(expected) : number(expected);
}

function changeOf(facts: Facts, change: number): string {
  const text = facts.about.family === "bernoulli" ? `${points(change)} percentage points` : signed(change);
  return /[1-9]/.test(text) ? `changes by ${text}` : "stays the same";
}

/** How the best decision and its expected outcome differ from those of the typical context. */
export function changeWords(facts: Facts, typical: Choice, current: Choice): string {
  const decision =
    typical.id === current.id ? "The same decision as in the typical context" : "Another decision than in the typical context";
  if (typical.expected === null || current.expected === null) return `${decision}.`;
  return `${decision}; the expected outcome ${changeOf(facts, current.expected - typical.expected)}.`;
}

/** "ahead by 0.12", "behind by 0.31": the margin of a decision over the best other one. */
export function marginWords(margin: number | null): string {
  if (margin === null) return number(null);
  return `${margin < 0 ? "behind" : "ahead"} by ${number(Math.abs(margin))}`;
}
