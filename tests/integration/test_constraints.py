"""Signs and bounds of weights, as users state them."""
from otss_cli import CliTest


class Constraints(CliTest):
    def fit(self, *more):
        return ["fit", f"{self.simulate()}/log.csv", *self.ROLES, "--experts", 2, "-o", "m.json", *more]

    def test_every_weight_obeys(self):
        self.ok(*self.fit("--sign", "z1=+,z2=-", "--bounds", "z3=-0.1:0.1,z4=:0.25"))
        for row in self.rows(self.ok("weights", "m.json", "demo/contexts.csv")):
            self.assertGreaterEqual(float(row["w_z1"]), 0)
            self.assertLessEqual(float(row["w_z2"]), 0)
            self.assertLessEqual(abs(float(row["w_z3"])), 0.1 + 1e-12)
            self.assertLessEqual(float(row["w_z4"]), 0.25 + 1e-12)

    def test_inspect_shows_them(self):
        self.ok(*self.fit("--sign", "z1=+", "--bounds", "z3=-0.1:0.1"))
        shown = self.ok("inspect", "m.json")
        self.assertIn("constrained by --sign z1=+", shown)
        self.assertIn("constrained by --bounds z3=-0.1:0.1", shown)

    def test_bad_ones_get_one_clear_line(self):
        for option, text, says in [
                ("--sign", "zz1=+", ["--sign", "'zz1'", "did you mean 'z1'?"]),
                ("--bounds", "zz1=0:1", ["--bounds", "'zz1'", "did you mean 'z1'?"]),
                ("--sign", "z1", ["--sign", "'z1'", "FACTOR=+"]),
                ("--bounds", "z1=1..2", ["--bounds", "'z1=1..2'", "FACTOR=LO:HI"]),
                ("--bounds", "z1=2:1", ["--bounds", "'z1=2:1'", "swap"]),
                ("--sign", "z1=+,z1=+", ["--sign", "'z1'", "twice"])]:
            self.refused(*self.fit(option, text), says=says)
        self.refused(*self.fit("--sign", "z1=+", "--bounds", "z1=-2:-1"), says=["--sign", "--bounds", "'z1'"])
        self.refused(*self.fit("--sign", "z1=+", "--estimator", "bayes"), says=["--sign", "--estimator map"])
        self.assertFalse((self.dir / "m.json").exists())
