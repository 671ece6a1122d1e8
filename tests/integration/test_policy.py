"""The value of a model's decisions on a log that another policy made: evaluate --propensity."""
import csv
import json
import unittest

from otss_cli import CliTest

POLICY = ["--propensity", "propensity", "--decision", "decision"]
LIBRARY = ["--library", "demo/library.csv", "--id", "id"]


class PolicyTest(CliTest):
    prepared = {}  # model.json and demo/: the same for every test, so made once

    def setUp(self):
        super().setUp()
        if not self.prepared:
            self.fitted("--estimator", "map")
            for path in (path for path in self.dir.rglob("*") if path.is_file()):
                self.prepared[path.relative_to(self.dir)] = path.read_bytes()
        for name, content in self.prepared.items():
            (self.dir / name).parent.mkdir(exist_ok=True)
            (self.dir / name).write_bytes(content)

    def edit(self, source, target, change):
        """A copy of a table whose rows (dictionaries) `change` has seen."""
        rows = self.rows(source)
        for i, row in enumerate(rows):
            change(i, row)
        with open(self.dir / target, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return target


class PolicyValue(PolicyTest):
    def test_estimates_follow_from_the_decisions_and_predictions(self):
        result = self.json("evaluate", "model.json", "demo/test.csv", *POLICY, *LIBRARY)
        log = self.rows("demo/test.csv")
        chosen = [row["decision"] for row in
                  self.rows(self.ok("decide", "model.json", "demo/contexts.csv", *LIBRARY))]
        weight = [(a["decision"] == b) / float(a["propensity"]) for a, b in zip(log, chosen)]
        ips = sum(w * float(row["y"]) for w, row in zip(weight, log)) / len(log)
        self.assertAlmostEqual(result["ips"]["value"], ips)
        self.assertAlmostEqual(result["snips"]["value"], ips * len(log) / sum(weight))
        self.assertAlmostEqual(result["logging_policy"]["value"], sum(float(r["y"]) for r in log) / len(log))
        self.assertAlmostEqual(result["effective_sample_size"], sum(weight) ** 2 / sum(w * w for w in weight))
        self.assertAlmostEqual(result["gain"]["value"],
                               result["doubly_robust"]["value"] - result["logging_policy"]["value"])
        for name in ("ips", "snips", "direct", "doubly_robust", "logging_policy", "gain"):
            self.assertLess(result[name]["lo"], result[name]["value"])
            self.assertLess(result[name]["value"], result[name]["hi"])
        self.assertGreater(result["gain"]["lo"], 0)  # the log was made at random
        self.assertEqual(result["rows"], 3000)
        self.assertEqual(result["never_logged"], 0)
        self.assertFalse(result["in_sample"])
        self.assertIn("log_loss", result)

    def test_a_wider_level_gives_wider_intervals(self):
        narrow = self.json("evaluate", "model.json", "demo/test.csv", *POLICY, *LIBRARY, "--level", 0.8)
        wide = self.json("evaluate", "model.json", "demo/test.csv", *POLICY, *LIBRARY, "--level", 0.99)
        self.assertEqual((narrow["level"], wide["level"]), (0.8, 0.99))
        self.assertLess(wide["doubly_robust"]["lo"], narrow["doubly_robust"]["lo"])

    def test_the_table_needs_no_factors_of_its_own(self):
        full = self.json("evaluate", "model.json", "demo/test.csv", *POLICY, *LIBRARY)
        bare = self.json("evaluate", "model.json", "demo/test.csv", "--query", "SELECT * EXCLUDE (z1, z2) FROM t", *POLICY,
                         *LIBRARY)
        self.assertEqual(bare["doubly_robust"], full["doubly_robust"])
        self.assertNotIn("log_loss", bare)

    def test_people_get_a_table(self):
        text = self.ok("evaluate", "model.json", "demo/test.csv", *POLICY, *LIBRARY)
        for part in ("90 % interval", "doubly robust", "model predictions only", "gain", "effective sample size"):
            self.assertIn(part, text)

    def test_training_rows_are_refused_unless_asked_for(self):
        self.refused("evaluate", "model.json", "demo/log.csv", *POLICY, *LIBRARY, says=["demo/log.csv", "--in-sample"])
        done = self.otss("evaluate", "model.json", "demo/log.csv", *POLICY, *LIBRARY, "--in-sample", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(json.loads(done.stdout)["in_sample"])
        self.assertIn("fitted on", done.stderr)

    def test_candidates_that_are_everybodys_library_give_the_same(self):
        self.edit("demo/test.csv", "orders.csv", lambda i, row: row.update(order=f"o{i % 3}"))
        with open(self.dir / "routes.csv", "w") as file:
            lines = (self.dir / "demo/library.csv").read_text().splitlines()
            file.write("order," + lines[0] + "\n")
            file.writelines(f"o{k},{line}\n" for k in range(3) for line in lines[1:])
        by_library = self.json("evaluate", "model.json", "demo/test.csv", *POLICY, *LIBRARY)
        listed = self.json("evaluate", "model.json", "orders.csv", *POLICY, "--candidates", "routes.csv", "--context-id", "order",
                           "--id", "id")
        for name in ("ips", "snips", "direct", "doubly_robust", "gain"):
            self.assertEqual(listed[name], by_library[name])
        self.assertNotIn("never_logged", listed)
        text = (self.dir / "routes.csv").read_text().splitlines(keepends=True)
        self.write("few.csv", "".join(line for line in text if not line.startswith("o1,d7,")))
        self.refused("evaluate", "model.json", "orders.csv", *POLICY, "--candidates", "few.csv", "--context-id", "order", "--id",
                     "id", says=["orders.csv", "'decision'", "'d7'", "'o1'"])
        self.refused("evaluate", "model.json", "orders.csv", *POLICY, "--candidates", "routes.csv", "--id", "id",
                     says="--context-id")

    def test_groups_make_intervals_wider_where_rows_repeat(self):
        self.edit("demo/log.csv", "log.csv", lambda i, row: row.update(who=f"c{i // 2}"))
        self.ok("fit", "log.csv", *self.ROLES, "--group", "who", "--estimator", "map", "--experts", 1, "-o", "m.json")
        rows = (self.dir / "demo/test.csv").read_text().splitlines()
        lines = [rows[0] + ",who"] + [f"{row},c{i}" for i, row in enumerate(rows[1:]) for _ in range(4)]
        self.write("test.csv", "\n".join(lines) + "\n")
        once = self.otss("evaluate", "m.json", "demo/test.csv", *POLICY, *LIBRARY, "--json")
        self.assertIn("no column 'who'", once.stderr)
        once = json.loads(once.stdout)
        copies = self.json("evaluate", "m.json", "test.csv", *POLICY, *LIBRARY)
        self.assertEqual(copies["independent_units"], 3000)
        for end in ("value", "lo", "hi"):
            self.assertAlmostEqual(copies["doubly_robust"][end], once["doubly_robust"][end])

    def test_weights_count(self):
        self.edit("demo/log.csv", "log.csv", lambda i, row: row.update(w=1 + i % 2))
        self.ok("fit", "log.csv", *self.ROLES, "--weight", "w", "--estimator", "map", "--experts", 1, "-o", "m.json")
        self.edit("demo/test.csv", "test.csv", lambda i, row: row.update(w=3 if i < 10 else 0))
        result = self.json("evaluate", "m.json", "test.csv", *POLICY, *LIBRARY)
        ten = self.json("evaluate", "m.json", "test.csv", "--query", "SELECT * EXCLUDE (w) FROM t LIMIT 10", *POLICY,
                        *LIBRARY)
        self.assertAlmostEqual(result["direct"]["value"], ten["direct"]["value"])
        self.assertAlmostEqual(result["logging_policy"]["value"], ten["logging_policy"]["value"])

    def test_numbers_and_counts_have_a_mean_outcome(self):
        for family, outcome in (("gaussian", "20 * y + 3 * z1"), ("poisson", "CAST(2 * y + 1 AS INTEGER)")):
            query = ["--query", f"SELECT * REPLACE ({outcome} AS y) FROM t"]
            self.ok("fit", "demo/log.csv", *query, *self.ROLES, "--family", family, "--estimator", "map", "--experts", 1,
                    "-o", "m.json")
            result = self.json("evaluate", "m.json", "demo/test.csv", *query, *POLICY, *LIBRARY)
            self.assertGreater(result["gain"]["value"], 0)
            spread = result["doubly_robust"]["hi"] - result["doubly_robust"]["lo"]
            self.assertLess(abs(result["direct"]["value"] - result["doubly_robust"]["value"]), 3 * spread)

    def centred(self, level):
        """A policy's value where one depot's offers all lie `level` higher, in a model that leaves levels out."""
        def at_depot(decision):
            def change(_, row):
                row["depot"] = f"p{int(row[decision][1:]) % 2}"
                row["z1"] = repr(float(row["z1"]) + (level if row["depot"] == "p1" else 0))
            return change
        self.edit("demo/log.csv", "log.csv", at_depot("decision"))
        self.edit("demo/test.csv", "test.csv", at_depot("decision"))
        self.edit("demo/library.csv", "offers.csv", at_depot("id"))
        self.ok("fit", "log.csv", *self.ROLES, "--center-factors", "--candidates", "offers.csv", "--context-id", "depot",
                "--estimator", "map", "--experts", 1, "-o", "m.json")
        return self.json("evaluate", "m.json", "test.csv", *POLICY, "--candidates", "offers.csv", "--id", "id")

    def test_centred_factors_are_centred_here_too(self):
        raised, plain = self.centred(8), self.centred(0)
        for name in ("direct", "doubly_robust", "ips"):
            self.assertAlmostEqual(raised[name]["value"], plain[name]["value"], places=4)
        # A depot has ten of the twenty decisions, so the propensities of 0.05 are wrong here, and it is said.
        self.assertTrue(any("propensities" in line for line in plain["warnings"]))
        candidates = ["--candidates", "offers.csv", "--id", "id"]
        right = self.json("evaluate", "m.json", "test.csv", "--query", "SELECT * REPLACE (0.1 AS propensity) FROM t",
                          *POLICY, *candidates)
        self.assertEqual(right["warnings"], [])
        self.refused("evaluate", "m.json", "log.csv", *POLICY, *candidates, says="--in-sample")
        self.refused("evaluate", "m.json", "test.csv", *POLICY, *LIBRARY, says=["--center-factors", "--candidates"])
        self.refused("evaluate", "m.json", "test.csv", *POLICY, *candidates, "--context-id", "x1", says="--context-id")

    def test_the_column_of_decisions_may_have_another_part_to_play(self):
        self.ok("fit", "demo/log.csv", *self.ROLES, "--group", "decision", "--estimator", "map", "--experts", 1, "-o",
                "m.json")
        self.assertEqual(self.json("evaluate", "m.json", "demo/test.csv", *POLICY, *LIBRARY)["independent_units"], 20)


class BadPolicyInput(PolicyTest):
    def test_poor_overlap_is_said(self):
        done = self.otss("evaluate", "model.json", "demo/test.csv", "--query", "SELECT * FROM t LIMIT 300", *POLICY, *LIBRARY)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("otss: warning: poor overlap", done.stderr)
        nothing = self.otss("evaluate", "model.json", "demo/test.csv", "--query",
                            "SELECT * FROM t WHERE decision = 'd1' LIMIT 5", *POLICY, *LIBRARY)
        self.assertEqual(nothing.returncode, 0, nothing.stderr)
        self.assertIn("otss: warning:", nothing.stderr)

    def test_bad_cells_name_row_column_and_way_out(self):

        def refused(column, value, says):
            self.edit("demo/test.csv", "bad.csv", lambda i, row: row.update({column: value} if i == 4 else {}))
            self.refused("evaluate", "model.json", "bad.csv", *POLICY, *LIBRARY, says=["bad.csv", "row 5", f"'{column}'", *says])

        for bad in ("0", "1.2", "-0.1"):
            refused("propensity", bad, ["at most 1", "leave the row out"])
        refused("propensity", "", ["missing"])
        refused("decision", "d99", ["'d99'", "--library", "leave the row out"])
        refused("decision", "", ["missing"])
        refused("z3", "7.5", ["7.5", "correct"])
        refused("y", "2", ["must be"])
        refused("y", "", ["missing"])

    def test_options_that_need_each_other(self):
        table = ["evaluate", "model.json", "demo/test.csv"]
        self.refused(*table, "--propensity", "propensity", *LIBRARY, says="--decision COL")
        self.refused(*table, "--decision", "decision", *LIBRARY, says="--propensity COL")
        self.refused(*table, *POLICY, says=["--library", "--candidates"])
        self.refused(*table, *POLICY, "--library", "demo/library.csv", says="--id COL")
        self.refused(*table, *POLICY, *LIBRARY, "--context-id", "x1", says="--context-id")
        self.refused(*table, *POLICY, *LIBRARY, "--candidates", "demo/library.csv", says="either")
        self.refused(*table, "--in-sample", says="--in-sample needs --propensity")
        self.refused(*table, *POLICY, *LIBRARY, "--level", "2", says="--level")
        self.refused(*table, *LIBRARY, says=["--truth", "--propensity"])
        self.refused(*table, "--id", "id", says="--library")
        self.refused(*table, "--propensity", "prop", "--decision", "decision", *LIBRARY, says=["'prop'", "--propensity"])
        self.refused("evaluate", "model.json", "demo/contexts.csv", *POLICY, *LIBRARY, says="'y'")


if __name__ == "__main__":
    unittest.main()
