"""fit --unit: personal deviations of the weights, from a log of customers with several rows."""
import json
import math
import random

from otss_cli import CliTest

ROLES = ["--context", "x1", "--factors", "z1,z2", "--outcome", "y", "--unit", "who"]


def log_text(spread, units=150, rows=8, seed=3):
    rng = random.Random(seed)
    lines = ["who,x1,z1,z2,y"]
    for unit in range(units):
        v, u1, u2 = (spread * rng.gauss(0, 1) for _ in range(3))
        x1 = rng.gauss(0, 1)
        for _ in range(rows):
            z1, z2 = rng.gauss(0, 1), rng.gauss(0, 1)
            eta = 0.2 + 0.3 * x1 + v + (0.8 + u1) * z1 + (-0.6 + u2) * z2
            lines.append(f"c{unit},{x1},{z1},{z2},{int(rng.random() < 1 / (1 + math.exp(-eta)))}")
    return "\n".join(lines) + "\n"


class FitUnits(CliTest):
    def test_units_that_differ_are_supported_and_reported(self):
        self.write("log.csv", log_text(1.2))
        units = self.json("fit", "log.csv", *ROLES, "--method", "pooled", "-o", "m.json")["units"]
        self.assertTrue(units["supported"])
        self.assertEqual(units["units"], 150)
        self.assertGreater(units["lo"], 0)
        self.assertLess(units["known_units"]["log_loss"], units["known_units"]["log_loss_without"])
        self.assertAlmostEqual(sum(units["variation"].values()), 1, places=9)
        model = json.loads((self.dir / "m.json").read_text())
        self.assertEqual(model["units"]["form"], units["form"])
        self.assertEqual(model["provenance"]["units"]["chosen"], units["form"])
        told = self.ok("inspect", "m.json")
        self.assertIn("Personal deviations of the weights are supported by this log", told)
        self.assertIn("A known unit has the log-loss", told)

    def test_units_that_do_not_differ_change_nothing(self):
        self.write("log.csv", log_text(0))
        units = self.json("fit", "log.csv", *ROLES, "--method", "pooled", "-o", "m.json")["units"]
        self.assertFalse(units["supported"])
        self.assertIsNone(units["new_units"])
        self.ok("fit", "log.csv", *ROLES[:-2], "--method", "pooled", "-o", "plain.json")
        model, plain = json.loads((self.dir / "m.json").read_text()), json.loads((self.dir / "plain.json").read_text())
        self.assertEqual(model["experts"], plain["experts"])
        self.assertNotIn("units", model)

    def test_a_fit_without_units_reports_none(self):
        self.write("log.csv", log_text(0, units=40))
        fit = self.json("fit", "log.csv", *ROLES[:-2], "--method", "pooled", "-o", "m.json")
        self.assertIsNone(fit["units"])
