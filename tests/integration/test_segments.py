"""Segments in words, and rows that seem to belong to one person."""
import json
import math
import random

from otss_cli import CliTest


def chance(eta):
    return 1 / (1 + math.exp(-eta))


class Segments(CliTest):
    def two_tastes(self, n=3000):
        """In the north price counts, in the south health; age is higher in the north."""
        rng = random.Random(5)
        rows = ["region,age,price,health,bought"]
        for _ in range(n):
            region = rng.choice(["north", "south", "south"])
            age = rng.gauss(50 if region == "north" else 40, 8)
            price, health = rng.gauss(0, 1), rng.gauss(0, 1)
            eta = -2.0 * price if region == "north" else 2.0 * health
            rows.append(f"{region},{age:.1f},{price:.3f},{health:.3f},{int(rng.random() < chance(eta))}")
        return self.write("log.csv", "\n".join(rows) + "\n")

    ROLES = ["--context", "region,age", "--factors", "price,health", "--outcome", "bought"]

    def test_fit_and_inspect_say_who_wants_what(self):
        self.two_tastes()
        said = self.ok("fit", "log.csv", *self.ROLES, "--experts", 2, "--estimator", "map", "-o", "model.json")
        for text in (said, self.ok("inspect", "model.json")):
            self.assertRegex(text, r"weight of +expert 1 \(\d+ %\) +expert 2 \(\d+ %\)")
            parts = text[text.index("Segments: "):].split("  expert ")[1:3]
            north, south = sorted(parts, key=lambda part: "region north (100 %" not in part)
            self.assertRegex(north, r"^\d, share \d+ %: 3\d % of the contexts\n")
            self.assertRegex(north, r"less price \(-[12]\.\d+, average -0\.\d+\)")
            self.assertRegex(north, r"more often region north \(100 %, everybody 3\d %\)")
            self.assertRegex(north, r"higher age \(mean (49|50|51)(\.\d+)?, everybody 4\d(\.\d+)?\)")
            self.assertRegex(south, r"^\d, share \d+ %: 6\d % of the contexts\n")
            self.assertRegex(south, r"more [^;\n]*health \(\+[12]\.\d+, average \+1\.\d+\)")
            self.assertRegex(south, r"less often region north \(0 %, everybody 3\d %\)|more often region south \(100 %")

    def test_pooled_models_have_no_segments(self):
        self.two_tastes(600)
        self.assertNotIn("Segments", self.ok("fit", "log.csv", *self.ROLES, "--method", "pooled", "-o", "model.json"))

    def test_segments_of_an_unproven_gain_are_marked(self):
        self.ok("simulate", "pooled", "--n", 500, "--seed", 2, "-o", "d")
        header = (self.dir / "d/log.csv").read_text().splitlines()[0].split(",")
        roles = [",".join(c for c in header if c.startswith(kind)) for kind in "xz"]
        said = self.ok("fit", "d/log.csv", "--context", roles[0], "--factors", roles[1], "--outcome", "y", "--experts", 2,
                       "--estimator", "map", "-o", "model.json")
        self.assertIn("are not supported", said)
        self.assertIn("Segments (not proven to differ): ", said)

    def test_an_expert_that_no_context_uses_is_not_shown(self):
        self.two_tastes(800)
        self.ok("fit", "log.csv", *self.ROLES, "--experts", 3, "--estimator", "map", "-o", "model.json")
        document = json.loads((self.dir / "model.json").read_text())
        diagnostics = document["provenance"]["diagnostics"]
        diagnostics["expert_usage"] = [0.6, 0.399, 0.001]
        for segment, share in zip(diagnostics["segments"], diagnostics["expert_usage"]):
            segment["share"] = share
        self.write_sealed("model.json", document)
        said = self.ok("inspect", "model.json")
        self.assertIn("expert 2 (40 %)", said)
        self.assertNotIn("expert 3", said)
        self.assertIn("1 expert left out", said)

    def test_chains_that_have_not_mixed_are_one_warning(self):
        self.two_tastes(600)
        self.ok("fit", "log.csv", *self.ROLES, "--estimator", "bayes", "-o", "model.json")
        document = json.loads((self.dir / "model.json").read_text())
        chains = document["provenance"]["posteriors"]
        for number, one in enumerate(chains):
            one["weights"]["r_hat"] = 1.3 + 0.1 * (number == 2)
            one["warning"] = f"the chains number {number} have not mixed"
        self.write_sealed("model.json", document)
        warnings = [line for line in self.ok("inspect", "model.json").splitlines() if line.startswith("Warning:")]
        self.assertEqual(warnings, [f"Warning: the chains number 2 have not mixed (nor have those of {len(chains) - 1} other posteriors)."])

    def test_linear_weights_say_which_columns_move_them(self):
        self.two_tastes()
        for method in ("linear", "low-rank"):
            said = self.ok("fit", "log.csv", *self.ROLES, "--method", method, "-o", "model.json")
            moves = said[said.index("How the weights move"):]
            self.assertRegex(moves, r"  price -0\.\d+: .*-1\.\d+ for region north")
            self.assertRegex(moves, r"  health \+1\.\d+: .*-\d\.\d+ for region north")


