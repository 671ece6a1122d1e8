"""Each picture shows the numbers of the model."""
import unittest

import matplotlib.pyplot as plt
import numpy as np

import otss
from fixtures import ROLES, log, model


class Pictures(unittest.TestCase):
    def tearDown(self):
        plt.close("all")

    def test_experts_are_dots_at_their_weights(self):
        ax = otss.plot.experts(model())
        for k, line in enumerate(ax.get_lines()[:2]):
            np.testing.assert_array_equal(line.get_xdata(), model().model_.experts[k])
        self.assertEqual([label.get_text() for label in ax.get_yticklabels()], ["price", "hours"])
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], ["expert 1", "expert 2"])

    def test_experts_have_the_intervals_of_experts_(self):
        ax = otss.plot.experts(model(), interval=0.9)
        self.assertEqual(ax.get_xlabel(), "weight and 90 % interval")
        first = np.array([segment[:, 0] for segment in ax.collections[0].get_segments()])
        np.testing.assert_array_equal(first, model().experts_[["expert_1_lo", "expert_1_hi"]].to_numpy())

    def test_experts_of_contexts_have_intervals(self):
        ax = otss.plot.experts(model(), log())
        self.assertEqual(len(ax.collections), 2)
        self.assertIn("90 % interval", ax.get_xlabel())

    def test_segments_show_who_uses_which_expert(self):
        ax = otss.plot.segments(model())
        names = [label.get_text() for label in ax.get_yticklabels()]
        self.assertIn("age", names)
        first = model().report_.diagnostics.segments[0].contrasts[0]
        drawn = ax.get_lines()[0].get_xdata()[names.index("age" if not first.level else f"{first.column} = {first.level}")]
        self.assertEqual(drawn, first.difference)

    def test_a_weight_follows_a_context_with_its_band(self):
        ax = otss.plot.weights(model(), log(), "age", "price")
        x, y = ax.get_lines()[0].get_data()
        plan = log()["plan"].iloc[0]
        np.testing.assert_allclose(y[10], model().weights({"age": x[10], "plan": plan})["price"])
        self.assertEqual(len(ax.collections), 1)
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("age", "weight of price"))

    def test_shares_of_the_gate_are_stacked_to_one(self):
        ax = otss.plot.gate(model(), log())
        top = max(path.vertices[:, 1].max() for collection in ax.collections for path in collection.get_paths())
        self.assertAlmostEqual(top, 1)
        self.assertEqual(len(ax.collections), 2)

    def test_calibration_compares_means_of_bins(self):
        ax = otss.plot.calibration(model(), log(), None, log()["kept"], bins=5)
        bins = ax.containers[0].lines[0]
        self.assertEqual(len(bins.get_xdata()), 5)
        self.assertAlmostEqual(np.mean(bins.get_ydata()), log()["kept"].mean(), places=6)

    def test_comparisons_show_differences(self):
        compared = otss.compare(log(), ROLES, methods=["pooled"], experts=2, estimator="map")
        ax = otss.plot.comparison(compared)
        self.assertEqual([label.get_text() for label in ax.get_yticklabels()], ["pooled"])
        self.assertEqual(ax.get_lines()[0].get_xdata()[0], compared.methods.loc["pooled", "difference"])

    def test_the_value_of_a_policy_stands_beside_the_logged_one(self):
        estimate = otss.Estimate(0.5, 0.4, 0.6)
        value = otss.PolicyValue(estimate, estimate, estimate, otss.Estimate(0.7, 0.6, 0.8), otss.Estimate(0.3, 0.2, 0.4), estimate, 0.9, 10, 5.0,
                                 0.5, 0.0, False)
        ax = otss.plot.policy_value(value)
        self.assertEqual(list(ax.get_lines()[0].get_xdata()), [0.3, 0.5, 0.5, 0.5, 0.7])

    def test_pictures_can_share_a_figure(self):
        _, axes = plt.subplots(1, 2)
        self.assertIs(otss.plot.gate(model(), log(), ax=axes[1]), axes[1])

    def test_mistakes_are_named(self):
        with self.assertRaisesRegex(otss.InputError, "the model has no factor 'prise'; its factors are price, hours"):
            otss.plot.weights(model(), log(), "age", "prise")
        with self.assertRaisesRegex(otss.InputError, "'plan' is not a number column of the contexts; these are age"):
            otss.plot.weights(model(), log(), "plan", "price")


if __name__ == "__main__":
    unittest.main()
