// One control per context column: a slider with a box for the number, or a list; any value may be missing.
import { type Child, element, freshId, svg } from "../dom/element";
import type { ContextColumn } from "../facts";
import { columnValue } from "../format/numbers";
import { nameOf, shorten } from "../format/text";
import type { RawValue } from "../model/encoder";
import { clean, outsideWords, sliderRange } from "./range";

export interface Control {
  node: HTMLElement;
  set(value: RawValue): void;
}

type OnChange = (value: RawValue) => void;

/** A text that no level can be, since levels come from the log and this one is chosen to differ from all of them. */
export function unknownLevel(column: ContextColumn): string {
  let text = "another value";
  while (column.levels.includes(text)) text += "'";
  return text;
}

export function controlOf(column: ContextColumn, value: RawValue, onChange: OnChange): Control {
  if (column.kind === "text") return listControl(column, textChoices(column), value, onChange);
  if (column.type === "boolean")
    return listControl(
      column,
      [
        { value: 0, label: "no" },
        { value: 1, label: "yes" },
      ],
      value,
      onChange,
    );
  return numberControl(column, value, onChange);
}

interface Choice {
  value: RawValue;
  label: string;
}

function textChoices(column: ContextColumn): Choice[] {
  const byFrequency = column.levels
    .map((level, i) => ({ level, frequency: column.frequencies[i] ?? 0 }))
    .sort((a, b) => b.frequency - a.frequency);
  return [
    ...byFrequency.map(({ level }) => ({ value: level, label: shorten(level, 60) })),
    { value: unknownLevel(column), label: "(any other value)" },
  ];
}

function frame(column: ContextColumn, id: string, ...parts: Child[]): HTMLElement {
  return element("div", { class: "control" }, element("label", { for: id }, nameOf(column.name, 40)), parts);
}

function listControl(column: ContextColumn, own: Choice[], value: RawValue, onChange: OnChange): Control {
  const choices = [...own, { value: null, label: "(missing)" }];
  const select = element(
    "select",
    { id: freshId("control") },
    choices.map((choice, i) => element("option", { value: i }, choice.label)),
  );
  select.addEventListener("change", () => onChange(choices[Number(select.value)]?.value ?? null));
  const set = (given: RawValue): void => {
    const found = choices.findIndex((choice) => choice.value === given);
    select.value = String(found >= 0 ? found : own.length - 1);
  };
  set(value);
  return { node: frame(column, select.id, select), set };
}

function tickMarks(column: ContextColumn): SVGSVGElement {
  const { lo, hi, ticks } = sliderRange(column);
  const marks = ticks.map((tick, i) => {
    const at = `${(100 * (tick - lo)) / (hi - lo)}%`;
    return svg("line", { x1: at, x2: at, y1: 0, y2: i === 2 ? 7 : 4, stroke: "var(--soft)" });
  });
  return svg("svg", { class: "ticks", width: "100%", height: 8, "aria-hidden": "true" }, marks);
}

function numberControl(column: ContextColumn, value: RawValue, onChange: OnChange): Control {
  const range = sliderRange(column);
  const isTime = column.type === "time";
  const slider = element("input", { type: "range", id: freshId("control"), min: range.lo, max: range.hi, step: range.step });
  const box = element("input", {
    type: isTime ? "date" : "number",
    class: "box",
    step: "any",
    "aria-label": `${column.name}, exact value`,
  });
  const missing = element("input", { type: "checkbox" });
  const outside = element("span", { class: "outside", role: "status" });
  const show = (given: RawValue): void => {
    const isMissing = given === null;
    missing.checked = isMissing;
    outside.textContent = isMissing ? "" : outsideWords(column, Number(given));
    slider.disabled = box.disabled = isMissing;
    box.value = isMissing ? "" : isTime ? columnValue(Number(given), "time") : String(clean(Number(given)));
    if (!isMissing) slider.value = String(given);
    slider.setAttribute("aria-valuetext", columnValue(isMissing ? null : Number(given), column.type));
  };
  let last: RawValue = value ?? column.center;
  const change = (given: RawValue, from?: HTMLElement): void => {
    if (given !== null) last = given;
    const typed = box.value;
    show(given);
    if (from === box) box.value = typed; // do not rewrite what is being typed
    onChange(given);
  };
  slider.addEventListener("input", () => change(clean(Number(slider.value))));
  box.addEventListener("input", () => {
    const given = isTime ? Date.parse(box.value) / 1000 : Number(box.value);
    if (box.value !== "" && Number.isFinite(given)) change(given, box);
  });
  missing.addEventListener("change", () => change(missing.checked ? null : last));
  show(value);
  const node = frame(
    column,
    slider.id,
    box,
    element("div", { class: "slider" }, slider, tickMarks(column)),
    element(
      "label",
      { class: "missing" },
      missing,
      element("span", {}, "missing", element("span", { class: "unseen" }, ` ${column.name}`)),
    ),
    outside,
  );
  return {
    node,
    set: (given) => {
      last = given ?? last;
      show(given);
    },
  };
}
