"""From a log file to decisions, as users do it."""
import json
import math
import unittest

from otss_cli import CliTest


class Path(CliTest):
    def test_fit_prints_a_summary_and_writes_a_model(self):
        demo = self.simulate()
        summary = self.json("fit", f"{demo}/log.csv", *self.ROLES, "--experts", 2, "-o", "model.json")
        self.assertEqual((summary["method"], summary["estimator"], summary["experts"], summary["gate"]),
                         ("otss", "bayes", 2, "linear"))
        self.assertEqual(summary["rows"], 600)
        self.assertGreater(summary["validation_log_loss"], 0.3)
        self.assertEqual(set(summary["heterogeneity"]), {"supported", "gain", "lo", "hi"})
        self.assertIn("expert 2", self.ok("inspect", "model.json"))

    def test_weights_are_the_mixture_of_the_experts_in_order(self):
        model = self.fitted()
        document = self.json("inspect", model)
        rows = self.rows(self.ok("weights", model, "demo/contexts.csv", "--gate", "--keep", "x1,x2"))
        contexts = self.rows("demo/contexts.csv")
        self.assertEqual(len(rows), len(contexts))
        self.assertEqual(list(rows[0]), ["x1", "x2"] + [f"w_z{j}" for j in range(1, 9)] + ["alpha_1", "alpha_2"])
        for row, context in zip(rows[:200], contexts):
            self.assertEqual(row["x1"], context["x1"])
            shares = [float(row["alpha_1"]), float(row["alpha_2"])]
            self.assertAlmostEqual(sum(shares), 1, places=14)
            for j in range(1, 9):
                mixed = sum(a * expert[f"z{j}"] for a, expert in zip(shares, document["experts"]))
                self.assertAlmostEqual(float(row[f"w_z{j}"]), mixed, places=12)

    def test_decide_is_the_exact_argmax_with_margin_and_contributions(self):
        model = self.fitted()
        weights = self.rows(self.ok("weights", model, "demo/contexts.csv"))
        library = self.rows("demo/library.csv")
        out = self.rows(self.ok("decide", model, "demo/contexts.csv", "--library", "demo/library.csv", "--id", "id",
                                "--top", 2, "--explain"))
        names = [f"z{j}" for j in range(1, 9)]
        for i, w in enumerate(weights[:300]):
            scores = sorted(((sum(float(w["w_" + z]) * float(d[z]) for z in names), -k)
                             for k, d in enumerate(library)), reverse=True)
            first, second = out[2 * i], out[2 * i + 1]
            self.assertEqual((first["row"], first["rank"], second["rank"]), (str(i + 1), "1", "2"))
            self.assertEqual(first["decision"], library[-scores[0][1]]["id"])
            self.assertEqual(second["decision"], library[-scores[1][1]]["id"])
            self.assertAlmostEqual(float(first["score"]), scores[0][0], places=10)
            self.assertAlmostEqual(float(first["margin"]), scores[0][0] - scores[1][0], places=10)
            self.assertAlmostEqual(float(second["margin"]), scores[1][0] - scores[0][0], places=10)
            self.assertAlmostEqual(sum(float(first["c_" + z]) for z in names), scores[0][0], places=10)

    def test_decide_over_candidates_listed_per_context(self):
        model = self.fitted()
        contexts = self.rows("demo/contexts.csv")[:3]
        names = list(contexts[0])
        self.write("c.csv", "order," + ",".join(names) + "\n"
                   + "".join(f"o{i}," + ",".join(c.values()) + "\n" for i, c in enumerate(contexts)))
        zs = [f"z{j}" for j in range(1, 9)]
        library = self.rows("demo/library.csv")
        lines = [f"o{i},{d['id']}," + ",".join(d[z] for z in zs) for i in range(3) for d in library[i:2 * i + 1]]
        self.write("cand.csv", "order,route," + ",".join(zs) + "\n" + "\n".join(lines) + "\n")
        out = self.rows(self.ok("decide", model, "c.csv", "--candidates", "cand.csv", "--context-id", "order",
                                "--id", "route", "--keep", "order"))
        self.assertEqual([r["order"] for r in out], ["o0", "o1", "o2"])
        self.assertEqual(out[0]["margin"], "")  # the only candidate has no rival
        self.write("short.csv", "order,route," + ",".join(zs) + "\n" + lines[0] + "\n")
        self.refused("decide", model, "c.csv", "--candidates", "short.csv", "--context-id", "order", "--id", "route",
                     says="'o1'")

    def test_ties_go_to_the_earlier_row(self):
        model = self.fitted()
        zs = ",".join(f"z{j}" for j in range(1, 9))
        self.write("lib.csv", f"id,{zs}\nb" + ",0.5" * 8 + "\na" + ",0.5" * 8 + "\n")
        out = self.rows(self.ok("decide", model, "demo/contexts.csv", "--library", "lib.csv", "--id", "id"))
        self.assertEqual({r["decision"] for r in out}, {"b"})
        self.assertEqual({float(r["margin"]) for r in out}, {0.0})

    def test_evaluate_judges_predictions_and_truth(self):
        model = self.fitted()
        result = self.json("evaluate", model, "demo/test.csv", "--truth", "demo/truth.csv", "--library",
                           "demo/library.csv", "--id", "id")
        self.assertEqual(result["rows"], 3000)
        for key in ["log_loss", "brier", "auc", "calibration_slope", "gate_entropy", "effective_experts", "expert_usage",
                    "weight_mse", "weight_mse_scaled", "regret", "match_rate"]:
            self.assertIn(key, result)
        self.assertTrue(1 <= result["effective_experts"] <= 2)
        # The same by hand.
        weights = self.rows(self.ok("weights", model, "demo/contexts.csv"))
        truth = self.rows("demo/truth.csv")
        mse = sum(sum((float(w[c]) - float(t[c])) ** 2 for c in t) for w, t in zip(weights, truth)) / len(truth)
        self.assertAlmostEqual(result["weight_mse"], mse, places=10)
        only_contexts = self.json("evaluate", model, "demo/contexts.csv", "--truth", "demo/truth.csv")
        self.assertNotIn("log_loss", only_contexts)
        self.assertAlmostEqual(only_contexts["weight_mse"], mse, places=10)

    def test_every_format_gives_the_same_model_and_weights(self):
        demo = self.simulate()
        self.ok("fit", f"{demo}/log.csv", *self.ROLES, "--experts", 2, "-o", "csv.json")
        text = (self.dir / demo / "log.csv").read_text()
        import gzip
        (self.dir / "log.csv.gz").write_bytes(gzip.compress(text.encode()))
        self.ok("fit", "log.csv.gz", *self.ROLES, "--experts", 2, "-o", "gz.json")
        self.ok("fit", "-", *self.ROLES, "--experts", 2, "-o", "stdin.json", stdin=text)
        half = text.splitlines(keepends=True)
        self.write("part1.csv", "".join(half[:301]))
        self.write("part2.csv", half[0] + "".join(half[301:]))
        self.ok("fit", "part*.csv", *self.ROLES, "--experts", 2, "-o", "glob.json")
        first = (self.dir / "csv.json").read_text()
        for other in ["gz.json", "stdin.json", "glob.json"]:
            self.assertEqual((self.dir / other).read_text(), first, other)
        self.ok("weights", "csv.json", f"{demo}/contexts.csv", "-o", "w.csv")
        self.ok("weights", "csv.json", f"{demo}/contexts.csv", "-o", "w.parquet")
        self.ok("weights", "csv.json", f"{demo}/contexts.csv", "-o", "w.json")
        plain = self.ok("weights", "csv.json", f"{demo}/contexts.csv")
        self.assertEqual((self.dir / "w.csv").read_text(), plain)
        import json
        for row, record in zip(self.rows(plain), json.loads((self.dir / "w.json").read_text())):
            self.assertEqual(float(row["w_z1"]), record["w_z1"])

    def test_query_selects_rows_and_renames(self):
        demo = self.simulate()
        summary = self.json("fit", f"{demo}/log.csv", "--query", "SELECT x1 AS age, z1 AS price, y FROM t WHERE x2 > 0",
                            "--context", "age", "--factors", "price", "--outcome", "y", "-o", "m.json")
        self.assertLess(summary["rows"], 600)
        self.refused("fit", f"{demo}/log.csv", "--query", "SELECT * FROM read_csv('demo/test.csv')", "--context", "x1",
                     "--factors", "z1", "--outcome", "y", "-o", "m2.json", says="demo/log.csv")

    def test_text_contexts_missing_values_and_sample_weights(self):
        demo = self.simulate()
        rows = self.rows(f"{demo}/log.csv")
        lines = ["region,age,z1,z2,y,w,id"]
        for i, r in enumerate(rows):
            age = "" if i % 7 == 0 else r["x1"]
            lines.append(f"{['north', 'south', ''][i % 3]},{age},{r['z1']},{r['z2']},{r['y']},{1 + i % 2},{i}")
        self.write("log.csv", "\n".join(lines) + "\n")
        dry = self.json("fit", "log.csv", "--context", "all", "--exclude", "id", "--factors", "z1,z2", "--outcome", "y",
                        "--weight", "w", "--dry-run")
        self.assertEqual(sorted(dry["encoded_contexts"]),
                         ["age", "age is missing", "region is missing", "region=north", "region=south"])
        self.ok("fit", "log.csv", "--context", "region,age", "--factors", "z1,z2", "--outcome", "y", "--weight", "w",
                "-o", "m.json")
        self.write("new.csv", "region,age\nwest,1\nnorth,\n")
        done = self.otss("weights", "m.json", "new.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 value is text that training did not have", done.stderr)
        self.refused("weights", "m.json", "new.csv", "--unknown", "error", says=["new.csv", "west", "region"])

    def test_one_model_for_any_number_of_threads(self):
        demo = self.simulate()
        for threads in (1, 2, 7):
            self.ok("fit", f"{demo}/log.csv", *self.ROLES, "--threads", threads, "-o", f"m{threads}.json")
        one = (self.dir / "m1.json").read_text()
        self.assertEqual((self.dir / "m2.json").read_text(), one)
        self.assertEqual((self.dir / "m7.json").read_text(), one)

    def test_instruction_sets_agree(self):
        demo = self.simulate()
        losses = []
        for isa in ("baseline", "avx2", "avx512"):
            done = self.otss("fit", f"{demo}/log.csv", *self.ROLES, "--experts", 2, "--estimator", "map", "--json", "-o",
                             f"{isa}.json",
                             env={"OTSS_ISA": isa})
            if "does not support this instruction set" in done.stderr:
                continue
            losses.append(json.loads(done.stdout)["validation_log_loss"])
            self.assertIn(isa, self.ok("version", env={"OTSS_ISA": isa}))
        for loss in losses:
            self.assertTrue(math.isclose(loss, losses[0], rel_tol=1e-3))
        self.refused("version", env={"OTSS_ISA": "neon"}, says="OTSS_ISA=neon")

    def test_a_gpu_is_used_or_refused(self):
        gpu = json.loads(self.ok("version", "--json"))["gpu"]
        self.assertIn(gpu, self.ok("version"))
        if not gpu.startswith("none"):
            self.skipTest(f"there is a GPU: {gpu}")
        demo = self.simulate()
        self.refused("fit", f"{demo}/log.csv", *self.ROLES, "--device", "cuda", "-o", "m.json",
                     says=["--device cuda", gpu.removeprefix("none (").removesuffix(")"), "use --device cpu"])
        self.ok("fit", f"{demo}/log.csv", *self.ROLES, "--experts", 2, "--estimator", "map", "-o", "m.json")
        self.refused("fit", f"{demo}/log.csv", *self.ROLES, "--storage", "f16", "-o", "m.json",
                     says=["--storage f16 is for the rows on a GPU", "add --device cuda, or leave it out"])
        self.refused("decide", "m.json", f"{demo}/contexts.csv", "--library", f"{demo}/library.csv", "--id", "id", "--device", "cuda",
                     says="use --device cpu")
        self.refused("weights", "m.json", f"{demo}/contexts.csv", "--device", "cuda", says="use --device cpu")
        self.assertEqual(self.ok("weights", "m.json", f"{demo}/contexts.csv", "--device", "cpu"), self.ok("weights", "m.json", f"{demo}/contexts.csv"))

    def test_help_has_examples(self):
        for command in ([], ["fit"], ["weights"], ["decide"], ["evaluate"], ["inspect"], ["simulate"]):
            text = self.ok(*command, "--help")
            self.assertIn("otss " + (command[0] if command else "fit"), text)


if __name__ == "__main__":
    unittest.main()
