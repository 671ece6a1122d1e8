"""The report: its facts against what the other commands print, for every kind of model, and what a page may contain."""
import html.parser
import json
import pathlib
import random
import subprocess
import unittest

import what_if
from otss_cli import CliTest

WEB = pathlib.Path(__file__).resolve().parents[2] / "web"
TYPESCRIPT = WEB / "node_modules/.bin/tsc"

LIBRARY = ["--library", "demo/library.csv", "--id", "id"]


class Report(CliTest):
    def facts(self, *more, model="model.json"):
        self.ok("report", model, *more, "--facts", "facts.json")
        return json.loads((self.dir / "facts.json").read_text())

    def assert_weights(self, facts, contexts):
        """Weights, shares and intervals of the facts are those that `otss weights` prints for the table."""
        has_gate, has_intervals = facts["about"]["gate"] is not None, facts["what_if"]["uncertainty"] is not None
        more = (["--gate"] if has_gate else []) + (["--interval", 0.9] if has_intervals else [])
        printed = self.rows(self.ok("weights", "model.json", contexts, *more))
        raw = self.rows(contexts)
        errors = what_if.errors_of(facts) if has_intervals else None
        self.assertEqual(len(raw), len(printed))
        for i, (row, line) in enumerate(zip(raw, printed)):
            context = [self.value(column, row[column["name"]]) for column in facts["columns"]]
            x = what_if.encode(facts, context)
            self.assertEqual(len(x), facts["what_if"]["num_encoded"])
            w, sizes = what_if.weights(facts, x)
            for factor, found, size in zip(facts["factors"], w, sizes):
                self.assertLessEqual(abs(found - float(line["w_" + factor["name"]])), 1e-12 * size, factor["name"])
            if has_gate:
                for k, share in enumerate(what_if.shares(facts, x)):
                    self.assertAlmostEqual(share, float(line[f"alpha_{k + 1}"]), delta=1e-12)
            if has_intervals and i < 5:
                for factor, found, (lo, hi) in zip(facts["factors"], w, errors.bounds(x)):
                    name = "w_" + factor["name"]
                    width = float(line[name + "_hi"]) - float(line[name + "_lo"])
                    self.assertAlmostEqual(found + lo, float(line[name + "_lo"]), delta=2e-3 * width)
                    self.assertAlmostEqual(found + hi, float(line[name + "_hi"]), delta=2e-3 * width)

    @staticmethod
    def value(column, cell):
        if cell == "":
            return None
        if cell in ("true", "false") and column["kind"] == "number":
            return float(cell == "true")
        return float(cell) if column["kind"] == "number" else cell

    def some_contexts(self, count=40):
        lines = (self.dir / "demo/contexts.csv").read_text().splitlines()
        return self.write("some.csv", "\n".join(lines[:count + 1]) + "\n")

    KINDS = {
        "map": ["--estimator", "map", "--experts", "3"],
        "bayes": ["--estimator", "bayes", "--experts", "2"],
        "mean": ["--estimator", "bayes", "--experts", "2", "--deploy", "mean"],
        "quadratic": ["--experts", "2", "--gate", "quadratic", "--estimator", "map"],
        "mlp gate": ["--experts", "2", "--gate", "mlp"],
        "terms": ["--estimator", "map", "--experts", "2", "--terms", "squares"],
        **{method: ["--method", method] for method in ("pooled", "linear", "low-rank", "mlp", "cluster", "em", "hard")},
    }

    def test_weights_shares_and_intervals_are_those_of_the_program(self):
        self.simulate()
        contexts = self.some_contexts()
        for kind, options in self.KINDS.items():
            with self.subTest(kind):
                self.ok("fit", "demo/log.csv", *self.ROLES, *options, "-o", "model.json")
                facts = self.facts()
                self.assert_weights(facts, contexts)
                self.assertEqual(facts["about"]["has_intervals"], kind in ("map", "bayes", "mean", "quadratic", "terms", "pooled"))

    def mixed_log(self, outcome, rows=500, seed=5):
        """A log with a number, a column with missing values, a text with 30 levels, true and false, and hostile names."""
        draw = random.Random(seed)
        lines = ["age,income,\"</script><b>\",member,\"p\"\"rice\",spéed,y"]
        for _ in range(rows):
            age, price, speed = draw.uniform(20, 70), draw.gauss(0, 1), draw.gauss(0, 1)
            income = "" if draw.random() < 0.2 else f"{draw.gauss(50, 10):.3f}"
            town, member = draw.choice([f"<!-- {i}" for i in range(30)]), draw.random() < 0.4
            eta = (1 if age > 45 else -1) * price + 0.5 * speed
            lines.append(f"{age:.3f},{income},{town},{str(member).lower()},{price:.4f},{speed:.4f},{outcome(draw, eta)}")
        return "\n".join(lines) + "\n"

    MIXED = ["--context", '"age","income","</script><b>","member"', "--factors", '"p""rice",spéed', "--outcome", "y"]

    def test_texts_missing_values_and_unknown_levels_are_encoded_as_the_program_does(self):
        outcomes = {"bernoulli": lambda draw, eta: int(draw.random() < 1 / (1 + 2.7 ** -eta)),
                    "gaussian": lambda draw, eta: f"{eta + draw.gauss(0, 1):.4f}",
                    "poisson": lambda draw, eta: int(draw.expovariate(2.7 ** -eta))}
        for family, outcome in outcomes.items():
            with self.subTest(family):
                text = self.mixed_log(outcome)
                self.write("log.csv", text)
                self.ok("fit", "log.csv", *self.MIXED, "--family", family, "--experts", "2", "-o", "model.json")
                facts = self.facts("log.csv")
                rows = text.splitlines()[:30] + ["30,,,,0,0,0", "31,12,elsewhere,true,0,0,0", ",, <!-- 3 ,false,0,0,0"]
                self.write("some.csv", "\n".join(rows) + "\n")
                self.assert_weights(facts, "some.csv")
                self.assertEqual(facts["about"]["log_rows"], 500)
                self.assertEqual(facts["columns"][2]["levels"][0], "<!-- 0")

    def test_decisions_and_certificates_are_those_of_the_program(self):
        for options in (["--estimator", "map"], ["--estimator", "bayes"]):
            self.fitted(*options)
            facts = self.facts(*LIBRARY)
            contexts = self.some_contexts(6)
            printed = self.rows(self.ok("decide", "model.json", contexts, *LIBRARY, "--certify", 0.9, "--top", 3))
            errors, library = what_if.errors_of(facts), facts["what_if"]["library"]
            for row, context in enumerate(self.rows(contexts), 1):
                x = what_if.encode(facts, [float(context[c["name"]]) for c in facts["columns"]])
                w, _ = what_if.weights(facts, x)
                scores = [what_if.score(w, z) for z in library["factors"]]
                best = sorted(range(len(scores)), key=lambda d: -scores[d])[:3]
                lines = [line for line in printed if line["row"] == str(row)]
                self.assertEqual([library["ids"][d] for d in best], [line["decision"] for line in lines])
                for d, line in zip(best, lines):
                    self.assertAlmostEqual(scores[d], float(line["score"]), delta=1e-9)
                    certified, bound = what_if.certificate(facts, errors, x, d, 0.9)
                    self.assertAlmostEqual(bound, float(line["regret_bound"]), delta=5e-3 * max(1, abs(bound)))
                    if abs(float(line["margin"])) > 1e-3:
                        self.assertEqual(str(certified).lower(), line["certified"])

    def test_segments_of_the_model_file_are_those_that_the_fit_stored(self):
        self.fitted()
        facts = self.facts()
        stored = json.loads((self.dir / "model.json").read_text())["provenance"]["diagnostics"]["segments"]
        self.assertEqual(facts["segments"]["source"], "training")
        for segment in facts["segments"]["list"]:
            fitted = stored[segment["expert"] - 1]
            self.assertAlmostEqual(segment["share"], fitted["share"], delta=1e-5)
            for estimate, weight in zip(segment["weights"], fitted["weights"]):
                self.assertAlmostEqual(estimate["value"], weight, delta=1e-5 * max(1, abs(weight)))
                self.assertLess(estimate["lo"], estimate["value"])

    def test_segments_on_a_log_are_means_of_its_weights(self):
        self.fitted()
        facts = self.facts("demo/test.csv", *LIBRARY)
        rows = self.rows(self.ok("weights", "model.json", "demo/test.csv", "--gate"))
        num_experts = facts["about"]["experts"]
        for segment in facts["segments"]["list"]:
            k = segment["expert"]
            share = sum(float(row[f"alpha_{k}"]) for row in rows) / len(rows)
            self.assertAlmostEqual(segment["share"], share, delta=1e-5)
            members = [row for row in rows
                       if max(range(1, num_experts + 1), key=lambda e: float(row[f"alpha_{e}"])) == k]
            self.assertAlmostEqual(segment["members"], len(members) / len(rows), delta=1e-5)
            for factor, estimate in zip(facts["factors"], segment["weights"]):
                mean = sum(float(row["w_" + factor["name"]]) for row in members) / len(members)
                self.assertAlmostEqual(estimate["value"], mean, delta=1e-5 * max(1, abs(mean)))

    def test_the_answer_is_that_of_fit_and_evaluate(self):
        demo = self.simulate()
        fitted = json.loads(self.ok("fit", f"{demo}/log.csv", *self.ROLES, "--experts", "2", "-o", "model.json", "--json"))
        policy = ["--propensity", "propensity", "--decision", "decision"]
        facts = self.facts("demo/test.csv", *LIBRARY, *policy)
        heterogeneity, found = fitted["heterogeneity"], facts["answer"]["heterogeneity"]
        self.assertEqual(found["supported"], heterogeneity["supported"])
        self.assertAlmostEqual(found["gain"]["value"], heterogeneity["gain"], delta=1e-5)
        evaluated = self.json("evaluate", "model.json", "demo/test.csv", *LIBRARY, *policy)
        for name, theirs in {"value": "doubly_robust", "logging": "logging_policy", "gain": "gain", "ips": "ips"}.items():
            for part in ("value", "lo", "hi"):
                self.assertAlmostEqual(facts["answer"]["policy"][name][part], evaluated[theirs][part], delta=1e-5)
        self.assertAlmostEqual(facts["trust"]["on_log"]["log_loss"]["value"], evaluated["log_loss"], delta=1e-5)

    @unittest.skipUnless(TYPESCRIPT.exists(), "the page was built elsewhere")
    def test_facts_have_the_types_that_the_page_expects(self):
        """TypeScript checks each document as a literal: a field that is missing, unknown or of another type is an error."""
        documents = []
        self.simulate(n=300)
        for options, more in ((["--estimator", "map"], ["demo/test.csv", *LIBRARY, "--propensity", "propensity", "--decision", "decision"]),
                              (["--estimator", "bayes", "--experts", "2"], ["demo/test.csv"]), (["--method", "linear"], LIBRARY),
                              (["--method", "mlp"], []), (["--method", "cluster"], []), (["--method", "pooled"], ["demo/log.csv"])):
            self.ok("fit", "demo/log.csv", *self.ROLES, *options, "-o", "model.json")
            documents.append(self.facts(*more))
        self.write("compare.json", self.ok("compare", "demo/log.csv", *self.ROLES, "--methods", "linear", "--experts", "2", "--json"))
        documents.append(self.facts("--compare", "compare.json"))
        self.write("log.csv", self.mixed_log(lambda draw, eta: f"{eta + draw.gauss(0, 1):.4f}"))
        self.ok("fit", "log.csv", *self.MIXED, "--family", "gaussian", "--experts", "2", "--estimator", "map", "-o", "model.json")
        documents.append(self.facts("log.csv"))
        self.ok("simulate", "panel", "--units", "60", "--rows", "8", "-o", "panel")
        self.ok("fit", "panel/log.csv", *self.panel_roles(), "--experts", "1", "--unit", "unit", "-o", "model.json")
        documents.append(self.facts("panel/test.csv", "--history", "panel/log.csv"))
        lines = [f'import type {{ Facts }} from "{WEB}/src/facts";']
        lines += [f"export const facts{i}: Facts = {json.dumps(facts)};" for i, facts in enumerate(documents)]
        self.write("facts.ts", "\n".join(lines))
        done = subprocess.run([TYPESCRIPT, "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", self.dir / "facts.ts"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[:3000])

    def panel_roles(self):
        columns = (self.dir / "panel/log.csv").read_text().split("\n", 1)[0].split(",")
        return ["--context", ",".join(c for c in columns if c.startswith("x")),
                "--factors", ",".join(c for c in columns if c.startswith("z")), "--outcome", "y"]

    def test_hostile_names_are_text(self):
        self.write("log.csv", self.mixed_log(lambda draw, eta: int(draw.random() < 1 / (1 + 2.7 ** -eta))))
        self.ok("fit", "log.csv", *self.MIXED, "--experts", "2", "--estimator", "map", "-o", "model.json")
        self.write("library.csv", 'id,"p""rice",spéed\n</script><script>alert(1),1,0\n\u202eabc 😀,0,1\n' + "x" * 300 + ",1,1\n")
        self.ok("report", "model.json", "log.csv", "--library", "library.csv", "--id", "id", "--facts", "facts.json", "-o", "report.html")
        page = (self.dir / "report.html").read_text()
        self.assertNotIn("<script>alert", page)
        self.assertNotIn("<!-- 3", page)

        class Reader(html.parser.HTMLParser):
            text = None

            def handle_starttag(self, tag, attrs):
                self.inside = tag == "script" and dict(attrs).get("id") == "facts"

            def handle_data(self, data):
                if getattr(self, "inside", False):
                    self.text = (self.text or "") + data

        reader = Reader()
        reader.feed(page)
        self.assertEqual(json.loads(reader.text), json.loads((self.dir / "facts.json").read_text()))

    def test_the_page_does_not_depend_on_threads(self):
        self.fitted()
        self.assertEqual(*[self.facts("demo/test.csv", *LIBRARY, "--threads", threads) for threads in (1, 2)])

    def test_a_centred_model_says_that_it_needs_candidates(self):
        self.simulate()
        log, library = self.rows("demo/log.csv"), self.rows("demo/library.csv")
        self.write("depots.csv", "\n".join(["depot,x1,z1,z2,decision,y"] + [
            f"{int(r['decision'][1:]) % 3},{r['x1']},{r['z1']},{r['z2']},{r['decision']},{r['y']}" for r in log]) + "\n")
        self.write("offers.csv", "\n".join(["depot,id,z1,z2"] + [
            f"{int(r['id'][1:]) % 3},{r['id']},{r['z1']},{r['z2']}" for r in library]) + "\n")
        candidates = ["--candidates", "offers.csv", "--context-id", "depot"]
        self.ok("fit", "depots.csv", "--context", "x1", "--factors", "z1,z2", "--outcome", "y", "--experts", "2", "--center-factors",
                *candidates, "-o", "model.json")
        without, given = self.facts("depots.csv"), self.facts("depots.csv", *candidates, "--id", "id")
        self.assertIn("--candidates CAND --context-id depot", " ".join(without["trust"]["warnings"]))
        self.assertIsNone(without["trust"]["on_log"])
        self.assertEqual(given["trust"]["warnings"], [])
        evaluated = self.json("evaluate", "model.json", "depots.csv", "--candidates", "offers.csv")
        self.assertAlmostEqual(given["trust"]["on_log"]["log_loss"]["value"], evaluated["log_loss"], delta=1e-5)
        self.assertEqual(given["factors"][0]["sd_over"], "candidates")

    def test_a_model_without_weights_is_refused(self):
        self.simulate()
        self.ok("fit", "demo/log.csv", *self.ROLES, "--method", "gbm", "-o", "model.json")
        self.refused("report", "model.json", "-o", "report.html", says=["gbm", "no weights"])
        self.assertFalse((self.dir / "report.html").exists())

    def test_options_that_need_others_are_refused(self):
        self.fitted("--estimator", "map")
        for options, says in {
            (): ["-o report.html", "--facts"],
            ("--library", "demo/library.csv", "-o", "r.html"): ["--id COL"],
            ("--id", "id", "-o", "r.html"): ["--id", "--library"],
            ("--candidates", "c.csv", "--id", "id", "-o", "r.html"): ["--context-id"],
            ("--candidates", "c.csv", "--context-id", "c", "--id", "id", "-o", "r.html"): ["--candidates", "LOG"],
            ("--propensity", "p", "-o", "r.html"): ["--propensity", "LOG"],
            ("demo/test.csv", "--decision", "decision", "-o", "r.html"): ["--decision", "--library"],
            ("--in-sample", "-o", "r.html"): ["--in-sample", "--propensity"],
            ("--history", "demo/log.csv", "-o", "r.html"): ["--history", "LOG"],
            ("-o", "model.json"): ["model.json", "input"],
            ("-o", "r.html", "--facts", "r.html"): ["r.html"],
            ("demo/nowhere.csv", "-o", "r.html"): ["nowhere.csv"],
        }.items():
            with self.subTest(options):
                self.refused("report", "model.json", *options, says=says)
        self.assertFalse((self.dir / "r.html").exists())
