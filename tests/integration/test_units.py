"""What units (customers) did: histories, units files, and the commands that use them."""
import json

from otss_cli import CliTest
from unit_model import FACTORS, ROLES, add_units, history, make_model

WHO = ["--unit", "who"]


class Units(CliTest):
    def setUp(self):
        super().setUp()
        self.model = make_model(self)
        self.write("history.csv", history(rows=12))
        contexts = ["who,day,age"] + [f"u{i},{day},{30 + i}" for i in range(5) for day in (6, 13)] + ["new,13,41", ",13,41"]
        self.write("contexts.csv", "\n".join(contexts) + "\n")
        self.write("library.csv", "id,price,health\na,4,0.5\nb,6,1.5\nc,3,-0.5\nd,5,1\n")

    def weights(self, *args):
        rows = self.rows(self.ok("weights", self.model, "contexts.csv", *args))
        return [{name: float(value) for name, value in row.items()} for row in rows]

    def test_a_unit_with_history_has_its_own_weights_and_any_other_those_of_the_population(self):
        plain = self.weights()
        own = self.weights("--history", "history.csv", *WHO)
        self.assertEqual(own[10:], plain[10:])
        for row in range(10):
            self.assertNotEqual(own[row], plain[row])
        self.assertEqual(own, self.weights("--history", "history.csv"), "the unit column of the fit is the default")
        counts = self.json("weights", self.model, "contexts.csv", "--history", "history.csv", "-o", "w.csv")
        self.assertEqual(counts["rows_of_known_units"], 10)

    def test_the_gate_and_a_unit_s_history_say_which_expert_it_resembles(self):
        self.ok("fit", "train.csv", *ROLES, "--experts", "2", "--estimator", "map", "-o", "two.json")
        self.model = self.write_sealed("two-units.json", add_units(json.loads((self.dir / "two.json").read_text())))
        plain = self.weights("--gate")
        known = self.weights("--gate", "--history", "history.csv", *WHO)
        self.assertNotIn("alpha_1_unit", plain[0])
        for row, (before, after) in enumerate(zip(plain, known)):
            self.assertEqual(before["alpha_1"], after["alpha_1"])
            self.assertAlmostEqual(after["alpha_1_unit"] + after["alpha_2_unit"], 1)
            (self.assertNotEqual if row < 10 else self.assertEqual)(after["alpha_1_unit"], after["alpha_1"])

    def test_only_strictly_earlier_rows_count_with_time(self):
        timed = self.weights("--history", "history.csv", *WHO, "--time", "day")
        self.write("early.csv", history(rows=5))
        early = self.weights("--history", "early.csv", *WHO)
        everything = self.weights("--history", "history.csv", *WHO)
        for row in range(10):
            self.assertEqual(timed[row], (early if row % 2 == 0 else everything)[row])

    def test_a_units_file_stands_for_its_history(self):
        for name in ("units.parquet", "units.csv", "units.json"):
            done = self.json("units", self.model, "--history", "history.csv", *WHO, "--time", "day", "-o", name)
            self.assertEqual((done["units"], done["new_units"], done["rows"]), (60, 60, 720))
            self.assertEqual(self.weights("--units", name, "--interval", "0.9"),
                             self.weights("--history", "history.csv", "--interval", "0.9"))

    def test_updates_count_each_row_once(self):
        self.write("late.csv", history(rows=12, first=9))
        self.write("early.csv", history(rows=8))
        def update(*args):
            self.ok("units", self.model, "--history", "early.csv", "--time", "day", *args, "-o", "old.parquet")
            return self.json("units", self.model, "--units", "old.parquet", "--history", "late.csv", "--time", "day", "-o", "new.parquet")
        done = update("--keep-rows", "20")
        self.assertEqual((done["units"], done["new_units"], done["rows"], done["new_rows"]), (60, 0, 720, 240))
        self.assertEqual(self.weights("--units", "new.parquet"), self.weights("--history", "history.csv"), "kept rows are exact")
        update()
        for a, b in zip(self.weights("--units", "new.parquet"), self.weights("--history", "history.csv")):
            for name in a:
                self.assertAlmostEqual(a[name], b[name], delta=0.05)
        self.refused("units", self.model, "--units", "new.parquet", "--history", "late.csv", "--time", "day", "-o", "again.parquet",
                     says=["late.csv", "row 1", "already counted"])

    def test_a_half_life_forgets_and_is_kept_in_the_file(self):
        self.ok("units", self.model, "--history", "history.csv", "--time", "day", "--half-life", "2", "-o", "short.csv")
        self.assertEqual({row["half_life"] for row in self.rows("short.csv")}, {"2"})
        self.ok("units", self.model, "--history", "history.csv", "--time", "day", "-o", "long.csv")
        for short, long in zip(self.rows("short.csv"), self.rows("long.csv")):
            self.assertLess(float(short["factor_1_1"]), float(long["factor_1_1"]))
            self.assertGreaterEqual(float(short["factor_1_1"]), 1)
        # At a later time the unit is known less.
        self.write("contexts.csv", "who,day,age\nu1,13,40\nu1,100,40\n")
        soon, late = self.weights("--units", "short.csv", "--time", "day")
        (plain, _) = self.weights()
        self.assertGreater(abs(soon["w_price"] - plain["w_price"]), 100 * abs(late["w_price"] - plain["w_price"]))

    def test_files_do_not_depend_on_the_number_of_threads(self):
        files = []
        for threads in (1, 2, 7):
            self.ok("units", self.model, "--history", "history.csv", "--time", "day", "--keep-rows", "3", "--threads", threads, "-o", "u.csv")
            files.append((self.dir / "u.csv").read_bytes())
        self.assertEqual(files[0], files[1])
        self.assertEqual(files[0], files[2])

    def test_decisions_use_the_units_weights(self):
        own = self.weights("--history", "history.csv")
        library = {row["id"]: row for row in self.rows("library.csv")}
        score = lambda w, z: sum(w[f"w_{name}"] * float(z[name]) for name in FACTORS)
        decided = self.rows(self.ok("decide", self.model, "contexts.csv", "--library", "library.csv", "--id", "id",
                                    "--history", "history.csv", "--explain", "--certify", "0.9"))
        self.write("candidates.csv", "".join(
            ["who,id,price,health\n"] + [f"{who},{row['id']},{row['price']},{row['health']}\n"
                                         for who in ["u0", "u1", "u2", "u3", "u4", "new"] for row in library.values()]))
        self.write("some.csv", "".join(line + "\n" for line in (self.dir / "contexts.csv").read_text().splitlines()[:-1]))
        of_candidates = self.rows(self.ok("decide", self.model, "some.csv", "--candidates", "candidates.csv", "--context-id", "who",
                                          "--id", "id", "--history", "history.csv"))
        for i, row in enumerate(decided):
            best = max(library.values(), key=lambda z: score(own[i], z))
            self.assertEqual(row["decision"], best["id"])
            self.assertAlmostEqual(float(row["score"]), score(own[i], best), places=9)
            self.assertAlmostEqual(float(row["e_1"]) + float(row["e_unit"]), float(row["score"]), places=9)
            if i < len(of_candidates):
                self.assertEqual(of_candidates[i]["decision"], best["id"])
                self.assertEqual(of_candidates[i]["score"], row["score"])

    def test_plans_and_exported_objectives_use_the_units_weights(self):
        own = self.weights("--history", "history.csv")
        self.write("map.csv", "variable,factor,coefficient\na,price,1\nb,health,2\n")
        self.write("plan.lp", "Maximize\n obj: a + b\nSubject To\n size: a + b <= 1\nBinaries\n a b\nEnd\n")
        exported = self.rows(self.ok("export-objective", self.model, "contexts.csv", "--factor-map", "map.csv", "--history", "history.csv"))
        solved = self.rows(self.ok("decide", self.model, "contexts.csv", "--mps", "plan.lp", "--factor-map", "map.csv",
                                   "--history", "history.csv"))
        for i, w in enumerate(own):
            self.assertAlmostEqual(float(exported[2 * i]["coefficient"]), w["w_price"], places=12)
            self.assertAlmostEqual(float(exported[2 * i + 1]["coefficient"]), 2 * w["w_health"], places=12)
            self.assertAlmostEqual(float(solved[i]["objective"]), max(0, w["w_price"], 2 * w["w_health"]), places=9)

    def test_predictions_and_their_evaluation_use_the_history(self):
        self.write("test.csv", history(rows=20, first=13))
        without = self.json("evaluate", self.model, "test.csv")
        known = self.json("evaluate", self.model, "test.csv", "--history", "history.csv")
        self.assertLess(known["log_loss"], without["log_loss"] - 0.02)
        self.write("all.csv", history(rows=20))
        growing = self.json("evaluate", self.model, "test.csv", "--history", "all.csv", "--time", "day")
        self.assertLess(growing["log_loss"], known["log_loss"], "later rows know more earlier rows")
        means = self.rows(self.ok("predict", self.model, "test.csv", "--history", "history.csv", "--interval", "0.9"))
        for row in means:
            self.assertLess(float(row["mean_lo"]), float(row["mean"]))
            self.assertLess(float(row["mean"]), float(row["mean_hi"]))

    def test_a_history_that_has_the_rows_of_the_table_is_refused_without_time(self):
        self.write("mixed.csv", history(rows=14, first=12))
        for command in (["evaluate", self.model, "mixed.csv"], ["predict", self.model, "mixed.csv"], ["weights", self.model, "mixed.csv"],
                        ["decide", self.model, "mixed.csv", "--library", "library.csv", "--id", "id"]):
            self.refused(*command, "--history", "history.csv", says=["mixed.csv: row 1: this row is also in the history", "--time COL"])
            self.ok(*command, "--history", "history.csv", "--time", "day")

    def test_a_wrong_units_section_is_refused(self):
        document = json.loads((self.dir / self.model).read_text())
        def refused(says, **change):
            self.write_sealed("bad.json", {**document, "units": {**document["units"], **change}})
            self.refused("weights", "bad.json", "contexts.csv", says=says)
        refused("not positive semidefinite", covariance=[[1, 2, 0], [2, 1, 0], [0, 0, 1]])
        refused("not symmetric", covariance=[[1, 0.5, 0], [0.4, 1, 0], [0, 0, 1]])
        refused("rank", rank=9)
        refused("form", form="banded")
        refused("covariance", covariance=[[1]])
        refused("units", more=1)
        without = {**document, "schema": {name: value for name, value in document["schema"].items() if name != "unit"}}
        self.write_sealed("bad.json", without)
        self.refused("weights", "bad.json", "contexts.csv", says="the schema names no unit column")
