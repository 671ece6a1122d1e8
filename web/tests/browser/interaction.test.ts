// What a reader does with the page: sliders, keyboard, links, copies.
import { afterAll, beforeAll, expect, test } from "vitest";
import { WhatIfModel } from "../../src/model/what_if_model";
import { KINDS } from "../fixtures/kinds";
import { makeFacts } from "../fixtures/make_facts";
import { type Opened, Reports } from "./chromium";

let reports: Reports;
beforeAll(async () => {
  reports = await Reports.start();
});
afterAll(() => reports.stop());

async function open(kind: string, hash = ""): Promise<Opened> {
  return reports.open(reports.address(kind, () => makeFacts(KINDS[kind])) + hash, { permissions: ["clipboard-read", "clipboard-write"] });
}

test("a link shows its context again, and a slider changes it", async () => {
  const { page } = await open("retail", "#what-if?age=60&region=:north&household+size=missing");
  expect(await page.getByRole("slider", { name: "age" }).inputValue()).toBe("60");
  expect(await page.getByRole("combobox", { name: "region" }).locator("option:checked").textContent()).toBe("north");
  expect(await page.getByLabel("missing household size").isChecked()).toBe(true);
  await page.getByRole("slider", { name: "age" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => location.hash.includes("age=61"));
  await page.context().close();
});

test("the page shows the weights of the model's arithmetic", async () => {
  const facts = makeFacts(KINDS["retail"]);
  const { page } = await open("retail", "#what-if?age=60");
  const context = facts.columns.map((column, i) => (column.name === "age" ? 60 : (facts.what_if?.typical[i] ?? null)));
  const expected = new WhatIfModel(facts).weights(context);
  const panel = page.locator("figure", { has: page.getByRole("heading", { name: "What it wants" }) });
  await panel.getByText("Numbers").click();
  const csv = await copied(page, panel);
  const shown = new Map(
    csv
      .trim()
      .split("\r\n")
      .slice(1)
      .map((row) => [row.split(",")[0], Number(row.split(",")[5])]),
  );
  facts.factors.forEach((factor, j) => expect(shown.get(factor.name)).toBe(expected.weights[j]));
  await page.context().close();
});

async function copied(page: Opened["page"], panel: ReturnType<Opened["page"]["locator"]>): Promise<string> {
  await panel.getByRole("button", { name: /Copy CSV/ }).click();
  await panel.getByText("Copied").waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

test("a chart is copied as an SVG that stands alone", async () => {
  const { page } = await open("retail");
  const panel = page.locator("#segments figure").first();
  await panel.getByText("Numbers").click();
  await panel.getByRole("button", { name: /Copy SVG/ }).click();
  await panel.getByText("Copied").waitFor();
  const svg = await page.evaluate(() => navigator.clipboard.readText());
  expect(svg).toMatch(/^<svg/);
  expect(svg).toContain('xmlns="http://www.w3.org/2000/svg"');
  expect(svg).not.toContain("var(--");
  await page.context().close();
});

test("everything can be reached and worked with the keyboard", async () => {
  const { page, messages } = await open("retail");
  const missed = await page.evaluate(() => {
    const focusable = [...document.querySelectorAll<HTMLElement>("a[href], button, select, summary, input")].filter(
      (node) => node.checkVisibility() && !(node as HTMLInputElement).disabled,
    );
    return focusable.filter((node) => (node.focus(), document.activeElement !== node)).map((node) => node.outerHTML.slice(0, 80));
  });
  expect(missed).toEqual([]);
  await page.getByRole("radio", { name: "The log's own" }).focus();
  await page.keyboard.press("Space");
  await page.locator("#segments svg").getByText("weight, in the log's units").first().waitFor();
  await page.getByLabel("Weight of").selectOption({ index: 2 });
  await page.locator("#segments summary").first().focus();
  await page.keyboard.press("Enter");
  await page.locator("#segments table").first().waitFor();
  expect(messages).toEqual([]);
  await page.context().close();
});

test("the theme can be switched", async () => {
  const { page } = await open("retail");
  const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await ground();
  await page.getByRole("button", { name: "Dark theme" }).click();
  expect(await ground()).not.toBe(before);
  await page.context().close();
});
