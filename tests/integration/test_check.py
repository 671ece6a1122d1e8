"""`otss check` names every defect a log can have, before any fit, and gives a healthy log a clean bill."""
import json
import math
import random
import unittest

from otss_cli import CliTest

ROLES = ["--context", "age,region", "--factors", "price,health,novelty", "--outcome", "y"]


class Log:
    """A healthy log, column by column: two contexts, three factors varied at random, an outcome they move."""

    def __init__(self, n=1500, seed=11):
        rng = random.Random(seed)
        self.rng = rng
        self.columns = {
            "age": [round(rng.gauss(45, 12), 1) for _ in range(n)],
            "region": [rng.choice(["north", "south", "west"]) for _ in range(n)],
            "price": [round(rng.uniform(5, 25), 2) for _ in range(n)],
            "health": [round(rng.gauss(0, 1), 3) for _ in range(n)],
            "novelty": [round(rng.gauss(3, 2), 3) for _ in range(n)],
        }
        self.columns["y"] = [int(rng.random() < self.chance(i)) for i in range(n)]

    def chance(self, i):
        c = self.columns
        eta = 1.2 - 0.08 * c["price"][i] + 0.5 * c["health"][i] - 0.2 * (c["novelty"][i] - 3) + 0.01 * (c["age"][i] - 45)
        return 1 / (1 + math.exp(-eta))

    def __len__(self):
        return len(self.columns["y"])

    def set(self, name, value):
        """value(i) for every row."""
        self.columns[name] = [value(i) for i in range(len(self))]
        return self

    def text(self):
        rows = zip(*self.columns.values())
        return ",".join(self.columns) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


class Check(CliTest):
    def check(self, log, *more, code, roles=ROLES):
        self.write("log.csv", log if isinstance(log, str) else log.text())
        done = self.otss("check", "log.csv", *roles, *more, "--json")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def assert_names(self, result, kind, *words, severity=None):
        """Some finding of this kind says all these words."""
        said = [f for f in result["findings"] if f["kind"] == kind]
        good = [f for f in said if all(word in f["what"] for word in words)]
        self.assertTrue(good, f"no {kind} with {words} among {json.dumps(result['findings'], indent=1)}")
        if severity is not None:
            self.assertEqual(good[0]["severity"], severity)

    def unidentified(self, log, kind, *words, more=(), roles=ROLES):
        result = self.check(log, *more, code=3, roles=roles)
        self.assertFalse(result["identified"])
        self.assert_names(result, kind, *words, severity="not identified")
        return result

    def identified(self, log, kind, *words, severity, more=(), roles=ROLES):
        result = self.check(log, *more, code=0, roles=roles)
        self.assertTrue(result["identified"])
        self.assert_names(result, kind, *words, severity=severity)
        return result


class HealthyLog(Check):
    def test_gets_a_clean_bill(self):
        log = Log()
        result = self.check(log, code=0)
        self.assertEqual(result["findings"], [])
        self.assertEqual(result["rows"], 1500)
        self.assertEqual(result["usable_rows"], 1500)
        self.assertAlmostEqual(result["outcome_rate"], sum(log.columns["y"]) / 1500)
        self.assertLess(result["condition"], 2)
        text = self.ok("check", "log.csv", *ROLES)
        self.assertIn("Nothing in this log prevents a fit.", text)
        self.assertIn("1500 rows", text)

    def test_simulated_log_with_its_library_gets_a_clean_bill(self):
        demo = self.simulate(n=3000)
        result = self.json("check", f"{demo}/log.csv", *self.ROLES, "--library", f"{demo}/library.csv", "--id", "id")
        self.assertEqual(result["findings"], [])

    def test_does_not_depend_on_the_number_of_threads(self):
        log = Log().set("copy", lambda i: 0)
        log.set("copy", lambda i: round(log.columns["price"][i] + log.columns["health"][i], 3))
        roles = [*ROLES[:3], "price,health,novelty,copy", *ROLES[4:]]
        one = self.check(log, "--threads", 1, code=3, roles=roles)
        self.assertEqual(one, self.check(log, "--threads", 3, code=3, roles=roles))


