"""Functions beside the estimators, and models in files."""
import os
import tempfile
import unittest

import numpy as np

import otss
from fixtures import ROLES, log, model, quietly


class Checks(unittest.TestCase):
    def test_a_sound_log_is_identified(self):
        check = otss.check(log(), ROLES)
        self.assertTrue(check.identified)
        self.assertEqual(check.rows, 600)

    def test_collinear_factors_are_found(self):
        check = otss.check(log().assign(cents=100 * log()["price"]), otss.Roles(["age"], ["price", "cents", "hours"], "kept"))
        self.assertFalse(check.identified)
        self.assertTrue(any({"price", "cents"} <= set(finding.columns) for finding in check.findings), check)


class Comparisons(unittest.TestCase):
    def test_methods_are_compared_on_the_same_rows(self):
        found = otss.compare(log(), ROLES, methods=["pooled"], experts=2, estimator="map")
        self.assertEqual(sorted(found.methods.index), ["otss", "otss-pick", "pooled"])
        picked = otss.compare(log(), ROLES, methods=["linear"], treatments=["pick"], experts=2, estimator="map")
        self.assertEqual(sorted(picked.methods.index), ["linear", "otss-pick", "pooled"])
        self.assertEqual(found.training_rows + found.validation_rows + found.test_rows, 600)
        self.assertIn("Soft segmentation", found.verdict)


class Simulations(unittest.TestCase):
    def test_each_world_has_its_parameters(self):
        for world, parameters in (("overlap", {"tau": 2.0, "score": "quadratic"}), ("matched", {"truth": "hard"}), ("experts", {"top": 0.8}),
                                  ("pooled", {})):
            with self.subTest(world):
                self.assertEqual(len(otss.simulate(world, n=150, seed=2, **parameters).log), 150)

    def test_an_unknown_parameter_is_named(self):
        with self.assertRaisesRegex(otss.InputError, "the world 'pooled' has no parameter 'tau'"):
            otss.simulate("pooled", tau=1.0)


class Files(unittest.TestCase):
    def test_a_log_can_be_a_file_with_rules(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "log.csv")
            log().assign(kept=np.where(log()["kept"] == 1, "yes", "no")).to_csv(path, index=False)
            from_file = otss.Pooled().fit(otss.read_log(path, ROLES, positive="yes"))
        np.testing.assert_array_equal(from_file.model_.experts, otss.Pooled().fit(log(), roles=ROLES).model_.experts)

    def test_a_saved_model_gives_the_same_weights(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            model().save(path)
            loaded = otss.load(path)
        self.assertEqual(repr(loaded), "OTSS(experts=2, estimator='map')")
        np.testing.assert_array_equal(loaded.weights(log()), model().weights(log()))

    def test_a_fit_can_start_at_another_model(self):
        warm = quietly(lambda: otss.OTSS(estimator="map", init=model()).fit(log(), roles=ROLES))
        self.assertEqual(warm.model_.num_experts, 2)
        np.testing.assert_array_less(np.abs(warm.model_.experts - model().model_.experts), 0.2)


class Reports(unittest.TestCase):
    def test_the_report_is_typed(self):
        report = model().report_
        self.assertIsInstance(report, otss.FitReport)
        self.assertEqual(report.data.rows, 600)
        self.assertEqual(report.options["experts"], 2)
        self.assertGreater(report.held_out.pooled, 0)
        self.assertAlmostEqual(sum(report.diagnostics.gate.usage), 1)

    def test_a_study_writes_its_tables_and_returns_one(self):
        with tempfile.TemporaryDirectory() as folder:
            table = otss.study("rates", folder, seeds=1, first_seed=900)
            with open(os.path.join(folder, "rates", "table.md")) as file:
                self.assertEqual(file.read(), table)
            self.assertIn("results.csv", os.listdir(os.path.join(folder, "rates")))

    def test_experts_and_segments_are_tables(self):
        self.assertEqual(list(model().experts_.index), ["price", "hours"])
        self.assertEqual(list(model().segments_.columns), ["share", "members", "w_price", "w_hours", "who"])
        self.assertAlmostEqual(model().segments_["members"].sum(), 1)
        w = model().gate(log()).to_numpy() @ model().expert_weights().weights.to_numpy().T
        np.testing.assert_allclose(w, model().weights(log()).to_numpy(), atol=1e-12)

    def test_experts_have_intervals_if_the_model_knows_its_error(self):
        shown = model().experts_
        self.assertEqual(list(shown), ["expert_1", "expert_2", "expert_1_lo", "expert_1_hi", "expert_2_lo", "expert_2_hi"])
        self.assertTrue((shown["expert_1_lo"] < shown["expert_1"]).all() and (shown["expert_1"] < shown["expert_1_hi"]).all())
        weights, lo, hi = model().expert_weights(interval=0.5)
        np.testing.assert_array_equal(weights["expert_2"], shown["expert_2"])
        self.assertTrue((lo["expert_2"] > shown["expert_2_lo"]).all() and (hi["expert_2"] < shown["expert_2_hi"]).all())
        with self.assertRaisesRegex(otss.InputError, "interval"):
            model().expert_weights(interval=90)
        cluster = otss.ClusterThenFit(experts=2).fit(log(), roles=ROLES)
        self.assertEqual(list(cluster.experts_), ["expert_1", "expert_2"])
        with self.assertRaisesRegex(otss.InputError, "interval"):
            cluster.expert_weights()

    def test_one_trade_off_has_the_intervals_of_every_context(self):
        pooled = otss.Pooled().fit(log(), roles=ROLES)
        of_context = pooled.weights(log().head(1), interval=0.9)
        np.testing.assert_allclose(pooled.experts_["expert_1_lo"], of_context.lo.iloc[0], rtol=1e-12)

    def test_the_summary_says_what_was_learned(self):
        text = model().summary()
        for words in ("otss model, estimator map", "fitted to 600 rows", "weight of", "expert 2", "Segments", "gain over one trade-off"):
            self.assertIn(words, text)

    def test_notebooks_show_a_table(self):
        self.assertIn("<th>price</th>", model()._repr_html_())
        self.assertIn("not fitted", otss.OTSS()._repr_html_())

    def test_names_are_escaped_in_notebooks(self):
        frame = log().rename(columns={"price": "<b>price"})
        fitted = otss.Pooled().fit(frame, roles=otss.Roles(["age"], ["<b>price"], "kept"))
        self.assertIn("&lt;b&gt;price", fitted._repr_html_())


if __name__ == "__main__":
    unittest.main()
