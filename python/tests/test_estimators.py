"""The estimators: parameters, methods, pickles."""
import inspect
import pickle
import unittest

import joblib
import numpy as np

import otss
from otss._options import DESCRIBED, OTHERS
from otss.estimators import ESTIMATORS
from fixtures import ROLES, log, model, numbers


class Parameters(unittest.TestCase):
    def test_parameters_are_those_of_the_command_line(self):
        for cls in ESTIMATORS:
            for name, parameter in inspect.signature(cls.__init__).parameters.items():
                if name == "self":
                    continue
                with self.subTest(cls=cls.__name__, name=name):
                    self.assertTrue(name in DESCRIBED or name in OTHERS, name)
                    if name in DESCRIBED and (cls, name) != (otss.OTSSRegressor, "family"):
                        self.assertEqual(parameter.default, DESCRIBED[name]["default"])

    def test_otss_has_every_option_of_fit(self):
        left_out = set(DESCRIBED) - set(otss.OTSSRegressor.parameter_names())
        self.assertEqual(left_out, {"no_intercept"})  # of LinearContextual

    def test_the_help_texts_are_those_of_the_command_line(self):
        text = " ".join(otss.OTSS.__doc__.split())
        self.assertIn("Number of experts (trade-offs); auto chooses it by held-out loss.", text)
        self.assertNotRegex(text, r"--[a-z]")

    def test_parameters_can_be_read_set_and_shown(self):
        estimator = otss.OTSS(experts=3, gate="quadratic")
        self.assertEqual(estimator.get_params()["gate"], "quadratic")
        self.assertEqual(repr(estimator.set_params(experts=2)), "OTSS(experts=2, gate='quadratic')")
        self.assertEqual(estimator.gate, "quadratic")

    def test_constraints_can_be_dicts(self):
        fitted = otss.OTSS(experts=2, estimator="map", sign={"price": "-"}, bounds={"hours": (-0.01, None)}).fit(log(), roles=ROLES)
        self.assertTrue((fitted.weights(log())["price"] <= 0).all())
        self.assertTrue((fitted.weights(log())["hours"] >= -0.01).all())


class Methods(unittest.TestCase):
    def test_every_classifier_fits_and_predicts(self):
        x, z, y = numbers()
        for cls in ESTIMATORS:
            if cls is otss.OTSSRegressor:
                continue
            with self.subTest(cls.__name__):
                quick = {name: value for name, value in (("experts", 2), ("restarts", 1)) if name in cls.parameter_names()}
                fitted = cls(validation=0.2, **({} if cls is not otss.OTSS else {"estimator": "map"}), **quick).fit(x, z, y)
                p = fitted.predict_proba(x, z)
                np.testing.assert_allclose(p.sum(axis=1), 1)
                self.assertGreater(fitted.score(x, z, y), 0.55)
                if cls is not otss.BoostedTrees:
                    self.assertEqual(fitted.weights(x).shape, z.shape)

    def test_regressors_have_families(self):
        rng = np.random.default_rng(3)
        x, z = rng.normal(size=(400, 2)), rng.normal(size=(400, 1))
        eta = np.where(x[:, 0] > 0, 1.0, -0.5) * z[:, 0]
        gaussian = otss.OTSSRegressor(experts=2, estimator="map").fit(x, z, 7 + eta + 0.1 * rng.normal(size=400))
        poisson = otss.OTSSRegressor(family="poisson", experts=2, estimator="map").fit(x, z, rng.poisson(np.exp(eta)))
        self.assertAlmostEqual(gaussian.weights(np.array([3.0, 0]))[0], 1, delta=0.2)
        self.assertTrue((poisson.predict(x, z) > 0).all())
        self.assertFalse(hasattr(gaussian, "predict_proba"))

    def test_weights_of_rows_matter(self):
        frame = log()
        half = otss.Pooled().fit(frame.head(300), roles=ROLES)
        weighted = otss.Pooled(seed=1).fit(frame[["age", "plan"]], frame[["price", "hours"]], frame["kept"],
                                           sample_weight=np.r_[np.ones(300), np.full(300, 1e-6)])
        np.testing.assert_allclose(weighted.model_.experts, half.model_.experts, rtol=0.2)

    def test_groups_are_kept_together(self):
        frame = log()
        fitted = otss.OTSS(experts=2, estimator="map").fit(frame[["age", "plan"]], frame[["price", "hours"]], frame["kept"],
                                                           groups=np.arange(600) // 4)
        self.assertEqual(fitted.model_.roles["group"], "group")

    def test_fitting_again_replaces_the_model(self):
        x, z, y = numbers()
        estimator = otss.Pooled().fit(x, z, y)
        self.assertEqual(estimator.fit(x[:, :1], z, y).weights(x[:, :1]).shape, z.shape)


class Pickles(unittest.TestCase):
    def test_a_pickle_gives_the_same_weights(self):
        again = pickle.loads(pickle.dumps(model()))
        np.testing.assert_array_equal(again.weights(log()), model().weights(log()))
        self.assertEqual(again.get_params(), model().get_params())

    def test_joblib_uses_models_in_other_processes(self):
        parts = joblib.Parallel(n_jobs=2)(joblib.delayed(model().weights)(part) for part in np.array_split(log(), 2))
        np.testing.assert_array_equal(np.concatenate(parts), model().weights(log()))


if __name__ == "__main__":
    unittest.main()
