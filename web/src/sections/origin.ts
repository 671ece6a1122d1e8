// 8. Where it comes from: data, options, and the commands that make it again.
import { copyButton } from "../chart/figure";
import { tableElement } from "../chart/table";
import { type Child, element } from "../dom/element";
import type { Facts } from "../facts";
import { columnValue, count, percent } from "../format/numbers";
import { counted, listed, nameOf, type Sentence } from "../format/text";
import { more, type SectionContent } from "../view";

export function origin(facts: Facts): SectionContent {
  return {
    lead: leadOf(facts),
    body: [
      definitions(facts),
      element("div", { class: "commands" }, facts.origin.commands.map(commandOf)),
      more(`${counted(facts.columns.length, "context column")}`, columnTable(facts)),
      more(`${counted(facts.factors.length, "factor")}`, factorTable(facts)),
      facts.origin.options.length > 0 &&
        more(
          `${counted(facts.origin.options.length, "option")} of the fit`,
          tableElement(
            { columns: [{ name: "option" }, { name: "value" }], rows: facts.origin.options.map(({ name, value }) => [name, value]) },
            "Options of the fit",
          ),
        ),
    ],
  };
}

function leadOf({ about, origin, columns, factors }: Facts): Sentence {
  const rows = origin.rows === null ? "a log" : `a log of ${counted(origin.rows, "row")}`;
  return [
    `The model was fitted to ${rows} with ${counted(columns.length, "context column")} and ${counted(factors.length, "factor")}; the outcome is `,
    nameOf(about.outcome),
    about.positive === null ? "." : [" (", nameOf(about.positive), " counts as 1)."],
  ];
}

function definitions(facts: Facts): HTMLElement {
  const { about, origin } = facts;
  const entries: [string, Child][] = [
    ["Model", element("bdi", {}, about.model)],
    [
      "Log of this report",
      about.log === null
        ? "none: what the model file alone knows"
        : [
            element("bdi", {}, about.log),
            about.log_rows === null ? "" : `, ${counted(about.log_rows, "row")}`,
            about.sample_rows !== null && about.log_rows !== null && about.sample_rows < about.log_rows
              ? `; single rows from a random sample of ${count(about.sample_rows)}`
              : "",
          ],
    ],
    [
      "Decisions",
      about.feasible
        ? [
            element("bdi", {}, about.feasible.name),
            `: ${counted(about.feasible.decisions, "row")}${about.feasible.kind === "candidates" ? ` of candidates for ${counted(about.feasible.contexts, "context")}` : ""}`,
          ]
        : "none given",
    ],
    [
      "Method",
      `${about.method}${about.estimator ? `, estimator ${about.estimator}` : ""}, ${about.family} outcome${about.experts > 0 ? `, ${counted(about.experts, "expert")}` : ""}${about.gate ? `, ${about.gate} gate` : ""}`,
    ],
    ...origin.roles
      .filter(({ role, columns }) => columns.length > 0 && !["context", "factors", "factor"].includes(role))
      .map(({ role, columns }): [string, Child] => [
        role.charAt(0).toUpperCase() + role.slice(1),
        listed(columns.map((name) => nameOf(name))),
      ]),
    ["Encoded context columns", count(origin.encoded)],
    ["Seed", origin.seed === null ? "not recorded" : String(origin.seed)],
    ["Fitted with", origin.software],
    ["Report made with", about.software],
    ["Fingerprint of the log", element("code", {}, origin.fingerprint || "not recorded")],
    ["Checksum of the model file", element("code", {}, origin.checksum || "not recorded")],
  ];
  return element(
    "dl",
    { class: "facts" },
    entries.map(([term, value]) => element("div", {}, element("dt", {}, term), element("dd", {}, value))),
  );
}

function commandOf({ purpose, command }: { purpose: string; command: string }): HTMLElement {
  return element(
    "div",
    { class: "command" },
    element("p", { class: "label" }, purpose),
    element("pre", { tabindex: 0 }, element("code", {}, command)),
    copyButton("Copy", purpose, () => command),
  );
}

function columnTable(facts: Facts): HTMLElement {
  return tableElement(
    {
      columns: [{ name: "column" }, { name: "type" }, { name: "values" }, { name: "missing in training", show: percent }],
      rows: facts.columns.map((column) => {
        const values =
          column.kind === "text"
            ? counted(column.levels.length, "level")
            : column.range
              ? `${columnValue(column.range[0], column.type)} to ${columnValue(column.range[1], column.type)}`
              : "not recorded";
        return [column.name, column.type === "unknown" ? column.kind : column.type, values, column.missing ? column.missing_frequency : 0];
      }),
    },
    "Context columns",
  );
}

function factorTable(facts: Facts): HTMLElement {
  return tableElement(
    {
      columns: [
        { name: "factor" },
        { name: "computed from" },
        { name: "mean in training" },
        { name: "sd in training" },
        { name: "typical difference" },
      ],
      rows: facts.factors.map((factor) => [
        factor.name,
        factor.term ? factor.term.of.join(", ") : "",
        factor.center,
        factor.log_sd,
        factor.sd,
      ]),
    },
    "Factors",
  );
}
