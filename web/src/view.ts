// What several sections ask about the facts: names, orders, levels.
import { type Child, element } from "./dom/element";
import { expertColor } from "./chart/colors";
import type { ContextColumn, Effect, Estimate, Facts, Segment } from "./facts";
import { columnValue, number, percent } from "./format/numbers";
import type { Sentence } from "./format/text";

/** What a section puts on the page: one or two sentences that answer its question, then charts and tables. */
export interface SectionContent {
  lead: Sentence;
  body: Child[];
}

/** Positions of the factors, the most important first. */
export function byImportance(facts: Facts): number[] {
  return facts.factors.map((_, j) => j).sort((a, b) => (facts.factors[b]?.importance ?? 0) - (facts.factors[a]?.importance ?? 0));
}

export function column(facts: Facts, position: number): ContextColumn {
  return facts.columns[position] as ContextColumn;
}

/** The name of a segment: its number in its colour. */
export function segmentName(expert: number): HTMLElement {
  const dot = element("span", { class: "swatch", "aria-hidden": "true" });
  dot.style.background = expertColor(expert);
  return element("span", { class: "segment" }, dot, `Segment ${expert}`);
}

/** "age, per 12.3", "region = north", "member = yes", "income is missing" */
export function effectName(facts: Facts, effect: Pick<Effect, "column" | "level" | "missing" | "per">): string {
  const own = column(facts, effect.column);
  if (effect.missing) return `${own.name} is missing`;
  if (effect.level !== null) return `${own.name} = ${own.levels[effect.level]}`;
  if (own.type === "boolean") return `${own.name} = yes`;
  return effect.per === null ? own.name : `${own.name}, per ${spanOf(own, effect.per)}`;
}

/** A difference of two values of a number column, in its unit. */
function spanOf(own: ContextColumn, difference: number): string {
  return own.type === "time" ? `${number(difference / 86400)} days` : number(Number(difference.toPrecision(3)));
}

export function valueOf(own: ContextColumn): (value: number) => string {
  return (value) => columnValue(value, own.type);
}

/** Whether a segment is told by its expert's own weights: no context has it as its largest, or all contexts are alike. */
export function isTold(facts: Facts, segment: Segment): "members" | "expert" {
  return segment.weights.length === 0 || facts.about.same_shares ? "expert" : "members";
}

/** The weights that tell what a segment wants: the mean of its members, or those of its expert, which have no intervals. */
export function weightsOfSegment(facts: Facts, segment: Segment): Estimate[] {
  if (isTold(facts, segment) === "members") return segment.weights;
  return segment.expert_weights.map((value) => ({ value, lo: null, hi: null }));
}

export function times(estimate: Estimate, factor: number): Estimate {
  const scaled = (value: number | null): number | null => (value === null ? null : value * factor);
  return { value: scaled(estimate.value), lo: scaled(estimate.lo), hi: scaled(estimate.hi) };
}

/** The level of the report's intervals: "90 % interval". */
export function intervalWords(level: number): string {
  return `${percent(level)} interval`;
}

/** A remark below a chart or instead of one. */
export function note(...children: Child[]): HTMLElement {
  return element("p", { class: "note" }, children);
}

/** Explanations that most readers skip, one click away. */
export function more(summary: string, ...children: Child[]): HTMLElement {
  return element("details", { class: "more" }, element("summary", {}, summary), element("div", {}, children));
}

/** Names with one line of explanation each. */
export function explained(entries: readonly (readonly [Child, Child])[]): HTMLElement {
  return element(
    "ul",
    { class: "plain" },
    entries.map(([name, line]) => element("li", {}, element("strong", {}, name), ": ", line)),
  );
}
