"""Commands that read and write tables on several threads write the same bytes for any number of threads."""
import gzip
import unittest

from otss_cli import CliTest

THREADS = (1, 2, 7)


class TableThreads(CliTest):
    def setUp(self):
        super().setUp()
        # 18,000 contexts: several chunks of rows, and several row groups in the Parquet file of small row groups.
        self.model = self.fitted("--estimator", "map", n=600)
        self.ok("simulate", "overlap", "--n", 18000, "--seed", 8, "-o", "many")
        contexts = self.ROLES[1]
        self.ok("weights", self.model, "many/log.csv", "--keep", contexts + ",z1", "-o", "many.parquet")
        (self.dir / "many.csv.gz").write_bytes(gzip.compress((self.dir / "many/log.csv").read_bytes()))
        ids = "".join(f"d{i}," + ",".join(str((i * 7 + j * 3) % 11 - 5) for j in range(8)) + "\n" for i in range(40))
        self.write("library.csv", "id," + self.ROLES[3] + "\n" + ids)

    def same_bytes(self, *command, inputs, output):
        """The output must have the same bytes for every number of threads, and (as CSV) for every form of the input."""
        found = set()
        for table in inputs:
            for threads in THREADS:
                stdin = (self.dir / "many/log.csv").read_text() if table == "-" else None
                name, model, *rest = command
                self.ok(name, model, table, *rest, "--threads", threads, "-o", output, stdin=stdin)
                found.add((self.dir / output).read_bytes())
            if output.endswith(".parquet"):
                self.assertEqual(len(found), 1, table)
                found.clear()
        self.assertLessEqual(len(found), 1)

    def test_weights(self):
        inputs = ["many/log.csv", "many.csv.gz", "many.parquet", "-"]
        self.same_bytes("weights", self.model, "--gate", inputs=inputs, output="w.csv")
        self.same_bytes("weights", self.model, "--keep", "x1,z1", inputs=inputs[:3], output="w.parquet")
        self.same_bytes("weights", self.model, "--keep", "x1", inputs=inputs[:1], output="w.json")

    def test_decisions(self):
        choice = ["--library", "library.csv", "--id", "id", "--top", 2]
        self.same_bytes("decide", self.model, *choice, inputs=["many/log.csv", "many.parquet"], output="d.csv")
        self.same_bytes("decide", self.model, *choice, "--keep", "x1", inputs=["many.parquet"], output="d.parquet")

    def test_predictions(self):
        self.same_bytes("predict", self.model, inputs=["many/log.csv", "many.csv.gz"], output="p.csv")
        self.same_bytes("predict", self.model, "--keep", "y", inputs=["many/log.csv"], output="p.parquet")

    def test_totals_of_certificates(self):
        command = ["decide", self.model, "many/log.csv", "--library", "library.csv", "--id", "id", "--certify", 0.9,
                   "--query", "SELECT * FROM t LIMIT 6000", "-o", "d.csv"]
        self.assertEqual(len({str(self.json(*command, "--threads", n)) for n in THREADS}), 1)

    def test_an_error_names_the_first_bad_row(self):
        lines = (self.dir / "many/log.csv").read_text().splitlines()
        for row in (9000, 9001, 17000):
            cells = lines[row].split(",")
            cells[lines[0].split(",").index("x2")] = "1e300"
            lines[row] = ",".join(cells)
        self.write("far.csv", "\n".join(lines) + "\n")
        said = {self.refused("weights", self.model, "far.csv", "--threads", n, "-o", "w.csv", says="row 9000", code=2)
                for n in THREADS}
        self.assertEqual(len(said), 1, said)
        self.assertFalse((self.dir / "w.csv").exists())