class Factors(Check):
    def test_constant(self):
        self.unidentified(Log().set("health", lambda i: 4), "constant_factor", "'health' is 4 in every row")

    def test_duplicated(self):
        log = Log()
        log.set("novelty", lambda i: 3 - 2 * log.columns["price"][i])
        self.unidentified(log, "duplicated_factors", "'price' and 'novelty'", "up to scale and offset")

    def test_collinear_in_words(self):
        log = Log()
        log.set("novelty", lambda i: round(2 * log.columns["price"][i] - 5 * log.columns["health"][i], 6))
        result = self.unidentified(log, "collinear_factors", "price - 2.5 health - 0.5 novelty hardly varies")
        self.assertGreater(result["condition"], 1e6)

    def test_nearly_collinear_is_a_warning_with_enough_rows(self):
        log = Log()
        log.set("novelty", lambda i: round(0.98 * log.columns["price"][i] + log.rng.gauss(0, 0.4), 4))
        self.identified(log, "collinear_factors", "'price'", "'novelty'", "hardly varies", severity="warning")

    def test_collinear_only_given_the_context(self):
        log = Log()
        log.set("novelty", lambda i: round(log.columns["price"][i] + 3 * log.columns["age"][i], 6))
        self.unidentified(log, "collinear_given_context", "novelty - price hardly varies", "with the same context")

    def test_decided_by_the_context(self):
        log = Log()
        rate = {"north": 3, "south": 7, "west": 9}
        log.set("price", lambda i: rate[log.columns["region"][i]] + 0.1 * log.columns["age"][i])
        self.unidentified(log, "factor_decided_by_context", "'price' is determined by the context")

    def test_two_collinearities_are_told_apart(self):
        log = Log()
        log.set("a", lambda i: round(log.columns["price"][i] + log.columns["health"][i], 6))
        log.set("b", lambda i: round(log.columns["novelty"][i] - 2 * log.columns["age"][i], 6))
        result = self.unidentified(log, "collinear_factors", "'price'", "'health'", "'a'",
                                   roles=[*ROLES[:3], "price,health,novelty,a,b", *ROLES[4:]])
        self.assert_names(result, "collinear_given_context", "b - novelty hardly varies")

    def test_missing_values_name_the_first_row(self):
        log = Log().set("health", lambda i: "" if i in (6, 99) else round(math.sin(i), 3))
        result = self.identified(log, "missing_values", "'health'", "in 2 of 1500 rows", "row 7", severity="refused")
        self.assertEqual(result["usable_rows"], 1498)

    def test_mostly_missing(self):
        log = Log().set("health", lambda i: "" if i % 3 else i % 7)
        self.unidentified(log, "missing_values", "'health'", "leave it out")


class Outcomes(Check):
    def test_constant(self):
        result = self.unidentified(Log().set("y", lambda i: 1), "constant_outcome", "'y' is 1 in every row")
        self.assertEqual(result["usable_rows"], 1500)

    def test_not_binary(self):
        log = Log()
        log.set("y", lambda i: log.columns["price"][i])
        self.unidentified(log, "outcome_not_binary", "different values", "--family gaussian")

    def test_two_other_numbers_are_recoded_for_the_rest_of_the_check(self):
        log = Log()
        log.set("y", lambda i: log.columns["y"][i] + 1)
        result = self.identified(log, "outcome_not_binary", "1 and 2", "--positive 2", severity="refused")
        self.assertIsNotNone(result["outcome_rate"])

    def test_a_few_slips_name_the_first_row(self):
        log = Log()
        log.columns["y"][4] = 7
        self.identified(log, "outcome_not_binary", "in 1 of 1500 rows", "row 5", severity="refused")

    def test_missing(self):
        log = Log()
        log.columns["y"][4] = ""
        self.identified(log, "missing_values", "outcome 'y'", "row 5", severity="refused")

    def test_decided_by_one_factor(self):
        log = Log()
        log.set("y", lambda i: int(log.columns["health"][i] > 0.2))
        self.unidentified(log, "separation", "factor 'health' alone decides the outcome")

    def test_decided_by_one_level_of_a_factor(self):
        log = Log().set("novelty", lambda i: i % 2)
        log.set("y", lambda i: 1 if i % 2 else log.columns["y"][i])
        self.unidentified(log, "separation", "'novelty'", "novelty = 1")

    def test_decided_by_a_context_level(self):
        log = Log()
        log.set("y", lambda i: 0 if log.columns["region"][i] == "west" else log.columns["y"][i])
        self.identified(log, "separation", "context 'region'", "region = west", severity="warning")

    def test_decided_by_several_columns_together(self):
        log = Log()
        log.set("y", lambda i: int(0.2 * log.columns["price"][i] + log.columns["health"][i] > 3))
        self.unidentified(log, "separation", "together predict the outcome of all 1500 rows")

    def test_too_rare_to_say_much(self):
        log = Log()
        log.set("y", lambda i: int(i % 500 == 0))
        result = self.identified(log, "too_few_rows", "rarer outcome has 3 rows", severity="warning")
        self.assert_names(result, "little_information", "add rows")


