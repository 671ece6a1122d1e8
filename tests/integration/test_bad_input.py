"""Every bad input gets its one clear line and exit code; nothing is half-written."""
import json
import signal
import subprocess
import time
import unittest

from otss_cli import OTSS, CliTest

GOOD = "x,z,y\n" + "".join(f"{i % 7},{(i * 3) % 5},{(i * 7 // 3) % 2}\n" for i in range(200))


class BadLog(CliTest):
    def fit_refused(self, text, says, *more, roles=("--context", "x", "--factors", "z", "--outcome", "y"), code=2):
        self.write("log.csv", text)
        self.refused("fit", "log.csv", *roles, *more, "-o", "m.json", says=says, code=code)
        self.assertFalse((self.dir / "m.json").exists())

    def test_missing_file(self):
        self.refused("fit", "none.csv", "--context", "x", "--factors", "z", "--outcome", "y", "-o", "m.json",
                     says="none.csv")

    def test_remote_files_need_an_extension_that_is_not_installed(self):
        self.write("home", "")  # a home folder in which no extension can be
        for address in ("s3://bucket/log/*.parquet", "https://example.org/log.parquet?key=secret"):
            line = self.refused("fit", address, *self.ROLES, "-o", "m.json", says=["httpfs", "DuckDB", "copy the file"], code=1,
                                env={"HOME": str(self.dir / "home")})
            self.assertNotIn("secret", line)
        self.refused("fit", "s3://bucket/log.csv", *self.ROLES, "-o", "m.json", says=["not a .parquet file", "copy the file"])

    def test_empty_file(self):
        self.fit_refused("", "log.csv")

    def test_header_only(self):
        self.fit_refused("x,z,y\n", ["log.csv", "no rows"])

    def test_ragged_rows(self):
        self.fit_refused("x,z,y\n1,2,0\n1,2\n3,4,1\n", ["log.csv", "row 2"])
        self.fit_refused("x,z,y\n1,2,0\n1,2,0,9\n3,4,1\n", ["log.csv", "row 2"])

    def test_unknown_column_suggests_the_nearest_name(self):
        self.fit_refused(GOOD.replace("x,z,y", "x,price,y"), ["log.csv", "'prise'", "'price'"],
                         roles=("--context", "x", "--factors", "prise", "--outcome", "y"))

    def test_a_role_given_twice(self):
        self.fit_refused(GOOD, "'z'", roles=("--context", "x,z", "--factors", "z", "--outcome", "y"))
        self.fit_refused(GOOD, "'y'", "--weight", "y")

    def test_outcome_that_is_not_binary(self):
        self.fit_refused(GOOD.replace("0,0,0\n", "0,0,2\n", 1), ["'y'", "row 1", "2"])

    def test_constant_outcome(self):
        self.fit_refused("x,z,y\n" + "".join(f"{i % 7},{i % 5},1\n" for i in range(50)), "'y'")

    def test_fewer_rows_than_parameters(self):
        self.fit_refused("x,z,y\n1,2,0\n2,1,1\n3,5,0\n", "rows, fewer than")

    def test_numbers_that_are_none_in_a_factor(self):
        for bad in ("nan", "inf", "abc", ""):
            self.fit_refused(GOOD.replace("3,4,1\n", f"3,{bad},1\n", 1), ["'z'", "row 4"])

    def test_text_in_a_factor_far_down(self):
        self.fit_refused(GOOD + "1,2,0\n" * 30000 + "1,many,0\n", ["'z'", "row 30201", "many"])

    def test_infinite_context(self):
        self.fit_refused(GOOD.replace("3,4,1\n", "inf,4,1\n", 1), ["'x'", "row 4"])

    def test_constant_factor(self):
        self.fit_refused("x,z,y\n" + "".join(f"{i % 7},3,{i % 2}\n" for i in range(50)), ["'z'", "in every row", "leave it out"])

    def test_duplicated_factor(self):
        text = "x,z,copy,y\n" + "".join(f"{i % 7},{i % 5},{2 * (i % 5) + 1},{i % 2}\n" for i in range(50))
        self.fit_refused(text, ["'z'", "'copy'"], roles=("--context", "x", "--factors", "z,copy", "--outcome", "y"))

    def test_negative_weights(self):
        rows = ["x,z,y,w"] + [line + ",1" for line in GOOD.splitlines()[1:]]
        rows[5] = rows[5][:-1] + "-1"
        self.fit_refused("\n".join(rows) + "\n", ["'w'", "row 5"], "--weight", "w")

    def test_too_many_levels(self):
        text = "x,z,y\n" + "".join(f"user{i},{i % 5},{i % 2}\n" for i in range(3000))
        self.fit_refused(text, ["'x'", "levels"])

    def test_bad_options(self):
        self.write("log.csv", GOOD)
        roles = ["--context", "x", "--factors", "z", "--outcome", "y"]
        self.refused("fit", "log.csv", *roles, "--experts", "0", "-o", "m.json", says="--experts")
        self.refused("fit", "log.csv", *roles, "--method", "deep", "-o", "m.json", says="--method")
        self.refused("fit", "log.csv", *roles, "--estimator", "variational", "-o", "m.json", says="--estimator")
        self.refused("fit", "log.csv", *roles, "--nonsense", "-o", "m.json", says="--nonsense")
        self.refused("fit", "log.csv", *roles, says="-o MODEL")
        self.refused(says="otss --help")
        self.refused("conquer", says="conquer")

    def test_output_folder_that_does_not_exist(self):
        self.write("log.csv", GOOD)
        self.refused("fit", "log.csv", "--context", "x", "--factors", "z", "--outcome", "y", "-o", "no/such/m.json",
                     says=["no/such", "create it first"])

    def test_interrupted_fit_leaves_nothing_behind(self):
        self.simulate(n=20000)
        process = subprocess.Popen([OTSS, "fit", "demo/log.csv", *self.ROLES, "-o", "m.json"], cwd=self.dir,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(0.6)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, stderr)
        self.assertIn("otss: error: interrupted", stderr)
        self.assertEqual([p.name for p in self.dir.iterdir()], ["demo"])


