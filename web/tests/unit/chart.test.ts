import { expect, test } from "vitest";
import { figure } from "../../src/chart/figure";
import { drawPending } from "../../src/chart/responsive";
import { couldBeZero, drawIntervalRows } from "../../src/chart/rows";
import { csvOf, tableElement } from "../../src/chart/table";
import { standaloneSvg } from "../../src/chart/copy";
import { element } from "../../src/dom/element";
import { nameOf } from "../../src/format/text";

const TABLE = {
  columns: [{ name: "factor" }, { name: "weight" }],
  rows: [
    ['a "quoted", name', 0.1 + 0.2],
    ["</script>", null],
  ],
};

test("a table is copied as CSV with all digits and quotes doubled", () => {
  expect(csvOf(TABLE)).toBe('factor,weight\r\n"a ""quoted"", name",0.30000000000000004\r\n</script>,\r\n');
});

test("a table shows texts as texts", () => {
  const node = tableElement(TABLE, "Weights");
  expect(node.querySelectorAll("tbody tr")).toHaveLength(2);
  expect(node.querySelector("script")).toBeNull();
  expect(node.textContent).toContain("</script>");
});

test("an interval that contains zero could be zero", () => {
  expect(couldBeZero({ value: 1, lo: -0.1, hi: 2 })).toBe(true);
  expect(couldBeZero({ value: 1, lo: 0.1, hi: 2 })).toBe(false);
  expect(couldBeZero({ value: 1, lo: null, hi: null })).toBe(false);
});

test("a figure has a title, a sentence, a drawing with a name, and its numbers behind a disclosure", () => {
  const rows = [{ name: "price", estimate: { value: -1, lo: -2, hi: 0.5 }, color: "red" }];
  const node = figure({
    title: nameOf("price"),
    sentence: ["Price is −1."],
    draw: (width) => drawIntervalRows({ rows, label: "weight", format: String }, width),
    table: TABLE,
  });
  document.body.append(node);
  drawPending();
  expect(node.querySelector("h3")?.textContent).toBe("price");
  const svg = node.querySelector("svg") as SVGSVGElement;
  expect(svg.getAttribute("role")).toBe("img");
  expect(svg.querySelectorAll("circle")).toHaveLength(1);
  const details = node.querySelector("details") as HTMLDetailsElement;
  expect(details.querySelector("table")).toBeNull();
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
  expect(details.querySelectorAll("tbody tr")).toHaveLength(2);
  expect(standaloneSvg(svg)).toContain("http://www.w3.org/2000/svg");
});

test("an element takes texts as text and functions as listeners", () => {
  let clicks = 0;
  const node = element("button", { type: "button", hidden: false, onclick: () => ++clicks }, "<b>", [null, ["x"]]);
  node.click();
  expect(node.outerHTML).toBe('<button type="button">&lt;b&gt;x</button>');
  expect(clicks).toBe(1);
});
