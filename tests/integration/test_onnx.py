"""otss export --onnx: onnxruntime computes the weights that otss computes, for every kind of model that has weights."""
import datetime
import json
import os
import pathlib
import random
import struct
import subprocess

from otss_cli import CliTest

HERE = pathlib.Path(__file__).parent
TOLERANCE = 1e-6  # of the largest weight: inputs and output are float32, all between is double


def float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


class OnnxTest(CliTest):
    FACTORS = ["z1", "z2"]

    def make_log(self, rows=900, seed=5):
        """A log with numbers, texts, missing values of both, a constant column and a truth with two segments."""
        draw = random.Random(seed)
        lines = ["age,income,region,chain,shop,z1,z2,y"]
        for _ in range(rows):
            age, income = float32(draw.uniform(18, 80)), float32(draw.gauss(3e4, 9e3))
            region, chain = draw.choice(["north", "süd", "east \"side\""]), draw.choice(["A", "B", ""])
            z1, z2 = draw.gauss(0, 1), draw.gauss(0, 1)
            score = (1.5 if region == "north" or age > 60 else -1) * z1 + (1 if chain == "A" else -.5) * z2
            kept = int(draw.random() < 1 / (1 + 2.718 ** -score))
            shown_income = "" if draw.random() < .1 else repr(income)
            quoted = region.replace('"', '""')
            lines.append(f'{age!r},{shown_income},"{quoted}",{chain},one,{z1},{z2},{kept}')
        self.write("log.csv", "\n".join(lines) + "\n")
        return "log.csv"

    #: Contexts that test every branch of the encoder: levels, an unknown one, missing values where training had some and
    #: where it had none, numbers far away.
    CONTEXTS = [{"age": age, "income": income, "region": region, "chain": chain, "shop": "one"}
                for age in (18.25, 47.1, 79.9, None, 400.0) for income in (None, 30123.4, 12000.7)
                for region in ("north", "süd", "east \"side\"", "", "nowhere") for chain in ("A", "B", "", "C")]

    def contexts_file(self, contexts, columns):
        def cell(value):
            return "" if value is None else repr(float32(value)) if isinstance(value, float) else '"' + value.replace('"', '""') + '"'

        self.write("contexts.csv", "\n".join([",".join(columns), *(",".join(cell(row[c]) for c in columns) for row in contexts)]) + "\n")
        return "contexts.csv"

    def in_onnxruntime(self, path, columns):
        question = json.dumps({"model": str(self.dir / path), "columns": columns})
        done = subprocess.run(["node", HERE / "onnx_weights.js"], input=question, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, "tools/get_onnxruntime installs what this test needs\n" + done.stderr)
        return json.loads(done.stdout)

    def compare(self, model, contexts, columns):
        """Weights of otss and of onnxruntime for the same float32 inputs. Returns the largest difference over the largest weight."""
        self.ok("export", model, "--onnx", "model.onnx")
        given = {c: {"type": "string" if isinstance(next((r[c] for r in contexts if r[c] is not None), ""), str) else "float32",
                     "data": [row[c] for row in contexts]} for c in columns}
        answer = self.in_onnxruntime("model.onnx", given)
        self.assertEqual(sorted(answer["inputs"]), sorted(columns))
        ours = [[float(value) for value in row.values()]
                for row in self.rows(self.ok("weights", model, self.contexts_file(contexts, columns)))]
        self.assertEqual(len(ours), len(answer["rows"]))
        largest = max(abs(value) for row in ours for value in row)
        return max(abs(a - b) for x, y in zip(ours, answer["rows"]) for a, b in zip(x, y)) / largest

    COLUMNS = ["age", "income", "region", "chain", "shop"]

    def fit(self, *more):
        self.ok("fit", self.make_log(), "--context", ",".join(self.COLUMNS), "--factors", "z1,z2", "--outcome", "y",
                "-o", "model.json", *more)
        return "model.json"

    def test_every_kind_of_model_has_the_same_weights_in_onnxruntime(self):
        kinds = {
            "linear gate": ["--method", "otss", "--experts", 2, "--estimator", "map"],
            "quadratic gate": ["--method", "otss", "--experts", 2, "--gate", "quadratic", "--estimator", "map"],
            "network gate": ["--method", "otss", "--experts", 2, "--gate", "mlp"],
            "average of draws": ["--method", "otss", "--experts", 2, "--estimator", "bayes", "--deploy", "mean"],
            "pooled": ["--method", "pooled"], "linear": ["--method", "linear"], "low-rank": ["--method", "low-rank"],
            "mlp": ["--method", "mlp"], "cluster": ["--method", "cluster", "--experts", 3], "em": ["--method", "em", "--experts", 2],
            "hard": ["--method", "hard", "--experts", 2]}
        for kind, options in kinds.items():
            with self.subTest(kind):
                self.assertLess(self.compare(self.fit(*options), self.CONTEXTS, self.COLUMNS), TOLERANCE)

    def test_pairs_of_levels_have_the_same_weights(self):
        draw = random.Random(9)
        lines = ["city,chain,z,y"]
        pairs = [(f"city{i}", f"chain{j}") for i in range(20) for j in (i, (i + 1) % 20)]
        for city, chain in pairs * 20:
            z, slope = draw.gauss(0, 1), draw.choice((-1, 3))
            lines.append(f"{city},{chain},{z},{int(draw.random() < 1 / (1 + 2.718 ** (-slope * z)))}")
        self.write("log.csv", "\n".join(lines) + "\n")
        self.ok("fit", "log.csv", "--context", "city,chain", "--factors", "z", "--outcome", "y", "--method", "linear", "-o", "model.json")
        document = json.loads((self.dir / "model.json").read_text())
        self.assertTrue(document["schema"].get("level_pairs"), "the model has no pairs of levels, so this test tests nothing")
        contexts = [{"city": city, "chain": chain} for city, chain in
                    [*pairs, ("city1", "chain9"), ("", "chain1"), ("city1", ""), ("nowhere", "chain1"), ("city1", "none")]]
        self.assertLess(self.compare("model.json", contexts, ["city", "chain"]), TOLERANCE)

    def test_a_column_may_have_the_name_of_the_output(self):
        draw = random.Random(2)
        rows = [(draw.gauss(0, 1), draw.gauss(0, 1)) for _ in range(300)]
        lines = ["weights,constant_3,z,y"] + [f"{x},{-x},{z},{int((x > 0) == (z > 0))}" for x, z in rows]
        self.write("log.csv", "\n".join(lines) + "\n")
        self.ok("fit", "log.csv", "--context", "weights,constant_3", "--factors", "z", "--outcome", "y", "--method", "linear", "-o", "model.json")
        contexts = [{"weights": 0.5, "constant_3": 1.0}, {"weights": -2.0, "constant_3": None}]
        self.assertLess(self.compare("model.json", contexts, ["weights", "constant_3"]), TOLERANCE)

    def test_words_for_missing_values_and_constant_columns(self):
        self.write("log.csv", "\n".join(["plan,shop,z,y"] + [f"{plan},one,{z},{y}" for plan, z, y in zip(
            ["?", "gold", "free"] * 100, [1, -1, .5, -.5] * 75, [1, 0, 0, 1, 1] * 60)]) + "\n")
        self.ok("fit", "log.csv", "--context", "plan,shop", "--factors", "z", "--outcome", "y", "--missing", "?", "--method", "linear",
                "-o", "model.json")
        contexts = [{"plan": plan, "shop": "one"} for plan in ("?", "", "gold", "free", "silver")]
        self.assertLess(self.compare("model.json", contexts, ["plan", "shop"]), TOLERANCE)
        self.ok("fit", "log.csv", "--context", "shop", "--factors", "z", "--outcome", "y", "--method", "pooled", "-o", "model.json")
        self.assertLess(self.compare("model.json", [{"shop": "one"}, {"shop": ""}], ["shop"]), TOLERANCE)

    def test_times_are_seconds_in_double_precision(self):
        """float32 has steps of 128 s at these numbers, so it would miss the weights."""
        draw = random.Random(4)
        seconds = [1_772_000_000 + draw.randrange(3000) for _ in range(400)]
        rows = [(second, draw.gauss(0, 1)) for second in seconds]
        date = {second: datetime.datetime.fromtimestamp(second, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S") for second in seconds}
        self.write("log.csv", "\n".join(["since,z,y"] + [f"{date[t]},{z},{int((t % 3000 > 1500) == (z > 0))}" for t, z in rows]) + "\n")
        self.ok("fit", "log.csv", "--context", "since", "--factors", "z", "--outcome", "y", "--method", "linear", "-o", "model.json")
        self.ok("export", "model.json", "--onnx", "model.onnx")
        answer = self.in_onnxruntime("model.onnx", {"since": {"type": "float64", "data": seconds}})
        ours = [float(row["w_z"]) for row in self.rows(self.ok("weights", "model.json", "log.csv"))]
        self.assertLess(max(abs(a - b[0]) for a, b in zip(ours, answer["rows"])), TOLERANCE * max(map(abs, ours)))

    def test_models_without_weights_are_refused_with_the_reason(self):
        self.fit("--method", "gbm")
        self.refused("export", "model.json", "--onnx", "model.onnx", says=["a gbm model has scores but no weights"])
        self.assertFalse((self.dir / "model.onnx").exists())

    def test_the_file_is_written_whole_or_not_at_all_and_never_over_the_model(self):
        model = self.fit("--method", "linear")
        self.refused("export", model, "--onnx", model, says="model.json")
        self.refused("export", model, "--onnx", "no/such/folder/model.onnx", says="no/such/folder")
        self.refused("export", model, says="--onnx")
        self.assertEqual(self.json("export", model, "--onnx", "model.onnx"), {"onnx": "model.onnx", "inputs": 5, "factors": 2})
        self.assertEqual(os.listdir(self.dir).count("model.onnx"), 1)
