// The frame of every chart: a title, a sentence that says what the chart shows here, the drawing, and the numbers behind it.
import { type Child, element, freshId } from "../dom/element";
import { plainText, type Sentence } from "../format/text";
import { copyText, standaloneSvg } from "./copy";
import { responsive } from "./responsive";
import { csvOf, type DataTable, tableElement } from "./table";

/** Draws a chart that is `width` pixels wide. */
export type Draw = (width: number) => Element;

export interface Chart {
  title: Child;
  sentence: Sentence;
  draw: Draw;
  table: DataTable | (() => DataTable); // a function where the numbers change
  legend?: Child;
  heading?: "h3" | "h4"; // the level of the title; default: h3
  class?: string;
}

export function figure(chart: Chart): HTMLElement {
  const title = element(chart.heading ?? "h3", { id: freshId("title") }, chart.title);
  const sentence = element("p", { class: "says", id: freshId("says") }, chart.sentence);
  const drawing = element("div", { class: "drawing" });
  responsive(drawing, (width) => named(chart.draw(width), plainText([chart.title]), sentence.id));
  return element(
    "figure",
    { class: `chart ${chart.class ?? ""}`.trim(), "aria-labelledby": title.id },
    element("figcaption", {}, title, sentence),
    chart.legend ?? null,
    drawing,
    behind(chart, drawing),
  );
}

/** Gives the drawing a name for screen readers; its numbers are in the table below it. */
function named(drawing: Element, name: string, describedBy: string): Element {
  const svg = drawing instanceof SVGSVGElement ? drawing : drawing.querySelector("svg");
  if (!svg) return drawing;
  for (const part of svg.querySelectorAll("[aria-label], [aria-hidden]")) {
    part.removeAttribute("aria-label"); // Plot names its marks, but the parts of an image have no names of their own
    part.removeAttribute("aria-hidden");
  }
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Chart: ${name}. The table below has its numbers.`);
  svg.setAttribute("aria-describedby", describedBy);
  return drawing;
}

/** The table of a chart and the buttons that copy it, behind a disclosure. */
function behind(chart: Chart, drawing: HTMLElement): HTMLElement {
  const name = plainText([chart.title]);
  const table = (): DataTable => (typeof chart.table === "function" ? chart.table() : chart.table);
  const buttons = element(
    "div",
    { class: "copies" },
    copyButton("Copy SVG", name, () => {
      const svg = drawing.querySelector("svg");
      return svg ? standaloneSvg(svg) : "";
    }),
    copyButton("Copy CSV", name, () => csvOf(table())),
  );
  const details = element(
    "details",
    { class: "behind" },
    element("summary", {}, "Numbers", element("span", { class: "unseen" }, ` of ${name}`)),
    buttons,
  );
  // Tables are made when they are opened: a page has many, and most stay closed.
  const fill = (): void => {
    details.querySelector(".table")?.remove();
    if (details.open) details.append(tableElement(table(), name));
  };
  details.addEventListener("toggle", fill);
  refreshes.set(details, fill);
  return details;
}

const refreshes = new WeakMap<Element, () => void>();

/** Writes the open tables below `node` again, because their numbers have changed. */
export function refreshNumbers(node: HTMLElement): void {
  for (const details of node.querySelectorAll("details.behind[open]")) refreshes.get(details)?.();
}

/** A button that copies a text and says so. */
export function copyButton(label: string, of: string, text: () => string): HTMLElement {
  const button = element("button", { type: "button", class: "quiet" }, label, element("span", { class: "unseen" }, ` of ${of}`));
  button.addEventListener("click", async () => {
    const done = await copyText(text());
    const before = [...button.childNodes];
    button.replaceChildren(done ? "Copied" : "Not allowed here");
    announce(done ? `${label}: copied` : "The browser does not allow copying");
    setTimeout(() => button.replaceChildren(...before), 1600);
  });
  return button;
}

/** Says something to screen readers. */
function announce(text: string): void {
  const status = document.getElementById("status");
  if (status) status.textContent = text;
}
