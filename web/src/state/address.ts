// Keeps the context of "What if" in the address, so that a link reproduces it: #what-if?age=60&region=:north
import type { ContextColumn } from "../facts";
import type { RawValue } from "../model/encoder";

export const WHAT_IF = "what-if";
const MISSING = "missing";

function written(value: RawValue): string {
  if (value === null) return MISSING;
  return typeof value === "number" ? String(value) : `:${value}`;
}

function read(text: string, column: ContextColumn): RawValue | undefined {
  if (text === MISSING) return null;
  if (column.kind === "text") return text.startsWith(":") ? text.slice(1) : undefined;
  const value = Number(text);
  return text.trim() !== "" && Number.isFinite(value) ? value : undefined;
}

/** The hash of a context: what differs from the typical one. */
export function hashOf(columns: readonly ContextColumn[], typical: readonly RawValue[], context: readonly RawValue[]): string {
  const changed = new URLSearchParams();
  columns.forEach((column, i) => {
    if (context[i] !== typical[i]) changed.append(column.name, written(context[i] ?? null));
  });
  const text = changed.toString();
  return text === "" ? `#${WHAT_IF}` : `#${WHAT_IF}?${text}`;
}

/** The context of a hash; null if the hash has none. Columns and values that the model does not know are ignored. */
export function contextOf(hash: string, columns: readonly ContextColumn[], typical: readonly RawValue[]): RawValue[] | null {
  const prefix = `#${WHAT_IF}?`;
  if (!hash.startsWith(prefix)) return null;
  const given = new URLSearchParams(hash.slice(prefix.length));
  return columns.map((column, i) => {
    const text = given.get(column.name);
    const value = text === null ? undefined : read(text, column);
    return value === undefined ? (typical[i] ?? null) : value;
  });
}
