// 3. Who they are: what raises and lowers membership, and how members differ from everybody.
import { expertColor } from "../chart/colors";
import { figure } from "../chart/figure";
import { drawLevelBins, drawNumberBins } from "../chart/histogram";
import { couldBeZero, drawBarRows, domainOfRows, type IntervalRow } from "../chart/rows";
import type { DataTable } from "../chart/table";
import { type Child, element } from "../dom/element";
import type { Contrast, Distribution, Effect, Facts, Membership, SegmentMembership } from "../facts";
import { number, percent, points } from "../format/numbers";
import { counted, listed, nameOf, type Sentence } from "../format/text";
import { column, effectName, intervalWords, note, type SectionContent, segmentName, valueOf } from "../view";

const MOST_EFFECTS = 8;
const MOST_DISTRIBUTIONS = 3;
const LEAST_TOLD = 0.005; // smaller changes of a share are not worth a sentence

export function membership(facts: Facts): SectionContent {
  const found = facts.membership;
  if (!found || found.segments.length === 0) {
    return {
      lead: ["This model has no segments, so there is no membership to explain. The next section shows how weights depend on the context."],
      body: [],
    };
  }
  if (facts.about.same_shares) {
    return {
      lead: ["The shares of the segments are the same in every context, so no column tells who belongs to which segment."],
      body: [],
    };
  }
  const domain = domainOfRows(found.segments.flatMap((segment) => effectRows(facts, segment)));
  return {
    lead: leadOf(facts, found),
    body: [
      element(
        "div",
        { class: "rows" },
        found.segments.map((segment, i) => segmentFigure(facts, found, segment, i, domain)),
      ),
      note(
        `Bars: the average change of the segment's share, in percentage points, if a number grows by one standard deviation or a text takes the level, while the other columns stay as they are`,
        facts.about.has_intervals ? ` (thin line: ${intervalWords(facts.about.level)}). ` : ". ",
        found.distributions.length > 0 ? "Small charts: the members of the segment (coloured bars) against everybody (dark marks). " : "",
        found.source === "log"
          ? `Averages over ${counted(found.sample_rows, "context")} of the log.`
          : "Without a log, the other columns are held at their averages.",
      ),
    ],
  };
}

function leadOf(facts: Facts, found: Membership): Sentence {
  const strongest = found.segments
    .flatMap((segment) => segment.effects.slice(0, 1).map((effect) => ({ segment, effect })))
    .sort((a, b) => Math.abs(b.effect.change.value ?? 0) - Math.abs(a.effect.change.value ?? 0))[0];
  if (!strongest) return ["No column changes the shares of the segments."];
  const { segment, effect } = strongest;
  const own = nameOf(column(facts, effect.column).name);
  const change = effect.missing
    ? [own, " that is missing"]
    : effect.level !== null
      ? [own, " = ", nameOf(column(facts, effect.column).levels[effect.level] ?? "", 40)]
      : column(facts, effect.column).type === "boolean"
        ? [own, " = yes"]
        : [own, ", raised by one standard deviation,"];
  return [
    "The strongest sign of membership: ",
    change,
    " changes the share of ",
    segmentName(segment.expert),
    ` by ${points(effect.change.value)} percentage points on average.`,
  ];
}

function effectRows(facts: Facts, segment: SegmentMembership): IntervalRow[] {
  return segment.effects.slice(0, MOST_EFFECTS).map((effect) => ({
    name: effectName(facts, effect),
    estimate: {
      value: 100 * (effect.change.value ?? 0),
      lo: effect.change.lo === null ? null : 100 * effect.change.lo,
      hi: effect.change.hi === null ? null : 100 * effect.change.hi,
    },
    color: expertColor(segment.expert),
  }));
}

function segmentFigure(facts: Facts, found: Membership, segment: SegmentMembership, i: number, domain: [number, number]): HTMLElement {
  const rows = effectRows(facts, segment);
  const chart = figure({
    title: segmentName(segment.expert),
    sentence: sentenceOf(facts, segment),
    draw: (width) => drawBarRows({ rows, label: "percentage points of share", format: (value) => number(value), domain }, width),
    table: effectTable(facts, segment),
    class: "who",
  });
  chart.querySelector(":scope > .behind")?.before(distributions(facts, found, i, segment.expert));
  return chart;
}

