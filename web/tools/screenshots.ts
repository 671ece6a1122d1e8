// Takes screenshots of a report: node_modules/.bin/vite-node tools/screenshots.ts REPORT.html FOLDER, or the name of a made-up
// model (tests/fixtures/kinds.ts) instead of a file.
import { existsSync, mkdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Reports } from "../tests/browser/chromium";
import { KINDS } from "../tests/fixtures/kinds";
import { makeFacts } from "../tests/fixtures/make_facts";

const [what = "retail", folder = "screenshots", ...views] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const reports = await Reports.start();
const address = existsSync(what) ? pathToFileURL(resolve(what)).href : reports.address(what, () => makeFacts(KINDS[what] ?? {}));
const name = basename(what, ".html").replaceAll(" ", "-");
const VIEWS = { light: [1280, "light"], dark: [1280, "dark"], narrow: [360, "light"], wide: [1680, "light"] } as const;
for (const [view, [width, colorScheme]] of Object.entries(VIEWS)) {
  if (views.length > 0 && !views.includes(view)) continue;
  const { page, messages } = await reports.open(address, { viewport: { width, height: 900 }, colorScheme });
  await page.waitForTimeout(200);
  await page.screenshot({ path: join(folder, `${name}-${view}.png`), fullPage: true });
  if (view === "light") await page.pdf({ path: join(folder, `${name}.pdf`), format: "A4" });
  if (messages.length > 0) console.log(view, messages);
  await page.context().close();
}
await reports.stop();