class BadServingInput(CliTest):
    def test_contexts_lacking_a_column(self):
        model = self.fitted()
        self.write("c.csv", "x1,x2\n1,2\n")
        self.refused("weights", model, "c.csv", says=["c.csv", "'x3'"])
        self.refused("decide", model, "c.csv", "--library", "demo/library.csv", "--id", "id", says="'x3'")

    def test_library_with_repeated_ids_or_no_rows(self):
        model = self.fitted()
        text = (self.dir / "demo/library.csv").read_text()
        self.write("twice.csv", text + text.splitlines()[1] + "\n")
        self.refused("decide", model, "demo/contexts.csv", "--library", "twice.csv", "--id", "id",
                     says=["twice.csv", "'d1'"])
        self.write("empty.csv", text.splitlines()[0] + "\n")
        self.refused("decide", model, "demo/contexts.csv", "--library", "empty.csv", "--id", "id",
                     says=["empty.csv", "no rows"])
        self.refused("decide", model, "demo/contexts.csv", "--library", "demo/library.csv", "--id", "ident",
                     says=["'ident'", "'id'"])
        self.refused("decide", model, "demo/contexts.csv", "--id", "id", says="--library")

    def test_model_files_that_are_none(self):
        model = self.fitted()
        text = (self.dir / model).read_text()
        self.write("cut.json", text[:len(text) // 2])
        self.refused("inspect", "cut.json", says="cut.json")
        self.write("altered.json", text.replace('"estimator": "bayes"', '"estimator": "bares"'))
        self.refused("weights", "altered.json", "demo/contexts.csv", says=["altered.json", "checksum"])
        newer = json.loads(text)
        newer["version"] = 99
        self.write("newer.json", json.dumps(newer))
        self.refused("inspect", "newer.json", says=["newer.json", "version 99"])
        self.write("other.json", '{"format": "onnx"}')
        self.refused("inspect", "other.json", says=["other.json", "not an otss model"])
        self.refused("inspect", "none.json", says="none.json")
        self.refused("inspect", ".", says="folder")

    def test_json_summary_needs_somewhere_for_the_table(self):
        model = self.fitted()
        self.refused("weights", model, "demo/contexts.csv", "--json", says="-o FILE")

    def test_kept_column_that_collides(self):
        model = self.fitted()
        self.refused("weights", model, "demo/contexts.csv", "--keep", "nope", says="'nope'")
        text = (self.dir / "demo/contexts.csv").read_text().splitlines()
        self.write("c.csv", "\n".join([text[0] + ",row", text[1] + ",5"]) + "\n")
        self.refused("decide", model, "c.csv", "--library", "demo/library.csv", "--id", "id", "--keep", "row",
                     says="--keep row")

    def test_full_disk(self):
        model = self.fitted()
        (self.dir / "full.csv").symlink_to("/dev/full")
        self.refused("weights", model, "demo/contexts.csv", "-o", "full.csv", says="full.csv", code=1)
        self.refused("fit", "demo/log.csv", *self.ROLES, "--experts", 1, "-o", "/dev/full", says="/dev/full", code=1)
        with open("/dev/full", "w") as full:
            done = subprocess.run([OTSS, "weights", model, "demo/contexts.csv"], cwd=self.dir, stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("otss: error:", done.stderr)

    def test_truth_with_another_number_of_rows(self):
        model = self.fitted()
        text = (self.dir / "demo/truth.csv").read_text().splitlines()
        self.write("short.csv", "\n".join(text[:-1]) + "\n")
        self.refused("evaluate", model, "demo/test.csv", "--truth", "short.csv", says=["short.csv", "2999", "3000"])

    def test_evaluate_without_outcome(self):
        model = self.fitted()
        self.refused("evaluate", model, "demo/contexts.csv", says=["demo/contexts.csv", "'z1'"])


if __name__ == "__main__":
    unittest.main()