function sentenceOf(facts: Facts, segment: SegmentMembership): Sentence {
  const named = (sign: number): Child[] => {
    const effects = segment.effects.filter(({ change }) => !couldBeZero(change) && sign * (change.value ?? 0) >= LEAST_TOLD).slice(0, 3);
    return listed(effects.map((effect) => [effectPhrase(facts, effect), ` (${points(effect.change.value)})`]));
  };
  const raises = named(1);
  const lowers = named(-1);
  const parts: Sentence = [];
  if (raises.length > 0) parts.push("More likely with ", raises);
  if (lowers.length > 0) parts.push(raises.length > 0 ? "; less likely with " : "Less likely with ", lowers);
  if (parts.length === 0) parts.push("No column clearly changes its share");
  return [...parts, ".", contrastSentence(facts, segment.contrasts)];
}

function effectPhrase(facts: Facts, effect: Effect): Child {
  const own = column(facts, effect.column);
  if (effect.missing) return [nameOf(own.name), " missing"];
  if (effect.level !== null) return [nameOf(own.name, 32), " = ", nameOf(own.levels[effect.level] ?? "", 32)];
  return own.type === "boolean" ? [nameOf(own.name), " = yes"] : ["higher ", nameOf(own.name)];
}

function contrastSentence(facts: Facts, contrasts: readonly Contrast[]): Sentence {
  const first = contrasts[0];
  if (!first) return [];
  const own = column(facts, first.column);
  const name = nameOf(effectName(facts, { ...first, per: null }), 60);
  if (first.level !== null || first.missing || own.type === "boolean")
    return [" Of its members ", percent(first.members), " have ", name, ", of everybody ", percent(first.everybody), "."];
  const show = valueOf(own);
  return [" Its members have a mean ", name, ` of ${show(first.members)}, everybody ${show(first.everybody)}.`];
}

function effectTable(facts: Facts, segment: SegmentMembership): DataTable {
  const change = (name: string) => ({ name, show: points });
  return {
    columns: [{ name: "what changes" }, change("change in percentage points"), change("low"), change("high")],
    rows: segment.effects.map((effect) => [effectName(facts, effect), effect.change.value, effect.change.lo, effect.change.hi]),
  };
}

/** How differently members and everybody are distributed: half the sum of absolute differences of shares. */
function contrastOf(distribution: Distribution, segment: number): number {
  const members = distribution.members[segment] ?? [];
  return distribution.everybody.reduce((sum, share, bin) => sum + Math.abs(share - (members[bin] ?? 0)) / 2, 0);
}

function distributions(facts: Facts, found: Membership, segment: number, expert: number): HTMLElement {
  const leading = found.distributions
    .filter((distribution) => (distribution.members[segment] ?? []).some((share) => share > 0))
    .sort((a, b) => contrastOf(b, segment) - contrastOf(a, segment))
    .slice(0, MOST_DISTRIBUTIONS);
  return element(
    "div",
    { class: "minis" },
    leading.map((distribution) => distributionFigure(facts, distribution, segment, expert)),
  );
}

function distributionFigure(facts: Facts, distribution: Distribution, segment: number, expert: number): HTMLElement {
  const own = column(facts, distribution.column);
  const members = distribution.members[segment] ?? [];
  const { names, table } = distributionBins(facts, distribution, members);
  const missing = distribution.members_missing[segment] ?? 0;
  return figure({
    title: nameOf(own.name, 40),
    heading: "h4",
    class: "mini",
    sentence:
      distribution.everybody_missing > 0
        ? [`missing: ${percent(missing)} of members, ${percent(distribution.everybody_missing)} of everybody`]
        : [],
    draw: (width) => {
      const edges = distribution.edges;
      const bins = distribution.everybody.map((everybody, bin) => ({ everybody, members: members[bin] ?? 0, name: names[bin] ?? "" }));
      if (!edges) return drawLevelBins(bins, expertColor(expert), width);
      return drawNumberBins(
        bins.map((bin, i) => ({ ...bin, from: edges[i] as number, to: edges[i + 1] as number })),
        expertColor(expert),
        valueOf(own),
        width,
      );
    },
    table,
  });
}

function distributionBins(facts: Facts, distribution: Distribution, members: readonly number[]): { names: string[]; table: DataTable } {
  const own = column(facts, distribution.column);
  const show = valueOf(own);
  const { edges, levels } = distribution;
  const names = distribution.everybody.map((_, bin) => {
    if (edges) return `${show(edges[bin] as number)} to ${show(edges[bin + 1] as number)}`;
    const level = levels?.[bin];
    return level === undefined ? "all others" : (own.levels[level] ?? "");
  });
  return {
    names,
    table: {
      columns: [{ name: own.name }, { name: "members", show: percent }, { name: "everybody", show: percent }],
      rows: names.map((name, bin) => [name, members[bin] ?? 0, distribution.everybody[bin] ?? 0]),
    },
  };
}
