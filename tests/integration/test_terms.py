"""Terms: factors that are computed from columns, as users write them."""
import hashlib
import json
import math
import random

from otss_cli import CliTest

TERMS = "price,health,price^2,price*health,log(1+stock)"


class Terms(CliTest):
    def log(self, name="log.csv", *, rows=1500, seed=4, curve=True, first=0):
        """A log whose buyers like a middle price (with `curve`), and health where the price is high."""
        draw = random.Random(seed)
        lines = ["age,price,health,stock,y,row"]
        for i in range(rows):
            age, price, health = draw.gauss(40, 10), draw.uniform(0, 4), draw.gauss(0, 1)
            stock = draw.randrange(20)
            eta = -1 + 0.3 * price + 0.3 * health + 0.2 * math.log(1 + stock)
            if curve:
                eta += 1.2 * price - 0.5 * price ** 2 + 0.4 * price * health
            y = int(draw.random() < 1 / (1 + math.exp(-eta)))
            lines.append(f"{age:.3f},{price:.4f},{health:.4f},{stock},{y},{first + i}")
        return self.write(name, "\n".join(lines) + "\n")

    def library(self):
        return self.write("library.csv", "id,price,health,stock\ncheap,0.2,0,1\nmiddle,1.6,0,1\ndear,3.9,0,1\nbad,1.6,-2,1\n")

    def fit(self, *more, factors=TERMS, log=None):
        return ["fit", log or self.log(), "--context", "age", "--factors", factors, "--outcome", "y", "--method", "pooled",
                "-o", "m.json", *more]

    def test_a_library_gets_them_from_its_own_columns(self):
        self.ok(*self.fit())
        self.write("people.csv", "age\n30\n50\n")
        decisions = self.rows(self.ok("decide", "m.json", "people.csv", "--library", self.library(), "--id", "id"))
        self.assertEqual({row["decision"] for row in decisions}, {"middle"})
        self.ok(*self.fit(factors="price,health"))
        decisions = self.rows(self.ok("decide", "m.json", "people.csv", "--library", "library.csv", "--id", "id"))
        self.assertNotEqual({row["decision"] for row in decisions}, {"middle"})

    def test_explanations_are_by_the_users_own_columns_and_add_up(self):
        self.ok(*self.fit())
        self.write("people.csv", "age\n30\n")
        row = self.rows(self.ok("decide", "m.json", "people.csv", "--library", self.library(), "--id", "id", "--explain"))[0]
        contributions = {name: float(value) for name, value in row.items() if name.startswith("c_")}
        self.assertEqual(sorted(contributions), ["c_health", "c_price", "c_stock"])
        self.assertAlmostEqual(sum(contributions.values()), float(row["score"]), places=9)
        margins = [float(value) for name, value in row.items() if name.startswith("d_")]
        self.assertAlmostEqual(sum(margins), float(row["margin"]), places=9)
        weights = self.rows(self.ok("weights", "m.json", "people.csv"))[0]
        z = {"price": 1.6, "health": 0.0, "price^2": 1.6 ** 2, "price*health": 0.0, "log(1+stock)": math.log(2)}
        self.assertEqual([name for name in weights], [f"w_{name}" for name in TERMS.split(",")])
        self.assertAlmostEqual(sum(float(weights[f"w_{name}"]) * z[name] for name in z), float(row["score"]), places=9)
        self.assertAlmostEqual(contributions["c_price"],
                               float(weights["w_price"]) * 1.6 + float(weights["w_price^2"]) * 1.6 ** 2, places=9)

    def test_candidates_intervals_and_certificates_have_them(self):
        self.ok(*self.fit())
        self.write("people.csv", "who,age\nann,30\nbob,50\n")
        self.write("offers.csv", "who,id,price,health,stock\nann,cheap,0.2,0,1\nann,middle,1.6,0,1\nbob,dear,3.9,0,1\nbob,middle,1.6,0,1\n")
        rows = self.rows(self.ok("decide", "m.json", "people.csv", "--candidates", "offers.csv", "--context-id", "who",
                                 "--id", "id", "--certify", 0.9))
        self.assertEqual([(row["decision"], row["certified"]) for row in rows], [("middle", "true")] * 2)
        self.assertIn("w_price*health_lo", self.rows(self.ok("weights", "m.json", "people.csv", "--interval", 0.9))[0])

    def test_evaluate_makes_them(self):
        self.ok(*self.fit())
        test = self.log("test.csv", rows=800, seed=5)
        curved = self.json("evaluate", "m.json", test)["log_loss"]
        self.ok(*self.fit(factors="price,health,stock"))
        self.assertLess(curved, self.json("evaluate", "m.json", test)["log_loss"] - 0.02)

    def test_a_policy_is_valued_with_them(self):
        self.ok(*self.fit())
        draw = random.Random(6)
        offers = [("cheap", 0.2, 0), ("middle", 1.6, 0), ("dear", 3.9, 0), ("bad", 1.6, -2)]
        lines = ["age,price,health,stock,id,p,y"]
        for _ in range(400):
            name, price, health = draw.choice(offers)
            eta = -1 + 1.5 * price - 0.5 * price ** 2 + 0.3 * health + 0.4 * price * health
            lines.append(f"40,{price},{health},1,{name},0.25,{int(draw.random() < 1 / (1 + math.exp(-eta)))}")
        self.write("played.csv", "\n".join(lines) + "\n")
        value = self.json("evaluate", "m.json", "played.csv", "--propensity", "p", "--decision", "id", "--library",
                          self.library(), "--id", "id")
        self.assertGreater(value["gain"]["value"], 0)
        # The rows of the fit are recognised, although terms are no columns of the table.
        self.ok(*self.fit(log="played.csv", factors="price,health,price^2"))
        self.refused("evaluate", "m.json", "played.csv", "--propensity", "p", "--decision", "id", "--library", "library.csv",
                     "--id", "id", says=["fitted on these rows", "--in-sample"])

    def test_the_model_file_has_them(self):
        self.ok(*self.fit())
        model = json.loads((self.dir / "m.json").read_text())
        terms = {factor["name"]: factor.get("term") for factor in model["schema"]["factors"]}
        self.assertEqual(terms["price"], None)
        self.assertEqual(terms["price*health"], {"kind": "product", "of": ["price", "health"]})
        self.assertEqual(terms["log(1+stock)"], {"kind": "log of 1 plus", "of": ["stock"]})
        # --from repeats the terms on another log.
        self.ok("fit", self.log("new.csv", seed=9), "--from", "m.json", "-o", "new.json")
        self.assertIn("price*health", (self.dir / "new.json").read_text())

    def test_from_repeats_added_terms_and_their_shrinkage_unless_terms_are_asked_for(self):
        # Buyers who want no pairs: what is added is shrunk.
        self.ok(*self.fit("--terms", "pairs", factors="price,health,stock", log=self.log(curve=False)))
        self.ok("fit", "log.csv", "--from", "m.json", "-o", "same.json")
        self.ok("fit", "log.csv", "--from", "m.json", "--terms", "none", "-o", "plain.json")
        first, same, plain = (json.loads((self.dir / name).read_text()) for name in ("m.json", "same.json", "plain.json"))
        self.assertNotEqual(first["schema"]["term_shrinkage"], 1)
        self.assertEqual((first["schema"], first["experts"]), (same["schema"], same["experts"]))
        self.assertEqual([factor["name"] for factor in plain["schema"]["factors"]], ["price", "health", "stock"])

    def test_a_model_file_with_a_wrong_term_is_refused(self):
        self.ok(*self.fit())
        for term, says in [({"kind": "cube", "of": ["price"]}, "this version of otss does not know"),
                           ({"kind": "square", "of": ["health"]}, "another term than its name says"),
                           ({"kind": "square", "of": []}, "another term than its name says"),
                           ({"kind": "square"}, "of"), ({"kind": "square", "of": ["price"], "more": 1}, "more")]:
            model = json.loads((self.dir / "m.json").read_text())
            del model["checksum"]
            model["schema"]["factors"][2]["term"] = term
            plain = json.dumps(model, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            model["checksum"] = hashlib.sha256(plain.encode()).hexdigest()
            self.write("wrong.json", json.dumps(model))
            self.refused("inspect", "wrong.json", says=says)

    def test_a_plan_is_refused_with_the_reason(self):
        self.ok(*self.fit())
        self.write("people.csv", "age\n30\n")
        self.write("plan.lp", "Maximize\n obj: a\nSubject To\n c: a <= 1\nEnd\n")
        self.write("map.csv", "variable,factor,coefficient\na,price,1\n")
        says = ["price^2", "not linear in the variables of a plan", "--library"]
        self.refused("decide", "m.json", "people.csv", "--mps", "plan.lp", "--factor-map", "map.csv", says=says)
        self.refused("export-objective", "m.json", "people.csv", "--factor-map", "map.csv", "-o", "out.csv", says=says)

    def test_signs_of_a_column_that_is_in_a_term_are_refused(self):
        self.refused(*self.fit("--sign", "price=-"), says=["--sign", "'price'", "'price^2'"])
        self.refused(*self.fit("--bounds", "stock=0:1"), says=["--bounds", "'stock'"])
        self.ok(*self.fit("--sign", "price^2=-,log(1+stock)=+"))

    def test_fit_and_check_name_the_term_that_is_missing(self):
        plain = self.fit(factors="price,health")
        done = self.otss(*plain, "--json")
        self.assertIn("the outcome is not linear in the factors: the term price", done.stderr)
        self.assertIn("--terms auto", done.stderr)
        self.assertIn(json.loads(done.stdout)["missing_term"]["term"], ("price^2", "price*health", "log(price)"))
        self.assertIn("not linear in the factors", self.ok("check", "log.csv", *plain[2:8]))
        linear = self.fit(factors="price,health", log=self.log("linear.csv", curve=False))
        done = self.otss(*linear, "--json")
        self.assertNotIn("not linear", done.stderr)
        self.assertIsNone(json.loads(done.stdout)["missing_term"])
        self.assertNotIn("not linear", self.ok("check", "linear.csv", *linear[2:8]))

    def test_terms_are_chosen(self):
        auto = self.json(*self.fit("--terms", "auto", factors="price,health,stock"))
        self.assertIn("price*health", auto["terms"])
        self.assertTrue({"price^2", "log(price)"} & set(auto["terms"]), auto["terms"])
        squares = self.json(*self.fit("--terms", "squares", factors="price,health"))
        self.assertEqual(squares["terms"], ["price^2", "health^2"])
        logs = self.json(*self.fit("--terms", "logs", factors="price,health,stock"))
        self.assertEqual(logs["terms"], ["log(price)", "log(1+stock)"])
        none = self.json(*self.fit("--terms", "auto", factors="price,health", log=self.log("linear.csv", curve=False)))
        self.assertEqual(none["terms"], [])
        self.refused(*self.fit("--terms", "cubes"), says="--terms")
        self.refused(*self.fit("--terms", "auto", log="-"), stdin="age\n1\n", says=["--terms", "give a file"])

    def test_terms_of_candidates_are_centred(self):
        self.write("offers.csv", "row,price,health,stock\n" + "".join(
            f"{i},{1 + j},{j % 2},{j}\n" for i in range(1500) for j in range(3)))
        centred = self.json(*self.fit("--terms", "squares", "--center-factors", "--candidates", "offers.csv", "--context-id",
                                      "row", factors="price,health"))
        self.assertEqual(centred["terms"], ["price^2", "health^2"])
        self.assertIsNone(centred["missing_term"])
