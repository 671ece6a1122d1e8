// 7. Can I trust it? Red only where something is wrong; one green line where nothing is.
import { type Child, element } from "../dom/element";
import { tableElement } from "../chart/table";
import type { Chains, Facts, Units } from "../facts";
import { count, interval, number, percent, signed } from "../format/numbers";
import { asSentence, capitalized, counted, inWords, nameOf, type Sentence } from "../format/text";
import { more, type SectionContent } from "../view";
import { checksMade } from "./checks";
import { type Concern, concernsOf } from "./concerns";
import { calibrationFigure, comparisonFigure, topShareFigure, triedFigure, variationFigure } from "./trust_charts";

export function trust(facts: Facts): SectionContent {
  const concerns = concernsOf(facts);
  return {
    lead: leadOf(facts, concerns),
    body: [
      concernList(concerns, facts.trust.findings !== null),
      concerns.length === 0 && checkList(facts),
      qualityTable(facts),
      element(
        "div",
        { class: "grid wide" },
        calibrationFigure(facts),
        comparisonFigure(facts),
        triedFigure(facts),
        topShareFigure(facts),
        facts.trust.units && variationFigure(facts.trust.units),
      ),
      facts.trust.units && unitsStatement(facts.trust.units),
      details(facts),
    ],
  };
}

function leadOf(facts: Facts, concerns: readonly Concern[]): Sentence {
  const wrong = concerns.filter((concern) => concern.wrong).length;
  if (wrong > 0)
    return [`${capitalized(inWords(wrong))} ${wrong === 1 ? "thing is" : "things are"} wrong; read them before you rely on this model.`];
  const auc = (facts.trust.on_log ?? facts.trust.held_out)?.auc;
  const quality =
    auc && auc.value !== null ? [` It ranks a random success above a random failure in ${percent(auc.value)} of the cases.`] : [];
  return [
    concerns.length === 0
      ? "The checks found nothing that speaks against this model."
      : "No check found an error; there are remarks to know.",
    quality,
  ];
}

function concernList(concerns: readonly Concern[], checked: boolean): HTMLElement {
  if (concerns.length === 0)
    return element(
      "p",
      { class: "verdict good" },
      checked ? "All checks passed." : "Nothing wrong was found. The model file has no findings of otss check.",
    );
  return element(
    "ul",
    { class: "concerns" },
    concerns.map((concern) =>
      element(
        "li",
        { class: concern.wrong ? "bad" : "remark" },
        element("span", { class: "tag" }, concern.wrong ? "Wrong" : "To know"),
        element("span", {}, concern.says),
      ),
    ),
  );
}

function checkList(facts: Facts): HTMLElement {
  const checks = checksMade(facts);
  return more(
    "What was checked",
    element(
      "ul",
      {},
      checks.map((check) => element("li", {}, asSentence(check))),
    ),
  );
}

type QualityKey = "log_loss" | "squared_error" | "auc" | "explained" | "calibration_slope";

function qualityTable(facts: Facts): HTMLElement | null {
  const { held_out, on_log, in_sample } = facts.trust;
  if (!held_out && !on_log) return null;
  const names: [QualityKey, string][] = [
    ["log_loss", "log-loss (smaller is better)"],
    ["squared_error", facts.about.family === "bernoulli" ? "Brier score (smaller is better)" : "squared error (smaller is better)"],
    ["auc", "AUC (0.5: chance, 1: perfect)"],
    ["explained", facts.about.family === "gaussian" ? "explained variance (R²)" : "explained deviance"],
    ["calibration_slope", "calibration slope (1: right)"],
  ];
  const sources = [
    { name: "rows held out by the fit", quality: held_out },
    { name: in_sample ? "this log (training rows)" : "this log", quality: on_log },
  ].filter(({ quality }) => quality !== null);
  const rows = names
    .filter(([key]) => sources.some(({ quality }) => quality?.[key].value !== null && quality?.[key].value !== undefined))
    .map(([key, name]) => [
      name,
      ...sources.map(({ quality }) => {
        const estimate = quality?.[key];
        if (!estimate || estimate.value === null) return "–";
        return estimate.lo === null
          ? number(estimate.value, 4)
          : `${number(estimate.value, 4)}  (${interval(estimate.lo, estimate.hi, (value) => number(value, 4))})`;
      }),
    ]);
  return element(
    "div",
    { class: "panel measures" },
    element("h3", {}, "How well it predicts"),
    tableElement(
      {
        columns: [
          { name: "measure" },
          ...sources.map(({ name, quality }) => ({ name: quality?.rows ? `${name}, ${count(quality.rows)}` : name })),
        ],
        rows,
      },
      "How well it predicts",
    ),
  );
}

function unitsStatement(units: Units): HTMLElement {
  const gain = `${signed(units.gain.value)} log-loss per row (95 % interval ${interval(units.gain.lo, units.gain.hi, signed)})`;
  const known =
    units.known_rows === null
      ? ""
      : ` ${counted(units.known_rows, "row")} of the log ${units.known_rows === 1 ? "belongs" : "belong"} to a unit with a history.`;
  if (!units.supported)
    return element(
      "p",
      { class: "statement" },
      "Units (",
      nameOf(units.column),
      `) with the same context do not differ noticeably: ${gain}.`,
    );
  return element(
    "p",
    { class: "statement" },
    `${count(units.units)} units (`,
    nameOf(units.column),
    `) differ even in the same context; their own history improves predictions by ${gain}.${known}`,
  );
}

function details(facts: Facts): Child[] {
  const { trust } = facts;
  const notes = (trust.findings ?? []).filter((finding) => finding.severity === "note");
  return [
    more(
      "How the model was chosen",
      element("p", {}, asSentence(trust.chosen || "The model file does not say.")),
      trust.split && element("p", {}, asSentence(trust.split)),
      trust.chosen_on_rows !== null && element("p", {}, `Settings were tried on a sample of ${counted(trust.chosen_on_rows, "row")}.`),
      trust.starts &&
        trust.starts.tried > 0 &&
        element("p", {}, `${count(trust.starts.agreeing)} of ${count(trust.starts.tried)} starting points led to the same fit.`),
      trust.seed_changes !== null &&
        element("p", {}, `${percent(trust.seed_changes)} of the decisions depend on how rows were divided at random.`),
    ),
    trust.chains.length > 0 && more("Chains of the sampler", chainTable(trust.chains)),
    notes.length > 0 &&
      more(
        `${counted(notes.length, "remark")} on the log`,
        element(
          "ul",
          {},
          notes.map((finding) => element("li", {}, asSentence(finding.what))),
        ),
      ),
  ];
}

function chainTable(chains: readonly Chains[]): HTMLElement {
  return tableElement(
    {
      columns: [
        { name: "posterior" },
        { name: "chains", show: count },
        { name: "draws", show: count },
        { name: "acceptance", show: percent },
        { name: "R-hat (below 1.2)" },
        { name: "effective draws", show: count },
      ],
      rows: chains.map((chain) => [
        `${counted(chain.experts, "expert")}, ${chain.gate_columns === "all" ? "all columns" : "few columns"}`,
        chain.chains,
        chain.draws,
        chain.acceptance,
        chain.r_hat,
        chain.effective_sample,
      ]),
    },
    "Chains of the sampler",
  );
}
