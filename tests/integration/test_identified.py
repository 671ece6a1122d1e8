"""`fit` says in its first lines what `check` would say about weights that the log does not identify."""
import json
import random
import unittest

from test_check import ROLES, Log
from otss_cli import CliTest


class Identified(CliTest):
    def fit(self, log, *more, roles=ROLES):
        self.write("log.csv", log.text())
        done = self.otss("fit", "log.csv", *roles, "--method", "pooled", *more, "-o", "m.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def assert_warns(self, log, *words):
        first = self.fit(log).stderr.splitlines()[0]
        self.assertTrue(first.startswith("otss: warning: not identified: "), first)
        for word in words:
            self.assertIn(word, first)
        self.assertIn(first.removeprefix("otss: warning: not identified: "),
                      json.loads(self.fit(log, "--json").stdout)["not_identified"])
        check = self.otss("check", "log.csv", *ROLES)
        self.assertEqual(check.returncode, 3, check.stdout)

    def test_a_healthy_log_is_fitted_without_a_word(self):
        done = self.fit(Log())
        self.assertEqual(done.stderr, "")
        self.assertEqual(json.loads(self.fit(Log(), "--json").stdout)["not_identified"], [])

    def test_collinear_factors(self):
        log = Log()
        self.assert_warns(log.set("novelty", lambda i: round(log.columns["price"][i] + log.columns["health"][i], 3)), "collinear",
                          "'price'", "'health'")

    def test_outcomes_that_a_factor_separates(self):
        log = Log()
        y = log.columns["y"]
        self.assert_warns(log.set("novelty", lambda i: 1 if y[i] and i % 4 == 0 else 0), "factor 'novelty' alone decides the outcome",
                          "novelty = 1")

    def test_a_factor_that_is_the_outcome(self):
        log = Log()
        y = log.columns["y"]
        log.set("novelty", lambda i: y[i])
        self.assert_warns(log, "'novelty' alone decides the outcome in every row")
        self.ok("fit", "log.csv", *ROLES, "-o", "m.json")
        self.assertFalse(json.loads((self.dir / "m.json").read_text())["provenance"]["heterogeneity"]["supported"])

    def test_outcomes_that_columns_separate_together(self):
        log = Log()
        c = log.columns
        log.set("y", lambda i: int(c["health"][i] - 0.1 * c["price"][i] + 1.5 > 0))
        self.assert_warns(log, "together predict the outcome")

    def test_numbers_as_outcomes(self):
        rng = random.Random(3)
        log = Log()
        c = log.columns
        log.set("y", lambda i: round(c["price"][i] + rng.gauss(0, 1), 3))
        log.set("novelty", lambda i: round(c["price"][i] + c["health"][i], 3))
        self.assertIn("collinear", self.fit(log, "--family", "gaussian").stderr)


if __name__ == "__main__":
    unittest.main()
