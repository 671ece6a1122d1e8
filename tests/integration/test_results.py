"""docs/results and docs/theory.md: tables are made from the committed results of every seed, and so are the numbers in prose.

docs/results/quoted.csv    a row per number that prose quotes: the page, some words with the number, and where it comes from:
                           folder/setting/method/metric/field   from results.json, field mean, sd, or such as otss_minus_it.lo
                           file.csv/study/setting/method/column  the mean over the seeds of a file with a column per metric
                           folder#row#column#i                  number i (from 0) of a cell of table.md
                           folder~words                         the first number after these words in table.md
                           folder?end                           how many intervals of OTSS minus a method with averaged settings, or minus
                                                                pooled, are `below` zero, `above` it, or there at all (`all`)
                           world@method@other@field             from default-worlds.csv.gz: mean (of the method), difference (to the
                                                                other, paired), lo, hi, upper (hi in percent of the other), cpu (ratio)
docs/results/settings.csv  words of a page whose numbers are settings: sizes, numbers of seeds, formulas, the paper's numbers
A page beside a file PAGE.jsonl.gz is made from that file as a whole (bench/real).
"""
import csv
import gzip
import json
import operator
import pathlib
import re
import statistics
import subprocess
import unittest

import prose_numbers
from otss_cli import CliTest
from prose_numbers import plain

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "results"
# The columns `operation` and `second` of quoted.csv: the number is first OPERATION second; second may be a whole number.
OPERATIONS = {"/": operator.truediv, "-": operator.sub, "*": operator.mul}


def study_of(seeds):
    with gzip.open(seeds, "rt") as file:
        return next(csv.DictReader(file))["study"]


def rows_of(name):
    with open(RESULTS / name) as file:
        return list(csv.DictReader(file))


def rounded(value, shown):
    """The value with as many decimals as the number that is shown, without the zero before the point."""
    decimals = len(shown.partition(".")[2])
    text = f"{abs(value):.{decimals}f}"
    sign = "−" if value < 0 and float(text) != 0 else ""
    return sign + (text[1:] if text.startswith("0.") else text)


def in_form(shown):
    """A quoted number in the form of rounded()."""
    text = shown.replace("-", "−").removeprefix("+").replace(",", "")
    return re.sub(r"^(−?)0\.", r"\1.", text)


