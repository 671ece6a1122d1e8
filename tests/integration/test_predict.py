"""The mean outcome of each row, with its interval; and intervals of what evaluate measures."""
import csv
import json
import math
import random

from otss_cli import CliTest

FACTORS = [f"z{i}" for i in range(1, 9)]


def logit(p):
    return math.log(p / (1 - p))


class Predict(CliTest):
    def predict(self, *more, table="demo/test.csv"):
        return self.rows(self.ok("predict", "model.json", table, *more))

    def test_predictions_differ_by_the_weighted_difference_of_the_factors(self):
        self.fitted("--estimator", "map", "--method", "otss")
        rows = self.rows("demo/test.csv")[:50]
        other = [{**row, "z1": float(row["z1"]) + 1.5, "z4": float(row["z4"]) - 1} for row in rows]
        for name, table in (("a.csv", rows), ("b.csv", other)):
            with open(self.dir / name, "w", newline="") as file:
                writer = csv.DictWriter(file, rows[0].keys())
                writer.writeheader()
                writer.writerows(table)
        weights = self.rows(self.ok("weights", "model.json", "a.csv"))
        for a, b, w in zip(self.predict(table="a.csv"), self.predict(table="b.csv"), weights):
            change = 1.5 * float(w["w_z1"]) - float(w["w_z4"])
            self.assertAlmostEqual(logit(float(b["mean"])) - logit(float(a["mean"])), change, places=9)

    def test_it_predicts_what_evaluate_judges(self):
        self.fitted("--estimator", "map")
        means = [float(row["mean"]) for row in self.predict()]
        outcomes = [float(row["y"]) for row in self.rows("demo/test.csv")]
        brier = sum((m - y) ** 2 for m, y in zip(means, outcomes)) / len(means)
        self.assertAlmostEqual(self.json("evaluate", "model.json", "demo/test.csv")["brier"], brier, places=12)

    def test_it_needs_no_outcome_and_keeps_columns(self):
        self.fitted("--estimator", "map")
        rows = self.predict("--query", "SELECT * EXCLUDE (y) FROM t LIMIT 3", "--keep", "decision,x1")
        self.assertEqual(list(rows[0]), ["decision", "x1", "mean"])
        self.assertEqual(len(rows), 3)

    def test_intervals_lie_about_the_mean_and_widen_with_confidence(self):
        for more in (["--estimator", "map"], ["--estimator", "bayes"], ["--group", "decision"], ["--gate", "quadratic"],
                     ["--estimator", "bayes", "--deploy", "mean"]):
            with self.subTest(more):
                self.fitted(*more)
                plain, narrow, wide = self.predict(), self.predict("--interval", 0.5), self.predict("--interval", 0.95)
                self.assertEqual(list(wide[0]), ["mean", "mean_lo", "mean_hi"])
                for a, b, c in zip(plain, narrow, wide):
                    self.assertEqual(a["mean"], c["mean"])
                    ordered = [float(v) for v in (c["mean_lo"], b["mean_lo"], a["mean"], b["mean_hi"], c["mean_hi"])]
                    self.assertEqual(ordered, sorted(ordered))
                    self.assertTrue(0 < ordered[0] and ordered[-1] < 1)

    def test_every_family_has_means_in_its_own_units(self):
        self.write("log.csv", "x,z,y,count\n" + "".join(
            f"{i % 7},{i % 5},{100 + 3 * (i % 5) + (i * 37 % 11)},{(i * 37) % 5 + i % 5}\n" for i in range(400)))
        roles = ["--context", "x", "--factors", "z", "--method", "pooled"]
        self.ok("fit", "log.csv", *roles, "--outcome", "y", "--family", "gaussian", "-o", "model.json")
        for row, source in zip(self.predict("--interval", 0.9, table="log.csv"), self.rows("log.csv")):
            self.assertAlmostEqual(float(row["mean"]), 105 + 3 * float(source["z"]), delta=2)
            self.assertAlmostEqual(float(row["mean_hi"]) - float(row["mean"]),
                                   float(row["mean"]) - float(row["mean_lo"]), places=9)
        self.ok("fit", "log.csv", *roles, "--outcome", "count", "--family", "poisson", "-o", "model.json")
        for row in self.predict("--interval", 0.9, table="log.csv"):
            self.assertTrue(0 < float(row["mean_lo"]) < float(row["mean"]) < float(row["mean_hi"]))

    def test_every_method_predicts_and_those_without_intervals_say_so(self):
        self.simulate()
        for method in ("pooled", "linear", "low-rank", "em", "hard", "cluster", "gbm"):
            self.ok("fit", "demo/log.csv", *self.ROLES, "--method", method, "-o", "model.json")
            self.assertTrue(all(0 <= float(row["mean"]) <= 1 for row in self.predict()))
            if method != "pooled":
                self.refused("predict", "model.json", "demo/test.csv", "--interval", 0.9, says=["--interval", "fit"])

    def test_a_model_without_the_error_of_its_baseline_says_so(self):
        self.fitted("--estimator", "map")
        document = json.loads((self.dir / "model.json").read_text())
        del document["uncertainty"]["baseline_draws"]
        self.write_sealed("model.json", document)
        self.ok("weights", "model.json", "demo/contexts.csv", "--interval", 0.9)
        self.refused("predict", "model.json", "demo/test.csv", "--interval", 0.9, says=["older version", "fit the model again"])

    def two_segments(self, name, rows, seed):
        """A log of two trade-offs behind a logistic gate; `p` is the true probability."""
        rng = random.Random(seed)
        lines = ["x1,x2,z1,z2,y,p"]
        for _ in range(rows):
            x1, x2, z1, z2 = (rng.gauss(0, 1) for _ in range(4))
            share = 1 / (1 + math.exp(-2 * x1))
            score = (2 * share - 0.5) * z1 + (1 - 1.5 * share) * z2
            p = 1 / (1 + math.exp(0.4 - 0.5 * x2 - score))
            lines.append(f"{x1},{x2},{z1},{z2},{int(rng.random() < p)},{p}")
        return self.write(name, "\n".join(lines) + "\n")

    def test_intervals_cover_the_true_probabilities(self):
        covered = []
        for seed in range(10):
            self.two_segments("log.csv", 2000, seed)
            self.two_segments("new.csv", 200, 1000 + seed)
            self.ok("fit", "log.csv", "--context", "x1,x2", "--factors", "z1,z2", "--outcome", "y", "--experts", 2,
                    "--estimator", "map", "-o", "model.json")
            rows = self.predict("--interval", 0.9, "--keep", "p", table="new.csv")
            covered.append(sum(float(r["mean_lo"]) <= float(r["p"]) <= float(r["mean_hi"]) for r in rows) / len(rows))
        # The share that is covered has a standard deviation of about .09 between logs.
        self.assertAlmostEqual(sum(covered) / 10, 0.9, delta=3 * 0.09 / math.sqrt(10))

    def test_formats_and_the_summary(self):
        self.fitted("--estimator", "map")
        for name in ("out.csv", "out.parquet", "out.json"):
            summary = self.json("predict", "model.json", "demo/test.csv", "--interval", 0.9, "-o", name)
            self.assertEqual(summary["rows"], len(self.rows("demo/test.csv")))
        self.assertEqual(len(json.loads((self.dir / "out.json").read_text())), summary["rows"])
        self.refused("predict", "model.json", "demo/test.csv", "--json", says=["--json", "-o"])

    def test_tables_that_cannot_be_used_are_refused_and_nothing_is_printed(self):
        self.fitted("--estimator", "map")
        self.refused("predict", "model.json", "demo/contexts.csv", says=["demo/contexts.csv", "z1"])
        self.refused("predict", "model.json", "demo/test.csv", "--keep", "nobody", says=["--keep", "nobody"])
        self.refused("predict", "model.json", "demo/test.csv", "--query", "SELECT *, y AS mean FROM t", "--keep", "mean",
                     says=["--keep", "mean"])
        self.refused("predict", "model.json", "demo/test.csv", "--query", "SELECT * REPLACE (NULL AS z2) FROM t",
                     says=["row 1", "z2"])
        self.refused("predict", "model.json", "demo/test.csv", "--candidates", "demo/library.csv", says="--candidates")

    def test_no_interval_is_infinite(self):
        self.write("log.csv", "x,z,y\n" + "".join(f"{i % 7},{i % 5},{3 * (i % 5) + i * 37 % 11}\n" for i in range(200)))
        self.ok("fit", "log.csv", "--context", "x", "--factors", "z", "--outcome", "y", "--family", "gaussian", "--method", "pooled",
                "-o", "model.json")
        document = json.loads((self.dir / "model.json").read_text())
        document["uncertainty"]["factor"] = [[1e59 for _ in row] for row in document["uncertainty"]["factor"]]
        self.write_sealed("model.json", document)
        self.write("far.csv", "x,z\n1,2\n1,1e100\n")
        self.assertTrue(all(math.isfinite(float(row["mean"])) for row in self.predict(table="far.csv")))
        self.refused("predict", "model.json", "far.csv", "--interval", 0.9, says=["far.csv: row 2", "not finite"])

    def test_centred_factors_need_their_candidates(self):
        rng = random.Random(3)
        log, candidates = ["who,x,z,y"], ["who,id,z"]
        for i in range(400):
            options = [rng.gauss(i % 5, 1) for _ in range(4)]
            candidates += [f"c{i},d{k},{z}" for k, z in enumerate(options)]
            x, z = rng.gauss(0, 1), rng.choice(options)
            log.append(f"c{i},{x},{z},{int(rng.random() < 1 / (1 + math.exp(i % 5 - z)))}")
        self.write("log.csv", "\n".join(log) + "\n")
        self.write("candidates.csv", "\n".join(candidates) + "\n")
        self.ok("fit", "log.csv", "--context", "x", "--factors", "z", "--outcome", "y", "--method", "pooled", "--center-factors",
                "--candidates", "candidates.csv", "--context-id", "who", "-o", "model.json")
        self.refused("predict", "model.json", "log.csv", says="--candidates")
        means = [float(row["mean"]) for row in self.predict("--candidates", "candidates.csv", table="log.csv")]
        outcomes = [float(row["y"]) for row in self.rows("log.csv")]
        judged = self.json("evaluate", "model.json", "log.csv", "--candidates", "candidates.csv")
        brier = sum((m - y) ** 2 for m, y in zip(means, outcomes)) / len(means)
        self.assertAlmostEqual(judged["brier"], brier, places=12)


