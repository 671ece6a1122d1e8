// Reads the facts that the program has written into the page.
import type { Facts } from "./facts";

export class NoFacts extends Error {}

export function readFacts(text: string | null | undefined): Facts {
  if (!text?.trim().startsWith("{")) throw new NoFacts("This page is a template: otss report fills in the facts.");
  const facts = JSON.parse(text) as Facts;
  if (facts.format !== "otss-facts") throw new NoFacts("The facts of this page are not those of otss report.");
  if (facts.version !== 1)
    throw new NoFacts(`The facts have version ${String(facts.version)}, but this page knows version 1; make the report again.`);
  return facts;
}
