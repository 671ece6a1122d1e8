"""Small promises about words and files: undefined measures, names with quotes, the checksum, a model that replaces itself."""
import hashlib
import json
import unittest

from otss_cli import CliTest

LOG = "x,z,y\n" + "".join(f"{i % 7},{(i * 37 % 101) / 50 - 1},{(i * 7 // 3) % 2}\n" for i in range(300))
ROLES = ["--context", "x", "--factors", "z", "--outcome", "y"]


class Words(CliTest):
    def setUp(self):
        super().setUp()
        self.write("log.csv", LOG)

    def fit(self, *more):
        return self.ok("fit", "log.csv", *ROLES, "--estimator", "map", "--experts", 2, *more, "-o", "m.json")

    def test_a_measure_that_is_not_defined_says_so(self):
        self.fit()
        self.write("ones.csv", "x,z,y\n1,0.5,1\n2,-0.5,1\n")
        text = self.ok("evaluate", "m.json", "ones.csv")
        self.assertNotIn("nan", text)
        self.assertRegex(text, r"auc +undefined")
        self.assertIsNone(self.json("evaluate", "m.json", "ones.csv")["auc"])

    def test_one_of_a_thing_is_singular(self):
        self.assertIn("1 context column (1 encoded), 1 factor\n", self.fit())
        self.assertIn("1 context column (1 encoded), 1 factor\n", self.ok("check", "log.csv", *ROLES))
        self.assertIn("1 factor: z\n", self.ok("fit", "log.csv", *ROLES, "--dry-run"))

    def test_a_column_name_with_a_quote_or_a_comma_can_be_given(self):
        self.write("log.csv", LOG.replace("x,z,y", '"5"" screen","""a"", b",y', 1))
        self.ok("fit", "log.csv", "--context", '5" screen', "--factors", '"""a"", b"', "--outcome", "y", "--method", "pooled", "-o", "m.json")
        model = json.loads((self.dir / "m.json").read_text())
        self.assertEqual([c["name"] for c in model["schema"]["contexts"]], ['5" screen'])
        self.assertEqual([f["name"] for f in model["schema"]["factors"]], ['"a", b'])

    def test_folds_that_two_groups_allow(self):
        rows = LOG.splitlines()
        self.write("log.csv", "\n".join([rows[0] + ",who"] + [f"{row},{i % 2}" for i, row in enumerate(rows[1:])]) + "\n")
        self.refused("fit", "log.csv", *ROLES, "--group", "who", "--folds", 3, "-o", "m.json", says="3 cannot split 2 groups; use 2 folds")

    def test_the_checksum_is_that_of_pythons_json(self):
        for more in ([], ["--gate", "quadratic"]):
            self.fit(*more)
            document = json.loads((self.dir / "m.json").read_text())
            checksum = document.pop("checksum")
            text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            self.assertEqual(hashlib.sha256(text.encode()).hexdigest(), checksum)

    def test_a_model_may_replace_itself_but_no_table_may(self):
        self.fit()
        first = (self.dir / "m.json").read_text()
        self.ok("fit", "log.csv", "--query", "SELECT * FROM t WHERE x > 0", "--from", "m.json", "--init", "m.json", "-o", "m.json")
        self.assertNotEqual((self.dir / "m.json").read_text(), first)
        self.refused("fit", "log.csv", "--from", "m.json", "-o", "log.csv", says="give another output file")
        self.assertEqual((self.dir / "log.csv").read_text(), LOG)

    def test_the_words_of_a_library_about_a_damaged_file_stay_inside(self):
        self.fit()
        self.ok("weights", "m.json", "log.csv", "--keep", "x", "-o", "c.parquet")
        good = (self.dir / "c.parquet").read_bytes()
        refused = 0
        for at in range(0, len(good), max(1, len(good) // 40)):
            damaged = bytearray(good)
            damaged[at] ^= 0x5A
            (self.dir / "d.parquet").write_bytes(damaged)
            done = self.otss("weights", "m.json", "d.parquet")
            self.assertIn(done.returncode, (0, 2), done.stderr)
            for word in ("TProtocol", "Exception", "unexpected error", "Invalid Error"):
                self.assertNotIn(word, done.stderr)
            refused += done.returncode == 2
        self.assertGreater(refused, 0)

    def test_check_shows_the_logged_range_as_logged(self):
        self.write("log.csv", "x,z,y\n" + "".join(f"{i % 7},{-(i * 37 % 101) / 100},{(i * 7 // 3) % 2}\n" for i in range(300)))
        self.write("lib.csv", "id,z\na,0.5\n")
        self.assertIn("outside the logged range, -1 to 0 (", self.ok("check", "log.csv", *ROLES, "--library", "lib.csv", "--id", "id"))

    def test_check_says_hardly_where_a_factor_hardly_varies(self):
        rows = [(g, round((1e-6 if g == "a" else 1) * ((i * 37 % 101) / 50 - 1), 9), (i * 7 // 3) % 2)
                for i in range(600) for g in ["abc"[i % 3]]]
        self.write("log.csv", "x,z,y\n" + "".join(f"{g},{z},{y}\n" for g, z, y in rows))
        self.assertIn("factor 'z' hardly varies where x is 'a'", self.ok("check", "log.csv", *ROLES))
        self.write("log.csv", "x,z,y\n" + "".join(f"{g},{3 if g == 'a' else z},{y}\n" for g, z, y in rows))
        self.assertIn("factor 'z' does not vary where x is 'a'", self.ok("check", "log.csv", *ROLES))


if __name__ == "__main__":
    unittest.main()
