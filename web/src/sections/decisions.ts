// 6. Decisions: chosen against logged, certified against confidence, and what is never the best.
import * as Plot from "@observablehq/plot";
import { ACCENT, INK, SOFT } from "../chart/colors";
import { figure } from "../chart/figure";
import { rowLabels } from "../chart/labels";
import { draw, rowAxis, xAxis, yAxis } from "../chart/plot";
import { element } from "../dom/element";
import type { DecisionShare, Decisions, Facts } from "../facts";
import { count, number, percent } from "../format/numbers";
import { counted, listed, nameOf, type Sentence } from "../format/text";
import { more, note, type SectionContent } from "../view";

const MOST_ROWS = 15;
const NEARLY_ALL = 0.9; // of the contexts: one decision for nearly everybody from here on

export function decisions(facts: Facts): SectionContent {
  const found = facts.decisions;
  if (!found) {
    return {
      lead: ["This report was made without decisions to choose from."],
      body: [
        note(
          "Add a log and a library (otss report MODEL LOG --library FILE --id COLUMN) or candidates to see which decisions the model makes.",
        ),
      ],
    };
  }
  return {
    lead: leadOf(found),
    body: [
      sameForAll(facts, found),
      element("div", { class: "grid wide" }, chosenFigure(found), curveFigure(found)),
      regretNote(found),
      neverChosen(found),
    ],
  };
}

/** One decision for nearly everybody does not contradict weights that differ. */
function sameForAll(facts: Facts, found: Decisions): HTMLElement | null {
  const first = found.list[0];
  if (!first || found.per_context || found.distinct < 2 || first.chosen <= NEARLY_ALL) return null;
  const differ = facts.movements !== null && !facts.about.same_shares;
  return element(
    "p",
    { class: "statement" },
    "The same decision, ",
    nameOf(first.id),
    `, is the best one for ${first.chosen === 1 ? "everybody" : "nearly everybody"}`,
    differ ? ", although weights differ between contexts: they differ too little to put another decision of this set first." : ".",
  );
}

function leadOf(found: Decisions): Sentence {
  const first = found.list[0];
  const top: Sentence = first ? [" The most frequent one, ", nameOf(first.id), `, is chosen in ${percent(first.chosen)} of them.`] : [];
  const agree = found.agreement === null ? [] : [` In ${percent(found.agreement)} of the rows the model chooses what was logged.`];
  return [
    `Over ${counted(found.rows, "context")} the model chooses ${count(found.chosen_distinct)} of ${counted(found.distinct, "decision")}.`,
    top,
    agree,
  ];
}

function chosenFigure(found: Decisions): HTMLElement {
  const shown = found.list.slice(0, MOST_ROWS);
  const risen = [...found.list]
    .filter((one) => one.logged !== null)
    .sort((a, b) => b.chosen - (b.logged ?? 0) - (a.chosen - (a.logged ?? 0)))[0];
  const sentence: Sentence = risen
    ? [nameOf(risen.id), ` gains most: chosen in ${percent(risen.chosen)} of the contexts, logged in ${percent(risen.logged)}.`]
    : ["How often each decision is the best one."];
  const rows = [...found.list, ...(found.others ? [{ ...found.others, id: "all others" }] : [])];
  return figure({
    title: found.logged_known ? "Chosen against logged" : "How often decisions are chosen",
    sentence,
    legend: found.logged_known ? element("p", { class: "legend" }, key("filled", "chosen by the model"), key("hollow", "logged")) : null,
    draw: (width) => drawChosen(shown, width),
    table: {
      columns: [{ name: "decision" }, { name: "chosen", show: percent }, { name: "logged", show: percent }],
      rows: rows.map((one) => [one.id, one.chosen, one.logged]),
    },
  });
}

function key(kind: string, label: string): HTMLElement {
  return element("span", { class: "key" }, element("span", { class: `mark ${kind}`, "aria-hidden": "true" }), label);
}

