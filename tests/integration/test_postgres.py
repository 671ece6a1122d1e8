"""Tables of a PostgreSQL database: read as files are, written in one transaction, and no password is ever shown."""
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import time
import unittest

from otss_cli import CliTest, OTSS
from postgres_server import PASSWORD, Server


def value_of(text):
    """A number, or the text if it is none: psql and otss write the same double differently."""
    try:
        return float(text)
    except ValueError:
        return text


class PostgresTest(CliTest):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        super().setUp()
        self.server.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")

    def otss(self, *args, env=None, **more):
        done = super().otss(*args, env={"PGPASSWORD": PASSWORD, **(env or {})}, **more)
        self.assertNotIn(PASSWORD, done.stdout + done.stderr)
        return done

    def demo(self):
        """The simulated log as a file and as a table of the same rows."""
        demo = self.simulate()
        self.server.load("log", self.dir / demo / "log.csv")
        self.server.load("contexts", self.dir / demo / "contexts.csv")
        self.server.load("library", self.dir / demo / "library.csv")
        return demo

    def model(self, log, *more, name="model.json"):
        self.ok("fit", log, *self.ROLES, "--method", "pooled", "-o", name, *more)
        return json.loads((self.dir / name).read_text())


class Reading(PostgresTest):
    def test_a_table_gives_the_model_of_its_file(self):
        demo = self.demo()
        of_file, of_table = self.model(f"{demo}/log.csv"), self.model(self.server.address("log"))
        for part in ("experts", "baseline", "schema", "uncertainty"):
            self.assertEqual(of_file.get(part), of_table.get(part), part)
        self.assertEqual(of_file["provenance"]["data"], of_table["provenance"]["data"])

    def test_the_server_executes_the_query(self):
        demo = self.demo()
        columns = ", ".join([*(f"x{i}" for i in range(1, 11)), *(f"z{i}" for i in range(1, 9)), "y"])
        query = f"SELECT {columns} FROM {{}} WHERE x1 > 0 -- half of the rows"
        expected = self.model(f"{demo}/log.csv", "--query", query.format("t"))
        for address, table in ((self.server.address("log"), "t"), (self.server.address(), "public.log"), (self.server.address("public.log"), "t")):
            model = self.model(address, "--query", query.format(table) + "\n;")
            self.assertEqual(model["experts"], expected["experts"])

    def test_every_command_reads_tables(self):
        demo = self.demo()
        self.server.load("test", self.dir / demo / "test.csv")
        self.server.load("truth", self.dir / demo / "truth.csv")
        log, contexts, library = map(self.server.address, ("log", "contexts", "library"))
        self.model(log)
        weights = self.ok("weights", "model.json", contexts, "--keep", "x1")
        self.assertEqual(weights, self.ok("weights", "model.json", f"{demo}/contexts.csv", "--keep", "x1"))
        decide = ["--library", library, "--id", "id", "--top", 2]
        self.assertEqual(self.ok("decide", "model.json", contexts, *decide),
                         self.ok("decide", "model.json", f"{demo}/contexts.csv", "--library", f"{demo}/library.csv", *decide[2:]))
        of_table = self.json("evaluate", "model.json", self.server.address("test"), "--truth", self.server.address("truth"), "--library", library,
                             "--id", "id")
        of_file = self.json("evaluate", "model.json", f"{demo}/test.csv", "--truth", f"{demo}/truth.csv", "--library", f"{demo}/library.csv", "--id",
                            "id")
        self.assertEqual(of_table, of_file)
        self.ok("predict", "model.json", self.server.address("test"))
        self.ok("check", log, *self.ROLES)
        self.ok("compare", log, *self.ROLES, "--methods", "linear")

    TYPES = """CREATE TABLE types (x double precision, b boolean, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision,
        n numeric, money numeric(10, 2), t text, v varchar(5), c char(4), d date, ts timestamp, tz timestamptz, "Two Words" text, u uuid);
      INSERT INTO types VALUES
        (0.5, true, -7, 123456, 1234567890123, 0.25, 1e-300, 123456789012345678901.5, 12.50, 'süß', 'a,b', 'ab', '2026-02-03',
         '2026-02-03 04:05:06.5', '2026-02-03 04:05:06+02', 'q"uote', '00000000-0000-0000-0000-000000000001'),
        (1.5, false, 7, -1, -5, -0.5, 'NaN', -0.000123, -0.05, '', 'x', 'abcd', '1969-12-31', '1999-01-01', '1999-01-01+00', NULL, NULL),
        (2.5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"""

    def model_of_x(self):
        self.write("small.csv", "x,z,y\n" + "".join(f"{i % 7},{i % 5},{i % 2}\n" for i in range(60)))
        self.ok("fit", "small.csv", "--context", "x", "--factors", "z", "--outcome", "y", "--method", "pooled", "-o", "small.json")
        return "small.json"

    def test_values_of_every_type_are_read(self):
        self.server.sql(self.TYPES)
        model = self.model_of_x()
        keep = "b,i2,i4,i8,f4,f8,n,money,t,v,c,d,ts,tz,Two Words"
        rows = self.rows(self.ok("weights", model, self.server.address("types"), "--keep", keep))
        self.assertEqual([rows[0][name] for name in keep.split(",")],
                         ["true", "-7", "123456", "1234567890123", "0.25", "1e-300", "1.2345678901234568e+20", "12.50", "süß", "a,b", "ab",
                          "2026-02-03", "2026-02-03 04:05:06.5", "2026-02-03 02:05:06+00", 'q"uote'])
        self.assertEqual([rows[1][name] for name in ("n", "money", "t", "d", "ts")],
                         ["-0.000123", "-0.05", "", "1969-12-31", "1999-01-01 00:00:00"])
        self.assertEqual({rows[2][name] for name in keep.split(",")}, {""})

    def test_a_column_of_another_type_is_refused_only_where_it_is_read(self):
        self.server.sql(self.TYPES)
        model = self.model_of_x()
        self.ok("weights", model, self.server.address("types"))
        self.refused("weights", model, self.server.address("types"), "--keep", "u", says=["column 'u'", "type uuid", "::text"])
        rows = self.rows(self.ok("weights", model, self.server.address("types"), "--query", "SELECT x, u::text AS u FROM t", "--keep", "u"))
        self.assertEqual(rows[0]["u"], "00000000-0000-0000-0000-000000000001")

    def test_infinite_dates_are_refused_with_their_row(self):
        self.server.sql("CREATE TABLE far AS SELECT 1.0::float8 AS x, d FROM (VALUES ('2026-01-01'::date), ('infinity')) AS rows (d)")
        self.refused("weights", self.model_of_x(), self.server.address("far"), "--keep", "d", says=["row 2", "column 'd'", "infinite"])

    def test_rows_come_in_the_order_of_the_query(self):
        self.server.sql("CREATE TABLE many AS SELECT i::float8 AS x, i FROM generate_series(1, 20000) AS i")
        rows = self.rows(self.ok("weights", self.model_of_x(), self.server.address("many"), "--query", "SELECT * FROM t ORDER BY i DESC", "--keep",
                                 "i", "--threads", 2))
        self.assertEqual([int(row["i"]) for row in rows], list(range(20000, 0, -1)))

    def test_mistakes_are_named(self):
        model = self.model_of_x()
        self.server.sql("CREATE TABLE numbers AS SELECT 1.0::float8 AS x, 'one' AS word; CREATE TABLE nothing (x float8)")
        weights = ["weights", model]
        self.refused(*weights, self.server.address(), says=["names a database", "#table", "--query"])
        self.refused(*weights, self.server.address("absent"), says=['relation "absent" does not exist', "check the table"])
        self.refused(*weights, self.server.address("nothing"), says="has no rows")
        self.refused(*weights, self.server.address(), "--query", "SELEC 1", says=["--query on", "syntax error", "correct the query"])
        self.refused(*weights, self.server.address(), "--query", "SELECT 1 AS x, 2 AS \"X\"", says="two columns with the name")
        self.refused(*weights, self.server.address("numbers"), "--query", "SELECT 1 / (x - 1) AS x FROM t", says="division by zero")
        self.refused(*weights, self.server.address("numbers"), "--query", "SELECT word AS x FROM t", says=["column 'x'", "'one'", "row 1"])
        self.refused(*weights, self.server.address("numbers"), "--query", "SELECT y FROM t", says='column "y" does not exist')

    def test_a_query_cannot_change_the_database(self):
        self.server.sql("CREATE SEQUENCE ids; CREATE TABLE numbers AS SELECT 1.0::float8 AS x")
        model = self.model_of_x()
        for query in ("SELECT nextval('ids')::float8 AS x", "WITH gone AS (DELETE FROM numbers RETURNING x) SELECT * FROM gone",
                      "SELECT 1) AS a; DROP TABLE numbers; --"):
            self.refused("weights", model, self.server.address(), "--query", query, says="correct the query")
        self.assertEqual(self.server.sql("SELECT count(*), (SELECT is_called FROM ids) FROM numbers"), [["1", "f"]])

    def test_a_slow_query_ends_at_its_limit(self):
        self.refused("weights", self.model_of_x(), self.server.address(), "--query", "SELECT 1.0 AS x FROM pg_sleep(100)", "--query-seconds", "0.5",
                     says=["takes longer than 0.5 seconds", "--query-seconds"], code=1)
        self.wait_until_idle()

    def wait_until_idle(self):
        """The server works on nothing of otss any more."""
        for _ in range(100):
            if self.server.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'otss' AND state = 'active'") == [["0"]]:
                return
            time.sleep(0.1)
        self.fail("the server still works on a statement of otss")

    def test_an_interrupt_cancels_the_query_on_the_server(self):
        model = self.model_of_x()
        with subprocess.Popen([OTSS, "weights", model, self.server.address(), "--query", "SELECT 1.0 AS x FROM pg_sleep(100)"], cwd=self.dir,
                              stderr=subprocess.PIPE, text=True, env={**os.environ, "PGPASSWORD": PASSWORD}) as running:
            for _ in range(100):
                if self.server.sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'COPY%pg_sleep%' AND application_name = 'otss'") == [["1"]]:
                    break
                time.sleep(0.1)
            running.send_signal(signal.SIGINT)
            self.assertIn("interrupted", running.communicate(timeout=60)[1])
        self.wait_until_idle()


