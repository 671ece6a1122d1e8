// Numbers as people read them: few digits, a real minus sign, a narrow space before the percent sign.

const MINUS = "−";
const NARROW_SPACE = "\u202f";
const UNKNOWN = "–";

/** A number that may be unknown. */
export type Maybe = number | null | undefined;

function known(value: Maybe): value is number {
  return value !== null && value !== undefined && !Number.isNaN(value);
}

function withSign(text: string, sign: boolean): string {
  const negative = text.startsWith("-");
  const digits = negative ? text.slice(1) : text;
  const isZero = !/[1-9]/.test(digits);
  if (isZero) return digits;
  return negative ? MINUS + digits : sign ? `+${digits}` : digits;
}

function scientific(value: number, digits: number): string {
  const [mantissa, exponent] = value.toExponential(Math.max(digits - 1, 0)).split("e") as [string, string];
  return `${mantissa}e${exponent.replace("+", "").replace("-", MINUS)}`;
}

function plain(value: number, digits: number): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return scientific(value, digits);
  const whole = size === 0 ? 1 : Math.floor(Math.log10(size)) + 1;
  const decimals = Math.min(Math.max(digits - whole, 0), 8);
  return value.toLocaleString("en-US", { minimumFractionDigits: 0, maximumFractionDigits: decimals });
}

/** A number with `digits` significant digits: 1,234, 0.00123, 5e−7. */
export function number(value: Maybe, digits = 3): string {
  return known(value) ? withSign(plain(value, digits), false) : UNKNOWN;
}

/** The same with a sign before positive numbers too, for weights and differences. */
export function signed(value: Maybe, digits = 3): string {
  return known(value) ? withSign(plain(value, digits), true) : UNKNOWN;
}

/** A number with a fixed number of decimals, so that numbers below each other line up. */
export function fixed(value: Maybe, decimals: number): string {
  if (!known(value)) return UNKNOWN;
  return withSign(value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }), false);
}

/** Decimals with which numbers of up to this size have three digits, so that they line up below each other. */
export function decimalsFor(largest: number): number {
  return largest > 0 && Number.isFinite(largest) ? Math.min(Math.max(2 - Math.floor(Math.log10(largest)), 0), 8) : 2;
}

/** fixed() with a sign before positive numbers too. */
export function signedFixed(value: Maybe, decimals: number): string {
  const text = fixed(value, decimals);
  return known(value) && value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** A whole number with thousands separated: 12,345. */
export function count(value: Maybe): string {
  return known(value) ? withSign(Math.round(value).toLocaleString("en-US"), false) : UNKNOWN;
}

function percentDigits(value: number): number {
  const size = Math.abs(value) * 100;
  if (size === 0 || size >= 10) return size > 99 && size < 100 ? 1 : 0;
  return size >= 1 ? 1 : 2;
}

/** A share of 0 to 1 in percent: 55 %, 4.2 %, 0.03 %. */
export function percent(value: Maybe): string {
  if (!known(value)) return UNKNOWN;
  const text = (value * 100).toFixed(percentDigits(value)).replace(/\.0+$/, "");
  return withSign(text, false) + NARROW_SPACE + "%";
}

/** A change of a share in percentage points: +5.1. */
export function points(value: Maybe): string {
  return known(value) ? withSign((value * 100).toFixed(1), true) : UNKNOWN;
}

/** A value of a number column; `type` says how it is written in the log. */
export function columnValue(value: Maybe, type: string): string {
  if (!known(value)) return "missing";
  if (type === "boolean") return value === 1 ? "yes" : value === 0 ? "no" : number(value);
  if (type === "time") return new Date(value * 1000).toISOString().slice(0, 10);
  if (type === "whole number") return Math.abs(value) < 1e9 ? number(value, Number.isInteger(value) ? 10 : 3) : number(value);
  return number(value);
}

/** An interval: "0.12 to 0.34". A range with "to" cannot be misread next to minus signs. */
export function interval(lo: Maybe, hi: Maybe, show: (value: Maybe) => string = number): string {
  return known(lo) && known(hi) ? `${show(lo)} to ${show(hi)}` : UNKNOWN;
}
