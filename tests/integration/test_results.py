"""docs/results: its tables are made from the committed results of every seed, and so are the numbers in its prose."""
import csv
import gzip
import json
import pathlib
import re
import unittest

from otss_cli import CliTest

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "results"


def study_of(seeds):
    with gzip.open(seeds, "rt") as file:
        return next(csv.DictReader(file))["study"]


def plain(text):
    return " ".join(text.split())


def rounded(value, shown):
    """The value with as many decimals as the number that is shown, without the zero before the point."""
    decimals = len(shown.partition(".")[2])
    text = f"{abs(value):.{decimals}f}"
    sign = "−" if value < 0 and float(text) != 0 else ""
    return sign + (text[1:] if text.startswith("0.") else text)


def in_form(shown):
    """A quoted number in the form of rounded()."""
    text = shown.replace("-", "−").removeprefix("+")
    return re.sub(r"^(−?)0\.", r"\1.", text)


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
        """The number at folder/setting/method/metric/field, where field is mean, sd, or such as otss_minus_it.lo."""
        folder, setting, method, metric, field = path.split("/")
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
        with open(RESULTS / "quoted.csv") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            with self.subTest(row["quote"]):
                self.assertIn(plain(row["quote"]), plain((RESULTS / row["file"]).read_text()))
                self.assertIn(row["number"], row["quote"])
                value = self.value(row["first"])
                if row["operation"]:
                    second = self.value(row["second"])
                    value = value / second if row["operation"] == "/" else value - second
                self.assertEqual(rounded(value, row["number"]), in_form(row["number"]))


class Rounding(unittest.TestCase):
    def test_a_number_is_compared_as_it_is_shown(self):
        self.assertEqual(rounded(0.02149, ".021"), in_form(".021"))
        self.assertEqual(rounded(-0.0126, "−.013"), in_form("-.013"))
        self.assertEqual(rounded(1.3219, "1.322"), in_form("1.322"))
        self.assertNotEqual(rounded(0.0216, ".021"), in_form(".021"))


if __name__ == "__main__":
    unittest.main()