class Writing(PostgresTest):
    def test_weights_and_decisions_go_to_tables(self):
        demo = self.demo()
        self.model(self.server.address("log"))
        for command, more in (("weights", []), ("decide", ["--library", self.server.address("library"), "--id", "id"])):
            expected = self.rows(self.ok(command, "model.json", f"{demo}/contexts.csv", "--keep", "x1", *more))
            self.ok(command, "model.json", self.server.address("contexts"), "--keep", "x1", *more, "-o", self.server.address(f"public.{command}"))
            names = [row[0] for row in self.server.sql(f"SELECT attname FROM pg_attribute WHERE attrelid = '{command}'::regclass AND attnum > 0")]
            self.assertEqual(names, list(expected[0]))
            written = self.server.sql(f"SELECT * FROM {command}")
            self.assertEqual(len(written), len(expected))
            for row, expected_row in zip(written, expected):
                for text, expected_text in zip(row, expected_row.values()):
                    self.assertEqual(value_of(text), value_of(expected_text))

    def test_predictions_go_to_a_table(self):
        demo = self.demo()
        self.model(self.server.address("log"))
        self.ok("predict", "model.json", f"{demo}/test.csv", "-o", self.server.address("means"))
        self.assertEqual(self.server.sql("SELECT count(*) > 0, min(mean) > 0, max(mean) < 1 FROM means"), [["t", "t", "t"]])

    def model_of_x(self):
        return Reading.model_of_x(self)

    def types_of(self, table):
        rows = self.server.sql("SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attnum > 0 AND attrelid = "
                               f"'{table}'::regclass ORDER BY attnum")
        return {name: kind for name, kind in rows}

    def test_kept_columns_keep_their_types(self):
        self.server.sql(Reading.TYPES)
        self.ok("weights", self.model_of_x(), self.server.address("types"), "--keep", "b,i8,money,t,d,ts,tz", "-o", self.server.address("out"))
        self.assertEqual(self.types_of("out"),
                         {"b": "boolean", "i8": "bigint", "money": "numeric(18,2)", "t": "text", "d": "date", "ts": "timestamp without time zone",
                          "tz": "timestamp with time zone", "w_z": "double precision"})
        self.assertEqual(self.server.sql("SELECT t.b, t.i8, t.money, t.t, t.d, t.ts, t.tz FROM types t"),
                         self.server.sql("SELECT b, i8, money, t, d, ts, tz FROM out"))

    def test_numbers_with_leading_zeros_stay_text(self):
        self.write("contexts.csv", "id,x\n007,1\n12,2\n")
        self.ok("weights", self.model_of_x(), "contexts.csv", "--keep", "id", "-o", self.server.address("out"))
        self.assertEqual(self.server.sql("SELECT id FROM out"), [["007"], ["12"]])

    def test_a_table_that_exists_is_replaced_only_on_request(self):
        model = self.model_of_x()
        self.server.sql("CREATE TABLE out (old text); CREATE TABLE numbers AS SELECT 1.0::float8 AS x")
        write = ["weights", model, self.server.address("numbers"), "-o", self.server.address("out")]
        self.refused(*write, says=["exists already", "--replace"])
        self.assertEqual(self.types_of("out"), {"old": "text"})
        self.ok(*write, "--replace")
        self.assertEqual(self.types_of("out"), {"w_z": "double precision"})
        self.assertEqual(self.server.sql("SELECT count(*) FROM out"), [["1"]])

    def test_after_an_error_the_database_is_as_before(self):
        model = self.model_of_x()
        self.server.sql("CREATE TABLE out AS SELECT 'kept' AS old")
        self.server.sql("CREATE TABLE numbers AS SELECT CASE WHEN i = 50000 THEN 'nan'::float8 ELSE i % 7 END AS x FROM generate_series(1, 50000) AS i")
        self.refused("weights", model, self.server.address("numbers"), "--unknown", "error", "-o", self.server.address("out"), "--replace",
                     says="row 50000")
        self.refused("weights", model, self.server.address("numbers"), "--unknown", "error", "-o", self.server.address("new"), says="row 50000")
        self.assertEqual(self.server.sql("SELECT * FROM out"), [["kept"]])
        self.assertEqual(self.server.sql("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"),
                         [["numbers"], ["out"]])

    def test_wrong_outputs_are_refused_before_any_work(self):
        model = self.model_of_x()
        self.server.sql("CREATE TABLE numbers AS SELECT 1.0::float8 AS x")
        numbers = self.server.address("numbers")
        self.refused("weights", model, numbers, "-o", self.server.address(), says=["names no table", "#table"])
        self.refused("weights", model, numbers, "-o", numbers, "--replace", says="also an input")
        self.refused("weights", model, numbers, "-o", self.server.address("no_schema.out"), says='schema "no_schema" does not exist', code=1)
        self.refused("weights", model, numbers, "-o", "out.csv", "--replace", says=["--replace", "files are always replaced"])
        self.refused("fit", "small.csv", "--context", "x", "--factors", "z", "--outcome", "y", "-o", numbers, says="not a table")
        self.write("long.csv", f"{'n' * 64},x\n1,1\n")
        self.refused("weights", model, "long.csv", "--keep", "n" * 64, "-o", self.server.address("out"), says="more than 63 bytes")


