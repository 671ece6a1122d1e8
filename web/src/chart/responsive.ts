// Draws charts as wide as their place, and again when the width of the place changes.

const FALLBACK_WIDTH = 640; // where the width is not known, as in a test without layout
const LEAST_WIDTH = 120;

type Redraw = () => void;
const redraws = new WeakMap<Element, Redraw>();

const observer =
  typeof ResizeObserver === "undefined"
    ? null
    : new ResizeObserver((entries) => {
        for (const entry of entries) redraws.get(entry.target)?.();
      });

/** Fills `place` with what `draw` returns for its width, and draws again when the width changes. */
export function responsive(place: HTMLElement, draw: (width: number) => Element): void {
  let drawnFor = 0;
  const redraw = (): void => {
    if (!place.isConnected) return;
    const width = Math.max(Math.floor(place.clientWidth) || FALLBACK_WIDTH, LEAST_WIDTH);
    if (width === drawnFor) return;
    drawnFor = width;
    place.replaceChildren(draw(width));
  };
  redraws.set(place, redraw);
  observer?.observe(place);
  pending.add(redraw);
}

const pending = new Set<Redraw>();

/** Draws at once whatever was added to the page and is not drawn yet. */
export function drawPending(): void {
  for (const redraw of pending) redraw();
  pending.clear();
}

/** Draws a chart again although its width is the same, because what it shows has changed. */
export function drawAgain(place: HTMLElement, draw: (width: number) => Element): void {
  observer?.unobserve(place);
  responsive(place, draw);
  drawPending();
}
