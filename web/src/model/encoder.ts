// Encodes a raw context as the program does (src/data/log/column_encoder.cpp).
import type { ContextColumn, LevelPairs, WhatIf } from "../facts";

/** A value of a context column: a number, a text, or null for a missing value. */
export type RawValue = number | string | null;

function indicator(holds: boolean, frequency: number): number {
  return ((holds ? 1 : 0) - frequency) / 0.5;
}

export function numEncoded(column: ContextColumn): number {
  const values = column.kind === "number" ? (column.scale > 0 ? 1 : 0) : column.levels.length;
  return values + (column.missing ? 1 : 0);
}

/** What the program removes around a text: spaces, tabs, line ends and no-break spaces. */
const SPACES_AROUND = /^[ \t-\r\u00a0]+|[ \t-\r\u00a0]+$/g;
const MISSING = -1;
const UNKNOWN = -2;

/** Encodes raw contexts into the columns over which gates and weight maps are defined. */
export class Encoder {
  private readonly levels: Map<string, number>[];

  constructor(
    private readonly columns: ContextColumn[],
    private readonly texts: WhatIf["texts"],
    private readonly pairs: LevelPairs[],
  ) {
    this.levels = columns.map((column) => new Map(column.levels.map((level, i) => [this.read(level), i])));
  }

  get size(): number {
    const ofColumns = this.columns.reduce((sum, column) => sum + numEncoded(column), 0);
    return this.pairs.reduce((sum, pairs) => sum + pairs.pairs.length, ofColumns);
  }

  encode(context: readonly RawValue[]): Float64Array {
    const out = new Float64Array(this.size);
    const levels = this.columns.map((_, i) => this.levelOf(i, context[i] ?? null));
    let next = 0;
    this.columns.forEach((column, i) => {
      if (column.kind === "number") this.encodeNumber(column, context[i] ?? null, out, next);
      else this.encodeText(column, levels[i] as number, out, next);
      next += numEncoded(column);
    });
    for (const pairs of this.pairs) {
      const [first, second] = pairs.columns.map((column) => levels[column]);
      pairs.pairs.forEach(([a, b], i) => {
        out[next + i] = indicator(a === first && b === second, pairs.frequencies[i] as number);
      });
      next += pairs.pairs.length;
    }
    return out;
  }

  private read(text: string): string {
    const trimmed = this.texts.trims ? text.replace(SPACES_AROUND, "") : text;
    return this.texts.ignores_case ? trimmed.toLowerCase() : trimmed;
  }

  private levelOf(column: number, value: RawValue): number {
    if (value === null) return MISSING;
    return this.levels[column]?.get(this.read(String(value))) ?? UNKNOWN;
  }

  private encodeNumber(column: ContextColumn, value: RawValue, out: Float64Array, first: number): void {
    const isMissing = value === null;
    if (column.scale > 0) out[first++] = isMissing ? 0 : (Number(value) - column.center) / column.scale;
    if (column.missing) out[first] = indicator(isMissing, column.missing_frequency);
  }

  // A missing text in a column that had none in training sets every indicator to its mean, which is encoded as 0.
  private encodeText(column: ContextColumn, level: number, out: Float64Array, first: number): void {
    const unexpected = level === MISSING && !column.missing;
    column.frequencies.forEach((frequency, i) => {
      out[first + i] = unexpected ? 0 : indicator(i === level, frequency);
    });
    if (column.missing) out[first + column.levels.length] = indicator(level === MISSING, column.missing_frequency);
  }
}

/** The columns of a quadratic gate: the x_i, then for i ≤ j the products x_i x_j, squares as (x_i² − 1) / √2. */
export function quadraticColumns(x: Float64Array): Float64Array {
  const p = x.length;
  const out = new Float64Array(p + (p * (p + 1)) / 2);
  out.set(x);
  let next = p;
  for (let i = 0; i < p; ++i) {
    const xi = x[i] as number;
    out[next++] = (xi * xi - 1) / Math.SQRT2;
    for (let j = i + 1; j < p; ++j) out[next++] = xi * (x[j] as number);
  }
  return out;
}
