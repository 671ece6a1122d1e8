// The range of a slider, and the ticks at the quantiles of its column.
import type { ContextColumn } from "../facts";
import { columnValue } from "../format/numbers";

export interface SliderRange {
  lo: number;
  hi: number;
  step: number;
  ticks: number[]; // 5 %, 25 %, 50 %, 75 % and 95 % of the values
}

const STEPS = 400;
const OUTLYING = 6; // a range this many times as wide as the middle 90 % of the values has outliers
const TICKS = [1, 3, 4, 5, 7]; // positions of 5, 25, 50, 75 and 95 % among the quantiles of the facts

/** A round number near `value`: 1, 2 or 5 times a power of ten. */
function roundStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const rest = value / power;
  return (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10) * power;
}

function bounds(column: ContextColumn): [number, number] {
  const quantiles = column.quantiles;
  const [least, most] =
    column.range ??
    (quantiles ? [quantiles[0] as number, quantiles[8] as number] : [column.center - 3 * column.scale, column.center + 3 * column.scale]);
  if (quantiles) {
    const [low, high] = [quantiles[1] as number, quantiles[7] as number];
    const middle = high - low;
    if (middle > 0 && most - least > OUTLYING * middle) return [Math.max(least, low - middle / 4), Math.min(most, high + middle / 4)];
  }
  return [least, most];
}

export function sliderRange(column: ContextColumn): SliderRange {
  const [least, most] = bounds(column);
  const width = most - least || Math.abs(most) || 1;
  const step =
    column.type === "whole number"
      ? Math.max(1, roundStep(width / STEPS))
      : column.type === "time"
        ? Math.max(86400, Math.round(width / STEPS / 86400) * 86400)
        : roundStep(width / STEPS);
  const lo = Math.floor(least / step) * step;
  const hi = Math.ceil(most / step) * step;
  const ticks = (column.quantiles ? TICKS.map((i) => column.quantiles?.[i] as number) : []).filter((value) => value >= lo && value <= hi);
  return { lo: clean(lo), hi: clean(hi > lo ? hi : lo + step), step: clean(step), ticks };
}

/** Without the digits that rounding errors add: 0.30000000000000004 becomes 0.3. */
export function clean(value: number): number {
  return Number(value.toPrecision(12));
}

const FAR = 0.5; // of the width of the range: beyond it a value is far outside

/** "far outside the log: 18 to 80" for a value outside the log's range; empty for one inside. */
export function outsideWords(column: ContextColumn, value: number): string {
  const slider = sliderRange(column);
  const range = column.range ?? (column.quantiles ? [column.quantiles[0] as number, column.quantiles[8] as number] : null);
  if (!range) return "";
  const beyond = Math.max(Math.min(range[0], slider.lo) - value, value - Math.max(range[1], slider.hi));
  if (!(beyond > 0)) return "";
  const far = beyond > FAR * (range[1] - range[0]) ? "far outside" : "outside";
  return `${far} the log: ${columnValue(range[0], column.type)} to ${columnValue(range[1], column.type)}`;
}