class RowsAndWeights(Check):
    def test_too_few_rows(self):
        self.unidentified(Log(n=7), "too_few_rows", "7 usable rows are too few")

    def test_weights_that_are_all_zero(self):
        self.unidentified(Log().set("w", lambda i: 0), "bad_weights", "'w' is not above 0 in any row", more=("--weight", "w"))

    def test_negative_weights(self):
        log = Log().set("w", lambda i: -1 if i == 9 else 1)
        self.identified(log, "bad_weights", "'w'", "row 10", severity="refused", more=("--weight", "w"))

    def test_a_few_rows_that_outweigh_the_others(self):
        log = Log().set("w", lambda i: 200 if i % 100 == 0 else 0.1)
        done = self.otss("check", self.write("log.csv", log.text()), *ROLES, "--weight", "w")
        self.assertIn("so uneven", done.stdout)

    def test_few_groups(self):
        log = Log().set("shop", lambda i: f"s{i % 4}")
        self.identified(log, "few_groups", "'shop' has only 4 different values", severity="warning", more=("--group", "shop"))


class Contexts(Check):
    def test_id_column(self):
        for value in (lambda i: f"c{i}", lambda i: 100000 + 7 * i):
            log = Log().set("customer", value)
            self.identified(log, "id_column", "'customer' looks like an id", "1500 different values",
                            severity="refused" if isinstance(value(0), str) else "warning",
                            roles=["--context", "age,region,customer", *ROLES[2:]])

    def test_missing_values_are_counted(self):
        log = Log().set("age", lambda i: "" if i % 10 == 0 else i % 37)
        self.identified(log, "missing_values", "context 'age'", "150 of 1500 rows", severity="note")

    def test_constant(self):
        self.identified(Log().set("age", lambda i: 30), "constant_context", "'age' is 30", severity="note")

    def test_a_stray_text_among_numbers(self):
        log = Log()
        log.columns["age"][12] = "old"
        self.identified(log, "stray_text", "'old' in row 13", severity="refused")

    def test_thin_level(self):
        log = Log()
        log.columns["region"][3] = "island"
        self.identified(log, "thin_level", "'region'", "'island'", severity="warning")

    def test_factor_that_does_not_vary_at_a_level(self):
        log = Log()
        log.set("price", lambda i: 9.5 if log.columns["region"][i] == "south" else log.columns["price"][i])
        self.identified(log, "thin_region", "'price' does not vary where region is 'south'", severity="warning")

    def test_factor_that_hardly_varies_in_a_region_of_numbers(self):
        log = Log()
        for i in range(500):
            log.columns["age"][i] = round(log.rng.gauss(120, 2), 1)
            log.columns["price"][i] = round(log.rng.gauss(15, 0.1), 3)
        self.identified(log, "thin_region", "'price' hardly varies", "high age", severity="warning")


