"""The package gives the numbers of the command line, to the bit."""
import csv
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

import otss

X, Z = [f"x{j}" for j in range(1, 11)], [f"z{j}" for j in range(1, 9)]


def command_line(folder, *arguments):
    run = subprocess.run([os.environ["OTSS"], *arguments], cwd=folder, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def columns(path):
    with open(path) as file:
        rows = list(csv.reader(file))
    return {name: [row[j] for row in rows[1:]] for j, name in enumerate(rows[0])}


class TheNumbersAreThoseOfTheCommandLine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = cls.place.name
        cls.rows = otss.simulate("overlap", n=800, seed=7, folder=cls.folder)
        command_line(cls.folder, "fit", "log.csv", "--context", ",".join(X), "--factors", ",".join(Z), "--outcome", "y", "--experts", "2",
                     "--estimator", "map", "-o", "model.json")
        cls.model = otss.OTSS(experts=2, estimator="map").fit(cls.rows.log[X], cls.rows.log[Z], cls.rows.log["y"])

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_the_model_file_is_the_same_but_for_types_of_columns(self):
        self.model.save(os.path.join(self.folder, "python.json"))
        ours, theirs = (json.load(open(os.path.join(self.folder, name))) for name in ("python.json", "model.json"))
        for field in ("gate", "experts", "baseline", "uncertainty"):
            self.assertEqual(ours[field], theirs[field], field)
        self.assertEqual(self.model.report_.data.fingerprint, otss.load(os.path.join(self.folder, "model.json")).report_.data.fingerprint)

    def test_the_onnx_file(self):
        self.model.save(os.path.join(self.folder, "python.json"))
        command_line(self.folder, "export", "python.json", "--onnx", "theirs.onnx")
        written = self.model.to_onnx(os.path.join(self.folder, "ours.onnx"))
        for name in ("theirs.onnx", "ours.onnx"):
            with open(os.path.join(self.folder, name), "rb") as file:
                self.assertEqual(file.read(), written, name)

    def test_weights_and_intervals(self):
        command_line(self.folder, "weights", "model.json", "contexts.csv", "--interval", "0.9", "--gate", "-o", "weights.csv")
        theirs = columns(os.path.join(self.folder, "weights.csv"))
        ours = self.model.weights(self.rows.contexts.head(400), interval=0.9)
        shares = self.model.gate(self.rows.contexts.head(400))
        for factor in Z:
            np.testing.assert_array_equal(ours.weights[factor], np.array(theirs[f"w_{factor}"][:400], float))
            np.testing.assert_array_equal(ours.lo[factor], np.array(theirs[f"w_{factor}_lo"][:400], float))
            np.testing.assert_array_equal(ours.hi[factor], np.array(theirs[f"w_{factor}_hi"][:400], float))
        np.testing.assert_array_equal(shares["expert_1"], np.array(theirs["alpha_1"][:400], float))

    def test_decisions(self):
        command_line(self.folder, "decide", "model.json", "contexts.csv", "--library", "library.csv", "--id", "id", "--top", "2", "--certify",
                     "0.9", "--explain", "-o", "decisions.csv")
        theirs = columns(os.path.join(self.folder, "decisions.csv"))
        ours = self.model.decide(self.rows.contexts, self.rows.library, id="id", top=2, certify=0.9, explain=True)
        self.assertEqual(list(ours["decision"]), theirs["decision"])
        np.testing.assert_array_equal(ours["row"] + 1, np.array(theirs["row"], int))  # rows are counted from 0 in Python
        for name in ours.columns:
            if name not in ("row", "rank", "decision", "certified"):
                np.testing.assert_array_equal(ours[name], np.array(theirs[name], float), name)

    def test_predictions(self):
        command_line(self.folder, "predict", "model.json", "test.csv", "--interval", "0.9", "-o", "predictions.csv")
        theirs = columns(os.path.join(self.folder, "predictions.csv"))
        ours = self.model.predict_mean(self.rows.test, interval=0.9)
        mean = next(name for name in theirs if name in ("mean", "prediction", "predicted"))
        np.testing.assert_array_equal(ours.mean, np.array(theirs[mean], float))
        np.testing.assert_array_equal(ours.lo, np.array(theirs[f"{mean}_lo" if f"{mean}_lo" in theirs else "lo"], float))

    def test_evaluation(self):
        theirs = json.loads(command_line(self.folder, "evaluate", "model.json", "test.csv", "--truth", "truth.csv", "--library", "library.csv",
                                         "--id", "id", "--json"))
        ours = self.model.evaluate(self.rows.test, truth=self.rows.truth, library=self.rows.library, id="id")
        for name, measure in ours.measures.items():
            self.assertEqual(measure.value, theirs[name], name)
            self.assertEqual([measure.lo, measure.hi], [theirs["intervals"][name]["lo"], theirs["intervals"][name]["hi"]], name)

    def test_value_of_the_decisions(self):
        theirs = json.loads(command_line(self.folder, "evaluate", "model.json", "test.csv", "--propensity", "propensity", "--decision",
                                         "decision", "--library", "library.csv", "--id", "id", "--json"))
        ours = self.model.evaluate(self.rows.test, propensity="propensity", decision="decision", library=self.rows.library, id="id").policy
        self.assertEqual(ours.doubly_robust.value, theirs["doubly_robust"]["value"])
        self.assertEqual(ours.ips.hi, theirs["ips"]["hi"])

    def test_every_method(self):
        for method, cls in (("pooled", otss.Pooled), ("linear", otss.LinearContextual), ("cluster", otss.ClusterThenFit), ("em", otss.EMMixture)):
            with self.subTest(method):
                command_line(self.folder, "fit", "log.csv", "--context", ",".join(X), "--factors", ",".join(Z), "--outcome", "y", "--method",
                             method, "-o", "other.json")
                theirs = otss.load(os.path.join(self.folder, "other.json"))
                self.assertIs(type(theirs), cls)
                ours = cls().fit(self.rows.log[X], self.rows.log[Z], self.rows.log["y"])
                np.testing.assert_array_equal(ours.weights(self.rows.contexts), theirs.weights(self.rows.contexts))


if __name__ == "__main__":
    unittest.main()