function drawChosen(shown: DecisionShare[], width: number): Element {
  const { margin, labels } = rowLabels(
    shown.map(({ id }) => id),
    width,
  );
  const rows = shown.map((one, row) => ({ ...one, row }));
  const logged = rows.filter((row) => row.logged !== null);
  return draw({
    width,
    height: rows.length * 24 + 52,
    marginLeft: margin,
    marginRight: 16,
    marginBottom: 40,
    x: { domain: [0, Math.max(...rows.flatMap((row) => [row.chosen, row.logged ?? 0]), 0.01) * 1.05] },
    y: { type: "band", domain: rows.map(({ row }) => row), axis: null },
    marks: [
      ...xAxis({
        label: "share of contexts",
        ticks: Math.max(Math.floor((width - margin) / 80), 2),
        tickFormat: (value: number) => percent(value),
      }),
      ...rowAxis(labels),
      Plot.ruleY(logged, { x1: "logged", x2: "chosen", y: "row", stroke: SOFT, strokeOpacity: 0.5, strokeWidth: 2 }),
      Plot.dot(logged, { x: "logged", y: "row", stroke: SOFT, fill: "var(--paper)", strokeWidth: 2, r: 5 }),
      Plot.dot(rows, { x: "chosen", y: "row", fill: ACCENT, r: 5.5 }),
    ],
  });
}

function curveFigure(found: Decisions): HTMLElement | null {
  const at = [...found.curve].sort((a, b) => Math.abs(a.level - found.level) - Math.abs(b.level - found.level))[0];
  if (!at) return null;
  const sample = found.rows_certified < found.rows ? ` (of a sample of ${counted(found.rows_certified, "context")})` : "";
  return figure({
    title: "How many decisions are sure",
    sentence: [
      `${percent(at.share)} of the decisions are the best with ${percent(at.level)} confidence${sample}; more confidence leaves fewer.`,
    ],
    draw: (width) =>
      draw({
        width,
        height: 280,
        marginLeft: 52,
        marginRight: 24,
        marginTop: 28,
        marginBottom: 44,
        x: { domain: [Math.min(...found.curve.map(({ level }) => level)), 1] },
        y: { domain: [0, 1] },
        marks: [
          ...yAxis({ label: "share of decisions", ticks: 5, tickFormat: (value: number) => percent(value) }),
          ...xAxis({
            label: "confidence",
            ticks: Math.max(Math.floor((width - 52) / 70), 2),
            tickFormat: (value: number) => percent(value),
          }),
          Plot.lineY(found.curve, { x: "level", y: "share", stroke: ACCENT, strokeWidth: 2.5 }),
          Plot.dot([at], { x: "level", y: "share", fill: ACCENT, r: 5 }),
          Plot.text([at], { x: "level", y: "share", text: () => percent(at.share), dy: -14, fill: INK, fontWeight: 600 }),
        ],
      }),
    table: {
      columns: [
        { name: "confidence", show: percent },
        { name: "share certified", show: percent },
      ],
      rows: found.curve.map(({ level, share }) => [level, share]),
    },
  });
}

function regretNote(found: Decisions): HTMLElement | null {
  if (found.expected_regret === null) return null;
  const margin = found.margin?.quantiles[4];
  return element(
    "p",
    { class: "statement" },
    `Choosing under uncertainty costs ${number(found.expected_regret)} of score per decision on average`,
    margin === undefined ? "" : `; the best decision is ahead of the second best by ${number(margin)} in the median context`,
    found.regret_bound === null
      ? "."
      : `. With ${percent(found.level)} confidence it costs at most ${number(found.regret_bound)} on average.`,
  );
}

function neverChosen(found: Decisions): HTMLElement | null {
  const { count: many, ids } = found.never_chosen;
  if (many === 0) return note("Every decision is the best one in some context.");
  const rest = many > ids.length ? [` and ${count(many - ids.length)} more`] : [];
  return more(
    `${counted(many, "decision")} ${many === 1 ? "is" : "are"} the best one in none of the ${counted(found.rows, "context")} looked at`,
    element(
      "p",
      {},
      listed(
        ids.map((id) => nameOf(id)),
        rest.length > 0 ? "," : "and",
      ),
      rest,
      ".",
    ),
  );
}
