// Words of sentences. Names come from users' logs: they may be long, written from right to left, or look like HTML.
import { type Child, element } from "../dom/element";
import { count } from "./numbers";

/** A sentence: texts and elements in a row. */
export type Sentence = Child[];

const LONGEST_NAME = 48;

/** The first letters of a long name, cut between whole characters (an emoji is not cut in half). */
export function shorten(name: string, longest = LONGEST_NAME): string {
  const flat = name.replace(/\s+/g, " ");
  if (flat.length <= longest) return flat;
  let kept = "";
  let letters = 0;
  for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(flat)) {
    if (++letters === longest) return `${kept}…`;
    kept += segment;
  }
  return flat;
}

/** A name in plain text, isolated so that its writing direction does not turn the text around it. */
export function isolated(name: string, longest = LONGEST_NAME): string {
  return `\u2068${shorten(name, longest)}\u2069`;
}

/** A name of the log in a sentence. */
export function nameOf(name: string, longest = LONGEST_NAME): HTMLElement {
  const short = shorten(name, longest);
  return element("bdi", { class: "name", title: short === name ? null : name }, short);
}

/** "1 row", "2,345 rows" */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

const SMALL = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/** Small numbers in words: "three". */
export function inWords(value: number): string {
  return SMALL[value] ?? count(value);
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A sentence of the program, which may begin with a small letter and have no full stop. */
export function asSentence(text: string): string {
  const begun = capitalized(text.trim());
  return /[.!?)]$/.test(begun) ? begun : `${begun}.`;
}

/** "a", "a and b", "a, b and c" */
export function listed(items: readonly Child[], last = "and"): Child[] {
  return items.flatMap((item, i) => {
    if (i === 0) return [item];
    return [i === items.length - 1 ? ` ${last} ` : ", ", item];
  });
}

/** The plain text of a sentence, for labels that cannot have elements. */
export function plainText(sentence: readonly Child[]): string {
  const copied = (child: Child): Child => {
    if (child instanceof Node) return child.cloneNode(true);
    return Array.isArray(child) ? child.map(copied) : child;
  };
  return element("span", {}, sentence.map(copied)).textContent ?? "";
}

const SAME_START = 18; // letters: labels that agree in so many may be cut to the same text

/** Labels of parts between commas; where others begin alike, the parts that not all of them have come first. */
export function differingFirst(labels: readonly string[]): string[] {
  const partsOf = labels.map((label) => label.split(", "));
  return labels.map((label, i) => {
    const own = partsOf[i] ?? [];
    const alike = partsOf.filter((_, k) => (labels[k] ?? "").slice(0, SAME_START) === label.slice(0, SAME_START));
    if (alike.length < 2) return label;
    const shared = (part: string): boolean => alike.every((parts) => parts.includes(part));
    return [...own.filter((part) => !shared(part)), ...own.filter(shared)].join(", ");
  });
}
