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

/** Milliseconds of script and layout per change of a slider. */
async function frame(kind: string): Promise<number[]> {
  const { page } = await open(kind);
  const times = await page.evaluate(async () => {
    const slider = document.querySelector<HTMLInputElement>(".control input[type=range]") as HTMLInputElement;
    slider.scrollIntoView();
    const times: number[] = [];
    for (let i = 0; i < 120; ++i) {
      slider.value = String(Number(slider.min) + ((Number(slider.max) - Number(slider.min)) * (i % 60)) / 60);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise<void>((done) => {
        // This callback runs in the same frame, after the page's own; reading the layout forces it to be computed.
        requestAnimationFrame(() => {
          const started = performance.getEntriesByName("what-if frame").at(-1)?.startTime ?? NaN;
          void document.body.offsetHeight;
          times.push(performance.now() - started);
          setTimeout(done);
        });
      });
    }
    return times;
  });
  await page.context().close();
  return times.sort((a, b) => a - b);
}

for (const kind of ["retail", "large"]) {
  console.log(`${kind}: first chart after ${(await firstChart(kind)).toFixed(0)} ms`);
  const times = await frame(kind);
  console.log(`${kind}: a slider takes ${times[60]?.toFixed(1)} ms a frame (median), ${times[114]?.toFixed(1)} ms (95 %)`);
}
await reports.stop();