class Persons(CliTest):
    ROLES = ["--context", "age,income", "--factors", "price,health", "--outcome", "y", "--method", "pooled", "-o", "model.json"]

    def panel(self, persons, rows_each, *, varying=False, shuffled=False, name="log.csv", decimals=0):
        rng = random.Random(8)
        rows = []
        for person in range(persons):
            age, income = rng.randint(20, 80), round(rng.gauss(40, 12), decimals)
            for day in range(rows_each):
                own = (rng.randint(20, 80), round(rng.gauss(40, 12), decimals)) if varying else (age, income)
                rows.append(f"p{person},{day},{own[0]},{own[1]},{rng.gauss(0, 1):.3f},{rng.gauss(0, 1):.3f},{rng.randint(0, 1)}")
        if shuffled:
            rng.shuffle(rows)
        return self.write(name, "household,day,age,income,price,health,y\n" + "\n".join(rows) + "\n")

    def said(self, table="log.csv", *more, command="fit", without=()):
        roles = [word for word in self.ROLES if word not in without]
        if command == "check":
            roles = roles[:6]
        done = self.otss(command, table, *roles, *more)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return done.stdout + done.stderr

    def test_an_unused_column_that_repeats_is_named(self):
        for shuffled in (False, True):
            self.panel(150, 8, shuffled=shuffled)
            for command in ("fit", "check"):
                said = self.said(command=command)
                self.assertEqual(said.count("give --group household"), 1, said)
                self.assertIn("150 different values in 1200 rows", said)
        compared = self.otss("compare", "log.csv", *self.ROLES[:6], "--methods", "pooled,linear")
        self.assertIn("give --group household", compared.stderr)
        self.assertNotIn("seems to name persons", self.said("log.csv", "--group", "household"))

    def test_blocks_of_the_same_contexts_are_recognised_without_a_column(self):
        self.panel(150, 8, decimals=2)
        for command in ("fit", "check"):
            said = self.said("log.csv", "--query", "SELECT * EXCLUDE (household) FROM t", command=command)
            self.assertIn("rows come in blocks with the same contexts, 150 blocks in 1200 rows", said)
            self.assertIn("--group", said)
        few = "SELECT * EXCLUDE (household) REPLACE (age // 20 AS age, income // 15 AS income) FROM t"  # some blocks are alike
        self.assertRegex(self.said("log.csv", "--query", few), r"1\d\d blocks in 1200 rows")

    def test_ordinary_logs_raise_no_alarm(self):
        self.panel(150, 8, varying=True)  # contexts are not those of a person
        self.assertNotIn("person", self.said())
        self.panel(1200, 1)  # an id that never repeats
        self.assertNotIn("person", self.said())
        for order in ("age", "income, age", "price", "household"):  # sorted by its contexts, or by another column
            for command in ("fit", "check"):
                said = self.said("log.csv", "--query", f"SELECT * FROM t ORDER BY {order}", command=command)
                self.assertNotIn("person", said)
        # Few levels repeat in every log.
        few = "SELECT *, CASE WHEN age > 50 THEN 'old' ELSE 'young' END AS band, day % 5 AS region FROM t"
        self.assertNotIn("person", self.said("log.csv", "--query", few))
        for world in ("overlap", "matched", "experts", "pooled"):
            self.ok("simulate", world, "--n", 800, "-o", world)
            header = (self.dir / world / "log.csv").read_text().splitlines()[0].split(",")
            contexts = ",".join(c for c in header if c.startswith("x"))
            factors = ",".join(c for c in header if c.startswith("z"))
            done = self.otss("check", f"{world}/log.csv", "--context", contexts, "--factors", factors, "--outcome", "y")
            self.assertNotIn("person", done.stdout + done.stderr)