def numbers_in(text):
    return [float(found.replace("−", "-")) for found in re.findall(r"[−+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)]


def cell(table, row, column):
    """The cell of a Markdown table in a page, by the first cell of its row and the title of its column."""
    header = []
    for line in table.splitlines():
        cells = [part.strip() for part in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            header = []
        elif not header:
            header = cells
        elif cells[0] == row and column in header:
            return cells[header.index(column)]
    raise KeyError(f"no cell {row} / {column}")


def of_worlds(world, method, other, field):
    """A number of the comparison that bench/worlds made, from the results of every world."""
    with gzip.open(RESULTS / "default-worlds.csv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["world"] == world]

    def column(name, of_method):
        return {row["seed"]: float(row[name]) for row in rows if row["method"] == of_method and row[name]}

    if field == "cpu":
        return statistics.mean(column("cpu_seconds", method).values()) / statistics.mean(column("cpu_seconds", other).values())
    ours = column("regret", method)
    if field == "mean":
        return statistics.mean(ours.values())
    theirs = column("regret", other)
    differences = [ours[seed] - theirs[seed] for seed in theirs]
    mean, reach = statistics.mean(differences), 1.96 * statistics.stdev(differences) / len(differences) ** .5
    high = mean + reach
    return {"difference": mean, "lo": mean - reach, "hi": high, "upper": 100 * high / statistics.mean(theirs.values())}[field]


def count_of_intervals(record, which):
    """How many intervals of OTSS minus a comparison method with averaged settings, or minus pooled, lie on one side of zero."""
    intervals = [one["regret"]["otss_minus_it"] for setting in record["settings"] for one in setting["methods"]
                 if one["method"] == "pooled" or one["method"].endswith("-average")]
    return sum({"below": interval["hi"] < 0, "above": interval["lo"] > 0, "all": True}[which] for interval in intervals)


def pages():
    return [RESULTS.parent / "theory.md", *(page for page in sorted(RESULTS.glob("*.md")) if not page.with_suffix(".jsonl.gz").exists())]


def name_of(page):
    return page.name if page.parent == RESULTS else f"../{page.name}"


class Results(CliTest):
    def remade(self, folder):
        """The folder in which the results were made again from the folder's seeds."""
        if folder not in self.made:
            seeds = RESULTS / folder / "seeds.csv.gz"
            name = study_of(seeds)
            self.ok("study", name, "--from", seeds, "-o", f"made-{folder}")
            self.made[folder] = self.dir / f"made-{folder}" / name
        return self.made[folder]

    def setUp(self):
        super().setUp()
        self.made = {}

    def value(self, path):
        """The number that quoted.csv describes by `path`."""
        if "@" in path:
            return of_worlds(*path.split("@"))
        if "?" in path:
            folder, which = path.split("?")
            return count_of_intervals(json.loads((self.remade(folder) / "results.json").read_text()), which)
        if "~" in path:
            folder, words = path.split("~")
            table = plain((self.remade(folder) / "table.md").read_text())
            return numbers_in(table[table.index(words) + len(words):])[0]
        if "#" in path:
            folder, row, column, index = path.split("#")
            return numbers_in(cell((self.remade(folder) / "table.md").read_text(), row, column))[int(index)]
        folder, setting, method, metric, field = path.split("/")
        if folder.endswith(".csv"):
            found = [float(row[field]) for row in rows_of(folder) if [row["study"], row["setting"], row["method"]] == [setting, method, metric]]
            return sum(found) / len(found)
        record = json.loads((self.remade(folder) / "results.json").read_text())
        settings = {one["setting"]: one for one in record["settings"]}
        methods = {one["method"]: one for one in settings[setting]["methods"]}
        found = methods[method][metric]
        for key in field.split("."):
            found = found[metric if key == "value" else key]
        return found

    def test_every_table_is_made_from_the_results_of_its_seeds(self):
        for seeds in RESULTS.glob("*/seeds.csv.gz"):
            with self.subTest(seeds.parent.name):
                self.assertEqual((self.remade(seeds.parent.name) / "table.md").read_text(), (seeds.parent / "table.md").read_text())

    def test_every_quoted_number_is_that_of_the_seeds(self):
        for row in rows_of("quoted.csv"):
            with self.subTest(row["quote"]):
                self.assertIn(plain(row["quote"]), plain((RESULTS / row["file"]).read_text()))
                self.assertIn(row["number"], row["quote"])
                value = self.value(row["first"])
                if row["operation"]:
                    second = float(row["second"]) if row["second"].isdigit() else self.value(row["second"])
                    value = OPERATIONS[row["operation"]](value, second)
                self.assertEqual(rounded(value, row["number"]), in_form(row["number"]))

    def test_every_number_in_prose_is_quoted_or_a_setting(self):
        quoted, settings = rows_of("quoted.csv"), rows_of("settings.csv")
        for page in pages():
            name = name_of(page)
            for block in prose_numbers.blocks(page.read_text()):
                left = prose_numbers.unexplained(block, [(row["quote"], row["number"]) for row in quoted if row["file"] == name],
                                                 [row["quote"] for row in settings if row["file"] == name])
                with self.subTest(page=name, block=block[:60]):
                    self.assertFalse(left, f"numbers {left}: list each in quoted.csv with its place in the results, or in settings.csv")

    def test_every_page_has_its_results(self):
        for page in [*RESULTS.glob("*/table.md"), RESULTS / "real-logs.md"]:
            record = page.with_suffix(".jsonl.gz") if page.parent == RESULTS else page.with_name("seeds.csv.gz")
            self.assertTrue(record.exists(), record)

    def test_the_page_of_real_logs_is_made_from_its_record(self):
        page = RESULTS / "real-logs.md"
        arena = RESULTS.parents[1] / "bench/real/arena"
        # Debian's python3 has numpy; the one that runs the tests may lack it.
        done = subprocess.run(["/usr/bin/python3", arena, "--from", page.with_suffix(".jsonl.gz")], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, page.read_text() + "\n")

    def test_settings_are_words_of_their_page(self):
        for row in rows_of("settings.csv"):
            with self.subTest(row["quote"]):
                self.assertIn(plain(row["quote"]), plain((RESULTS / row["file"]).read_text()))


class Rounding(unittest.TestCase):
    def test_intervals_on_a_side_of_zero_are_counted(self):
        def method(name, lo, hi):
            return {"method": name, "regret": {"otss_minus_it": {"lo": lo, "hi": hi}}}
        record = {"settings": [{"methods": [method("pooled", -2, -1), method("em-average", 1, 2), method("em", -2, -1)]},
                               {"methods": [method("mlp-average", -1, 1)]}]}
        self.assertEqual([count_of_intervals(record, which) for which in ("below", "above", "all")], [1, 1, 3])

    def test_a_number_is_compared_as_it_is_shown(self):
        self.assertEqual(rounded(0.02149, ".021"), in_form(".021"))
        self.assertEqual(rounded(-0.0126, "−.013"), in_form("-.013"))
        self.assertEqual(rounded(1.3219, "1.322"), in_form("1.322"))
        self.assertNotEqual(rounded(0.0216, ".021"), in_form(".021"))

    def test_a_cell_is_found_by_row_and_column(self):
        table = "text\n\n| a | b |\n|---|--:|\n| x | 1 [−2, 3] |\n\n| a | c |\n|---|---|\n| x | 4 |\n"
        self.assertEqual(numbers_in(cell(table, "x", "b")), [1, -2, 3])
        self.assertEqual(cell(table, "x", "c"), "4")
        self.assertRaises(KeyError, cell, table, "y", "b")


class Prose(unittest.TestCase):
    PAGE = "# Title 1\nSome .021 of\n64 seeds ([ADR 3](x-3.md), `--n 5`).\n\n- one 7\n  more 8\n- 2¹⁰ rows\n\n| a | 9 |\n|---|---|\n"

    def test_a_page_has_blocks(self):
        found = prose_numbers.blocks(self.PAGE)
        self.assertEqual(found[1:], ["- one 7 more 8", "- 2¹⁰ rows", "| a | 9 |"])

    def test_names_are_not_numbers(self):
        first = prose_numbers.blocks(self.PAGE)[0]
        self.assertEqual([first[a:b] for a, b in prose_numbers.numbers(first)], [".021", "64"])

    def test_a_number_is_explained_by_a_quote_or_a_setting(self):
        block = "OTSS has .021 over 64 seeds, EM .034."
        self.assertEqual(prose_numbers.unexplained(block, [], []), [".021", "64", ".034"])
        self.assertEqual(prose_numbers.unexplained(block, [("OTSS has .021", ".021")], ["64 seeds"]), [".034"])
        # A quote explains one number only, at its own place.
        self.assertEqual(prose_numbers.unexplained(".1 and .1", [("and .1", ".1")], []), [".1"])


if __name__ == "__main__":
    unittest.main()
