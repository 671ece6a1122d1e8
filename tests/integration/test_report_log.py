"""The facts of a report on a log are the numbers that check, compare, decide and evaluate print."""
import json
import unittest

import unit_model
from otss_cli import CliTest


def digits(value):
    """A number as the facts write it: six digits."""
    return None if value is None else float(f"{value:.6g}")


class ReportOnALog(CliTest):
    def setUp(self):
        super().setUp()
        self.simulate("d", n=900)
        self.factors = ",".join(name for name in self.rows("d/library.csv")[0] if name != "id")
        contexts = ",".join(name for name in self.rows("d/contexts.csv")[0])
        self.roles = ["--context", contexts, "--factors", self.factors, "--outcome", "y"]
        self.ok("fit", "d/log.csv", *self.roles, "--experts", 2, "-o", "m.json")
        self.library = ["--library", "d/library.csv", "--id", "id"]

    def facts(self, *more):
        self.ok("report", "m.json", *more, "--facts", "facts.json", "-o", "report.html")
        return json.loads((self.dir / "facts.json").read_text())

    def test_quality_and_policy_are_those_of_evaluate(self):
        policy = ["--propensity", "propensity", "--decision", "decision"]
        facts = self.facts("d/test.csv", *self.library, *policy)
        printed = self.json("evaluate", "m.json", "d/test.csv", *self.library, *policy)
        quality = facts["trust"]["on_log"]
        for name in ("log_loss", "auc", "calibration_slope"):
            ends = printed["intervals"][name]
            self.assertEqual(quality[name], {"value": digits(printed[name]), "lo": digits(ends["lo"]), "hi": digits(ends["hi"])})
        self.assertEqual(facts["trust"]["gate"]["usage"], [digits(share) for share in printed["expert_usage"]])
        value = facts["answer"]["policy"]
        for name, other in {"value": "doubly_robust", "ips": "ips", "snips": "snips", "direct": "direct"}.items():
            self.assertEqual(value[name], {end: digits(number) for end, number in printed[other].items()})
        self.assertFalse(facts["trust"]["in_sample"])
        self.assertFalse(facts["trust"]["calibration"]["held_out"])

    def test_decisions_are_those_of_decide(self):
        # Of more contexts than this, only a sample is certified.
        self.write("some.csv", "\n".join((self.dir / "d/test.csv").read_text().splitlines()[:1501]) + "\n")
        facts = self.facts("some.csv", *self.library, "--decision", "decision")["decisions"]
        chosen = [row["decision"] for row in self.rows(self.ok("decide", "m.json", "some.csv", *self.library))]
        logged = [row["decision"] for row in self.rows("some.csv")]
        self.assertEqual(facts["rows"], len(chosen))
        self.assertEqual(facts["chosen_distinct"], len(set(chosen)))
        for one in facts["list"]:
            self.assertEqual(one["chosen"], digits(chosen.count(one["id"]) / len(chosen)))
            self.assertEqual(one["logged"], digits(logged.count(one["id"]) / len(logged)))
        self.assertEqual(facts["agreement"], digits(sum(a == b for a, b in zip(chosen, logged)) / len(chosen)))
        certified = self.json("decide", "m.json", "some.csv", *self.library, "--certify", 0.9, "-o", "c.csv")["certificates"]
        self.assertEqual(facts["rows_certified"], certified["decisions"])
        share = {point["level"]: point["share"] for point in facts["curve"]}
        self.assertEqual(share[0.9], digits(certified["certified"] / certified["decisions"]))
        self.assertAlmostEqual(facts["expected_regret"], certified["expected_regret"], delta=1e-5 * certified["expected_regret"])

    def test_logged_decisions_are_found_by_their_factors(self):
        by_id = self.facts("d/test.csv", *self.library, "--decision", "decision")["decisions"]
        by_factors = self.facts("d/test.csv", *self.library)["decisions"]
        self.assertEqual(by_factors, by_id)

    def test_findings_are_those_of_check(self):
        query = ["--query", "SELECT *, z1 - 2 * z2 AS both FROM t"]
        roles = ["--context", "x1,x2", "--factors", "z1,z2,both", "--outcome", "y"]
        checked = json.loads(self.otss("check", "d/log.csv", *query, *roles, "--json").stdout)["findings"]
        self.ok("fit", "d/log.csv", *query, *roles, "--experts", 1, "-o", "m.json")
        self.assertTrue(checked)
        self.assertEqual(self.facts()["trust"]["findings"], checked)

    def test_the_log_of_the_fit_is_recognised(self):
        trust = self.facts("d/log.csv")["trust"]
        self.assertTrue(trust["in_sample"])
        self.assertTrue(trust["calibration"]["held_out"])
        self.assertEqual(trust["calibration"], self.facts()["trust"]["calibration"])

    def test_a_comparison_is_shown(self):
        printed = self.json("compare", "d/log.csv", *self.roles, "--methods", "pooled,linear", "--experts", 2)
        self.write("compare.json", json.dumps(printed))
        shown = self.facts("--compare", "compare.json")["trust"]["comparison"]
        self.assertEqual(shown["rows"], printed["test_rows"])
        # The deployed model averages its settings, and so do the methods beside it.
        alike = [one for one in printed["methods"] if one["treatment"] != "pick"]
        self.assertEqual(len(printed["methods"]), 5)
        self.assertEqual([one["method"] for one in shown["methods"]], [one["method"] for one in alike])
        for one, other in zip(shown["methods"], alike):
            self.assertEqual(one["difference"]["lo"], digits(0 - other["otss_minus_method"]["hi"]))
        self.refused("report", "m.json", "--compare", "d/log.csv", "-o", "r.html", says="d/log.csv: the file is not a JSON document")

    def test_the_number_of_threads_changes_nothing(self):
        both = []
        for threads in (1, 2):
            self.facts("d/test.csv", *self.library, "--threads", threads)
            both.append((self.dir / "facts.json").read_bytes().replace(b"--threads", b""))
        self.assertEqual(*both)

    def test_units_with_a_history_have_the_quality_that_evaluate_prints(self):
        unit_model.make_model(self)
        self.write("before.csv", unit_model.history(rows=8))
        self.write("after.csv", unit_model.history(rows=12, first=9))
        self.write("menu.csv", "id,price,health\ncheap,2,-1\ndear,9,1\n")
        history = ["--history", "before.csv", "--unit", "who", "--time", "day"]
        menu = ["--library", "menu.csv", "--id", "id"]
        facts, population = self.facts("after.csv", *history, *menu), self.facts("after.csv", *menu)
        printed = self.json("evaluate", "m.json", "after.csv", *history)
        self.assertEqual(facts["trust"]["on_log"]["log_loss"]["value"], digits(printed["log_loss"]))
        self.assertNotEqual(facts["trust"]["on_log"], population["trust"]["on_log"])
        self.assertEqual(facts["segments"]["average"], population["segments"]["average"])
        chosen = [row["decision"] for row in self.rows(self.ok("decide", "m.json", "after.csv", *history, *menu))]
        for one in facts["decisions"]["list"]:
            self.assertEqual(one["chosen"], digits(chosen.count(one["id"]) / len(chosen)))
        self.assertEqual(facts["decisions"]["curve"], [])
        self.assertNotEqual(facts["decisions"]["list"], population["decisions"]["list"])


if __name__ == "__main__":
    unittest.main()
