"""Frames, arrays and dicts give the same model, and columns become what a user expects."""
import unittest
import warnings

import numpy as np
import pandas

import otss
from fixtures import LIBRARY, ROLES, log, model, number_model, numbers


def weights_of(contexts, factors, outcome):
    fitted = otss.Pooled(factors=None).fit(contexts, factors, outcome)
    return fitted.model_.experts


class TheFormOfTheDataDoesNotMatter(unittest.TestCase):
    def test_arrays_of_any_layout_and_type_give_the_same_weights(self):
        x, z, y = numbers()
        expected = weights_of(x, z, y)
        for name, given in {"columns": np.asfortranarray(x), "every other row": np.repeat(x, 2, axis=0)[::2], "float32": x.astype(np.float32),
                            "integers": x.astype(int), "lists": x.tolist(), "objects": x.astype(object)}.items():
            with self.subTest(name):
                np.testing.assert_array_equal(weights_of(given, z, y), expected)

    def test_frames_dicts_and_records_give_the_same_weights(self):
        x, z, y = numbers()
        expected = weights_of(x, z, y)
        frame = pandas.DataFrame(x, columns=["a", "b"])
        records = np.rec.fromarrays(list(x.T), names=["a", "b"])
        for name, given in {"frame": frame, "dict": {"a": x[:, 0], "b": list(x[:, 1])}, "records": records,
                            "nullable": frame.astype("Float64"), "boolean": frame.assign(b=frame["b"].astype(bool))}.items():
            with self.subTest(name):
                np.testing.assert_array_equal(weights_of(given, z, y), expected)

    def test_roles_and_separate_tables_give_the_same_model(self):
        frame = log()
        separate = otss.OTSS(experts=2, estimator="map").fit(frame[["age", "plan"]], frame[["price", "hours"]], frame["kept"])
        np.testing.assert_array_equal(separate.model_.experts, model().model_.experts)

    def test_weights_of_a_frame_keep_its_index_and_name_the_factors(self):
        contexts = log()[["plan", "age"]].set_axis([f"c{i}" for i in range(len(log()))])  # another order of columns, too
        w = model().weights(contexts)
        self.assertEqual(list(w.columns), ["price", "hours"])
        self.assertEqual(w.index[3], "c3")
        np.testing.assert_array_equal(w.to_numpy(), model().weights(log()).to_numpy())

    def test_one_context_can_be_a_row_or_a_dict(self):
        x, _, _ = numbers()
        np.testing.assert_array_equal(number_model().weights(x[7]), number_model().weights(x)[7])
        row = log().iloc[7]
        one = model().weights({"age": row["age"], "plan": row["plan"]})
        self.assertEqual(one, dict(model().weights(log()).iloc[7]))


class ColumnsBecomeWhatAUserExpects(unittest.TestCase):
    def test_texts_categories_and_string_types_are_levels(self):
        expected = model().weights(log()).to_numpy()
        for name, column in {"category": log()["plan"].astype("category"), "string": log()["plan"].astype("string"),
                             "array of texts": log()["plan"].to_numpy().astype(str), "spaces around": " " + log()["plan"] + " "}.items():
            with self.subTest(name):
                np.testing.assert_array_equal(model().weights(log().assign(plan=column)).to_numpy(), expected)

    def test_missing_values_are_none_nan_or_na(self):
        frame = log().copy()
        frame.loc[::7, "plan"] = None
        frame.loc[::5, "age"] = np.nan
        fitted = otss.OTSS(experts=2, estimator="map").fit(frame, roles=ROLES)
        expected = fitted.weights(frame).to_numpy()
        for given in (frame.astype({"plan": "string", "age": "Int64"}), frame.astype({"plan": "category"})):
            np.testing.assert_array_equal(fitted.weights(given).to_numpy(), expected)

    def test_a_text_factor_becomes_indicators(self):
        frame = log().assign(speed=np.where(log()["hours"] < 24, "fast", "slow"))
        fitted = otss.Pooled().fit(frame, roles=otss.Roles(["age"], ["price", "speed"], "kept"))
        self.assertEqual(fitted.model_.factor_names[0], "price")
        self.assertIn(fitted.model_.factor_names[1], ("speed=fast", "speed=slow"))
        self.assertEqual(fitted.predict_proba(frame).shape, (len(frame), 2))

    def test_terms_are_computed_from_columns(self):
        fitted = otss.Pooled().fit(log(), roles=otss.Roles(["age"], ["price", "hours", "price^2"], "kept"))
        self.assertEqual(fitted.model_.factor_names, ["price", "hours", "price^2"])
        chosen = fitted.decide(log().head(3), LIBRARY, id="offer")
        self.assertEqual(len(chosen), 3)

    def test_labels_of_the_outcome_come_back(self):
        frame = log().assign(kept=np.where(log()["kept"] == 1, "stay", "go"))
        fitted = otss.Pooled().fit(frame, roles=ROLES)
        self.assertEqual(list(fitted.classes_), ["go", "stay"])
        self.assertLessEqual(set(fitted.predict(frame)), {"go", "stay"})

    def test_a_time_may_be_a_date(self):
        times = pandas.Timestamp("2026-01-01") + pandas.to_timedelta(np.arange(len(log())), unit="D")
        frame = log()
        by_date = otss.Pooled().fit(frame[["age"]], frame[["price"]], frame["kept"], time=pandas.Series(times))
        by_number = otss.Pooled().fit(frame[["age"]], frame[["price"]], frame["kept"], time=np.arange(len(frame)))
        np.testing.assert_array_equal(by_date.model_.experts, by_number.model_.experts)

    def test_new_levels_and_far_values_are_warnings_or_errors(self):
        with self.assertWarnsRegex(otss.DataWarning, "1 context values are levels that no training row had"):
            model().weights({"age": [40], "plan": ["platinum"]})
        with self.assertWarnsRegex(otss.DataWarning, "1 values of 'age' are far outside"):
            model().weights({"age": 4000, "plan": "gold"})
        strict = otss.OTSS(experts=2, estimator="map", unknown="error").fit(log(), roles=ROLES)
        with self.assertRaisesRegex(otss.InputError, "platinum"):
            strict.weights({"age": [40], "plan": ["platinum"]})

    def test_roles_show_what_columns_become(self):
        shown = otss.roles(log(), ROLES)
        self.assertEqual(list(shown.index), ["age", "plan", "price", "hours", "kept"])
        self.assertEqual(shown.loc["plan", "note"], "levels basic, family, gold")
        self.assertEqual(shown.loc["plan", "encoded"], 3)

    def test_a_frame_can_be_queried(self):
        both = otss.read_log(log(), ROLES, query="SELECT * FROM t WHERE age < 60")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = otss.Pooled().fit(both)
        self.assertEqual(fitted.report_.data.rows, int((log()["age"] < 60).sum()))


if __name__ == "__main__":
    unittest.main()
