// Copies charts: as an SVG that stands alone, or as CSV.

/** Replaces var(--name) by its value, since an SVG outside of the page does not know the page's colours. */
function resolved(text: string, style: CSSStyleDeclaration): string {
  return text.replace(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim() || "currentColor");
}

/** The drawing as an SVG document of its own, with the colours and the font it has on the page. */
export function standaloneSvg(drawing: SVGSVGElement): string {
  const style = getComputedStyle(drawing);
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("color", style.color);
  copy.setAttribute("font-family", style.fontFamily.replaceAll('"', "'"));
  copy.removeAttribute("style");
  for (const part of copy.querySelectorAll("[tabindex]")) part.removeAttribute("tabindex");
  const background = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of [
    ["width", "100%"],
    ["height", "100%"],
    ["fill", "var(--paper)"],
  ] as const)
    background.setAttribute(name, value);
  copy.prepend(background);
  return resolved(new XMLSerializer().serializeToString(copy), style);
}

/** Copies a text; true if the browser allowed it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** For browsers that give no clipboard to files opened from disk. */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
