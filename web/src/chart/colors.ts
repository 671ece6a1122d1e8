// The colours of charts are variables of the style sheet, so that they follow the theme.

export const INK = "var(--ink)";
export const SOFT = "var(--soft)"; // secondary text and marks
export const FAINT = "var(--faint)"; // grid lines, backgrounds of bars
export const ACCENT = "var(--accent)"; // what is not about one segment
export const PAPER = "var(--paper)";
export const WRONG = "var(--wrong)"; // only where something is wrong

const NUM_COLORS = 8;

/** The colour of an expert, counted from 1. It is never the only sign: the number stands beside it. */
export function expertColor(expert: number): string {
  return `var(--segment-${((expert - 1) % NUM_COLORS) + 1})`;
}
