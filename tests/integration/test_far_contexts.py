"""Contexts that the log never had: counted by column, refused when asked to, and never a number that is not finite."""
import json
import unittest

from otss_cli import CliTest

LOG = "age,member,day,region,price,health,y\n" + "".join(
    f"{20 + i % 60},{str(i % 3 == 0).lower()},2024-0{1 + i % 6}-1{i % 9},{'north south east'.split()[i % 3]},"
    f"{(i * 37 % 101) / 50 - 1},{(i * 53 % 97) / 48 - 1},{(i * 37 % 101 + i * 29 % 83) % 2}\n" for i in range(600))
ROLES = ["--context", "age,member,day,region", "--factors", "price,health", "--outcome", "y"]
HEADER = "age,member,day,region\n"


class FarContexts(CliTest):
    def setUp(self):
        super().setUp()
        self.write("log.csv", LOG)
        self.write("lib.csv", "id,price,health\na,1,0\nb,0,1\n")

    def fit(self, *more):
        self.ok("fit", "log.csv", *ROLES, "--estimator", "map", "--experts", 2, *more, "-o", "m.json")

    def contexts(self, *rows):
        return self.write("c.csv", HEADER + "".join(row + "\n" for row in rows))

    def commands(self):
        self.write("map.csv", "variable,factor,coefficient\na,price,1\n")
        return [["weights", "m.json", "c.csv"], ["decide", "m.json", "c.csv", "--library", "lib.csv", "--id", "id"],
                ["export-objective", "m.json", "c.csv", "--factor-map", "map.csv"]]

    def test_far_numbers_are_counted_with_their_column(self):
        self.fit()
        self.contexts("30,true,2024-02-11,north", "1e6,true,2024-02-11,north", "-1e7,false,2031-01-01,south")
        for command in self.commands():
            done = self.otss(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn("otss: note: some numbers are far outside the range of training", done.stderr)
            self.assertIn("2 in column 'age' (training: 20 to 79), 1 in column 'day'", done.stderr)
            self.assertIn("--outside error", done.stderr)
            self.refused(*command, "--outside", "error", says=["'age' is 1000000 in row 2", "(20 to 79)", "--outside warn"])
        self.assertEqual(self.json("weights", "m.json", "c.csv", "-o", "w.csv")["far_values"], 3)

    def test_a_number_just_outside_the_range_is_no_news(self):
        self.fit()
        self.contexts("100,true,2024-02-11,north")
        for command in self.commands():
            self.assertEqual(self.otss(*command, "--outside", "error").stderr, "")

    def test_another_type_than_in_training_is_refused(self):
        self.fit()
        for row, column, words in [("2024-01-01,true,2024-02-11,north", "age", "dates or times"),
                                   ("true,true,2024-02-11,north", "age", "true or false"),
                                   ("1_000,true,2024-02-11,north", "age", "'1_000' in row 1; this value is not a number"),
                                   ("30,2024-01-01,2024-02-11,north", "member", "in training it had true or false"),
                                   ("30,7,2024-02-11,north", "member", "training had true and false"),
                                   ("30,true,17,north", "day", "in training it had dates or times")]:
            self.contexts(row)
            for command in self.commands():
                self.refused(*command, says=[f"column '{column}'", words])

    def test_other_spellings_of_the_same_type_are_taken(self):
        self.fit()
        self.contexts("30,true,2024-02-11,north")
        expected = self.ok("weights", "m.json", "c.csv")
        self.contexts("30.0,1,2024-02-11 00:00:00,north")
        self.assertEqual(self.ok("weights", "m.json", "c.csv"), expected)
        self.contexts(",,,")
        self.ok("weights", "m.json", "c.csv")

    def test_a_quadratic_gate_refuses_what_would_overflow(self):
        self.fit("--gate", "quadratic")
        self.contexts("30,true,2024-02-11,north", "-1e200,true,2024-02-11,north")
        for command in self.commands():
            self.refused(*command, says=["'age' is -1e+200 in row 2", "standard deviations"])

    def test_scores_that_would_overflow_are_refused(self):
        self.fit()
        self.contexts("30,true,2024-02-11,north")
        self.write("lib.csv", "id,price,health\na,1e308,1e308\nb,-1e308,1e308\n")
        for ending in ("csv", "json", "parquet"):
            self.refused("decide", "m.json", "c.csv", "--library", "lib.csv", "--id", "id", "-o", f"out.{ending}",
                         says=["lib.csv: row 1, column price", "1e+308"])
            self.assertFalse((self.dir / f"out.{ending}").exists())

    def test_evaluate_counts_and_refuses_too(self):
        self.fit()
        self.write("far.csv", LOG.replace("\n20,", "\n9e5,", 1))
        done = self.otss("evaluate", "m.json", "far.csv", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 in column 'age'", done.stderr)
        self.assertTrue(json.loads(done.stdout)["rows"])
        self.refused("evaluate", "m.json", "far.csv", "--outside", "error", says="'age' is 900000 in row 1")


if __name__ == "__main__":
    unittest.main()
