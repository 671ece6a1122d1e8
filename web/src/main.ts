import "./styles/theme.css";
import "./styles/page.css";
import "./styles/parts.css";
import "./styles/tables.css";
import "./styles/what_if.css";
import "./styles/print.css";
import { element } from "./dom/element";
import { showPage } from "./page";
import { readFacts } from "./read_facts";

const place = document.getElementById("page") as HTMLElement;
try {
  showPage(place, readFacts(document.getElementById("facts")?.textContent));
} catch (error) {
  place.replaceChildren(
    element(
      "main",
      { class: "failure" },
      element("h1", {}, "No report"),
      element("p", {}, error instanceof Error ? error.message : String(error)),
    ),
  );
}
