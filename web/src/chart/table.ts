// The numbers behind a chart: shown as a table, copied as CSV.
import { type Child, element } from "../dom/element";
import { number } from "../format/numbers";

export type Cell = string | number | boolean | null;

export interface Column {
  name: string;
  show?: (value: number | null) => string; // how numbers are written; default: three digits
}

export interface DataTable {
  columns: Column[];
  rows: Cell[][];
}

/** Rows that are shown at most; the CSV always has all of them. */
const MOST_ROWS = 500;

function shown(cell: Cell, column: Column): string {
  if (typeof cell === "string") return cell;
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  return (column.show ?? number)(cell);
}

function cellOf(cell: Cell, column: Column, i: number): HTMLElement {
  const text = shown(cell, column);
  const content = typeof cell === "string" ? element("bdi", {}, text) : text;
  if (i === 0) return element("th", { scope: "row" }, content);
  return element("td", { class: typeof cell === "string" ? null : "number" }, content);
}

export function tableElement(table: DataTable, caption: Child): HTMLElement {
  const isNumber = (i: number): boolean => table.rows.some((row) => typeof row[i] === "number");
  const head = table.columns.map((column, i) =>
    element("th", { scope: "col", class: i > 0 && isNumber(i) ? "number" : null }, column.name),
  );
  const body = table.rows.slice(0, MOST_ROWS).map((row) =>
    element(
      "tr",
      {},
      row.map((cell, i) => cellOf(cell, table.columns[i] as Column, i)),
    ),
  );
  const hidden = table.rows.length - MOST_ROWS;
  return element(
    "div",
    { class: "table", tabindex: 0, role: "group", "aria-label": typeof caption === "string" ? caption : "Numbers" },
    element(
      "table",
      {},
      element("caption", { class: "unseen" }, caption),
      element("thead", {}, element("tr", {}, head)),
      element("tbody", {}, body),
    ),
    hidden > 0 && element("p", { class: "note" }, `${hidden} more rows are in the CSV.`),
  );
}

function csvCell(cell: Cell): string {
  const text = cell === null ? "" : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180, with all digits. */
export function csvOf(table: DataTable): string {
  const rows: Cell[][] = [table.columns.map((column) => column.name), ...table.rows];
  return rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}
