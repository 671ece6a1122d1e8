"""Results have the same bits for any number of threads, also where loops run inside other loops."""
import json
import unittest

from otss_cli import CliTest

THREADS = (1, 2, 7, 16)
FEWER_THREADS = (1, 7)  # for what takes long


class Threads(CliTest):
    def setUp(self):
        super().setUp()
        self.simulate(n=400)

    def models(self, *options):
        """The text of the model that each number of threads fits."""
        texts = []
        for threads in THREADS:
            self.ok("fit", "demo/log.csv", *self.roles(), *options, "--threads", threads, "-o", "m.json")
            texts.append((self.dir / "m.json").read_text())
        return texts

    def roles(self):
        columns = (self.dir / "demo/log.csv").read_text().splitlines()[0].split(",")
        contexts = ",".join(c for c in columns if c.startswith("x"))
        factors = ",".join(c for c in columns if c.startswith("z"))
        return ("--context", contexts, "--factors", factors, "--outcome", "y")

    def assert_all_same(self, results, numbers=THREADS):
        for threads, result in zip(numbers, results, strict=True):
            self.assertEqual(result, results[0], f"{threads} threads")

    def test_posteriors(self):
        self.assert_all_same(self.models("--estimator", "bayes"))

    def test_a_number_of_experts_that_many_threads_sample_ahead(self):
        self.ok("simulate", "experts", "--experts", 5, "--n", 2000, "--seed", 50001, "-o", "many")
        models = []
        for threads in (1, 16):
            self.ok("fit", "many/log.csv", "--context", "x1,x2,x3,x4", "--factors", "z1,z2,z3,z4,z5,z6,z7,z8", "--outcome", "y",
                    "--estimator", "bayes", "--threads", threads, "-o", "m.json")
            models.append((self.dir / "m.json").read_text())
        self.assertEqual(models[0], models[1])
        sampled = json.loads(models[0])["provenance"]["posteriors"]
        self.assertIn(8, [posterior["experts"] for posterior in sampled])

    def test_averages_of_penalised_fits(self):
        self.assert_all_same(self.models("--estimator", "map"))

    def test_a_choice_of_gates(self):
        self.assert_all_same(self.models("--gate", "auto", "--estimator", "map", "--experts", 2))

    def test_comparisons(self):
        results = []
        for threads in FEWER_THREADS:
            result = self.json("compare", "demo/log.csv", *self.roles(), "--threads", threads)
            for method in result["methods"]:
                method.pop("seconds")
            results.append(result)
        self.assert_all_same(results, FEWER_THREADS)

    def test_studies(self):
        results = []
        for threads in FEWER_THREADS:
            self.ok("study", "panel-a", "--seeds", 1, "--first-seed", 77, "--threads", threads, "-o", f"s{threads}")
            results.append((self.dir / f"s{threads}/panel-a/results.csv").read_text())
        self.assert_all_same(results, FEWER_THREADS)

    def test_an_error_is_that_of_one_thread(self):
        lines = [self.refused("compare", "demo/log.csv", *self.roles(), "--test", 0.9, "--validation", 0.9, "--threads", threads,
                              says="otss") for threads in THREADS]
        self.assert_all_same(lines)


if __name__ == "__main__":
    unittest.main()
