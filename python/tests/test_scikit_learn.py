"""scikit-learn's tools take the estimators."""
import unittest
import warnings

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import otss
from otss._base import SKLEARN_DIFFERENCES
from fixtures import log, numbers


def joined():
    x, z, y = numbers()
    return np.column_stack([z, x]), y


class EstimatorChecks(unittest.TestCase):
    def check(self, estimator):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("ignore", SkipTestWarning)
            check_estimator(estimator)

    def test_otss_passes(self):
        self.check(otss.OTSS())

    def test_otss_regressor_passes(self):
        self.check(otss.OTSSRegressor())

    def test_the_differences_are_few_and_have_reasons(self):
        self.assertLessEqual(len(SKLEARN_DIFFERENCES), 8)
        for reason in SKLEARN_DIFFERENCES.values():
            self.assertGreater(len(reason), 20)


class Tools(unittest.TestCase):
    def test_a_clone_is_not_fitted(self):
        fitted = otss.Pooled(factors=[0, 1], validation=0.3).fit(*joined())
        again = clone(fitted)
        self.assertEqual(again.get_params(), fitted.get_params())
        with self.assertRaises(NotFittedError):
            again.weights(joined()[0])

    def test_cross_validation_slices_contexts_and_factors(self):
        X, y = joined()
        scores = cross_val_score(otss.Pooled(factors=[0, 1]), X, y, cv=3, scoring="neg_log_loss")
        self.assertTrue((scores > -np.log(2)).all(), scores)

    def test_cross_validation_slices_groups_and_weights(self):
        X, y = joined()
        scores = cross_val_score(otss.Pooled(factors=[0, 1]), X, y, cv=GroupKFold(3), groups=np.arange(600) // 3,
                                 fit_params={"sample_weight": np.ones(600)})
        self.assertEqual(len(scores), 3)

    def test_grid_search_over_frames(self):
        frame = log()
        search = GridSearchCV(otss.OTSS(estimator="map", factors=["price", "hours"]), {"experts": [1, 2]}, cv=2, scoring="neg_log_loss")
        search.fit(frame.drop(columns="kept"), frame["kept"])
        self.assertEqual(search.best_params_, {"experts": 2})
        self.assertEqual(list(search.best_estimator_.weights(frame).columns), ["price", "hours"])
        self.assertEqual(list(search.best_estimator_.feature_names_in_), ["age", "plan", "price", "hours"])

    def test_pipelines(self):
        X, y = joined()
        pipeline = make_pipeline(StandardScaler(), otss.Pooled(factors=[0, 1])).fit(X, y)
        plain = otss.Pooled(factors=[0, 1]).fit(X, y)
        np.testing.assert_allclose(pipeline.predict_proba(X), plain.predict_proba(X), atol=1e-4)

    def test_the_first_column_is_the_factor_by_default(self):
        X, y = joined()
        self.assertEqual(otss.Pooled().fit(X, y).weights(X).shape, (600, 1))

    def test_estimators_have_types(self):
        self.assertTrue(is_classifier(otss.OTSS()) and is_classifier(otss.Pooled()))
        self.assertTrue(is_regressor(otss.OTSSRegressor()) and is_regressor(otss.Pooled(family="poisson")))


if __name__ == "__main__":
    unittest.main()
