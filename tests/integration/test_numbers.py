"""The numbers that leave the program, against the formulas of docs/reference/model-file.md worked out here."""
import math
import random
import unittest

from otss_cli import CliTest

FACTORS = ["price", "health"]
ROLES = ["--context", "age,region,member", "--factors", ",".join(FACTORS), "--outcome", "y"]


def logged_row(rng):
    """A decision whose price matters with another sign in the north; every context column has gaps."""
    region, price, health = rng.choice(["north", "south", "east"]), rng.gauss(0, 1), rng.gauss(0, 1)
    predictor = (1.5 if region == "north" else -1.0) * price + 0.5 * health
    return {"age": rng.choice(["", f"{rng.gauss(40, 10):.2f}"]), "region": rng.choice(["", region, region, region]),
            "member": rng.choice(["true", "false", ""]), "price": f"{price:.4f}", "health": f"{health:.4f}",
            "y": int(rng.random() < 1 / (1 + math.exp(-predictor)))}


def as_csv(rows):
    return "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]) + "\n"


def encode(schema, row):
    encoded = []
    for column in schema["contexts"]:
        value = {"true": "1", "false": "0"}.get(row[column["name"]], row[column["name"]])
        if column["kind"] == "text":
            encoded += [((value == level) - share) / 0.5
                        for level, share in zip(column["levels"], column["frequencies"])]
        else:
            encoded.append((float(value) - column["center"]) / column["scale"] if value else 0.0)
        if column["missing"]:
            encoded.append(((value == "") - column["missing_frequency"]) / 0.5)
    return encoded


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def mixture(model, row):
    """Weights, shares and predictor of a row."""
    x, gate, baseline = encode(model["schema"], row), model["gate"], model["baseline"]
    scores = [dot(slopes, x) + intercept for slopes, intercept in zip(gate["slopes"], gate["intercepts"])]
    powers = [math.exp(score - max(scores)) for score in scores]
    shares = [power / sum(powers) for power in powers]
    weights = [dot(shares, [expert[name] for expert in model["experts"]]) for name in FACTORS]
    moved = [float(row[factor["name"]]) - factor["center"] for factor in model["schema"]["factors"]]
    predictor = (baseline["intercept"] + dot(baseline["slopes"], x) + dot(shares, baseline["expert_intercepts"])
                 + dot(weights, moved))
    return weights, shares, predictor


class Numbers(CliTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(9)
        self.log = [logged_row(rng) for _ in range(900)]
        self.test = [logged_row(rng) for _ in range(300)]
        self.test[5]["region"] = "mars"  # never seen in training: all of its column's indicators are 0
        self.write("log.csv", as_csv(self.log))
        self.write("test.csv", as_csv(self.test))

    def fit(self):
        self.ok("fit", "log.csv", *ROLES, "--experts", 3, "-o", "model.json")
        return self.json("inspect", "model.json")

    def test_weights_follow_from_the_model_file(self):
        model = self.fit()
        rows = self.rows(self.ok("weights", "model.json", "test.csv", "--gate"))
        for row, out in zip(self.test, rows, strict=True):
            weights, shares, _ = mixture(model, row)
            for value, expected in zip(out.values(), weights + shares, strict=True):
                self.assertAlmostEqual(float(value), expected, places=11)

    def test_evaluate_scores_the_predictor_of_the_model_file(self):
        model = self.fit()
        result = self.json("evaluate", "model.json", "test.csv")
        predictors, outcomes = [mixture(model, row)[2] for row in self.test], [row["y"] for row in self.test]
        chances = [1 / (1 + math.exp(-value)) for value in predictors]
        log_loss = -sum(math.log(p if y else 1 - p) for p, y in zip(chances, outcomes)) / len(outcomes)
        brier = sum((p - y) ** 2 for p, y in zip(chances, outcomes)) / len(outcomes)
        pairs = [(a, b) for a, y in zip(predictors, outcomes) if y for b, other in zip(predictors, outcomes) if not other]
        self.assertAlmostEqual(result["log_loss"], log_loss, places=10)
        self.assertAlmostEqual(result["brier"], brier, places=10)
        self.assertAlmostEqual(result["auc"], sum(a > b for a, b in pairs) / len(pairs), places=10)
        self.assert_calibrated(predictors, outcomes, result["calibration_slope"])

    def assert_calibrated(self, predictors, outcomes, slope):
        """At the best intercept for this slope, the slope's own score is zero."""
        low, high = -20.0, 20.0
        for _ in range(100):
            middle = (low + high) / 2
            residuals = [y - 1 / (1 + math.exp(-middle - slope * v)) for v, y in zip(predictors, outcomes)]
            low, high = (middle, high) if sum(residuals) > 0 else (low, middle)
        self.assertAlmostEqual(dot(residuals, predictors) / len(outcomes), 0, places=6)

    def test_a_whole_weight_counts_like_repeated_rows(self):
        times = [1 + i % 3 for i in range(len(self.log))]
        self.write("weighted.csv", as_csv([{**row, "n": n} for row, n in zip(self.log, times)]))
        self.write("repeated.csv", as_csv([row for row, n in zip(self.log, times) for _ in range(n)]))
        self.ok("fit", "weighted.csv", *ROLES, "--method", "pooled", "--weight", "n", "-o", "weighted.json")
        self.ok("fit", "repeated.csv", *ROLES, "--method", "pooled", "-o", "repeated.json")
        weighted, repeated = (self.json("inspect", f"{name}.json")["experts"][0] for name in ["weighted", "repeated"])
        for name in FACTORS:  # centres and scales ignore weights, so the penalty differs a little
            self.assertAlmostEqual(weighted[name], repeated[name], delta=1e-3)


if __name__ == "__main__":
    unittest.main()