class Documentation(PostgresTest):
    def test_commands_for_databases_run(self):
        self.demo()
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs/howto.md").read_text()
        blocks = re.findall(r"^```sh database\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
        commands = [line.removeprefix("otss ") for block in blocks for line in block.splitlines()]
        self.assertGreater(len(commands), 3)
        for command in commands:
            with self.subTest(command=command):
                self.ok(*shlex.split(command.replace("$DB", self.server.address())))


class Passwords(PostgresTest):
    def test_a_password_is_in_no_output(self):
        demo = self.demo()
        log = self.server.address("log", password=PASSWORD)
        out = self.ok("fit", log, *self.ROLES, "--method", "pooled", "-o", "model.json", env={"PGPASSWORD": ""})
        self.ok("report", "model.json", log, "-o", "report.html", "--facts", "facts.json", env={"PGPASSWORD": ""})
        self.otss("evaluate", "model.json", log, env={"PGPASSWORD": ""})
        for file in ("model.json", "report.html", "facts.json"):
            self.assertNotIn(PASSWORD, (self.dir / file).read_text(), file)
        self.assertNotIn(PASSWORD, out + demo)

    def test_a_password_comes_from_the_files_of_libpq(self):
        self.server.sql("CREATE TABLE numbers AS SELECT 1.0::float8 AS x")
        model = Reading.model_of_x(self)
        self.write("pgpass", f"*:*:*:reader:{PASSWORD}\n")
        (self.dir / "pgpass").chmod(0o600)
        self.ok("weights", model, self.server.address("numbers"), env={"PGPASSWORD": "", "PGPASSFILE": "pgpass"})
        self.write("services", f"[shop]\nhost={self.server.folder}\nuser=reader\ndbname=postgres\npassword={PASSWORD}\n")
        self.ok("weights", model, "postgresql:///?service=shop#numbers", env={"PGPASSWORD": "", "PGSERVICEFILE": "services"})

    def test_errors_show_no_password(self):
        model = Reading.model_of_x(self)
        self.server.sql("CREATE TABLE numbers AS SELECT 1.0::float8 AS x")
        right = self.server.address("numbers")
        self.refused("weights", model, right, says=["cannot connect", "password authentication failed", "PGPASSWORD"], code=1, env={"PGPASSWORD": "no"})
        self.refused("weights", model, self.server.address("absent", password=PASSWORD), says="does not exist")
        self.refused("weights", model, f"postgresql://reader:{PASSWORD}@/postgres?host=/nowhere#t", says="cannot connect", code=1)
        half = PASSWORD[:4] + "@" + PASSWORD[4:]
        for address in (f"postgresql://reader:{half}@host/db#t", f"postgresql://reader:{PASSWORD}/x@host/db#t",
                        f"postgresql://reader:#{PASSWORD}@host/db", f"postgresql://reader: {PASSWORD}@host/db#t"):
            done = self.otss("weights", model, address)
            self.assertEqual(done.returncode, 2)
            self.assertNotIn(PASSWORD[4:], done.stderr)
            self.assertIn("%40", done.stderr)
        secret = self.server.address("numbers", password=PASSWORD)
        for command in (["inspect", secret], ["weights", secret, "contexts.csv"], ["fit", "small.csv", "-o", secret], ["weights", model, secret, secret],
                        ["weights", model, "small.csv", "-o", secret, "--nonsense", secret]):
            self.assertNotEqual(self.otss(*command).returncode, 0)


if __name__ == "__main__":
    unittest.main()
