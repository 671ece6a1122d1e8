import { expect, test } from "vitest";
import { columnValue, count, decimalsFor, interval, number, percent, points, signed, signedFixed } from "../../src/format/numbers";
import { differingFirst, isolated, listed, plainText, shorten } from "../../src/format/text";

test("numbers have three digits and a real minus sign", () => {
  expect(number(1234.5)).toBe("1,235");
  expect(number(-0.012345)).toBe("−0.0123");
  expect(number(0)).toBe("0");
  expect(number(-1e-12, 1)).toBe("−1e−12");
  expect(number(2.5e12)).toBe("2.50e12");
  expect(number(null)).toBe("–");
  expect(signed(0.5)).toBe("+0.5");
  expect(signed(-0)).toBe("0");
});

test("shares are percentages with a digit more where they are small", () => {
  expect(percent(0.551)).toBe("55\u202f%");
  expect(percent(0.0421)).toBe("4.2\u202f%");
  expect(percent(0.0003)).toBe("0.03\u202f%");
  expect(percent(0.999)).toBe("99.9\u202f%");
  expect(percent(1)).toBe("100\u202f%");
  expect(points(-0.288)).toBe("−28.8");
});

test("numbers below each other have the same decimals", () => {
  expect(decimalsFor(1.53)).toBe(2);
  expect(signedFixed(0.9, 2)).toBe("+0.90");
  expect(signedFixed(-0.001, 2)).toBe("0.00");
});

test("values of columns are written as in the log", () => {
  expect(columnValue(1, "boolean")).toBe("yes");
  expect(columnValue(1.7e9, "time")).toBe("2023-11-14");
  expect(columnValue(12345, "whole number")).toBe("12,345");
  expect(columnValue(null, "number")).toBe("missing");
  expect(interval(-1, 2)).toBe("−1 to 2");
  expect(count(12345.6)).toBe("12,346");
});

test("long names are cut between characters, also between emoji", () => {
  expect(shorten("a".repeat(300), 10)).toBe(`${"a".repeat(9)}…`);
  const family = "👩‍👩‍👧‍👦";
  expect(shorten(family.repeat(20), 3)).toBe(`${family}${family}…`);
  expect(isolated("سعر")).toBe("\u2068سعر\u2069");
});

test("lists end with a word", () => {
  expect(plainText(listed(["a"]))).toBe("a");
  expect(plainText(listed(["a", "b", "c"]))).toBe("a, b and c");
});

test("labels that begin alike begin with what differs", () => {
  const learned = "3 experts, relevance of each column learned";
  expect(differingFirst([`${learned}, expert penalty 6`, `${learned}, expert penalty 0.96`, "one trade-off"])).toEqual([
    `expert penalty 6, ${learned}`,
    `expert penalty 0.96, ${learned}`,
    "one trade-off",
  ]);
});
