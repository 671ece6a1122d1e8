// Makes elements. Texts become text nodes and attributes are set one by one, so no text of a log is ever read as HTML.

export type Child = Node | string | null | undefined | false | readonly Child[];
export type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

const SVG = "http://www.w3.org/2000/svg";

function apply(node: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.replace(/^on/, ""), value as EventListener);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
}

export function append(node: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (typeof child === "string" || child instanceof Node) node.append(child);
    else append(node, child as readonly Child[]);
  }
}

/** An HTML element. An attribute that begins with "on" is an event listener. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  apply(node, attributes);
  append(node, children);
  return node;
}

/** An SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const node = document.createElementNS(SVG, tag) as SVGElementTagNameMap[K];
  apply(node, attributes);
  append(node, children);
  return node;
}

let lastId = 0;

/** A new id, which no other element of the page has. */
export function freshId(prefix: string): string {
  return `${prefix}-${++lastId}`;
}
