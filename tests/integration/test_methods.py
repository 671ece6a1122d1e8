"""Every method, gate and way to fit, as users ask for them."""
import json
import math
import random

from otss_cli import CliTest

METHODS = ["otss", "pooled", "linear", "low-rank", "mlp", "cluster", "em", "hard", "gbm"]


class Methods(CliTest):
    def fit(self, *more, model="m.json"):
        return self.json("fit", "demo/log.csv", *self.ROLES, "-o", model, *more)

    def test_every_method_goes_from_the_log_to_decisions(self):
        self.simulate(n=500)
        for method in METHODS:
            with self.subTest(method):
                fit = self.fit("--method", method, "--validation", 0.2)
                self.assertEqual(fit["method"], method)
                self.assertTrue(math.isfinite(fit["validation_log_loss"]))
                self.assertIn(f"{method} model", self.ok("inspect", "m.json"))
                quality = self.json("evaluate", "m.json", "demo/test.csv")
                self.assertLess(quality["log_loss"], 0.75)
                decisions = self.rows(self.ok("decide", "m.json", "demo/contexts.csv", "--library", "demo/library.csv",
                                              "--id", "id"))
                self.assertEqual(len(decisions), 3000)
                if method == "gbm":
                    self.refused("weights", "m.json", "demo/contexts.csv", says=["gbm", "scores but no weights"])
                else:
                    weights = self.rows(self.ok("weights", "m.json", "demo/contexts.csv"))
                    self.assertEqual(len(weights), 3000)

    def test_options_that_mean_nothing_for_a_method_are_refused(self):
        self.simulate(n=300)
        for more, says in [(["--method", "linear", "--experts", 3], "--experts"),
                           (["--method", "em", "--gate", "quadratic"], "--gate"),
                           (["--method", "gbm", "--estimator", "bayes"], "--estimator"),
                           (["--no-intercept"], "--no-intercept"),
                           (["--method", "em", "--no-refit"], "--no-refit"),
                           (["--method", "hard", "--family", "poisson"], "--family"),
                           (["--estimator", "map", "--deploy", "mean"], "--deploy"),
                           (["--deploy", "mean", "--sign", "z1=+"], "--sign"),
                           (["--deploy", "mean", "--validation", 0.2], "--validation"),
                           (["--gate", "mlp", "--estimator", "bayes"], "--gate")]:
            with self.subTest(more):
                self.refused("fit", "demo/log.csv", *self.ROLES, "-o", "m.json", *more, says=says)

    def test_the_mean_of_the_draws_is_deployed_on_request(self):
        self.simulate(n=500)
        self.fit("--estimator", "bayes", "--experts", 2, model="distilled.json")
        self.fit("--estimator", "bayes", "--experts", 2, "--deploy", "mean", model="mean.json")
        self.assertEqual(json.loads((self.dir / "mean.json").read_text())["gate"]["kind"], "average")
        regret = {name: self.json("evaluate", f"{name}.json", "demo/contexts.csv", "--truth", "demo/truth.csv",
                                  "--library", "demo/library.csv", "--id", "id")["regret"]
                  for name in ["distilled", "mean"]}
        self.assertAlmostEqual(regret["distilled"], regret["mean"], delta=0.05)

    def test_gates(self):
        self.ok("simulate", "overlap", "--score", "quadratic", "--n", 4000, "--seed", 5, "-o", "demo")
        loss = {gate: self.fit("--gate", gate, "--experts", 2)["validation_log_loss"]
                for gate in ["linear", "quadratic"]}
        self.assertLess(loss["quadratic"], loss["linear"])
        chosen = self.fit("--gate", "auto", "--experts", 2)
        self.assertIn(chosen["gate"], ["quadratic", "mlp"])
        tried = json.loads((self.dir / "m.json").read_text())["provenance"]["selection"]["gates"]
        self.assertEqual([one["gate"] for one in tried], ["linear", "quadratic", "mlp"])

    def test_a_repeated_fit_is_the_same_model(self):
        self.simulate(n=400)
        self.fit("--experts", 2, "--seed", 7, model="first.json")
        self.ok("fit", "demo/log.csv", "--from", "first.json", "-o", "again.json")
        self.assertEqual((self.dir / "first.json").read_text(), (self.dir / "again.json").read_text())
        again = self.json("fit", "demo/log.csv", "--from", "first.json", "--experts", 3, "-o", "other.json")
        self.assertEqual(again["experts"], 3)

    def test_a_model_is_continued(self):
        self.simulate(n=600)
        self.fit("--experts", 3, model="first.json")
        next_fit = self.json("fit", "demo/test.csv", "--from", "first.json", "--experts", 3, "--init", "first.json",
                             "-o", "next.json")
        self.assertEqual(next_fit["experts"], 3)

    def test_experts_are_compared_with_a_segmentation(self):
        self.simulate(n=1500)
        self.fit("--experts", 2)
        shares = self.rows(self.ok("weights", "m.json", "demo/contexts.csv", "--gate"))
        contexts = (self.dir / "demo/contexts.csv").read_text().splitlines()
        own = ["segment"] + ["a" if float(row["alpha_1"]) >= float(row["alpha_2"]) else "b" for row in shares]
        self.write("own.csv", "\n".join(f"{line},{s}" for line, s in zip(contexts, own)) + "\n")
        self.write("other.csv", "\n".join(
            f"{line},{'segment' if i == 0 else i % 3}" for i, line in enumerate(contexts)) + "\n")
        truth = ["--truth", "demo/truth.csv", "--segments", "segment"]
        self.assertEqual(self.json("evaluate", "m.json", "own.csv", *truth)["cluster_alignment"], 1)
        self.assertAlmostEqual(self.json("evaluate", "m.json", "other.csv", *truth)["cluster_alignment"], 0, delta=0.02)

    def test_every_fit_keeps_its_diagnostics(self):
        self.simulate(n=600)
        for more in (["--estimator", "map", "--experts", 2, "--restarts", 3], ["--experts", 2], ["--method", "linear"]):
            with self.subTest(more):
                self.fit(*more)
                kept = json.loads((self.dir / "m.json").read_text())["provenance"]["diagnostics"]
                for name in ("log_loss", "brier", "auc", "calibration_slope"):
                    self.assertTrue(math.isfinite(kept[name]), name)
                if "linear" not in more:
                    self.assertAlmostEqual(sum(kept["expert_usage"]), 1, places=9)
                    self.assertLessEqual(kept["effective_experts"], 2)
                    self.assertLessEqual(kept["starts"]["agreeing"], kept["starts"]["tried"])

    def test_init_refuses_a_model_of_other_columns(self):
        self.simulate(n=400)
        self.fit("--experts", 2)
        self.refused("fit", "demo/log.csv", "--context", "x1,x2", *self.ROLES[2:], "--init", "m.json", "-o", "n.json",
                     says=["--init", "context columns"])
        self.refused("fit", "demo/log.csv", *self.ROLES, "--init", "m.json", "--experts", 3, "-o", "n.json",
                     says=["--experts 3", "--init"])


