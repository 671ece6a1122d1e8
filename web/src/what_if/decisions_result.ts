// The top decisions of the chosen context: margin, certificate, and what tipped the balance.
import { ACCENT } from "../chart/colors";
import { figure } from "../chart/figure";
import { LiveRows } from "../chart/live_rows";
import { element } from "../dom/element";
import type { Facts } from "../facts";
import { count, decimalsFor, number, percent, signed, signedFixed } from "../format/numbers";
import { nameOf, shorten } from "../format/text";
import type { Ranked } from "../model/decide";
import { expectedOutcome } from "../model/predict";
import type { ContextAnswer, WhatIfModel } from "../model/what_if_model";
import { balance, balanceWords } from "./balance";
import type { Result } from "./results";

export const NUM_DECISIONS = 5;
const NUM_FACTORS = 6;
const QUICK_MS = 5; // a certificate that takes longer waits until the controls rest
const REST_MS = 120;

export class DecisionsResult implements Result {
  readonly node: HTMLElement;
  private readonly body = element("tbody");
  private readonly certificate = element("p", { class: "certificate" });
  private readonly sentence = element("span");
  private readonly live: LiveRows;
  private current: ContextAnswer;
  private lastMs = 0;
  private timer = 0;

  constructor(
    private readonly facts: Facts,
    private readonly model: WhatIfModel,
    typical: ContextAnswer,
    private readonly contextOf: () => Float64Array,
  ) {
    this.current = typical;
    const numFactors = Math.min(NUM_FACTORS, facts.factors.length);
    this.live = new LiveRows(
      Array.from({ length: numFactors }, () => ({ name: "", color: ACCENT })),
      { kind: "bar", domain: [-1e-9, 1e-9], renamed: true },
    );
    this.node = element("div", { class: "decisions" }, this.table(), this.certificate, this.figure());
  }

  private table(): HTMLElement {
    const head = ["", "Decision", "Score", "Ahead by", "Because of"].map((name, i) =>
      element("th", { scope: "col", class: i === 2 || i === 3 ? "number" : null }, name || element("span", { class: "unseen" }, "Rank")),
    );
    const library = this.facts.what_if?.library;
    const left =
      library && library.total > library.ids.length
        ? element(
            "p",
            { class: "note" },
            `${count(library.ids.length)} of ${count(library.total)} decisions are on this page: those that win most often.`,
          )
        : null;
    return element(
      "div",
      { class: "panel plain" },
      element("h3", {}, "Best decisions"),
      element(
        "div",
        { class: "table", tabindex: 0, role: "group", "aria-label": "Best decisions" },
        element("table", { class: "ranking" }, element("thead", {}, element("tr", {}, head)), this.body),
      ),
      left,
    );
  }

  private figure(): HTMLElement {
    return figure({
      title: "What tipped the balance",
      class: "small",
      sentence: [this.sentence],
      draw: (width) => this.live.draw(width),
      table: () => ({
        columns: [
          { name: "decision" },
          { name: "score", show: (value) => signed(value, 4) },
          { name: "ahead by", show: (value) => signed(value, 4) },
          ...this.facts.factors.map((factor) => ({ name: `ahead by ${factor.name}`, show: (value: number | null) => signed(value, 4) })),
        ],
        rows: this.current.decisions.map((ranked) => [this.idOf(ranked), ranked.score, ranked.margin, ...ranked.ahead]),
      }),
    });
  }

  private idOf(ranked: Ranked): string {
    return this.facts.what_if?.library?.ids[ranked.decision] ?? "";
  }

  update(answer: ContextAnswer): void {
    this.current = answer;
    this.body.replaceChildren(...answer.decisions.map((ranked, i) => this.row(ranked, i)));
    this.updateBalance(answer);
    clearTimeout(this.timer);
    if (this.lastMs < QUICK_MS) this.certify();
    else this.timer = window.setTimeout(() => this.certify(), REST_MS);
  }

  private row(ranked: Ranked, i: number): HTMLElement {
    const because = i === 0 && ranked.margin === null ? ["the only decision"] : balanceWords(this.facts, ranked);
    return element(
      "tr",
      { class: i === 0 ? "best" : null },
      element("td", { class: "rank" }, String(i + 1)),
      element("th", { scope: "row" }, nameOf(this.idOf(ranked), 40)),
      element("td", { class: "number" }, number(ranked.score)),
      element("td", { class: "number" }, signed(ranked.margin)),
      element("td", {}, because),
    );
  }

  private updateBalance(answer: ContextAnswer): void {
    const [best, second] = answer.decisions;
    if (!best) return;
    const parts = balance(best, this.live.size);
    const decimals = decimalsFor(Math.abs(parts[0]?.ahead ?? 0));
    this.live.rename(Array.from({ length: this.live.size }, (_, i) => this.facts.factors[parts[i]?.factor ?? -1]?.name ?? ""));
    this.live.update(
      Array.from({ length: this.live.size }, (_, i) => ({
        value: parts[i]?.ahead ?? 0,
        text: parts[i] ? signedFixed(parts[i].ahead, decimals) : "",
      })),
    );
    this.sentence.textContent = second
      ? `${shorten(this.idOf(best), 40)} is ahead of ${shorten(this.idOf(second), 40)} by ${number(best.margin)}; right of zero, a factor speaks for it.`
      : "There is no other decision.";
  }

  private certify(): void {
    const started = performance.now();
    const found = this.model.certificate(this.current);
    this.lastMs = performance.now() - started;
    const best = this.current.decisions[0];
    if (!best) return;
    const x = this.contextOf();
    const z = this.model.library?.factorsOf(best.decision);
    const expected = z ? expectedOutcome(this.facts, x, this.current, z) : null;
    const outcome =
      expected === null
        ? ""
        : ` Expected ${shorten(this.facts.about.outcome, 40)}: ${this.facts.about.family === "bernoulli" ? percent(expected) : number(expected)}.`;
    if (!found) this.certificate.textContent = outcome.trim();
    else {
      const level = percent(this.facts.about.level);
      const sure = found.certified
        ? `Sure: with ${level} confidence no other decision is better.`
        : `Not sure at ${level} confidence: it may lose up to ${number(found.regretBound)} of score.`;
      this.certificate.textContent = `${sure} It is the best one in ${percent(found.probabilityBest)} of the plausible weights.${outcome}`;
    }
    this.certificate.classList.toggle("sure", found?.certified ?? false);
  }
}
