// 1. The answer: one sentence each.
import { ACCENT, expertColor } from "../chart/colors";
import { figure } from "../chart/figure";
import { drawIntervalRows, type IntervalRow } from "../chart/rows";
import { type Child, element } from "../dom/element";
import type { Estimate, Facts, Heterogeneity, PolicyValue, Segment } from "../facts";
import { count, interval, number, percent, points, signed } from "../format/numbers";
import { capitalized, inWords, nameOf, type Sentence } from "../format/text";
import { explained, intervalWords, more, note, type SectionContent, segmentName, weightsOfSegment } from "../view";
import { concernsOf } from "./concerns";
import { cautionWords, ESTIMATES } from "./policy_words";
import { mainWants } from "./wants";

export function answer(facts: Facts): SectionContent {
  return {
    lead: [verdict(facts)],
    body: [element("div", { class: "cards" }, heterogeneityCard(facts), worthCard(facts), segmentsCard(facts), trustCard(facts))],
  };
}

function verdict({ answer, about }: Facts): string {
  if (about.experts === 1 || about.method === "pooled") return "This model has one trade-off for everybody.";
  if (about.same_shares) return "People want different things, but their context does not tell who wants what.";
  if (!answer.heterogeneity)
    return "This model gives every context its own weights; the fit did not test whether one trade-off for everybody would do.";
  return answer.heterogeneity.supported
    ? "Yes: people in different contexts want different things, and this log shows it."
    : "No: this log does not show that different contexts want different things.";
}

function card(headline: Child[], ...body: Child[]): HTMLElement {
  return element("div", { class: "card" }, element("p", { class: "headline" }, headline), body);
}

function heterogeneityCard({ answer, about }: Facts): HTMLElement | null {
  const found = answer.heterogeneity;
  if (!found) return null;
  const better = found.pooled_log_loss && about.family === "bernoulli" ? (found.gain.value ?? 0) / found.pooled_log_loss : null;
  const headline =
    better === null
      ? [`${signed(found.gain.value)} log-loss per row`]
      : [`${better >= 0 ? "" : "−"}${percent(Math.abs(better))} better predictions`];
  return card(
    headline,
    element("p", {}, gainSentence(found)),
    gainFigure(found),
    more(
      "How this is measured",
      element(
        "p",
        {},
        "Log-loss measures how far predicted probabilities are from what happened; smaller is better. It is computed on rows that the fit did not see: ",
        number(found.pooled_log_loss, 4),
        " with one trade-off for everybody, ",
        number(found.log_loss, 4),
        " with this model.",
      ),
    ),
  );
}

function gainSentence(found: Heterogeneity): Sentence {
  const range = ["(", intervalWords(found.level), " ", interval(found.gain.lo, found.gain.hi, signed), ")"];
  const gain = [
    "Compared with one trade-off for everybody, the loss on rows held out falls by ",
    number(found.gain.value),
    " per row ",
    range,
  ];
  const inside = (estimate: Estimate): string =>
    (estimate.lo ?? 0) > 0 ? "The interval is above zero." : "The interval includes zero, so the difference may be chance.";
  const part = found.of_contexts;
  const contexts = part
    ? [` Of this, the contexts explain ${signed(part.value)} (`, interval(part.lo, part.hi, signed), "). ", inside(part)]
    : [" ", inside(found.gain)];
  return [...gain, ".", contexts];
}

function gainFigure(found: Heterogeneity): HTMLElement {
  const rows: IntervalRow[] = [{ name: "gain", estimate: found.gain, color: ACCENT }];
  return figure({
    title: "Gain over one trade-off for everybody",
    heading: "h3",
    class: "small",
    sentence: ["To the right of zero, this model predicts better."],
    draw: (width) => drawIntervalRows({ rows, label: "log-loss per row", format: (value) => number(value) }, width),
    table: estimateTable([["gain", found.gain]]),
  });
}

function estimateTable(rows: [string, Estimate][]) {
  const digits = (value: number | null): string => signed(value, 4);
  return {
    columns: [{ name: "what" }, { name: "estimate", show: digits }, { name: "low", show: digits }, { name: "high", show: digits }],
    rows: rows.map(([name, estimate]) => [name, estimate.value, estimate.lo, estimate.hi]),
  };
}

const MOST_SEGMENTS = 5;

function segmentLine(facts: Facts, segment: Segment): HTMLElement {
  return element(
    "li",
    {},
    segmentName(segment.expert),
    segment.share === null ? "" : ` (${percent(segment.share)})`,
    " ",
    mainWants(facts, weightsOfSegment(facts, segment)),
  );
}

function segmentsCard(facts: Facts): HTMLElement | null {
  const { answer, segments, about } = facts;
  if (segments.list.length < 2) {
    if (about.experts > 0) return null;
    return card(
      ["Weights change smoothly"],
      element("p", {}, "This kind of model (", about.method, ") has no segments: each context has weights of its own."),
    );
  }
  return card(
    [`${capitalized(inWords(answer.experts_in_use))} segments matter`],
    shareBar(segments.list),
    element(
      "ul",
      { class: "plain" },
      segments.list.slice(0, MOST_SEGMENTS).map((segment) => segmentLine(facts, segment)),
    ),
    segments.list.length > MOST_SEGMENTS &&
      note(`${capitalized(inWords(segments.list.length - MOST_SEGMENTS))} smaller ones are shown below.`),
    segments.left_out > 0 &&
      note(`${capitalized(inWords(segments.left_out))} more ${segments.left_out === 1 ? "has" : "have"} a share below 0.5 %.`),
  );
}

