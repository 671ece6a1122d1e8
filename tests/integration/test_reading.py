"""Tables as people have them: each mistake is understood, with one line that says how, or refused with the option that helps."""
import codecs
import gzip
import json
import math
import random
import unittest

from otss_cli import CliTest

ROLES = ["--context", "age,income,region", "--factors", "price,stock", "--outcome", "y"]
WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def clean_rows(n=300):
    """A log in plain form: every number plain, every text a level."""
    rng = random.Random(11)
    rows = []
    for i in range(n):
        price = rng.randrange(100, 2000) / 4
        stock = rng.randrange(1, 60)
        brand = rng.choice(["acme", "acme", "bolt", "core"])
        score = price / 300 - stock / 40 + {"acme": 0, "bolt": 0.8, "core": -0.8}[brand]
        rows.append({"age": str(rng.randrange(18, 80)), "income": str(rng.randrange(20, 90) * 500 + 250),
                     "region": rng.choice(["north", "south", "west"]), "price": f"{price:.2f}", "stock": str(stock),
                     "brand": brand, "day": f"2026-{1 + i % 9:02}-{1 + i % 28:02}",
                     "y": str(int(rng.random() < 1 / (1 + math.exp(-score))))})
    return rows


def table(rows, *, delimiter=",", sep_line=False):
    def cell(text):
        return f'"{text}"' if delimiter in text else text
    lines = ["sep=" + delimiter] if sep_line else []
    lines.append(delimiter.join(rows[0]))
    lines += [delimiter.join(cell(value) for value in row.values()) for row in rows]
    return "\n".join(lines) + "\n"


def changed(**columns):
    """The rows with some columns rewritten; a function gets the plain text and the number of the row."""
    return [{name: columns[name](value, i) if name in columns else value for name, value in row.items()}
            for i, row in enumerate(clean_rows())]


def thousands(value, _):
    return f"{int(value):,}"


def comma(value, _):
    return value.replace(".", ",")


def european(value, _):
    return f"{float(value):,.2f}".translate(str.maketrans(",.", ".,"))


def some(bad, every=7):
    return lambda value, i: bad if i % every == 3 else value


def dotted(value, _):
    year, month, day = value.split("-")
    return f"{day}.{month}.{year}"


def slashed(value, _):
    year, month, day = value.split("-")
    return f"{month}/{day}/{year}"


