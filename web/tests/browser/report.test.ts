// The whole page in a real browser, for every kind of model.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { KINDS } from "../fixtures/kinds";
import { makeFacts } from "../fixtures/make_facts";
import { checkPage } from "./check_page";
import { type Opened, Reports } from "./chromium";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let reports: Reports;

beforeAll(async () => {
  reports = await Reports.start();
});
afterAll(() => reports.stop());

function addressOf(kind: string): string {
  return reports.address(kind, () => makeFacts(KINDS[kind]));
}

/** Runs axe-core in the page; a list of what breaks which rule. */
async function violations({ page }: Opened): Promise<string[]> {
  // The page's policy allows no script but its own; the test's script comes through the debugger, which it does not bind.
  return page.evaluate(`(async () => {
    ${AXE}
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap((one) => one.nodes.map((node) => one.id + ": " + node.target.join(" ") + " " + (node.any[0]?.message ?? "")));
  })()`);
}

/** Elements that stick out of the page to the right. */
async function overflow({ page }: Opened): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const scrolls = (node: Element | null): boolean =>
      node !== null && (["auto", "scroll", "hidden"].includes(getComputedStyle(node).overflowX) || scrolls(node.parentElement));
    return [...document.querySelectorAll("body *")]
      .filter(
        (node) =>
          node.getBoundingClientRect().right > width + 1 &&
          !scrolls(node) &&
          !node.closest("svg") &&
          getComputedStyle(node).position !== "absolute",
      )
      .map((node) => `${node.tagName} ${node.className} ${Math.round(node.getBoundingClientRect().right)}`);
  });
}

describe("a page of every kind of model", () => {
  for (const kind of Object.keys(KINDS)) {
    test(`${kind}: every chart is drawn, nothing is printed or requested, and axe finds nothing`, async () => {
      const opened = await reports.open(addressOf(kind), { colorScheme: "light" });
      await checkPage(opened);
      expect(await overflow(opened)).toEqual([]);
      expect(await violations(opened)).toEqual([]);
      await opened.page.context().close();
    });
  }
});

describe("other forms", () => {
  for (const kind of ["retail", "wrong"]) {
    test(`${kind}: axe finds nothing in the dark theme`, async () => {
      const opened = await reports.open(addressOf(kind), { colorScheme: "dark" });
      expect(await violations(opened)).toEqual([]);
      await opened.page.context().close();
    });
  }

  for (const kind of ["retail", "large", "hostile"]) {
    test(`${kind}: fits 360 pixels`, async () => {
      const opened = await reports.open(addressOf(kind), { viewport: { width: 360, height: 740 } });
      expect(await overflow(opened)).toEqual([]);
      expect(await opened.page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      await opened.page.context().close();
    });
  }

  test("prints with nothing cut", async () => {
    const opened = await reports.open(addressOf("levels"), { viewport: { width: 700, height: 900 } });
    await opened.page.emulateMedia({ media: "print" });
    expect(await overflow(opened)).toEqual([]);
    const hidden = await opened.page.$$eval("section *", (nodes) =>
      nodes
        .filter(
          (node) =>
            getComputedStyle(node).overflowY !== "visible" &&
            node.scrollHeight > node.clientHeight + 1 &&
            !node.closest("svg, .unseen, input, select"),
        )
        .map((node) => node.className),
    );
    expect(hidden).toEqual([]);
    expect((await opened.page.pdf({ format: "A4" })).length).toBeGreaterThan(20_000);
    await opened.page.context().close();
  });
});

test("hostile names are shown as text, and nothing runs", async () => {
  const opened = await reports.open(addressOf("hostile"));
  expect(await opened.page.evaluate(() => "broken" in window)).toBe(false);
  expect(await opened.page.title()).toContain("</script><script>");
  expect(await opened.page.locator("main script, main img, main style:not(svg style)").count()).toBe(0);
  expect(opened.messages).toEqual([]);
  await opened.page.context().close();
});

test("a page without facts says so", async () => {
  const page = await (await reports.browser.newContext()).newPage();
  await page.goto(new URL("../../dist/index.html", import.meta.url).href);
  await page.getByText("This page is a template").waitFor();
  await page.context().close();
});

test("the policy of the page lets no other script run", async () => {
  const opened = await reports.open(addressOf("retail"));
  await opened.page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.broken = 1";
    document.body.append(script);
  });
  expect(await opened.page.evaluate(() => "broken" in window)).toBe(false);
  await opened.page.context().close();
});
