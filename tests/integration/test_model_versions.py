"""Model files of version 1, one of every kind, still load and give the weights they gave then."""
import json
import pathlib
import shutil

from otss_cli import CliTest

MODELS = pathlib.Path(__file__).resolve().parents[1] / "golden" / "models-v1"
COMMANDS = json.loads((MODELS / "commands.json").read_text())


class VersionOne(CliTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(MODELS, self.dir, dirs_exist_ok=True)

    def same_numbers(self, output, recorded):
        """The last digits of a sum depend on the instruction set, and on the version of the kernels."""
        for ours, theirs in zip(self.rows(output), self.rows(recorded), strict=True):
            for column, text in theirs.items():
                try:
                    self.assertAlmostEqual(float(ours[column]), float(text), delta=1e-12 * max(1, abs(float(text))))
                except ValueError:
                    self.assertEqual(ours[column], text)

    def test_every_kind_of_model_is_there(self):
        documents = [json.loads((MODELS / f"{name}.json").read_text()) for name in COMMANDS]
        self.assertEqual({d["version"] for d in documents}, {1})
        self.assertEqual({d["method"] for d in documents},
                         {"otss", "pooled", "linear", "low-rank", "mlp", "cluster", "em", "hard", "gbm"})
        self.assertEqual({d["gate"]["kind"] for d in documents if "gate" in d},
                         {"linear", "quadratic", "mlp", "one-hot", "fixed", "average"})
        self.assertEqual({d["family"] for d in documents}, {"bernoulli", "gaussian", "poisson"})
        self.assertEqual({d["uncertainty"]["kind"] for d in documents if d["uncertainty"]}, {"normal", "draws"})

    def test_each_loads_and_gives_the_recorded_numbers(self):
        for name, entry in COMMANDS.items():
            self.same_numbers(self.ok(*entry["command"]), (MODELS / entry["output"]).read_text())

    def test_each_gives_the_same_numbers_when_saved_as_the_present_version(self):
        for name, entry in COMMANDS.items():
            before = self.ok(*entry["command"])
            document = self.ok("inspect", f"{name}.json", "--json")
            self.assertGreater(json.loads(document)["version"], 1)
            self.write(f"{name}.json", document)
            self.assertEqual(self.ok(*entry["command"]), before, name)
            self.assertEqual(self.ok("inspect", f"{name}.json", "--json"), document, name)

    def test_their_reports_are_read(self):
        for name in COMMANDS:
            old = json.loads((MODELS / f"{name}.json").read_text())["provenance"]
            self.assertIn("held out: " + old["selection"]["split"], self.ok("inspect", f"{name}.json"))
            new = json.loads(self.ok("inspect", f"{name}.json", "--json"))["provenance"]
            self.assertEqual(new["options"], old["options"])
            self.assertEqual(new["selection"], old["selection"])
            self.assertEqual(new["validation"], old["validation"])
            self.assertEqual(new.get("posteriors"), old.get("posteriors"))
            self.assertEqual(new.get("uncertainty"), old.get("uncertainty"))
            for field in ("gain", "supported"):
                self.assertEqual(new["heterogeneity"][field], old["heterogeneity"][field])
            for field, value in old["diagnostics"].items():
                self.assertEqual(new["diagnostics"][field], value, f"{name}: {field}")

    def test_only_em_mixes_probabilities(self):
        for name in COMMANDS:
            document = json.loads(self.ok("inspect", f"{name}.json", "--json"))
            self.assertEqual(document["mixes_probabilities"], document["method"] == "em", name)

    def test_a_newer_version_is_refused_with_both_named(self):
        document = json.loads((MODELS / "otss-map.json").read_text())
        document["version"] = 3
        self.write("newer.json", json.dumps(document))
        self.refused("inspect", "newer.json", says=["newer.json", "version 3", "reads versions 1 to 2", "use a newer otss"])
