// Unpacks matrices that the facts store as 16-bit integers.
import type { Packed } from "../facts";

/** A matrix, stored row after row. */
export interface Matrix {
  rows: number;
  columns: number;
  values: Float64Array;
}

function integersOf(base64: string): Int16Array {
  const bytes = atob(base64);
  const integers = new Int16Array(bytes.length / 2);
  for (let i = 0; i < integers.length; ++i) {
    const low = bytes.charCodeAt(2 * i);
    const high = bytes.charCodeAt(2 * i + 1);
    integers[i] = low | (high << 8); // the assignment keeps 16 bits, so the sign comes out right
  }
  return integers;
}

export function unpack(packed: Packed): Matrix {
  const { rows, columns } = packed;
  const integers = integersOf(packed.int16);
  if (integers.length !== rows * columns) throw new Error(`a packed matrix has ${integers.length} numbers instead of ${rows * columns}`);
  const values = new Float64Array(rows * columns);
  for (let r = 0; r < rows; ++r) {
    const center = packed.center?.[r] ?? 0;
    const scale = packed.scale[r] ?? 0;
    for (let c = 0; c < columns; ++c) values[r * columns + c] = center + scale * (integers[r * columns + c] as number);
  }
  return { rows, columns, values };
}

/** Packs a list of rows of numbers, the inverse of unpack() up to rounding. Tests make facts with it. */
export function pack(rows: number[][]): Packed {
  const columns = rows[0]?.length ?? 0;
  const bytes: string[] = [];
  const scale = rows.map((row) => Math.max(...row.map(Math.abs), 0) / 32767);
  rows.forEach((row, r) => {
    for (const value of row) {
      const integer = Math.round(scale[r] ? value / (scale[r] as number) : 0) & 0xffff;
      bytes.push(String.fromCharCode(integer & 0xff, integer >> 8));
    }
  });
  return { rows: rows.length, columns, center: null, scale, int16: btoa(bytes.join("")) };
}