class CenteredFactors(CliTest):
    """A price level that differs between customers and moves the outcome by itself."""

    def write_tables(self, rows=3000):
        rng = random.Random(11)
        log, candidates = ["customer,age,price,size,y"], ["customer,id,price,size"]
        for i in range(rows):
            age = rng.gauss(0, 1)
            level = rng.gauss(0, 2)
            offers = [(level + rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in range(5)]
            for d, (price, size) in enumerate(offers):
                candidates.append(f"c{i},{d},{price},{size}")
            price, size = rng.choice(offers)
            eta = 1.0 * level - 1.5 * (price - level) + 0.8 * size
            log.append(f"c{i},{age},{price},{size},{int(rng.random() < 1 / (1 + math.exp(-eta)))}")
        self.write("log.csv", "\n".join(log) + "\n")
        self.write("candidates.csv", "\n".join(candidates) + "\n")

    ROLES = ["--context", "age", "--factors", "price,size", "--outcome", "y"]
    CENTER = ["--center-factors", "--candidates", "candidates.csv", "--context-id", "customer"]

    def price_weight(self, *more):
        self.ok("fit", "log.csv", *self.ROLES, "--method", "pooled", "-o", "m.json", *more)
        return float(self.rows(self.ok("weights", "m.json", "log.csv"))[0]["w_price"])

    def test_centering_keeps_the_level_out_of_the_weights(self):
        self.write_tables()
        self.assertGreater(self.price_weight(), 0)  # the level's effect, taken for the price's
        # -1.5 less what any unexplained level takes from the slope of a logit: a factor of about 0.65.
        self.assertAlmostEqual(self.price_weight(*self.CENTER), -0.98, delta=0.2)
        self.refused("evaluate", "m.json", "log.csv", says=["--center-factors", "--candidates"])
        quality = self.json("evaluate", "m.json", "log.csv", "--candidates", "candidates.csv")
        self.assertLess(quality["log_loss"], 0.69)
        decisions = self.ok("decide", "m.json", "log.csv", "--candidates", "candidates.csv", "--context-id", "customer",
                            "--id", "id")
        self.assertEqual(len(self.rows(decisions)), 3000)

    def test_centering_by_a_library_changes_nothing(self):
        self.write_tables(rows=600)
        self.write("library.csv", "id,price,size\na,5,1\nb,9,2\n")
        loss = {}
        for name, more in (("raw", []), ("centered", ["--center-factors", "--library", "library.csv"])):
            self.ok("fit", "log.csv", *self.ROLES, "--method", "pooled", "-o", f"{name}.json", *more)
            loss[name] = self.json("evaluate", f"{name}.json", "log.csv")["log_loss"]
        self.assertEqual(loss["raw"], loss["centered"])

    def test_what_centering_needs_is_asked_for(self):
        self.write_tables(rows=50)
        fit = ["fit", "log.csv", *self.ROLES, "-o", "m.json"]
        self.refused(*fit, "--center-factors", says=["--center-factors", "--library"])
        self.refused(*fit, "--candidates", "candidates.csv", says="--center-factors")
        self.refused(*fit, "--center-factors", "--candidates", "candidates.csv", says="--context-id")
        self.refused(*fit, *self.CENTER, "--method", "gbm", says=["--center-factors", "gbm"])
        self.ok(*fit, "--method", "gbm")
        self.refused("fit", "log.csv", "--from", "m.json", *self.CENTER, "-o", "again.json", says=["--center-factors", "gbm"])
        self.write("few.csv", "customer,id,price,size\nc0,a,1,1\n")
        self.refused(*fit, "--center-factors", "--candidates", "few.csv", "--context-id", "customer",
                     says=["few.csv", "'c1'"])


class Compare(CliTest):
    def test_says_whether_soft_segmentation_is_worth_it(self):
        self.simulate(n=2000, seed=101)
        table = self.json("compare", "demo/log.csv", *self.ROLES, "--methods", "linear,cluster")
        self.assertEqual({row["method"] for row in table["methods"]}, {"otss", "pooled", "linear", "cluster"})
        self.assertEqual({row["name"] for row in table["methods"]},
                         {"otss", "otss-pick", "pooled", "linear", "linear-average", "cluster", "cluster-average"})
        self.assertEqual(table["test_rows"], 400)
        self.assertEqual(table["training_rows"] + table["validation_rows"], 1600)
        self.assertTrue(table["supported"])
        self.assertIn("is supported by this log", table["verdict"])
        for row in table["methods"]:
            gap = row["otss_minus_method"]
            self.assertLessEqual(gap["lo"], gap["log_loss"])
            self.assertGreaterEqual(gap["hi"], gap["log_loss"])
        text = self.ok("compare", "demo/log.csv", *self.ROLES, "--methods", "cluster", "--refit")
        self.assertIn("training and validation", text)
        picked = self.json("compare", "demo/log.csv", *self.ROLES, "--methods", "linear", "--treatments", "pick")
        self.assertEqual({row["treatment"] for row in picked["methods"]}, {"pick", None})
        self.refused("compare", "demo/log.csv", *self.ROLES, "--treatments", "best", says=["--treatments", "'best'"])

    def test_a_comparison_method_averages_its_settings(self):
        self.simulate(n=900)
        self.ok("fit", "demo/log.csv", *self.ROLES, "--method", "hard", "--experts", 2, "--treatment", "average", "-o", "m.json")
        model = json.loads((self.dir / "m.json").read_text())
        tried = model["provenance"]["selection"]["tried"]
        self.assertAlmostEqual(sum(one["weight"] for one in tried) + model["provenance"]["selection"]["pooled_weight"], 1)
        self.assertEqual(model["gate"]["kind"], "average")
        self.assertIn("weight", self.ok("inspect", "m.json"))
        self.assertEqual(len(self.rows(self.ok("weights", "m.json", "demo/contexts.csv"))), 3000)

    def test_finds_nothing_where_there_is_nothing(self):
        self.ok("simulate", "pooled", "--n", 1000, "--seed", 2, "-o", "demo")
        table = self.json("compare", "demo/log.csv", *self.ROLES, "--methods", "pooled")
        self.assertFalse(table["supported"])
        self.assertIn("is not supported", table["verdict"])

    def test_refuses_a_method_there_is_not(self):
        self.simulate(n=300)
        self.refused("compare", "demo/log.csv", *self.ROLES, "--methods", "forest", says=["--methods", "'forest'"])
