// The frame of the page: header, navigation, eight sections.
import { drawPending } from "./chart/responsive";
import { element } from "./dom/element";
import type { Facts } from "./facts";
import { counted, nameOf, shorten } from "./format/text";
import { answer } from "./sections/answer";
import { decisions } from "./sections/decisions";
import { membership } from "./sections/membership";
import { movements } from "./sections/movements";
import { origin } from "./sections/origin";
import { segments } from "./sections/segments";
import { trust } from "./sections/trust";
import { whatIf } from "./sections/what_if";
import { WHAT_IF } from "./state/address";
import { themeButton } from "./theme";
import type { SectionContent } from "./view";

interface Section {
  id: string;
  title: (facts: Facts) => string;
  content: (facts: Facts) => SectionContent;
}

const SECTIONS: Section[] = [
  { id: "answer", title: () => "The answer", content: answer },
  { id: "segments", title: (facts) => (facts.segments.list.length > 1 ? "What each segment wants" : "What it wants"), content: segments },
  { id: "membership", title: () => "Who they are", content: membership },
  { id: "movements", title: () => "How weights move", content: movements },
  { id: WHAT_IF, title: () => "What if", content: whatIf },
  { id: "decisions", title: () => "Decisions", content: decisions },
  { id: "trust", title: () => "Can I trust it?", content: trust },
  { id: "origin", title: () => "Where it comes from", content: origin },
];

export function showPage(place: HTMLElement, facts: Facts): void {
  document.title = `What raises ${shorten(facts.about.outcome, 60)} – otss report`;
  const main = element("main", { id: "main" }, header(facts));
  place.replaceChildren(
    element("a", { class: "skip", href: "#main" }, "Skip to the report"),
    navigation(facts),
    main,
    element("p", { id: "status", class: "unseen", role: "status" }),
  );
  const rest = SECTIONS.map((section, i) => () => {
    main.append(sectionElement(section, facts, i + 1));
    drawPending();
    if (i === 0) performance.mark("first chart"); // tests/speed reads the marks
  });
  showSoon(rest, () => {
    main.append(footer(facts));
    goToAddress();
    markCurrent();
    document.documentElement.dataset.ready = "true";
  });
}

/** The first sections appear at once, the others one per task, so that the page answers while it is made. */
function showSoon(steps: (() => void)[], done: () => void): void {
  const [first, ...others] = steps;
  if (!first) return done();
  first();
  setTimeout(() => showSoon(others, done));
}

function header({ about, columns, factors, segments }: Facts): HTMLElement {
  const forWhom = segments.list.length > 1 || about.gate === null ? ", and for whom" : "";
  const log =
    about.log === null
      ? []
      : [" · ", element("bdi", {}, shorten(about.log, 60)), about.log_rows === null ? "" : `, ${counted(about.log_rows, "row")}`];
  return element(
    "header",
    { class: "title" },
    element("p", { class: "eyebrow" }, "otss report"),
    element("h1", {}, "What raises ", nameOf(about.outcome, 60), forWhom),
    element(
      "p",
      { class: "meta" },
      `${counted(factors.length, "factor")} · ${counted(columns.length, "context column")} · `,
      element("bdi", {}, shorten(about.model, 60)),
      log,
    ),
  );
}

function navigation(facts: Facts): HTMLElement {
  const links = SECTIONS.map((section) => element("li", {}, element("a", { href: `#${section.id}` }, section.title(facts))));
  return element("nav", { "aria-label": "Sections" }, element("ol", {}, links), themeButton());
}

function sectionElement({ id, title, content }: Section, facts: Facts, position: number): HTMLElement {
  const heading = element(
    "h2",
    { id: `${id}-title` },
    element("span", { class: "ordinal", "aria-hidden": "true" }, String(position)),
    title(facts),
  );
  const { lead, body } = content(facts);
  return element("section", { id, "aria-labelledby": heading.id }, heading, element("p", { class: "lead" }, lead), body);
}

function footer({ about }: Facts): HTMLElement {
  return element("footer", {}, element("p", {}, `Made with ${about.software}. This page is one file: it sends nothing and loads nothing.`));
}

/** Follows the address once the sections are there. */
function goToAddress(): void {
  const id = location.hash.slice(1).split("?")[0];
  if (id) document.getElementById(id)?.scrollIntoView();
}

/** Marks the section that is read in the navigation. */
function markCurrent(): void {
  if (typeof IntersectionObserver === "undefined") return;
  const seen = new Map<string, boolean>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) seen.set(entry.target.id, entry.isIntersecting);
      const current = SECTIONS.find(({ id }) => seen.get(id))?.id;
      for (const link of document.querySelectorAll("nav a")) {
        if (link.getAttribute("href") === `#${current}`) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    },
    { rootMargin: "-30% 0px -60% 0px" },
  );
  for (const { id } of SECTIONS) {
    const section = document.getElementById(id);
    if (section) observer.observe(section);
  }
}
