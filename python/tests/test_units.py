"""Units, such as customers: fitting, histories and units files, to the bit as the command line does."""
import functools
import json
import os
import pickle
import tempfile
import unittest

import numpy as np
import pandas

import otss
from test_same_numbers import columns, command_line


@functools.lru_cache
def panel():
    """A log of 80 units, in a folder, and a model of it by either interface."""
    place = tempfile.TemporaryDirectory()
    rows = otss.simulate("panel", units=80, rows=14, spread=0.9, seed=7, folder=place.name)
    x, z = [name for name in rows.log if name[0] == "x"], [name for name in rows.log if name[0] == "z"]
    command_line(place.name, "fit", "log.csv", "--context", ",".join(x), "--factors", ",".join(z), "--outcome", "y", "--unit", "unit",
                 "--experts", "1", "--estimator", "map", "-o", "model.json")
    model = otss.OTSS(experts=1, estimator="map").fit(rows.log, roles=otss.Roles(x, z, "y", unit="unit"))
    assert model.report_.deviations.supported, "the log must support deviations, or these tests test nothing"
    return place, rows, model, x, z


def file_of(name):
    return os.path.join(panel()[0].name, name)


class UnitsAreThoseOfTheCommandLine(unittest.TestCase):
    def test_the_fit(self):
        _, _, model, _, _ = panel()
        model.save(file_of("python.json"))
        documents = []
        for name in ("python.json", "model.json"):
            with open(file_of(name)) as file:
                documents.append(json.load(file))
        ours, theirs = documents
        for field in ("gate", "experts", "baseline", "uncertainty", "units"):
            self.assertEqual(ours[field], theirs[field], field)
        found = model.report_.deviations
        self.assertEqual(found.units, 80)
        self.assertIn("Personal deviations of the weights of 80 units are supported", model.summary())

    def test_fit_takes_the_unit_of_each_row(self):
        _, rows, model, x, z = panel()
        again = otss.OTSS(experts=1, estimator="map").fit(rows.log[x], rows.log[z], rows.log["y"], unit=rows.log["unit"])
        np.testing.assert_array_equal(again.weights(rows.contexts), model.weights(rows.contexts))
        self.assertEqual(again.model_.roles["unit"], "unit")

    def test_weights_and_intervals_with_a_history(self):
        place, rows, model, _, z = panel()
        command_line(place.name, "weights", "model.json", "contexts.csv", "--history", "log.csv", "--unit", "unit", "--interval", "0.9",
                     "-o", "weights.csv")
        theirs = columns(file_of("weights.csv"))
        plain = model.weights(rows.contexts, history=rows.log)
        ours = model.weights(rows.contexts, interval=0.9, history=rows.log)
        for factor in z:
            np.testing.assert_array_equal(ours.weights[factor], np.array(theirs[f"w_{factor}"], float))
            np.testing.assert_array_equal(plain[factor], ours.weights[factor])
            np.testing.assert_array_equal(ours.lo[factor], np.array(theirs[f"w_{factor}_lo"], float))
        known = rows.contexts["unit"].isin(rows.log["unit"])
        self.assertTrue(0 < known.sum() < len(known))
        differ = (plain != model.weights(rows.contexts)).any(axis=1)
        np.testing.assert_array_equal(differ, known)

    def test_only_earlier_rows_count_with_a_time(self):
        place, rows, model, _, z = panel()
        command_line(place.name, "weights", "model.json", "log.csv", "--history", "log.csv", "--time", "time", "-o", "weights.csv")
        theirs = columns(file_of("weights.csv"))
        ours = model.weights(rows.log, history=rows.log, time="time")
        for factor in z:
            np.testing.assert_array_equal(ours[factor], np.array(theirs[f"w_{factor}"], float))
        with self.assertRaisesRegex(otss.InputError, "also in the history"):
            model.weights(rows.log, history=rows.log)

    def test_decisions(self):
        place, rows, model, _, _ = panel()
        command_line(place.name, "decide", "model.json", "contexts.csv", "--library", "library.csv", "--id", "id", "--top", "2", "--certify",
                     "0.9", "--explain", "--history", "log.csv", "-o", "decisions.csv")
        theirs = columns(file_of("decisions.csv"))
        ours = model.decide(rows.contexts, rows.library, id="id", top=2, certify=0.9, explain=True, history=rows.log)
        self.assertEqual([str(one) for one in ours["decision"]], theirs["decision"])
        self.assertIn("e_unit", ours)
        for name in ours.columns:
            if name not in ("row", "rank", "decision", "certified"):
                np.testing.assert_array_equal(ours[name], np.array(theirs[name], float), name)

    def test_predictions_and_evaluation(self):
        place, rows, model, _, _ = panel()
        command_line(place.name, "predict", "model.json", "test.csv", "--history", "log.csv", "--interval", "0.9", "-o", "predictions.csv")
        theirs = columns(file_of("predictions.csv"))
        ours = model.predict_mean(rows.test, interval=0.9, history=rows.log)
        np.testing.assert_array_equal(ours.mean, np.array(theirs["mean"], float))
        np.testing.assert_array_equal(ours.lo, np.array(theirs["mean_lo"], float))
        np.testing.assert_array_equal(model.predict_proba(rows.test, history=rows.log)[:, 1], ours.mean)
        np.testing.assert_array_equal(model.predict(rows.test, history=rows.log), (ours.mean > 0.5).astype(int))
        measured = json.loads(command_line(place.name, "evaluate", "model.json", "test.csv", "--history", "log.csv", "--truth", "truth.csv",
                                           "--library", "library.csv", "--id", "id", "--json"))
        for table in (rows.test, file_of("test.csv")):
            for name, one in model.evaluate(table, truth=rows.truth, library=rows.library, id="id", history=rows.log).measures.items():
                self.assertEqual(one.value, measured[name], name)

    def test_objectives(self):
        _, rows, model, _, z = panel()
        factor_map = {"variable": ["a", "b"], "factor": [z[0], z[1]], "coefficient": [1.0, 2.0]}
        ours = model.objective(rows.contexts, factor_map, history=rows.log)
        w = model.weights(rows.contexts, history=rows.log)
        np.testing.assert_allclose(ours["b"], 2 * w[z[1]])

    def test_units_files_are_read_and_updated_by_both(self):
        place, rows, model, _, _ = panel()
        early, late = rows.log[rows.log["time"] <= 500], rows.log[rows.log["time"] > 500]
        early.to_csv(file_of("early.csv"), index=False)
        late.to_csv(file_of("late.csv"), index=False)
        command_line(place.name, "units", "model.json", "--history", "early.csv", "--time", "time", "--keep-rows", "3", "-o", "early.parquet")
        command_line(place.name, "units", "model.json", "--units", "early.parquet", "--history", "late.csv", "--time", "time", "-o", "all.csv")
        units = otss.Units(model, early, time="time", keep_rows=3)
        self.assertEqual(len(units), early["unit"].nunique())
        units.update(late)
        units.save(file_of("python.csv"))
        self.assertEqual(columns(file_of("python.csv")), columns(file_of("all.csv")))
        read = otss.Units.load(file_of("all.csv"), model, time="time")
        self.assertEqual(repr(read), f"Units({rows.log['unit'].nunique()} units, {len(rows.log)} rows)")
        for given in (units, read, file_of("all.csv")):
            np.testing.assert_array_equal(model.weights(rows.contexts, units=given), model.weights(rows.contexts, units=units))
        self.assertIn(rows.log["unit"].iloc[0], units)
        self.assertNotIn("nobody", units)
        self.assertEqual(units.table["rows"].sum(), len(rows.log))
        self.assertEqual(units.table["last_time"].max(), rows.log["time"].max())

    def test_units_can_be_pickled(self):
        _, rows, model, _, _ = panel()
        early, late = rows.log[rows.log["time"] <= 500], rows.log[rows.log["time"] > 500]
        for units in (otss.Units(model, time="time", keep_rows=3), otss.Units(model, early, time="time", keep_rows=3, half_life=200)):
            copy = pickle.loads(pickle.dumps(units))
            self.assertEqual(repr(copy), repr(units))
            self.assertEqual((copy.unit, copy.time), (units.unit, units.time))
            for one in (units, copy):
                one.update(late)
            np.testing.assert_array_equal(copy.model.weights(rows.contexts, units=copy), model.weights(rows.contexts, units=units))

    def test_arrays_have_units_beside_them(self):
        _, rows, model, x, _ = panel()
        units = otss.Units(model, rows.log)
        ours = model.weights(rows.contexts[x].to_numpy(), units=units, unit=rows.contexts["unit"])
        np.testing.assert_array_equal(ours, model.weights(rows.contexts, units=units))

    def test_units_may_be_whole_numbers_or_missing(self):
        _, rows, model, x, z = panel()
        numbered, code = rows.log.copy(), {name: i for i, name in enumerate(rows.log["unit"].unique())}
        numbered["unit"] = numbered["unit"].map(code)
        contexts = rows.contexts.assign(unit=rows.contexts["unit"].map(code))  # floats, NaN for unknown units
        np.testing.assert_array_equal(model.weights(contexts, history=numbered), model.weights(rows.contexts, history=rows.log))

    def test_dates_are_times_and_half_lives(self):
        _, rows, model, _, _ = panel()
        dated = rows.log.assign(day=pandas.to_datetime("2026-01-01") + pandas.to_timedelta(rows.log["time"], "D"))
        units = [otss.Units(model, dated, time="day", half_life=given) for given in ("400d", 400 * 86400, pandas.Timedelta(days=400))]
        for other in units[1:]:
            np.testing.assert_array_equal(model.weights(rows.contexts, units=units[0]), model.weights(rows.contexts, units=other))
        self.assertFalse(np.array_equal(model.weights(rows.contexts, units=units[0]), model.weights(rows.contexts, history=rows.log)))

    def test_mistakes_name_what_to_change(self):
        _, rows, model, x, z = panel()
        plain = otss.Pooled().fit(rows.log[x], rows.log[z], rows.log["y"])
        units = otss.Units(model, rows.log)
        for act, words in (
                (lambda: model.weights(rows.contexts, unit="unit"), "only with history or units"),
                (lambda: model.weights(rows.contexts, history=rows.log, units=units), "cannot be combined"),
                (lambda: model.weights(rows.contexts[x], history=rows.log), "no column 'unit'"),
                (lambda: model.weights(rows.contexts, history=rows.log[x]), "history has no column 'unit'"),
                (lambda: model.weights(rows.contexts, history=rows.log.drop(columns="y")), "'y'"),
                (lambda: model.weights(rows.contexts, units=3), "otss.Units"),
                (lambda: model.weights(rows.contexts, units=units, unit=[1, 2]), "one value per row"),
                (lambda: model.weights(rows.contexts, history=rows.log, unit=rows.contexts["unit"]), "name a column"),
                (lambda: otss.Units(model, rows.log).update(rows.log), "time"),
                (lambda: otss.Units(model, rows.log, time="time", half_life="soon"), "half_life"),
                (lambda: otss.Units(model, rows.log, keep_rows=-1), "keep_rows"),
                (lambda: otss.Units(plain, rows.log), "unit"),
                (lambda: otss.Units("model.json"), "fitted estimator"),
                (lambda: plain.weights(rows.contexts, units=units), "another model")):
            with self.assertRaisesRegex(otss.Error, words):
                act()


if __name__ == "__main__":
    unittest.main()