class FeasibleDecisions(Check):
    def test_library_outside_the_logged_range(self):
        self.write("library.csv", "id,price,health,novelty\na,10,0,3\nb,90,0,3\nc,12,0.5,2\nd,14,-0.5,4\n")
        result = self.identified(Log(), "outside_range", "25 %", "'price'", "'b'", severity="warning",
                                 more=("--library", "library.csv", "--id", "id"))
        self.assert_names(result, "outside_range", "25 %", "at least one factor")

    def test_combinations_nobody_logged(self):
        log = Log()
        log.set("novelty", lambda i: round(log.columns["price"][i] + log.rng.gauss(0, 1.5), 3))
        self.write("library.csv", "id,price,health,novelty\na,10,0,10\nb,6,0,24\n")
        self.identified(log, "outside_combination", "50 %", severity="warning",
                        more=("--library", "library.csv", "--id", "id"))

    def candidates(self, effect_of_the_mean):
        """Contexts with sets of their own, whose mean price moves the outcome by `effect_of_the_mean`."""
        log = Log(n=3000, seed=5)
        rng = random.Random(8)
        level = [10 + 5 * abs(math.sin(i)) for i in range(len(log))]
        sets = [[level[i] + shift for shift in (-3, -1, 1, 3)] for i in range(len(log))]
        log.set("order", lambda i: f"o{i}")
        log.set("price", lambda i: round(rng.choice(sets[i]), 3))

        def outcome(i):
            eta = 1.5 - 0.15 * log.columns["price"][i] + effect_of_the_mean * (level[i] - 13)
            return int(rng.random() < 1 / (1 + math.exp(-eta)))
        log.set("y", outcome)
        self.write("candidates.csv", "order,id,price,health,novelty\n" + "".join(
            f"o{i},d{k},{price:.3f},{log.columns['health'][i]},3\n" for i in range(len(log))
            for k, price in enumerate(sets[i])))
        return log

    CANDIDATES = ("--candidates", "candidates.csv", "--context-id", "order", "--id", "id")

    def test_mean_level_that_moves_the_outcome_asks_for_centering(self):
        self.identified(self.candidates(0.6), "centering", "--center-factors", severity="warning", more=self.CANDIDATES)

    def test_mean_level_that_does_not_is_left_in_peace(self):
        result = self.check(self.candidates(0), *self.CANDIDATES, code=0)
        self.assertNotIn("centering", [f["kind"] for f in result["findings"]])

    def test_a_log_without_the_link_says_so(self):
        log = self.candidates(0)
        del log.columns["order"]
        self.identified(log, "centering", "no column 'order'", severity="note", more=self.CANDIDATES)


class Answers(Check):
    def test_worst_first_and_every_defect_at_once(self):
        log = Log().set("health", lambda i: 1).set("w", lambda i: 1)
        log.columns["region"][3] = "island"
        log.columns["novelty"][8] = ""
        log.columns["w"][5] = -2
        result = self.check(log, "--weight", "w", code=3)
        order = ["not identified", "refused", "warning", "note"]
        ranks = [order.index(f["severity"]) for f in result["findings"]]
        self.assertEqual(ranks, sorted(ranks))
        for kind in ("constant_factor", "missing_values", "bad_weights", "thin_level"):
            self.assertIn(kind, [f["kind"] for f in result["findings"]])

    def test_the_text_says_the_same(self):
        self.write("log.csv", Log().set("health", lambda i: 1).text())
        done = self.otss("check", "log.csv", *ROLES)
        self.assertEqual(done.returncode, 3)
        self.assertIn("The model is not identified", done.stdout)
        self.assertIn("- not identified: factor 'health' is 1 in every row", done.stdout)

    def test_what_cannot_be_read_is_an_error(self):
        self.write("log.csv", Log(n=30).text())
        self.refused("check", "none.csv", *ROLES, says="none.csv")
        self.refused("check", "log.csv", "--context", "age", "--factors", "prise", "--outcome", "y", says="'price'")
        self.refused("check", "log.csv", *ROLES, "--library", "log.csv", says="--id")
        self.refused("check", "log.csv", *ROLES, "--candidates", "log.csv", "--id", "y", says="--context-id")
        self.refused("check", "log.csv", *ROLES, "--id", "y", says="--library")


if __name__ == "__main__":
    unittest.main()
