// The top decisions of the chosen context: expected outcome, margin, certificate, and what tipped the balance.
import { ACCENT } from "../chart/colors";
import { figure } from "../chart/figure";
import { LiveRows } from "../chart/live_rows";
import { type Child, element } from "../dom/element";
import type { Facts } from "../facts";
import { count, decimalsFor, number, percent, signed, signedFixed } from "../format/numbers";
import { nameOf, shorten } from "../format/text";
import type { Ranked } from "../model/decide";
import type { ContextAnswer, WhatIfModel } from "../model/what_if_model";
import { balance, balanceWords } from "./balance";
import { changeWords, type Choice, marginWords, outcomeWords, SCORE_WORDS } from "./before_after";
import type { Result } from "./results";

export const NUM_DECISIONS = 5;
const NUM_FACTORS = 6;
const QUICK_MS = 5; // a certificate that takes longer waits until the controls rest
const REST_MS = 120;

export class DecisionsResult implements Result {
  readonly node: HTMLElement;
  private readonly compared = element("tbody");
  private readonly change = element("p", { class: "says" });
  private readonly body = element("tbody");
  private readonly certificate = element("p", { class: "certificate" });
  private readonly sentence = element("span");
  private readonly live: LiveRows;
  private readonly before: Choice;
  private readonly knowsOutcome: boolean;
  private current: ContextAnswer;
  private lastMs = 0;
  private timer = 0;

  constructor(
    private readonly facts: Facts,
    private readonly model: WhatIfModel,
    typical: ContextAnswer,
  ) {
    this.current = typical;
    this.before = this.choiceOf(typical);
    this.knowsOutcome = this.before.expected !== null;
    const numFactors = Math.min(NUM_FACTORS, facts.factors.length);
    this.live = new LiveRows(
      Array.from({ length: numFactors }, () => ({ name: "", color: ACCENT })),
      { kind: "bar", domain: [-1e-9, 1e-9], renamed: true },
    );
    this.node = element("div", { class: "decisions" }, this.beforeAfter(), this.table(), this.certificate, this.figure());
  }

  private beforeAfter(): HTMLElement {
    const head = [
      columnHead(element("span", { class: "unseen" }, "Context")),
      columnHead("Best decision"),
      this.knowsOutcome && this.outcomeHead(),
    ];
    return element(
      "div",
      { class: "panel plain" },
      element("h3", {}, "Before and after"),
      this.change,
      element(
        "div",
        { class: "table", tabindex: 0, role: "group", "aria-label": "Before and after" },
        element("table", { class: "compared" }, element("thead", {}, element("tr", {}, head)), this.compared),
      ),
    );
  }

  private outcomeHead(): HTMLElement {
    return columnHead(["Expected ", nameOf(this.facts.about.outcome, 24)], "number");
  }

  private choiceOf(answer: ContextAnswer): Choice {
    const best = answer.decisions[0];
    return best ? { id: this.idOf(best), expected: this.model.expected(answer, best.decision) } : { id: "", expected: null };
  }

  private outcomeCell(expected: number | null): HTMLElement | false {
    return this.knowsOutcome && element("td", { class: "number" }, outcomeWords(this.facts, expected));
  }

  private updateBeforeAfter(answer: ContextAnswer): void {
    const after = this.choiceOf(answer);
    const row = (name: string, one: Choice): HTMLElement =>
      element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, nameOf(one.id, 40)), this.outcomeCell(one.expected));
    this.compared.replaceChildren(row("Typical context", this.before), row("This context", after));
    this.change.textContent = changeWords(this.facts, this.before, after);
  }

  private table(): HTMLElement {
    const head = [
      columnHead(element("span", { class: "unseen" }, "Rank")),
      columnHead("Decision"),
      this.knowsOutcome && this.outcomeHead(),
      columnHead("Score", "number"),
      columnHead("Against the best other", "number"),
      columnHead("Because of"),
    ];
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
      element("p", { class: "note" }, SCORE_WORDS),
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
          { name: "expected outcome", show: (value) => outcomeWords(this.facts, value) },
          { name: "score", show: (value) => signed(value, 4) },
          { name: "score minus the best other", show: (value) => signed(value, 4) },
          ...this.facts.factors.map((factor) => ({ name: `of this, ${factor.name}`, show: (value: number | null) => signed(value, 4) })),
        ],
        rows: this.current.decisions.map((ranked) => [
          this.idOf(ranked),
          this.model.expected(this.current, ranked.decision),
          ranked.score,
          ranked.margin,
          ...ranked.ahead,
        ]),
      }),
    });
  }

  private idOf(ranked: Ranked): string {
    return this.facts.what_if?.library?.ids[ranked.decision] ?? "";
  }

  update(answer: ContextAnswer): void {
    this.current = answer;
    this.updateBeforeAfter(answer);
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
      this.outcomeCell(this.model.expected(this.current, ranked.decision)),
      element("td", { class: "number" }, number(ranked.score)),
      element("td", { class: "number" }, marginWords(ranked.margin)),
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
    if (!found) this.certificate.textContent = "";
    else {
      const level = percent(this.facts.about.level);
      const sure = found.certified
        ? `Sure: with ${level} confidence no other decision is better.`
        : `Not sure at ${level} confidence: it may lose up to ${number(found.regretBound)} of score.`;
      this.certificate.textContent = `${sure} It is the best one in ${percent(found.probabilityBest)} of the plausible weights.`;
    }
    this.certificate.classList.toggle("sure", found?.certified ?? false);
  }
}

function columnHead(name: Child, kind: string | null = null): HTMLElement {
  return element("th", { scope: "col", class: kind }, name);
}
