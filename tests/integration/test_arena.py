"""The arena's report and cache (bench/real), on made-up results."""
import contextlib
import csv
import io
import math
import pathlib
import sys
import tempfile
import types
import unittest

ARENA = pathlib.Path(__file__).resolve().parents[2] / "bench/real"
sys.path.insert(0, str(ARENA))

import report  # noqa: E402
from results import Results, completed, read_record, write_record  # noqa: E402

DATA = types.SimpleNamespace(name="shop", family="bernoulli", what="a made-up shop", package="none")


def method(name, is_rival=True):
    return types.SimpleNamespace(name=name, what="", is_rival=is_rival, recipe=lambda: [name.encode()])


def results_of(name, losses):
    return [{"set": "shop", "split": str(i), "method": name, "loss": loss, "seconds": 1.0, "note": ""} for i, loss in enumerate(losses, 1)]


class Report(unittest.TestCase):
    def test_the_standard_error_is_corrected_for_overlapping_splits(self):
        self.assertAlmostEqual(report.corrected_error([1, 2, 3, 4, 5]), math.sqrt((1 / 5 + 1 / 4) * 2.5))

    def test_methods_are_in_the_order_of_their_loss_with_paired_differences(self):
        collected = results_of("otss", [0.5, 0.6, 0.7, 0.8, 0.9]) + results_of("glm", [0.4, 0.5, 0.6, 0.7, 0.8])
        text = report.text_of([DATA], [method("otss"), method("glm")], collected, [], [], [])
        self.assertLess(text.index("| glm |  | 0.6000 | -0.1000 ± 0.0000"), text.index("| **otss** |  | 0.7000 |"))

    def test_a_rival_within_one_standard_error_is_level_and_trees_are_no_rival(self):
        collected = results_of("otss", [0.50, 0.60]) + results_of("glm", [0.49, 0.62]) + results_of("XGBoost", [0.30, 0.41])
        text = report.overview([DATA], [method("otss"), method("glm"), method("XGBoost", is_rival=False)], collected)
        self.assertIn("| 0.5550 glm | level | 0.3550 XGBoost | behind by", text)

    def test_a_claim_is_compared_with_the_gain_over_pooled_on_blocks_of_units(self):
        ours = {**results_of("otss", [0.5])[0], "blocks": [[10, 0.5], [30, 0.4]],
                "heterogeneity": {"gain": 0.1, "lo": 0.0, "hi": 0.2, "supported": False}}
        pooled = {**results_of("otss pooled", [0.6])[0], "blocks": [[10, 0.6], [30, 0.6]]}
        (_, claimed, claim_error, gain, error, _), = report.claims([DATA], [ours, pooled])
        self.assertAlmostEqual(claimed, 0.1)
        self.assertAlmostEqual(claim_error, 0.2 / 3.92)
        self.assertAlmostEqual(gain, (10 * 0.1 + 30 * 0.2) / 40)
        self.assertAlmostEqual(error, math.sqrt(2 * ((10 / 40 * 0.075) ** 2 + (30 / 40 * 0.025) ** 2)))


class Cache(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "results.jsonl")
        self.runs = 0

    def run_once(self):
        self.runs += 1
        return {"loss": 0.5, "seconds": 1.0, "note": ""}

    def get(self, rows, **how):
        with contextlib.redirect_stderr(io.StringIO()):
            return Results(self.path, **how).get("shop", "1", method("glm"), [rows], self.run_once).result()

    def test_a_result_is_made_once_and_found_again_by_the_next_run(self):
        first = self.get(b"rows")
        self.assertEqual(self.get(b"rows"), first)
        self.assertTrue(first["machine"])
        self.assertEqual(self.runs, 1)

    def test_results_made_at_the_same_time_are_all_kept(self):
        with contextlib.redirect_stderr(io.StringIO()):
            results = Results(self.path, jobs=3)
            made = completed([results.get("shop", str(split), method("glm"), [b"rows"], self.run_once) for split in range(9)])
        self.assertEqual(sorted(result["split"] for result in made), [str(split) for split in range(9)])
        self.assertEqual(len(self.path.read_text().splitlines()), 9)

    def test_other_rows_are_another_result(self):
        self.get(b"rows")
        self.get(b"other rows")
        self.assertEqual(self.runs, 2)

    def test_again_makes_a_result_that_is_there(self):
        self.get(b"rows")
        self.get(b"rows", again=True)
        self.assertEqual(self.runs, 2)

    def test_a_report_runs_nothing(self):
        self.assertIsNone(self.get(b"rows", may_run=False))
        self.assertEqual(self.runs, 0)


class Record(unittest.TestCase):
    def test_a_report_is_made_again_from_the_record_of_its_run(self):
        parts = {"collected": [{**result, "recipe": "abc", "program": "otss 1", "machine": "a machine"} for result in results_of("otss", [0.5, 0.6])],
                 "shuffled": [], "simulated": [], "seeds": [{"of_all": 0.1, "of_ten": 0.2}]}
        with tempfile.TemporaryDirectory() as name:
            record = pathlib.Path(name, "record.jsonl.gz")
            write_record(record, parts)
            again = read_record(record)
        self.assertEqual(again["collected"][0], {name: value for name, value in parts["collected"][0].items() if name != "recipe"})
        text = report.text_of([DATA], [method("otss")], **parts)
        self.assertEqual(report.text_of([DATA], [method("otss")], **again), text)
        self.assertIn("Made by otss 1 on a machine.", text)


class Sets(unittest.TestCase):
    def test_every_set_has_the_roles_that_a_fit_needs(self):
        with open(ARENA / "sets.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            self.assertIn(row["family"], report.LOSS_NAMES, row["set"])
            self.assertTrue(row["context"].split() and row["factors"].split() and row["outcome"], row["set"])
            self.assertLessEqual(set(row["levels"].split()), set(row["context"].split()), row["set"])
