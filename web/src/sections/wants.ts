// What a segment wants, in words: how its weights differ from those of the average context.
import type { Estimate, Facts, Segment } from "../facts";
import { couldBeZero } from "../chart/rows";
import { number } from "../format/numbers";
import { listed, nameOf, type Sentence } from "../format/text";
import { byImportance, weightsOfSegment } from "../view";

const MUCH = 1.25; // "cares more" from this ratio of weights on
const LITTLE = 0.8; // "cares less" below this one
const NEGLIGIBLE = 0.05; // of the largest importance: below it a weight counts as none
const MOST_PHRASES = 3;

interface Compared {
  factor: number;
  own: number;
  average: number;
  indifferent: boolean;
  averageIndifferent: boolean;
  difference: number; // in comparable units
}

function compare(facts: Facts, weights: readonly Estimate[]): Compared[] {
  const largest = Math.max(...facts.factors.map((factor) => factor.importance), 0);
  return byImportance(facts).flatMap((j) => {
    const own = weights[j];
    const average = facts.segments.average[j];
    const sd = facts.factors[j]?.sd ?? 0;
    if (!own || own.value === null || !average || average.value === null) return [];
    const isNone = (estimate: Estimate): boolean => couldBeZero(estimate) || Math.abs(estimate.value ?? 0) * sd < NEGLIGIBLE * largest;
    return [
      {
        factor: j,
        own: own.value,
        average: average.value,
        indifferent: isNone(own),
        averageIndifferent: isNone(average),
        difference: Math.abs(own.value - average.value) * sd,
      },
    ];
  });
}

function ratioPhrase(name: HTMLElement, ratio: number): Sentence {
  const amount =
    ratio >= 1.95
      ? `${number(ratio, 2)} times as much as`
      : ratio > 1
        ? `${number((ratio - 1) * 100, 2)}\u202f% more than`
        : `${number((1 - ratio) * 100, 2)}\u202f% less than`;
  return ["cares about ", name, ` ${amount} the average context`];
}

function phraseOf(facts: Facts, one: Compared): Sentence | null {
  const name = nameOf(facts.factors[one.factor]?.name ?? "");
  if (one.indifferent) return one.averageIndifferent ? null : ["is indifferent to ", name];
  const direction = one.own > 0 ? "more" : "less";
  if (one.averageIndifferent) return [`wants ${direction} `, name, ", to which the average context is indifferent"];
  if (one.own * one.average < 0) return [`wants ${direction} `, name, `, where the average context wants ${one.own > 0 ? "less" : "more"}`];
  const ratio = one.own / one.average;
  return ratio >= MUCH || ratio <= LITTLE ? ratioPhrase(name, ratio) : null;
}

/** "wants more health and less price above all" */
export function mainWants(facts: Facts, weights: readonly Estimate[], most = 2): Sentence {
  const strongest = compare(facts, weights)
    .filter((one) => !one.indifferent)
    .map((one) => ({ ...one, size: Math.abs(one.own) * (facts.factors[one.factor]?.sd ?? 0) }))
    .sort((a, b) => b.size - a.size)
    .slice(0, most);
  if (strongest.length === 0) return ["shows no clear preference"];
  const wants = strongest.map((one) => [`${one.own > 0 ? "more" : "less"} `, nameOf(facts.factors[one.factor]?.name ?? "")]);
  return ["wants ", listed(wants), " above all"];
}

/** The sentence of a segment, without its subject. */
export function wantsOf(facts: Facts, segment: Segment): Sentence {
  const weights = weightsOfSegment(facts, segment);
  const phrases = compare(facts, weights)
    .sort((a, b) => b.difference - a.difference)
    .flatMap((one) => {
      const phrase = phraseOf(facts, one);
      return phrase ? [phrase] : [];
    })
    .slice(0, MOST_PHRASES);
  const wants = [mainWants(facts, weights)];
  if (phrases.length === 0) return [wants, "; it differs little from the average context"];
  return [wants, "; it ", listed(phrases)];
}
