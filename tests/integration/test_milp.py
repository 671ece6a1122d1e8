"""Weights into constrained plans: decide --mps and export-objective."""
import itertools
import unittest

from otss_cli import CliTest

FACTORS = [f"z{j}" for j in range(1, 9)]
PLAN = """Minimize
 cost: 2 a + 3 b + c + 4 d
Subject To
 size: 3 a + 2 b + 4 c + d <= 6
 least: a + b + c + d >= 1
Binaries
 a b c d
End
"""
SIZES = {"a": 3, "b": 2, "c": 4, "d": 1}
COSTS = {"a": 2, "b": 3, "c": 1, "d": 4}
MAP = {("a", "z1"): 2, ("a", "z2"): -1, ("b", "z2"): 3, ("c", "z3"): 1.5, ("d", "z1"): -1, ("d", "z4"): 2}


class Milp(CliTest):
    made = {}  # one simulation and one fit serve every test

    def setUp(self):
        super().setUp()
        if not Milp.made:
            self.fitted("--estimator", "map")
            names = ("model.json", "demo/log.csv", "demo/contexts.csv", "demo/library.csv")
            Milp.made.update({name: (self.dir / name).read_text() for name in names})
        (self.dir / "demo").mkdir(exist_ok=True)
        for name, text in Milp.made.items():
            self.write(name, text)
        self.model = "model.json"
        contexts = (self.dir / "demo/contexts.csv").read_text().splitlines()
        self.write("c.csv", "\n".join(["customer," + contexts[0]] + [f"00{i},{c}" for i, c in enumerate(contexts[1:13])]) + "\n")
        self.write("plan.lp", PLAN)
        self.write_map()

    def write_map(self, constant=""):
        rows = "".join(f"{v},{f},{c}\n" for (v, f), c in MAP.items())
        self.write("map.csv", "variable,factor,coefficient\n" + rows + constant)

    def decide(self, *more, plan="plan.lp"):
        return self.rows(self.ok("decide", self.model, "c.csv", "--mps", plan, "--factor-map", "map.csv", *more))

    def weights(self):
        rows = self.rows(self.ok("weights", self.model, "c.csv"))
        return [{f: float(row["w_" + f]) for f in FACTORS} for row in rows]

    @staticmethod
    def gains(w):
        return {v: sum(c * w[f] for (name, f), c in MAP.items() if name == v) for v in SIZES}

    @staticmethod
    def best(gains, size=6):
        """The best of all choices, by trying them."""
        choices = [set(c) for k in range(1, 5) for c in itertools.combinations(SIZES, k)]
        feasible = [c for c in choices if sum(SIZES[v] for v in c) <= size]
        return max((sum(gains[v] for v in c), sorted(c)) for c in feasible)

    def test_every_context_gets_its_own_optimum(self):
        rows = self.decide("--keep", "customer")
        self.assertEqual(list(rows[0]), ["customer", "row", "status", "objective", "bound", "gap"]
                         + ["z_" + f for f in FACTORS] + ["solution"])
        for i, (row, w) in enumerate(zip(rows, self.weights())):
            value, chosen = self.best(self.gains(w))
            self.assertEqual((row["customer"], row["row"], row["status"]), (f"00{i}", str(i + 1), "optimal"))
            self.assertAlmostEqual(float(row["objective"]), value, places=9)
            self.assertEqual(row["solution"], ";".join(v + "=1" for v in chosen))
            totals = {f: sum(c for (v, g), c in MAP.items() if g == f and v in chosen) for f in FACTORS}
            for f in FACTORS:
                self.assertAlmostEqual(float(row["z_" + f]), totals[f])

    def test_the_plans_own_objective_is_added_with_its_sense(self):
        for row, w in zip(self.decide("--keep-objective"), self.weights()):
            gains = {v: g - COSTS[v] for v, g in self.gains(w).items()}
            self.assertAlmostEqual(float(row["objective"]), self.best(gains)[0], places=9)

    def test_constants_count_in_totals_and_objective(self):
        before = self.decide()
        self.write_map(",z5,10\n")
        for old, new, w in zip(before, self.decide(), self.weights()):
            self.assertEqual(new["z_z5"], "10")
            self.assertAlmostEqual(float(new["objective"]), float(old["objective"]) + 10 * w["z5"], places=9)

    def test_overrides_change_single_contexts_and_may_leave_nothing(self):
        self.write("over.csv", "row,kind,name,value\n2,rhs,size,2\n3,rhs,size,0\n4,upper,a,0\n")
        rows = self.decide("--overrides", "over.csv")
        weights = self.weights()
        self.assertAlmostEqual(float(rows[1]["objective"]), self.best(self.gains(weights[1]), size=2)[0], places=9)
        self.assertEqual((rows[2]["status"], rows[2]["objective"], rows[2]["z_z1"], rows[2]["solution"]),
                         ("infeasible", "", "", ""))
        self.assertNotIn("a=1", rows[3]["solution"])
        self.assertEqual({row["status"] for row in rows[4:]}, {"optimal"})

    def test_unbounded_is_named(self):
        self.write("open.lp", "Maximize\n 0 a\nSubject To\n up: a - b + c + d <= 1\nBounds\n a free\n b free\n c free\n"
                   " d free\nEnd\n")
        self.assertEqual({row["status"] for row in self.decide(plan="open.lp")}, {"unbounded"})

    def test_answers_do_not_depend_on_threads_and_nothing_else_is_printed(self):
        done = self.otss("decide", self.model, "c.csv", "--mps", "plan.lp", "--factor-map", "map.csv", "--threads", 1)
        self.assertEqual(done.stderr, "")
        more = self.otss("decide", self.model, "c.csv", "--mps", "plan.lp", "--factor-map", "map.csv", "--threads", 3,
                         "--time-limit", 60, "--gap", 0)
        self.assertEqual(more.stdout, done.stdout)

    def test_summary_counts_statuses(self):
        summary = self.json("decide", self.model, "c.csv", "--mps", "plan.lp", "--factor-map", "map.csv", "-o", "out.csv")
        self.assertEqual(summary, {"contexts": 12, "solved": 12, "optimal": 12, "feasible": 0, "infeasible": 0, "unbounded": 0, "limit": 0})

    def test_equal_contexts_are_solved_once_and_answered_as_before(self):
        repeated = ["--query", "SELECT t.* FROM range(400) r, t"]  # more rows than one chunk of a table
        plan = ["--mps", "plan.lp", "--factor-map", "map.csv"]
        summary = self.json("decide", self.model, "c.csv", *repeated, *plan, "-o", "out.csv")
        self.assertEqual((summary["contexts"], summary["solved"], summary["optimal"]), (4800, 12, 4800))
        once = {row["customer"]: row for row in self.rows(self.ok("decide", self.model, "c.csv", *plan, "--keep", "customer"))}
        for i, row in enumerate(self.rows(self.ok("decide", self.model, "c.csv", *repeated, *plan, "--keep", "customer"))):
            self.assertEqual(row, {**once[row["customer"]], "row": str(i + 1)})

    def test_exported_coefficients_are_the_weights_times_the_map(self):
        rows = self.rows(self.ok("export-objective", self.model, "c.csv", "--factor-map", "map.csv", "--keep", "customer"))
        self.assertEqual(list(rows[0]), ["customer", "row", "variable", "coefficient"])
        self.assertEqual(len(rows), 12 * 4)
        for row in rows:
            gains = self.gains(self.weights_of(int(row["row"])))
            self.assertAlmostEqual(float(row["coefficient"]), gains[row["variable"]], places=12)

    def weights_of(self, row):
        if not hasattr(self, "known_weights"):
            self.known_weights = self.weights()
        return self.known_weights[row - 1]

    def test_exported_plans_have_the_same_optimum(self):
        rows = self.decide()
        self.write("none.csv", "variable,factor,coefficient\na,z1,0\n")
        for ending in ("mps", "lp"):
            self.ok("export-objective", self.model, "c.csv", "--factor-map", "map.csv", "--mps", "plan.lp", "-o", f"w.{ending}")
            for i in (1, 12):
                again = self.rows(self.ok("decide", self.model, "c.csv", "--mps", f"w-{i}.{ending}", "--factor-map",
                                          "none.csv", "--keep-objective"))
                self.assertEqual(again[0]["solution"], rows[i - 1]["solution"])
                self.assertAlmostEqual(float(again[0]["objective"]), float(rows[i - 1]["objective"]), places=9)
        self.assertIn("Maximize", (self.dir / "w-1.lp").read_text())

    def test_bad_inputs_are_named(self):
        base = ["decide", self.model, "c.csv", "--mps", "plan.lp", "--factor-map"]
        self.write("bad.csv", "variable,factor,coefficient\naa,z1,1\n")
        self.refused(*base, "bad.csv", says=["bad.csv", "row 1", "'aa'", "did you mean 'a'?"])
        self.write("bad.csv", "variable,factor,coefficient\na,z11,1\n")
        self.refused(*base, "bad.csv", says=["bad.csv", "'z11'", "did you mean 'z1'?"])
        self.write("bad.csv", "variable,factor,coeff\na,z1,1\n")
        self.refused(*base, "bad.csv", says=["bad.csv", "'coefficient'", "'coeff'"])
        self.write("bad.csv", "row,kind,name,value\n13,rhs,size,3\n")
        self.refused(*base, "map.csv", "--overrides", "bad.csv", "-o", "out.csv", says=["bad.csv", "row 13", "12 rows"])
        self.assertFalse((self.dir / "out.csv").exists())
        self.write("cut.lp", PLAN[:60])
        self.refused("decide", self.model, "c.csv", "--mps", "cut.lp", "--factor-map", "map.csv", says=["cut.lp", "line"])
        self.refused("decide", self.model, "c.csv", "--mps", "plan.txt", "--factor-map", "map.csv", says=["plan.txt", ".mps"])

    def test_options_that_do_not_go_together(self):
        base = ["decide", self.model, "c.csv"]
        self.refused(*base, "--mps", "plan.lp", says="--factor-map")
        self.refused(*base, "--factor-map", "map.csv", says="--mps")
        self.refused(*base, "--library", "demo/library.csv", says="--id")
        for extra in (["--top", 2], ["--explain"], ["--library", "demo/library.csv"], ["--id", "id"]):
            self.refused(*base, "--mps", "plan.lp", "--factor-map", "map.csv", *extra, says=[extra[0], "--mps"])
        self.refused(*base, "--mps", "plan.lp", "--factor-map", "map.csv", "--gap", 2, says="--gap")
        self.refused(*base, "--mps", "plan.lp", "--factor-map", "map.csv", "--time-limit", 0, says="--time-limit")
        self.refused(*base, "--mps", "plan.lp", "--factor-map", "map.csv", "-o", "plan.lp", says="also an input of the command")
        export = ["export-objective", self.model, "c.csv"]
        self.refused(*export, says="--factor-map")
        self.refused(*export, "--factor-map", "map.csv", "-o", "w.mps", says=["w.mps", "--mps PLAN"])
        self.refused(*export, "--factor-map", "map.csv", "--overrides", "o.csv", says="--mps")

    def test_models_without_weights_are_refused(self):
        self.ok("fit", "demo/log.csv", *self.ROLES, "--method", "gbm", "-o", "trees.json")
        self.refused("decide", "trees.json", "c.csv", "--mps", "plan.lp", "--factor-map", "map.csv", says="no weights")
        self.refused("export-objective", "trees.json", "c.csv", "--factor-map", "map.csv", says="no weights")


if __name__ == "__main__":
    unittest.main()