class Understood(CliTest):
    """The model is the one of the same log in plain form, and one line says how the table was read."""

    # what is in the file, the file's name and bytes, options, what the line says (None: no line is needed)
    CASES = [
        ("decimal commas in a file with semicolons", "log.csv",
         table(changed(price=comma), delimiter=";"), [], "'price' is"),
        ("decimal commas in quotes", "log.csv", table(changed(price=comma)), [], "decimal sign ','"),
        ("decimal commas and points between thousands", "log.csv",
         table(changed(price=european, income=european), delimiter=";"), [], "'income' is"),
        ("commas between thousands", "log.csv", table(changed(income=thousands)), [], "'income' is"),
        ("dollars", "log.csv", table(changed(income=lambda v, i: "$" + thousands(v, i))), [], "'$"),
        ("dollars in a factor", "log.csv", table(changed(price=lambda v, _: "$" + v)), [], "'price' is"),
        ("euros behind the number", "log.csv",
         table(changed(price=lambda v, _: comma(v, _) + " €"), delimiter=";"), [], "€'"),
        ("percent signs", "log.csv", table(changed(stock=lambda v, _: v + "%")), [], "'stock' is"),
        ("spaces between thousands", "log.csv",
         table(changed(income=lambda v, _: f"{int(v):,}".replace(",", " "))), [], "'income' is"),
        ("thousands with --decimal .", "log.csv",
         table(changed(income=thousands), delimiter=";"), ["--decimal", "."], "'income' is"),
        ("decimal commas with --decimal ,", "log.csv",
         table(changed(price=comma), delimiter=";"), ["--decimal", ","], "'price' is"),
        ("yes and no", "log.csv",
         table(changed(y=lambda v, _: "yes" if v == "1" else "no")), ["--positive", "yes"], "'yes' counts as 1"),
        ("Yes and NO", "log.csv",
         table(changed(y=lambda v, i: ("Yes" if i % 2 else "yes") if v == "1" else "NO")), ["--positive", "YES"], "'no' as 0"),
        ("outcomes 1 and 2", "log.csv",
         table(changed(y=lambda v, _: str(int(v) + 1))), ["--positive", "2"], "'2' counts as 1"),
        ("spaces around levels", "log.csv",
         table(changed(region=lambda v, i: [v, v + " ", " " + v][i % 3])), [], None),
        ("levels in upper and lower case", "log.csv",
         table(changed(region=lambda v, i: v.upper() if i % 2 else v)), ["--ignore-case"], None),
        ("a tab-separated file", "log.tsv", table(clean_rows(), delimiter="\t"), [], None),
        ("a .txt file with tabs", "log.txt", table(clean_rows(), delimiter="\t"), [], None),
        ("a .TXT file with semicolons", "LOG.TXT", table(clean_rows(), delimiter=";"), [], None),
        ("Excel's line sep=;", "log.csv", table(clean_rows(), delimiter=";", sep_line=True), [], None),
        ("Excel's line sep=, behind a byte order mark", "log.csv",
         codecs.BOM_UTF8 + table(clean_rows(), sep_line=True).replace("\n", "\r\n").encode(), [], None),
        ("a byte order mark", "log.csv", codecs.BOM_UTF8 + table(clean_rows()).encode(), [], None),
        ("sep=; in a compressed file", "log.csv.gz",
         gzip.compress(table(clean_rows(), delimiter=";", sep_line=True).encode()), [], None),
    ]

    def experts(self, log, *more):
        done = self.otss("fit", log, *ROLES, "--method", "pooled", "-o", "m.json", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        notes = done.stderr.splitlines()
        self.assertTrue(all(line.startswith("otss: note: ") for line in notes), done.stderr)
        return json.loads((self.dir / "m.json").read_text())["experts"], notes

    def test_each_case(self):
        self.write("plain.csv", table(clean_rows()))
        plain, notes = self.experts("plain.csv")
        self.assertEqual(notes, [])
        for what, name, content, options, says in self.CASES:
            with self.subTest(what):
                (self.dir / name).write_bytes(content if isinstance(content, bytes) else content.encode())
                experts, notes = self.experts(name, *options)
                self.assertEqual(experts, plain)
                self.assertEqual(len(notes), 0 if says is None else 1, notes)
                self.assertIn(says or "", "".join(notes))
                (self.dir / name).unlink()

    def test_signs_for_a_missing_number(self):
        self.write("empty.csv", table(changed(age=some(""))))
        plain, _ = self.experts("empty.csv")
        for sign in ("?", "-", ".", "#N/A"):
            with self.subTest(sign):
                self.write("log.csv", table(changed(age=some(sign))))
                experts, notes = self.experts("log.csv")
                self.assertEqual(experts, plain)
                self.assertEqual(len(notes), 1)
                self.assertIn(f"'{sign.lower()}' in 'age' means missing", notes[0])
        self.write("log.csv", table(changed(age=some("unknown"), income=some("-999", 5))))
        self.write("empty.csv", table(changed(age=some(""), income=some("", 5))))
        plain, _ = self.experts("empty.csv")
        experts, notes = self.experts("log.csv", "--missing", "unknown", "--missing", "-999")
        self.assertEqual((experts, notes), (plain, []))
        self.assertEqual(self.experts("log.csv", "--missing", "unknown,-999")[0], plain)

    def test_a_word_for_missing_holds_for_texts_too(self):
        self.write("log.csv", table(changed(region=some("?"))))
        shown = self.json("fit", "log.csv", *ROLES, "--missing", "?", "--dry-run")
        self.assertIn("region is missing", shown["encoded_contexts"])
        self.assertNotIn("region=?", shown["encoded_contexts"])

    def test_numbers_and_dates_that_stay_texts_are_named(self):
        """No number becomes a level without a word because of how it is written."""
        for what, values, says in (
                ("two words", lambda v, i: ["unknown", "refused", v, v, v][i % 5], "--missing 'unknown,refused'"),
                ("a unit", lambda v, _: v + " kg", " kg'"),
                ("a date with the name of the month", lambda v, i: f"{1 + i % 28}-Apr-26", "-Apr-26'"),
                ("a year of two digits", lambda v, i: f"{1 + i % 28:02}.04.26", ".04.26'")):
            with self.subTest(what):
                self.write("log.csv", table(changed(age=values)))
                notes = self.experts("log.csv")[1]
                self.assertEqual(len(notes), 1, notes)
                self.assertIn("context 'age': ", notes[0])
                self.assertIn(says, notes[0])
        self.write("log.json", json.dumps([{"age": v["age"], **{k: float(v[k]) for k in ("income", "price", "stock", "y")},
                                            "region": v["region"]} for v in clean_rows()]))
        self.assertIn("stores numbers as text", "".join(self.experts("log.json")[1]))

    def test_a_point_that_may_separate_thousands_is_named(self):
        points = changed(income=lambda v, i: f"{int(v):,}".replace(",", "."), price=lambda v, _: v.split(".")[0])
        self.write("log.csv", table(points, delimiter=";"))
        self.assertIn("(decimal sign '.'; --decimal changes it)", "".join(self.experts("log.csv")[1]))
        self.assertIn("in 'income' is ", "".join(self.experts("log.csv")[1]))
        thousand, notes = self.experts("log.csv", "--decimal", ",")
        self.write("plain.csv", table(changed(price=lambda v, _: v.split(".")[0])))
        self.assertEqual(thousand, self.experts("plain.csv")[0])

    def test_a_written_number_behind_many_plain_ones(self):
        rows = clean_rows() * 70 + changed(income=thousands)
        self.write("plain.csv", table(clean_rows() * 71))
        self.write("log.csv", table(rows))
        plain, none = self.experts("plain.csv")
        experts, notes = self.experts("log.csv")
        self.assertEqual(experts, plain)
        self.assertNotIn("in 'income' is ", "".join(none))
        self.assertIn("in 'income' is ", "".join(notes))

    def test_levels_that_differ_only_in_case_are_named(self):
        self.write("log.csv", table(changed(region=some("North"))))
        done = self.otss("fit", "log.csv", *ROLES, "--dry-run")
        self.assertIn("region=North", done.stdout)
        self.assertIn("differ only in upper and lower case", done.stderr)
        self.assertIn("--ignore-case", done.stderr)
        self.assertIn("region=north", self.ok("fit", "log.csv", *ROLES, "--dry-run", "--ignore-case"))


class From(CliTest):
    def test_rules_of_columns_without_a_role_are_left_out(self):
        self.write("log.csv", table(clean_rows()))
        self.ok("fit", "log.csv", "--context", "age,day", "--factors", "price,stock,brand", "--outcome", "y", "--dates", "day",
                "--reference", "brand=bolt", "--method", "pooled", "-o", "m.json")
        self.ok("fit", "log.csv", "--from", "m.json", "--factors", "price,stock", "-o", "fewer_factors.json")
        self.ok("fit", "log.csv", "--from", "m.json", "--context", "age", "-o", "fewer_contexts.json")


class Dates(CliTest):
    CONTEXT = ["--context", "age,day", *ROLES[2:]]

    def encoded(self, rows, *more):
        self.write("log.csv", table(rows))
        done = self.otss("fit", "log.csv", *self.CONTEXT, "--dry-run", "--json", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["encoded_contexts"], done.stderr

    def weights(self, rows, *more, name="log.csv"):
        self.write(name, table(rows))
        self.ok("fit", name, *self.CONTEXT, "--method", "linear", "-o", "m.json", *more)
        return self.ok("weights", "m.json", name)

    def test_dates_are_read_in_every_form(self):
        plain = self.weights(clean_rows())
        for what, rows, options in (
                ("dd.mm.yyyy", changed(day=dotted), []),
                ("mm/dd/yyyy", changed(day=slashed), []),
                ("d.m.yyyy hh:mm", changed(day=lambda v, i: dotted(v, i) + " 00:00"), []),
                ("mm/dd/yyyy with --date-order", changed(day=slashed), ["--date-order", "mdy"])):
            with self.subTest(what):
                self.assertEqual(self.weights(rows, *options), plain)
        _, note = self.encoded(changed(day=dotted))
        self.assertIn("'01.01.2026' in 'day' is 2026-01-01", note)

    def test_parts_of_dates_where_asked(self):
        for rows in (clean_rows(), changed(day=dotted)):
            names, _ = self.encoded(rows, "--dates", "day:weekday,month")
            self.assertIn("day.weekday=Mon", names)
            self.assertIn("day.month=Jan", names)
            self.assertNotIn("day", names)
        self.assertIn("day.day", self.encoded(clean_rows(), "--dates", "day")[0])

    def test_parts_of_dates_are_those_of_the_calendar(self):
        self.write("log.csv", table(clean_rows()))
        self.ok("fit", "log.csv", *self.CONTEXT, "--dates", "day:day,weekday,month", "--method", "linear", "-o", "m.json")
        schema = json.loads((self.dir / "m.json").read_text())["schema"]
        columns = {column["name"]: column for column in schema["contexts"]}
        self.assertEqual(columns["day.day"]["range"][0], 20454)  # 2026-01-01
        self.assertEqual(sorted(columns["day.weekday"]["levels"]), sorted(WEEKDAYS))
        self.assertEqual(schema["reading"]["dates"], [{"column": "day", "parts": ["day", "weekday", "month"]}])
        # Serving takes the date itself, in any form, and gives the same weights.
        plain = self.ok("weights", "m.json", "log.csv")
        self.write("dotted.csv", table(changed(day=dotted)))
        self.assertEqual(self.ok("weights", "m.json", "dotted.csv"), plain)

    def test_times_of_day(self):
        rows = changed(day=lambda _, i: f"{i % 24:02}:{i % 60:02}")
        self.assertIn("day", self.encoded(rows)[0])
        self.assertIn("day.hour", self.encoded(rows, "--dates", "day:hour")[0])

    def test_dates_order_the_rows(self):
        self.write("log.csv", table(changed(day=dotted)))
        self.ok("fit", "log.csv", *ROLES, "--time", "day", "--method", "linear", "-o", "m.json")

    def test_all_contexts_with_parts_of_dates(self):
        self.write("log.csv", table(changed(day=dotted)))
        shown = self.json("fit", "log.csv", "--context", "all", "--exclude", "brand", *ROLES[2:], "--dates", "day:month", "--dry-run")
        self.assertEqual(shown["contexts"], ["age", "income", "region", "day.month"])


class TextFactors(CliTest):
    WITH_BRAND = ["--context", "age,region", "--factors", "price,brand", "--outcome", "y"]

    def setUp(self):
        super().setUp()
        self.write("log.csv", table(clean_rows()))

    def test_a_text_factor_is_a_factor_per_level(self):
        done = self.otss("fit", "log.csv", *self.WITH_BRAND, "--method", "pooled", "-o", "m.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("factor 'brand' is text: it becomes the 0/1 factors 'brand=bolt', 'brand=core', relative to the level 'acme'",
                      done.stderr)
        own = json.loads((self.dir / "m.json").read_text())["experts"]
        by_hand = "SELECT *, CAST(brand = 'bolt' AS INT) AS \"brand=bolt\", CAST(brand = 'core' AS INT) AS \"brand=core\" FROM t"
        self.ok("fit", "log.csv", "--query", by_hand, "--context", "age,region", "--factors", "price,brand=bolt,brand=core",
                "--outcome", "y", "--method", "pooled", "-o", "hand.json")
        self.assertEqual(own, json.loads((self.dir / "hand.json").read_text())["experts"])

    def test_the_reference_level_can_be_chosen(self):
        self.ok("fit", "log.csv", *self.WITH_BRAND, "--reference", "brand=core", "--method", "pooled", "-o", "m.json")
        self.assertEqual(list(json.loads((self.dir / "m.json").read_text())["experts"][0]), ["brand=acme", "brand=bolt", "price"])
        self.refused("fit", "log.csv", *self.WITH_BRAND, "--reference", "brand=zeta", "-o", "no.json",
                     says=["--reference brand=zeta", "'acme', 'bolt', 'core'"])
        self.refused("fit", "log.csv", *self.WITH_BRAND, "--reference", "price=1", "-o", "no.json", says="--reference price=1")

    def test_library_and_candidates_are_read_as_the_log_was(self):
        self.ok("fit", "log.csv", *self.WITH_BRAND, "--method", "pooled", "-o", "m.json")
        self.write("library.csv", "id,price,brand\na,100,acme\nb,100,bolt\nc,100, core\n")
        rows = self.rows(self.ok("decide", "m.json", "log.csv", "--library", "library.csv", "--id", "id"))
        self.assertEqual({row["decision"] for row in rows}, {"b"})
        self.write("unknown.csv", "id,price,brand\na,100,acme\nb,100,zeta\n")
        self.refused("decide", "m.json", "log.csv", "--library", "unknown.csv", "--id", "id",
                     says=["unknown.csv", "'brand'", "'zeta'", "row 2", "'acme', 'bolt', 'core'"])
        self.write("candidates.csv", "region,id,price,brand\n" + "".join(
            f"{region},{i},100,{brand}\n" for region in ("north", "south", "west") for i, brand in enumerate(("acme", "core"))))
        self.ok("decide", "m.json", "log.csv", "--candidates", "candidates.csv", "--context-id", "region", "--id", "id")
        self.ok("fit", "log.csv", "--context", "age", *self.WITH_BRAND[2:], "--center-factors", "--candidates", "candidates.csv",
                "--context-id", "region", "--method", "pooled", "-o", "centred.json")
        self.ok("check", "log.csv", *self.WITH_BRAND, "--library", "library.csv", "--id", "id")

    def test_a_model_can_be_repeated_on_a_log_with_other_levels(self):
        self.ok("fit", "log.csv", *self.WITH_BRAND, "--method", "pooled", "-o", "m.json")
        self.write("new.csv", table(changed(brand=some("delta"))))
        self.ok("fit", "new.csv", "--from", "m.json", "-o", "n.json")
        self.assertEqual(list(json.loads((self.dir / "n.json").read_text())["experts"][0]),
                         ["brand=bolt", "brand=core", "brand=delta", "price"])

    def test_evaluate_recognises_the_training_table(self):
        self.ok("fit", "log.csv", *self.WITH_BRAND, "--method", "pooled", "-o", "m.json")
        self.assertEqual(self.json("evaluate", "m.json", "log.csv")["rows"], 300)


class Refused(CliTest):
    """What has two meanings, or none, gets one line with the option that helps."""

    # what is in the file, its rows or text, options of fit, what the line says
    CASES = [
        ("outcomes yes and no", table(changed(y=lambda v, _: "yes" if v == "1" else "no")), [],
         ["outcome 'y' is text", "'no', 'yes'", "--positive 'yes'"]),
        ("outcomes 1 and 2", table(changed(y=lambda v, _: str(int(v) + 1))), [], ["outcome 'y' is 2", "row", "--positive"]),
        ("--positive without such a value", table(changed(y=lambda v, _: "yes" if v == "1" else "no")), ["--positive", "ja"],
         ["--positive 'ja'", "'no', 'yes'"]),
        ("commas that may mean two things", table(changed(income=thousands), delimiter=";").replace(".", ""), [],
         ["'income'", "--decimal .", "--decimal ,"]),
        ("both decimal signs", table(changed(price=comma, age=lambda v, _: v + ".5"), delimiter=";"), [],
         ["'price'", "row 1", "decimal comma", "'age'", "--query"]),
        ("points with --decimal ,", table(clean_rows(), delimiter=";"), ["--decimal", ","], ["'price'", "row 1", "--decimal ."]),
        ("a context with points and --decimal ,", table(changed(age=lambda v, _: v + ".5", price=comma), delimiter=";"), ["--decimal", ","],
         ["'age'", "row 1", "--decimal ."]),
        ("a text in a column of numbers", table(changed(age=some("old", 50))), [], ["'age'", "'old'", "row 4", "--missing 'old'"]),
        ("a text in a factor", table(changed(price=some("dear", 50))), [], ["'price'", "'dear'", "row 4", "correct the value"]),
        ("a factor with too many texts", table(changed(stock=lambda _, i: f"item {i}")), [], ["'stock'", "300", "50 levels"]),
        ("20,000 without quotes", table(clean_rows()) + "20,000,1,north,1,1,acme,2026-01-01,1\n", [], ["row 301", "quote"]),
        ("dates of which day and month are not known", table(changed(day=lambda _, i: f"{1 + i % 9:02}/{1 + i % 12:02}/2026")),
         ["--context", "day"], ["'day'", "--date-order dmy", "--date-order mdy"]),
        ("--dates of a column that is no date", table(clean_rows()), ["--dates", "age"], ["--dates age"]),
        ("--dates of a column that is no context", table(clean_rows()), ["--dates", "day"], ["--dates day", "--context"]),
        ("--dates with an unknown part", table(clean_rows()), ["--dates", "day:year"], ["'year'", "weekday"]),
        ("columns separated by spaces", table(clean_rows()).replace(",", " "), [], ["only one column", "tab"]),
        ("--dates without a part", table(clean_rows()), ["--dates", "day:"], ["--dates day", "part"]),
        ("a bad decimal sign", table(clean_rows()), ["--decimal", ";"], ["--decimal"]),
    ]

    def test_each_case(self):
        for what, text, options, says in self.CASES:
            with self.subTest(what):
                self.write("log.csv", text)
                roles = ROLES[2:] if "--context" in options else ROLES
                self.refused("fit", "log.csv", *roles, "--method", "pooled", "-o", "m.json", *options, says=says)

    def test_files_of_spreadsheets(self):
        for name, content, says in (
                ("log.xlsx", b"PK\x03\x04", ["log.xlsx", "CSV UTF-8"]),
                ("log.csv", table(clean_rows()).encode("utf-16"), ["log.csv", "UTF-16", "CSV UTF-8"]),
                ("log.dat", b"a\n1\n", ["log.dat", ".txt"])):
            (self.dir / name).write_bytes(content)
            self.refused("fit", name, *ROLES, "-o", "m.json", says=says)

    def test_check_gives_the_same_advice(self):
        self.write("log.csv", table(changed(age=some("old", 50), income=thousands)))
        done = self.otss("check", "log.csv", *ROLES)
        self.assertIn("--missing 'old'", done.stdout)
        self.assertIn("'income' is", done.stdout)


class Serving(CliTest):
    """Tables for a model are read as its log was."""

    def test_rules_travel_with_the_model(self):
        def foreign(rows):
            return table(rows, delimiter=";")
        rows = changed(price=comma, age=some("?"), y=lambda v, _: "yes" if v == "1" else "no")
        self.write("log.csv", foreign(rows))
        self.ok("fit", "log.csv", *ROLES, "--positive", "yes", "--method", "linear", "-o", "m.json")
        reading = json.loads((self.dir / "m.json").read_text())["schema"]["reading"]
        self.assertEqual(reading["decimal"], ",")
        self.assertIn("?", reading["missing"])
        self.assertEqual(reading["positive"], {"column": "y", "value": "yes", "others": ["no"]})
        self.assertIn("numbers have decimal commas; '?' means missing; outcome 'yes' counts as 1", self.ok("inspect", "m.json"))
        # One row alone is read as the same row in a table.
        whole = self.rows(self.ok("weights", "m.json", "log.csv"))
        self.write("one.csv", foreign(rows[3:4]))
        self.assertEqual(self.rows(self.ok("weights", "m.json", "one.csv")), whole[3:4])
        self.assertEqual(self.json("evaluate", "m.json", "log.csv")["rows"], 300)
        self.write("library.csv", "id;price;stock\na;1,5;3\nb;250,25;1\n")
        self.ok("decide", "m.json", "log.csv", "--library", "library.csv", "--id", "id")

    def test_a_table_that_is_written_otherwise(self):
        self.write("log.csv", table(changed(price=comma), delimiter=";"))
        self.ok("fit", "log.csv", *ROLES, "--method", "linear", "-o", "m.json")
        self.write("library.csv", "id,price,stock\na,1.5,3\nb,250.25,1\n")
        decide = ["decide", "m.json", "log.csv", "--library", "library.csv", "--id", "id"]
        self.refused(*decide, says=["library.csv", "'price'", "'1.5'", "row 1", "--decimal ."])
        self.write("contexts.csv", "age,income,region\n30,1000,north\n*,2000,south\n")
        self.ok("decide", "m.json", "contexts.csv", *decide[3:], "--decimal", ".", "--missing", "*")
        self.refused("weights", "m.json", "contexts.csv", says=["'age'", "'*'", "row 2", "--missing '*'"])

    def test_outcomes_that_the_log_did_not_have(self):
        self.write("log.csv", table(changed(y=lambda v, _: "yes" if v == "1" else "no")))
        self.ok("fit", "log.csv", *ROLES, "--positive", "yes", "--method", "pooled", "-o", "m.json")
        self.write("plain.csv", table(clean_rows()))
        self.refused("evaluate", "m.json", "plain.csv", says=["'y'", "row 1", "'yes'", "'no'"])

    def test_a_missing_date_column_is_named_as_in_the_file(self):
        self.write("log.csv", table(clean_rows()))
        self.ok("fit", "log.csv", "--context", "day,age", *ROLES[2:], "--dates", "day:month", "--method", "linear", "-o", "m.json")
        self.write("contexts.csv", "age\n30\n")
        self.refused("weights", "m.json", "contexts.csv", says=["no column 'day'"])


class KeptColumns(CliTest):
    """--keep columns have in Parquet and JSON the type they have in their own table."""
    CONTEXTS = ("customer,share,member,since,code,note,age,income,region\n"
                "9007199254740993,1.50,true,2026-04-03,007,x,30,1000,north\n"
                "12,,FALSE,2025-01-31,012,,40,2000,south\n")
    KEPT = ["--keep", "customer,share,member,since,code,note"]

    def setUp(self):
        super().setUp()
        self.write("log.csv", table(clean_rows()))
        self.write("contexts.csv", self.CONTEXTS)
        self.ok("fit", "log.csv", *ROLES, "--method", "pooled", "-o", "m.json")

    def test_in_json(self):
        self.ok("weights", "m.json", "contexts.csv", *self.KEPT, "-o", "w.json")
        first, second = json.loads((self.dir / "w.json").read_text())
        kept = ["customer", "share", "member", "since", "code", "note"]
        self.assertEqual([first[name] for name in kept], [9007199254740993, 1.5, True, "2026-04-03", "007", "x"])
        self.assertEqual([second[name] for name in kept], [12, None, False, "2025-01-31", "012", None])

    def test_in_parquet(self):
        self.ok("weights", "m.json", "contexts.csv", *self.KEPT, "-o", "w.parquet")
        query = ("SELECT typeof(customer) AS a, typeof(share) AS b, typeof(member) AS c, typeof(since) AS d, typeof(code) AS e, "
                 "typeof(note) AS f, 30 AS age, 1000 AS income, 'north' AS region, customer FROM t")
        row = self.rows(self.ok("weights", "m.json", "w.parquet", "--query", query, "--keep", "a,b,c,d,e,f,customer"))[0]
        self.assertEqual([row[name] for name in "abcdef"], ["BIGINT", "DOUBLE", "BOOLEAN", "DATE", "VARCHAR", "VARCHAR"])
        self.assertEqual(row["customer"], "9007199254740993")

    def test_from_parquet_to_parquet(self):
        query = ("SELECT CAST(1.5 AS DECIMAL(9,2)) AS amount, CAST(7 AS SMALLINT) AS small, TIMESTAMP '2026-04-03 10:00:00' AS moment, "
                 "'07' AS code, * FROM t")
        self.ok("weights", "m.json", "contexts.csv", "--query", query, "--keep", "amount,small,moment,code", "-o", "w.parquet")
        query = ("SELECT typeof(amount) AS a, typeof(small) AS b, typeof(moment) AS c, typeof(code) AS d, 30 AS age, 1000 AS income, "
                 "'north' AS region FROM t")
        row = self.rows(self.ok("weights", "m.json", "w.parquet", "--query", query, "--keep", "a,b,c,d"))[0]
        self.assertEqual([row[name] for name in "abcd"], ["DECIMAL(9,2)", "SMALLINT", "TIMESTAMP", "VARCHAR"])

    def test_a_csv_has_the_characters_of_the_file(self):
        rows = self.rows(self.ok("weights", "m.json", "contexts.csv", *self.KEPT))
        self.assertEqual([rows[0]["share"], rows[1]["member"], rows[0]["code"]], ["1.50", "FALSE", "007"])


if __name__ == "__main__":
    unittest.main()
