// What tipped the balance between two decisions, in words.
import type { Facts } from "../facts";
import type { Ranked } from "../model/decide";
import { signed } from "../format/numbers";
import { listed, nameOf, type Sentence } from "../format/text";

export interface Part {
  factor: number;
  ahead: number; // share of the factor in the margin
}

/** The factors that decide between a decision and the best other one, the largest first. */
export function balance(ranked: Ranked, most: number): Part[] {
  return Array.from(ranked.ahead, (ahead, factor) => ({ factor, ahead }))
    .filter(({ ahead }) => ahead !== 0)
    .sort((a, b) => Math.abs(b.ahead) - Math.abs(a.ahead))
    .slice(0, most);
}

/** What speaks for the best decision, and against any other. */
export function balanceWords(facts: Facts, ranked: Ranked, most = 2): Sentence {
  const direction = Math.sign(ranked.margin ?? 0) || 1;
  const parts = balance(ranked, facts.factors.length)
    .filter(({ ahead }) => Math.sign(ahead) === direction)
    .slice(0, most);
  if (parts.length === 0) return ["nothing"];
  return listed(parts.map(({ factor, ahead }) => [nameOf(facts.factors[factor]?.name ?? "", 24), ` ${signed(ahead)}`]));
}
