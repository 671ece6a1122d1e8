"""Outcomes that are numbers or counts, from the log to decisions."""
import math
import random

from otss_cli import CliTest

ROLES = ["--context", "x1,x2", "--factors", "z1,z2", "--outcome", "y"]


def log_text(family, rows=500, seed=3):
    rng = random.Random(seed)
    lines = ["x1,x2,z1,z2,y"]
    for _ in range(rows):
        x1, x2, z1, z2 = (rng.gauss(0, 1) for _ in range(4))
        eta = 0.5 + (0.8 if x1 > 0 else -0.4) * z1 + 0.3 * z2
        if family == "gaussian":
            y = 100 * (eta + rng.gauss(0, 0.5))
        else:
            y, left = 0, math.exp(eta)
            while (left := left - rng.expovariate(1)) > 0:
                y += 1
        lines.append(f"{x1},{x2},{z1},{z2},{y}")
    return "\n".join(lines) + "\n"


class Families(CliTest):
    def whole_way(self, family):
        self.write("log.csv", log_text(family))
        self.write("test.csv", log_text(family, seed=4))
        self.write("library.csv", "id,z1,z2\na,1,0\nb,-1,0\nc,0,1\n")
        fit = self.json("fit", "log.csv", *ROLES, "--family", family, "--experts", 2, "-o", "m.json")
        self.assertEqual(fit["family"], family)
        self.assertTrue(fit["heterogeneity"]["supported"])
        self.assertIn(f"{family} outcome 'y'", self.ok("inspect", "m.json"))
        self.assertEqual(len(self.rows(self.ok("weights", "m.json", "test.csv"))), 500)
        decisions = self.rows(self.ok("decide", "m.json", "test.csv", "--library", "library.csv", "--id", "id"))
        self.assertEqual({row["decision"] for row in decisions} - {"a", "b", "c"}, set())
        return fit, self.json("evaluate", "m.json", "test.csv")

    def test_gaussian(self):
        fit, quality = self.whole_way("gaussian")
        self.assertAlmostEqual(fit["validation_log_loss"], quality["log_loss"], delta=0.2)
        self.assertGreater(quality["r2"], 0.5)
        self.assertAlmostEqual(math.sqrt(quality["mse"]), 55, delta=12)
        self.assertNotIn("auc", quality)
        self.assertNotIn("brier", quality)

    def test_poisson(self):
        _, quality = self.whole_way("poisson")
        self.assertGreater(quality["deviance_explained"], 0.1)
        self.assertAlmostEqual(quality["calibration_slope"], 1, delta=0.25)
        self.assertNotIn("auc", quality)

    def test_outcomes_of_another_family_are_refused(self):
        self.write("log.csv", log_text("gaussian"))
        self.refused("fit", "log.csv", *ROLES, "-o", "m.json", says=["'y'", "row 1", "0 or 1", "--family"])
        self.refused("fit", "log.csv", *ROLES, "--family", "poisson", "-o", "m.json", says=["'y'", "row 1", "count"])
        self.refused("fit", "log.csv", *ROLES, "--family", "gamma", "-o", "m.json", says=["--family", "gamma"])

    def test_a_model_refuses_outcomes_its_family_cannot_have(self):
        self.write("log.csv", log_text("poisson"))
        self.ok("fit", "log.csv", *ROLES, "--family", "poisson", "--experts", 1, "-o", "m.json")
        self.write("bad.csv", "x1,x2,z1,z2,y\n0,0,1,1,2.5\n")
        self.refused("evaluate", "m.json", "bad.csv", says=["row 1", "'y'", "count"])
