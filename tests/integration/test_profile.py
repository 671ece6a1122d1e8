"""`fit --profile`: where the time of a fit has gone."""
import unittest

from otss_cli import CliTest

STAGES = {"read", "encode", "gpu", "pooled", "choose", "sample", "copy", "fit", "distil", "uncertainty", "check", "write", "other"}


class FitProfile(CliTest):
    def setUp(self):
        super().setUp()
        self.simulate(n=400)
        columns = (self.dir / "demo/log.csv").read_text().splitlines()[0].split(",")
        self.fit = ["fit", "demo/log.csv", "--context", ",".join(c for c in columns if c.startswith("x")),
                    "--factors", ",".join(c for c in columns if c.startswith("z")), "--outcome", "y", "-o", "m.json"]

    def profile(self, *options):
        return self.json(*self.fit, "--profile", *options)["profile"]

    def test_stages_add_up_to_the_whole(self):
        summary = self.json(*self.fit, "--profile")
        seconds = summary["profile"]["seconds"]
        self.assertEqual(set(seconds), STAGES)
        self.assertAlmostEqual(sum(seconds.values()), summary["seconds"], places=6)

    def test_only_stages_of_the_method_take_time(self):
        bayes = self.profile("--estimator", "bayes", "--experts", 2)
        self.assertGreater(bayes["seconds"]["sample"], 0)
        by_folds = self.profile("--estimator", "map")
        self.assertEqual(by_folds["seconds"]["sample"], 0)
        for stage in ("read", "encode", "pooled", "choose", "fit", "uncertainty", "write"):
            self.assertGreater(by_folds["seconds"][stage], 0, stage)

    def test_passes_tasks_and_memory(self):
        one, many = self.profile("--method", "pooled"), self.profile("--estimator", "map")
        self.assertGreater(one["passes"], 1)
        self.assertGreater(many["passes"], one["passes"])
        self.assertGreater(many["tasks"], one["tasks"])
        self.assertGreater(one["peak_memory_bytes"], 1_000_000)

    def test_passes_and_tasks_do_not_depend_on_threads(self):
        one, many = self.profile("--method", "mlp", "--threads", 1), self.profile("--method", "mlp", "--threads", 7)
        self.assertEqual((one["passes"], one["tasks"]), (many["passes"], many["tasks"]))

    def test_text_comes_after_the_summary(self):
        text = self.ok(*self.fit, "--profile")
        self.assertRegex(text, r"(?s)wrote m\.json.*\n  stage +seconds +%\n  read .*\n  other .*\n\d+ passes over the rows, \d+ tasks, peak memory \d+ MB\n$")

    def test_nothing_is_shown_without_the_option(self):
        self.assertNotIn("profile", self.json(*self.fit))
        self.assertNotIn("passes", self.ok(*self.fit))


if __name__ == "__main__":
    unittest.main()