class EvaluateIntervals(CliTest):
    def test_measures_have_intervals(self):
        self.fitted("--estimator", "map")
        truth = ["--truth", "demo/truth.csv", "--library", "demo/library.csv", "--id", "id"]
        found = self.json("evaluate", "model.json", "demo/test.csv", *truth)
        names = {"log_loss", "brier", "auc", "calibration_slope", "weight_mse", "weight_mse_scaled", "regret", "match_rate"}
        self.assertEqual(set(found["intervals"]), names)
        wide = self.json("evaluate", "model.json", "demo/test.csv", *truth, "--level", 0.99)
        for name in names:
            lo, hi = found["intervals"][name]["lo"], found["intervals"][name]["hi"]
            self.assertTrue(lo < found[name] < hi, name)
            self.assertLess(wide["intervals"][name]["lo"], lo + 1e-12)
        self.assertEqual((found["level"], wide["level"]), (0.9, 0.99))
        said = self.ok("evaluate", "model.json", "demo/test.csv")
        self.assertIn("90 % interval", said)
        self.assertRegex(said, r"log_loss +0\.\d+ +\[0\.\d+, 0\.\d+\]")

    def test_rows_of_one_group_depend_on_each_other(self):
        self.fitted("--estimator", "map")
        copies = ["--query", "SELECT t.*, row_number() OVER () AS person FROM t LIMIT 300"]
        once = self.json("evaluate", "model.json", "demo/test.csv", *copies)
        fourfold = ["--query", "SELECT s.* FROM (SELECT t.*, row_number() OVER () AS person FROM t LIMIT 300) s, range(4)"]
        grouped = self.json("evaluate", "model.json", "demo/test.csv", *fourfold, "--group", "person")
        naive = self.json("evaluate", "model.json", "demo/test.csv", *fourfold)
        self.assertEqual((grouped["rows"], grouped["independent_units"]), (1200, 300))
        for name in once["intervals"]:
            for end in ("lo", "hi"):
                self.assertAlmostEqual(grouped["intervals"][name][end], once["intervals"][name][end], places=6)
            self.assertGreater(naive["intervals"][name]["lo"], grouped["intervals"][name]["lo"])
        self.assertIn("'person'", self.ok("evaluate", "model.json", "demo/test.csv", *fourfold, "--group", "person"))
        self.refused("evaluate", "model.json", "demo/test.csv", "--group", "persn", says=["--group", "persn"])

    def test_the_groups_of_the_fit_are_the_default(self):
        self.fitted("--estimator", "map", "--group", "decision")
        found = self.json("evaluate", "model.json", "demo/test.csv")
        self.assertEqual(found["independent_units"], len({row["decision"] for row in self.rows("demo/test.csv")}))

    def test_the_training_table_is_recognised(self):
        self.fitted("--estimator", "map")
        done = self.otss("evaluate", "model.json", "demo/log.csv")
        self.assertEqual(done.returncode, 0)
        self.assertIn("otss: warning: demo/log.csv: the model was fitted on these rows", done.stderr)
        self.assertTrue(self.json("evaluate", "model.json", "demo/log.csv")["in_sample"])
        done = self.otss("evaluate", "model.json", "demo/test.csv")
        self.assertEqual(done.stderr, "")
        self.assertFalse(self.json("evaluate", "model.json", "demo/test.csv")["in_sample"])
