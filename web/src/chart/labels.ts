// Fits names of any length into the margin of a chart.
import { isolated, shorten } from "../format/text";

export const LABEL_SIZE = 13; // pixels

let context: CanvasRenderingContext2D | null | undefined;

/** The width of a text in pixels; without a canvas, as in a test, an estimate. */
export function textWidth(text: string, size = LABEL_SIZE): number {
  context ??= document.createElement("canvas").getContext?.("2d") ?? null;
  if (!context) return [...text].length * size * 0.55;
  context.font = `${size}px ${getComputedStyle(document.body).fontFamily || "sans-serif"}`;
  return context.measureText(text).width;
}

/** The longest beginning of `name` that is at most `width` pixels wide. */
export function fitted(name: string, width: number, size = LABEL_SIZE): string {
  const whole = shorten(name, 120);
  if (textWidth(whole, size) <= width) return isolated(name, 120);
  let low = 1;
  let high = Math.max([...whole].length - 1, 1);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(shorten(whole, middle), size) <= width) low = middle;
    else high = middle - 1;
  }
  return isolated(whole, Math.max(low, 2));
}

/** Labels of rows, and the left margin that they need: at most `most` of the width of the chart. */
export function rowLabels(names: readonly string[], width: number, most = 0.4): { margin: number; labels: string[] } {
  const room = width * most;
  const labels = names.map((name) => fitted(name, room - 12));
  const widest = labels.reduce((widest, label) => Math.max(widest, textWidth(label)), 0);
  return { margin: Math.ceil(Math.min(widest + 14, room)), labels };
}
