// 5. What if: a control per context column; shares, weights and decisions follow at once.
import { copyButton, refreshNumbers } from "../chart/figure";
import { element } from "../dom/element";
import type { Facts, WhatIf } from "../facts";
import type { RawValue } from "../model/encoder";
import { WhatIfModel } from "../model/what_if_model";
import { contextOf, hashOf } from "../state/address";
import { note, type SectionContent } from "../view";
import { type Control, controlOf } from "../what_if/controls";
import { DecisionsResult, NUM_DECISIONS } from "../what_if/decisions_result";
import { type Result, sharesResult, weightsResult } from "../what_if/results";

const FIRST_COLUMNS = 8;
const REST_MS = 300; // browsers allow only so many changes of the address per second

export function whatIf(facts: Facts): SectionContent {
  if (!facts.what_if) return { lead: ["This model is too large to compute with on a page; use otss weights and otss decide."], body: [] };
  if (facts.columns.length === 0) return { lead: ["This model has no context columns, so there is nothing to change."], body: [] };
  if (facts.about.same_shares)
    return { lead: ["The weights of this model are the same in every context, so there is nothing to change."], body: [] };
  const explorer = new WhatIfExplorer(facts, facts.what_if);
  return {
    lead: ["Change the context, and see whom it resembles, what it wants, and what the model would decide."],
    body: [
      explorer.node,
      note(
        "The controls start at a typical context. Marks under a slider: 5, 25, 50, 75 and 95\u202f% of the values lie below them. Upright marks in the charts: the typical context, which is one context and not the average over all of them. The address of this page keeps the context, so a link shows it again.",
        facts.about.unit === null ? "" : " Weights are those of a unit without a history.",
      ),
    ],
  };
}

/** Columns in the order of their effects. */
function columnOrder(facts: Facts): number[] {
  const strongest = facts.movements?.columns.map(({ column }) => column) ?? [];
  return [...strongest, ...facts.columns.map((_, i) => i).filter((i) => !strongest.includes(i))];
}

class WhatIfExplorer {
  readonly node: HTMLElement;
  private readonly model: WhatIfModel;
  private readonly controls: Control[] = [];
  private readonly results: Result[];
  private context: RawValue[];
  private scheduled = false;
  private restTimer = 0;

  constructor(
    private readonly facts: Facts,
    private readonly whatIf: WhatIf,
  ) {
    this.model = new WhatIfModel(facts);
    this.context = contextOf(location.hash, facts.columns, whatIf.typical) ?? [...whatIf.typical];
    const typical = this.model.answer(whatIf.typical, NUM_DECISIONS);
    this.results = [sharesResult(typical), weightsResult(facts, typical), this.decisions(typical)].filter((result) => result !== null);
    this.node = element(
      "div",
      { class: "what-if" },
      this.controlPanel(),
      element(
        "div",
        { class: "results" },
        this.results.map(({ node }) => node),
      ),
    );
    window.addEventListener("hashchange", () => this.followAddress());
    this.update();
  }

  private decisions(typical: ReturnType<WhatIfModel["answer"]>): Result | null {
    return this.model.library ? new DecisionsResult(this.facts, this.model, typical) : null;
  }

  private controlPanel(): HTMLElement {
    const order = columnOrder(this.facts);
    const nodes = order.map((i) => this.control(i));
    const rest = element("div", { class: "rest", hidden: true, id: "more-columns" }, nodes.slice(FIRST_COLUMNS));
    const all = element(
      "button",
      { type: "button", class: "quiet", "aria-expanded": "false", "aria-controls": rest.id },
      `Show all ${order.length} columns`,
    );
    all.addEventListener("click", () => {
      rest.hidden = !rest.hidden;
      all.setAttribute("aria-expanded", String(!rest.hidden));
      all.textContent = rest.hidden ? `Show all ${order.length} columns` : "Show the strongest columns only";
    });
    const reset = element(
      "button",
      { type: "button", class: "quiet", onclick: () => this.set([...this.whatIf.typical]) },
      "Typical context",
    );
    const link = copyButton("Copy link", "this context", () => location.href.split("#")[0] + this.hash());
    return element(
      "form",
      { class: "panel control-panel", "aria-label": "The context", onsubmit: (event: Event) => event.preventDefault() },
      element("div", { class: "controls" }, element("h3", {}, "The context"), reset, link),
      nodes.slice(0, FIRST_COLUMNS),
      nodes.length > FIRST_COLUMNS && [rest, all],
    );
  }

  private control(i: number): HTMLElement {
    const column = this.facts.columns[i] as Facts["columns"][number];
    const control = controlOf(column, this.context[i] ?? null, (value) => {
      this.context[i] = value;
      this.schedule();
    });
    this.controls[i] = control;
    return control.node;
  }

  private set(context: RawValue[]): void {
    this.context = context;
    this.controls.forEach((control, i) => control.set(context[i] ?? null));
    this.schedule();
  }

  private hash(): string {
    return hashOf(this.facts.columns, this.whatIf.typical, this.context);
  }

  private followAddress(): void {
    const given = contextOf(location.hash, this.facts.columns, this.whatIf.typical);
    if (given && location.hash !== this.hash()) this.set(given);
  }

  /** At most one update per frame, however fast the slider moves. */
  private schedule(): void {
    if (!this.scheduled) requestAnimationFrame(() => this.update());
    this.scheduled = true;
    document.documentElement.dataset.moving = "true"; // what_if.css
    clearTimeout(this.restTimer);
    this.restTimer = window.setTimeout(() => this.rest(), REST_MS);
  }

  /** When the controls have come to rest. */
  private rest(): void {
    delete document.documentElement.dataset.moving;
    history.replaceState(null, "", this.hash());
  }

  private update(): void {
    this.scheduled = false;
    const answer = this.model.answer(this.context, NUM_DECISIONS);
    for (const result of this.results) result.update(answer);
    refreshNumbers(this.node);
  }
}
