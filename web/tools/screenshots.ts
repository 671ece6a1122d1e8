// Takes screenshots of a report: npm run screenshots -- REPORT FOLDER [light|dark|narrow|wide …]. REPORT is an HTML file, a file of
// facts (.json), or the name of a made-up model (tests/fixtures/kinds.ts).
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Facts } from "../src/facts";
import { Reports } from "../tests/browser/chromium";
import { KINDS } from "../tests/fixtures/kinds";
import { makeFacts } from "../tests/fixtures/make_facts";

const [what = "retail", folder = "screenshots", ...views] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const reports = await Reports.start();
const factsOf = (): Facts => (existsSync(what) ? (JSON.parse(readFileSync(what, "utf8")) as Facts) : makeFacts(KINDS[what] ?? {}));
const address = what.endsWith(".html") ? pathToFileURL(resolve(what)).href : reports.address(basename(what), factsOf);
const name = basename(what)
  .replace(/\.\w+$/, "")
  .replaceAll(" ", "-");
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
