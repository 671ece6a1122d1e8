"""Intervals of weights, certificates of decisions, and what a score is made of."""
import json
import math

from otss_cli import CliTest

FACTORS = [f"z{i}" for i in range(1, 9)]


class Uncertainty(CliTest):
    def weights(self, *more):
        return self.rows(self.ok("weights", "model.json", "demo/contexts.csv", *more))

    def decide(self, *more, code=0):
        done = self.otss("decide", "model.json", "demo/contexts.csv", "--library", "demo/library.csv", "--id", "id", *more)
        self.assertEqual(done.returncode, code, done.stderr)
        return self.rows(done.stdout), done.stderr

    def test_intervals_lie_about_the_weights_and_widen_with_confidence(self):
        for more in (["--estimator", "map"], ["--estimator", "bayes"], ["--group", "decision"]):
            with self.subTest(more):
                self.fitted(*more)
                narrow, wide = self.weights("--interval", 0.5), self.weights("--interval", 0.95)
                together = self.weights("--interval", 0.95, "--simultaneous")
                plain = self.weights()
                for a, b, c, d in zip(narrow, wide, together, plain):
                    for f in FACTORS:
                        self.assertEqual(a[f"w_{f}"], d[f"w_{f}"])
                        low = [float(row[f"w_{f}_lo"]) for row in (c, b, a)]
                        high = [float(row[f"w_{f}_hi"]) for row in (a, b, c)]
                        ordered = low + [float(a[f"w_{f}"])] + high
                        self.assertEqual(ordered, sorted(ordered))

    def test_columns_come_in_the_promised_order(self):
        self.fitted("--estimator", "map")
        columns = list(self.weights("--interval", 0.9, "--gate", "--keep", "x1")[0])
        bounds = [f"w_{f}_{side}" for f in FACTORS for side in ("lo", "hi")]
        self.assertEqual(columns, ["x1"] + [f"w_{f}" for f in FACTORS] + bounds + ["alpha_1", "alpha_2"])

    def test_pooled_models_have_intervals_and_others_say_who_does(self):
        self.simulate()
        for method, has in {"pooled": True, "linear": False, "gbm": False}.items():
            self.ok("fit", "demo/log.csv", *self.ROLES, "--method", method, "-o", "model.json")
            if has:
                self.weights("--interval", 0.9)
                continue
            self.refused("weights", "model.json", "demo/contexts.csv", "--interval", 0.9,
                         says=["weights" if method == "gbm" else "--interval", "fit"])
            self.refused("decide", "model.json", "demo/contexts.csv", "--library", "demo/library.csv", "--id", "id",
                         "--certify", 0.9, says=["--certify", "fit"])

    def test_weights_on_a_bound_have_no_intervals_and_fit_says_so(self):
        self.simulate()
        done = self.otss("fit", "demo/log.csv", *self.ROLES, "--experts", 2, "--bounds", "z1=0:0.01", "-o", "model.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("on its bound", done.stderr)
        self.refused("weights", "model.json", "demo/contexts.csv", "--interval", 0.9, says="bound")

    def test_bad_levels_and_lonely_options_are_refused(self):
        self.fitted("--estimator", "map")
        for level in ("0", "1", "90", "high"):
            self.refused("weights", "model.json", "demo/contexts.csv", "--interval", level, says=["--interval", "0.9"])
        self.refused("weights", "model.json", "demo/contexts.csv", "--simultaneous", says="--interval")
        library = ["--library", "demo/library.csv", "--id", "id"]
        self.refused("decide", "model.json", "demo/contexts.csv", *library, "--certify", "1.5", says=["--certify", "0.9"])
        self.refused("decide", "model.json", "demo/contexts.csv", *library, "--certify-margin", says="--certify")
        self.refused("decide", "model.json", "demo/contexts.csv", "--mps", "plan.mps", "--factor-map", "map.csv",
                     "--certify", 0.9, says=["--certify", "--mps"])

    def test_certificates(self):
        self.fitted("--estimator", "bayes")
        rows, said = self.decide("--certify", 0.9)
        certified = [row for row in rows if row["certified"] == "true"]
        self.assertIn(f"{len(certified)} of {len(rows)} decisions are certified as the best at 90 %", said)
        for row in rows:
            bound = float(row["regret_bound"])
            self.assertTrue(row["certified"] == "false" or bound == 0)
            self.assertGreaterEqual(bound, 0)
            self.assertTrue(0 <= float(row["prob_optimal"]) <= 1)
            self.assertGreaterEqual(float(row["expected_regret"]), 0)
        surer, _ = self.decide("--certify", 0.5)
        self.assertGreaterEqual(sum(row["certified"] == "true" for row in surer), len(certified))
        one_thread, _ = self.decide("--certify", 0.9, "--threads", 1)
        self.assertEqual(rows, one_thread)
        self.ok("decide", "model.json", "demo/contexts.csv", "--library", "demo/library.csv", "--id", "id", "--certify", 0.9,
                "-o", "decisions.json")
        text = (self.dir / "decisions.json").read_text()
        self.assertIn('"certified"', text)
        self.assertNotIn('"true"', text.replace(" ", ""))  # booleans, not texts

    def test_a_log_that_does_not_determine_the_weights_certifies_nothing_and_says_so(self):
        self.simulate(n=300)
        said = self.ok("fit", "demo/log.csv", *self.ROLES, "--experts", 3, "--estimator", "map", "-o", "model.json")
        checks = json.loads((self.dir / "model.json").read_text())["provenance"]["weight_checks"]
        self.assertLess(checks["known_share"], 0.5)
        self.assertIn("Caution: this log does not determine the weights of single contexts", said)
        self.assertIn("Caution: this log does not determine", self.ok("inspect", "model.json"))
        rows, said = self.decide("--certify", 0.5)
        self.assertEqual({row["certified"] for row in rows}, {"false"})
        self.assertIn("0 of 3000 decisions are certified", said)

    def test_a_gate_that_does_not_fit_is_found_and_widens_intervals(self):
        self.ok("simulate", "overlap", "--score", "quadratic", "--n", 5000, "--seed", 9008, "-o", "demo")
        said = self.ok("fit", "demo/log.csv", *self.ROLES, "--experts", 2, "--estimator", "map", "-o", "model.json")
        self.assertIn("Caution: the gate does not fit", said)
        gate = json.loads((self.dir / "model.json").read_text())["provenance"]["weight_checks"]["gate"]
        self.assertLess(gate["p_value"], 0.01)
        self.assertEqual(len(gate["discrepancy"]), len(FACTORS))
        rows = self.weights("--interval", 0.9)[:400]
        truth = self.rows("demo/truth.csv")[:400]
        covered = [float(row[f"w_{f}_lo"]) <= float(true[f"w_{f}"]) <= float(row[f"w_{f}_hi"])
                   for row, true in zip(rows, truth) for f in FACTORS]
        self.assertGreater(sum(covered) / len(covered), 0.8)  # without widening: 0.65

    def test_certificates_with_ranks_margin_form_and_summary(self):
        self.fitted("--estimator", "map")
        rows, _ = self.decide("--certify", 0.8, "--certify-margin", "--top", 3)
        for row in rows:
            if row["margin_certified"] == "true":
                self.assertEqual(row["certified"], "true")
                self.assertGreater(float(row["margin"]), 2 * float(row["score_error"]))
            if int(row["rank"]) > 1:
                self.assertEqual(row["certified"], "false")
                self.assertGreaterEqual(float(row["regret_bound"]), -float(row["margin"]))
        summary = self.json("decide", "model.json", "demo/contexts.csv", "--library", "demo/library.csv", "--id", "id",
                            "--certify", 0.8, "--top", 3, "-o", "decisions.csv")["certificates"]
        best = [row for row in self.rows("decisions.csv") if row["rank"] == "1"]
        self.assertEqual(summary["decisions"], len(best))
        self.assertEqual(summary["certified"], sum(row["certified"] == "true" for row in best))
        mean = sum(float(row["regret_bound"]) for row in best) / len(best)
        self.assertAlmostEqual(summary["regret_bound"], mean)

    def test_candidates_are_certified_like_a_library(self):
        self.fitted("--estimator", "map")
        contexts = (self.dir / "demo/contexts.csv").read_text().splitlines()[:21]
        self.write("few.csv", "\n".join([contexts[0] + ",who"] + [f"{line},{i}" for i, line in enumerate(contexts[1:])]))
        library = (self.dir / "demo/library.csv").read_text().splitlines()
        self.write("listed.csv", "\n".join([library[0] + ",who"] +
                                           [f"{line},{i}" for i in range(20) for line in library[1:]]))
        more = ["--id", "id", "--certify", 0.9]
        shared = self.ok("decide", "model.json", "few.csv", "--library", "demo/library.csv", *more)
        listed = self.ok("decide", "model.json", "few.csv", "--candidates", "listed.csv", "--context-id", "who", *more)
        self.assertEqual(shared, listed)

    def test_explain_adds_up(self):
        self.fitted("--estimator", "map")
        for top in (1, 3):
            rows, _ = self.decide("--explain", "--top", top)
            plain, _ = self.decide("--top", top)
            self.assertEqual(len(rows), len(plain))
            for row, expected in zip(rows, plain):
                self.assertEqual({k: row[k] for k in expected}, expected)
                total = lambda prefix, names: sum(float(row[f"{prefix}{name}"]) for name in names)
                self.assertAlmostEqual(total("c_", FACTORS), float(row["score"]))
                self.assertAlmostEqual(total("d_", FACTORS), float(row["margin"]))
                self.assertAlmostEqual(total("e_", (1, 2)), float(row["score"]))
                self.assertAlmostEqual(total("alpha_", (1, 2)), 1)

    def test_the_model_file_stays_small_and_a_damaged_one_is_refused(self):
        self.fitted("--estimator", "bayes")
        text = (self.dir / "model.json").read_text()
        self.assertLess(len(text), 200_000)
        document = json.loads(text)
        self.assertEqual(document["uncertainty"]["kind"], "draws")
        document["uncertainty"]["draws"][0][0] += 1
        self.write("model.json", json.dumps(document))
        self.refused("weights", "model.json", "demo/contexts.csv", "--interval", 0.9, says="checksum")

    def test_numbers_have_intervals_in_their_own_units(self):
        self.simulate(n=1500)
        width = {}
        for scale in (1, 100):
            self.ok("fit", "demo/log.csv", "--query", f"SELECT *, {scale} * (2 * z1 + y) AS revenue FROM t",
                    "--context", "x1,x2", "--factors", "z1,z2", "--outcome", "revenue", "--family", "gaussian",
                    "--method", "pooled", "-o", "model.json")
            row = self.weights("--interval", 0.9)[0]
            width[scale] = float(row["w_z1_hi"]) - float(row["w_z1_lo"])
            self.assertTrue(float(row["w_z1_lo"]) < 2.2 * scale)
        self.assertTrue(math.isclose(100 * width[1], width[100], rel_tol=1e-3))