/** The shares of the segments as one bar. */
export function shareBar(list: readonly { expert: number; share: number | null }[]): HTMLElement {
  const parts = list.map(({ expert, share }) => {
    const part = element("span", {}, (share ?? 1) >= 0.12 ? String(expert) : "");
    part.style.flexGrow = String(Math.max(share ?? 0.1, 0.002));
    part.style.background = expertColor(expert);
    return part;
  });
  return element("div", { class: "share-bar", "aria-hidden": "true" }, parts);
}

function worthCard({ answer, decisions, about }: Facts): HTMLElement | null {
  if (answer.policy) return policyCard(answer.policy, about);
  if (answer.certified) {
    return card(
      [`${percent(answer.certified.share)} of decisions are sure`],
      element(
        "p",
        {},
        `For this share of the contexts the best decision is the best one with ${percent(answer.certified.level)} confidence.`,
      ),
      note(
        "What the decisions are worth needs the chance with which each logged decision was made: otss report --propensity COLUMN --decision COLUMN.",
      ),
    );
  }
  return decisions
    ? null
    : card(
        ["No decisions in this report"],
        note(
          "With a log and a library of decisions (otss report MODEL LOG --library FILE --id COLUMN) this page also says which decisions to make, and what they are worth.",
        ),
      );
}

function policyCard(policy: PolicyValue, { outcome, family }: Facts["about"]): HTMLElement {
  const isShare = family === "bernoulli";
  const mean = isShare ? percent : number;
  const change = (value: number | null | undefined): string => (isShare ? points(value) : signed(value));
  const unit = isShare ? " percentage points" : "";
  const sure = policy.gain.lo !== null && policy.gain.lo > 0;
  const rows: IntervalRow[] = [
    { name: "logged decisions", estimate: policy.logging, color: "var(--soft)", pale: false },
    { name: "this model's", estimate: policy.value, color: ACCENT, pale: false },
  ];
  return card(
    [nameOf(outcome), `: ${mean(policy.value.value)} instead of ${mean(policy.logging.value)}`],
    element("p", { class: "caution" }, cautionWords(policy, mean)),
    element(
      "p",
      {},
      "With the model's decisions, mean ",
      nameOf(outcome),
      ` would be ${mean(policy.value.value)}; with the logged ones it was ${mean(policy.logging.value)}: a difference of ${change(policy.gain.value)}${unit} (`,
      intervalWords(policy.level),
      " ",
      interval(policy.gain.lo, policy.gain.hi, change),
      ").",
      sure ? "" : " The interval includes zero: the log cannot tell whether they are better.",
    ),
    figure({
      title: "What decisions are worth",
      class: "small",
      sentence: ["Mean ", nameOf(outcome), " of ", count(policy.rows), " rows, with intervals."],
      draw: (width) => drawIntervalRows({ rows, label: "mean outcome", format: mean, zero: false }, width),
      table: estimateTable([
        ["logged", policy.logging],
        ["model, doubly robust", policy.value],
        ["gain", policy.gain],
        ["inverse propensity", policy.ips],
        ["self-normalised", policy.snips],
        ["direct", policy.direct],
      ]),
    }),
    more(
      "How this is measured",
      element(
        "p",
        {},
        `Doubly robust estimate over ${count(policy.rows)} rows, worth ${count(policy.effective_sample_size)} rows after weighting. The model chooses the logged decision in ${percent(policy.agreement)} of them.`,
        policy.in_sample ? " The model was fitted on these rows, which flatters it." : "",
      ),
      explained(ESTIMATES),
    ),
  );
}

/** How well the model predicts, and how sure its decisions are, in words. */
function quality({ trust, answer }: Facts): Sentence {
  const auc = (trust.on_log ?? trust.held_out)?.auc.value ?? null;
  const explained = (trust.on_log ?? trust.held_out)?.explained.value ?? null;
  const ranks =
    auc !== null
      ? `It ranks a random success above a random failure in ${percent(auc)} of the cases. `
      : explained !== null
        ? `It explains ${percent(explained)} of the differences between outcomes. `
        : "";
  const sure = answer.certified
    ? `${percent(answer.certified.share)} of its decisions are the best with ${percent(answer.certified.level)} confidence.`
    : "";
  return [ranks, sure];
}

function trustCard(facts: Facts): HTMLElement {
  const concerns = concernsOf(facts);
  const wrong = concerns.filter((concern) => concern.wrong).length;
  const link = element("a", { href: "#trust" }, "Can I trust it?");
  if (concerns.length === 0)
    return card(
      [element("span", { class: "good" }, "Nothing speaks against it")],
      element("p", {}, "No check found a problem. ", quality(facts)),
      element("p", {}, link),
    );
  const things = `${inWords(concerns.length)} ${concerns.length === 1 ? "thing" : "things"}`;
  if (wrong === 0)
    return card(
      [`${capitalized(things)} to know`],
      element("p", {}, "No check found an error, but read the remarks before you rely on the numbers. ", quality(facts)),
      element("p", {}, link),
    );
  return card(
    [element("span", { class: "bad" }, `${capitalized(inWords(wrong))} ${wrong === 1 ? "problem" : "problems"}`)],
    element("p", {}, "Read them before you rely on the numbers. ", link),
  );
}
