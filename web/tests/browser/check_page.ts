import { expect } from "vitest";
import type { Opened } from "./chromium";

/** What every page must hold, however its model was made. */
export async function checkPage(opened: Opened): Promise<void> {
  const { page, messages, requests } = opened;
  const drawings = await page.$$eval(".drawing", (nodes) =>
    nodes.map((node) => ({
      title: node.closest("figure")?.querySelector("h3, h4")?.textContent ?? "",
      shapes: node.querySelectorAll("svg :is(path, circle, rect, line)").length,
    })),
  );
  expect(drawings.length).toBeGreaterThan(1);
  expect(drawings.filter(({ shapes }) => shapes === 0)).toEqual([]);
  expect(drawings.filter(({ title }) => title === "")).toEqual([]);
  expect(await page.locator("section").count()).toBe(8);
  expect(await page.evaluate(() => document.body.innerText.match(/NaN|undefined|\[object|Infinity/g))).toBe(null);
  expect(messages).toEqual([]);
  expect(requests).toHaveLength(1); // the file itself
}
