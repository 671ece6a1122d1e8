// Measures what the page promises about speed: npm run speed. It is no test, since a busy machine would fail it.
import { Reports } from "../browser/chromium";
import { KINDS } from "../fixtures/kinds";
import { makeFacts } from "../fixtures/make_facts";

const reports = await Reports.start();
const open = (kind: string) => reports.open(reports.address(kind, () => makeFacts(KINDS[kind])));

async function firstChart(kind: string): Promise<number> {
  const { page } = await open(kind);
  const paint = await page.evaluate(() => performance.getEntriesByName("first chart")[0]?.startTime ?? NaN);
  await page.context().close();
  return paint;
}

const FRAMES = 120;

/** Milliseconds of the page's main thread per frame while a slider moves: processor time, so that a busy machine counts little. */
async function frame(kind: string): Promise<number> {
  const { page } = await open(kind);
  const debug = await page.context().newCDPSession(page);
  await debug.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async (): Promise<number> =>
    (await debug.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN;
  const before = await busy();
  await page.evaluate(async (frames) => {
    const slider = document.querySelector<HTMLInputElement>(".control input[type=range]") as HTMLInputElement;
    slider.scrollIntoView({ behavior: "instant", block: "center" });
    await new Promise((done) => setTimeout(done, 300));
    for (let i = 0; i < frames; ++i) {
      slider.value = String(Number(slider.min) + ((Number(slider.max) - Number(slider.min)) * (i % 60)) / 60);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
  }, FRAMES);
  const after = await busy();
  await page.context().close();
  return (1000 * (after - before)) / FRAMES;
}

for (const kind of ["retail", "large"]) {
  console.log(`${kind}: first chart after ${(await firstChart(kind)).toFixed(0)} ms`);
  console.log(`${kind}: ${(await frame(kind)).toFixed(1)} ms of the main thread per frame of a moving slider`);
}
await reports.stop();
