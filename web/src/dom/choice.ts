// Controls: a switch between a few choices, and a labelled list.
import { element, freshId } from "./element";

export interface Option {
  value: string;
  label: string;
}

/** A row of radio buttons that looks like one switch. */
export function choice(legend: string, options: readonly Option[], onChange: (value: string) => void): HTMLElement {
  const group = freshId("choice");
  const inputs = options.map(({ value, label }, i) => {
    const input = element("input", { type: "radio", name: group, value, checked: i === 0, onchange: () => onChange(value) });
    return element("label", {}, input, element("span", {}, label));
  });
  return element("fieldset", { class: "choice" }, element("legend", {}, legend), element("div", {}, inputs));
}

/** A list to choose from, with a label. */
export function chooser(
  label: string,
  options: readonly Option[],
  selected: string,
  onChange: (value: string) => void,
): { node: HTMLElement; select: HTMLSelectElement } {
  const select = element(
    "select",
    { id: freshId("choose") },
    options.map((option) => element("option", { value: option.value, selected: option.value === selected }, option.label)),
  );
  select.addEventListener("change", () => onChange(select.value));
  return { node: element("div", { class: "chooser" }, element("label", { for: select.id }, label), select), select };
}
