"""Small things that new users stumbled over: each command says what it did, or what to type instead."""
import math
import random

from otss_cli import CliTest

ROLES = ["--factors", "price,health", "--outcome", "y", "--method", "pooled", "-o", "m.json"]


class SmallWords(CliTest):
    def log(self, *, people=60, rows_each=6, region=lambda i: "north"):
        """People with some rows each, whose contexts are their own."""
        draw = random.Random(5)
        lines = ["person,age,income,region,brand,price,health,y"]
        for person in range(people):
            age, income = draw.randrange(18, 80), draw.randrange(20, 90)
            for _ in range(rows_each):
                price, health = draw.uniform(0, 4), draw.gauss(0, 1)
                y = int(draw.random() < 1 / (1 + math.exp(1 - price / 2 - health)))
                lines.append(f"p{person},{age},{income},{region(person)},{draw.choice('ab')},{price:.4f},{health:.4f},{y}")
        return self.write("log.csv", "\n".join(lines) + "\n")

    def notes(self, *args):
        done = self.otss(*args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_a_person_among_the_contexts_is_recognised(self):
        said = self.notes("fit", self.log(), "--context", "all", "--exclude", "brand,region", *ROLES)
        self.assertIn("column 'person' seems to name persons", said)
        self.assertIn("give --group person, and do not name 'person' in --context", said)
        said = self.notes("fit", "log.csv", "--context", "all", "--exclude", "brand,region", "--group", "person", *ROLES)
        self.assertNotIn("seems to name persons", said)

    def test_contexts_that_do_not_name_persons_are_left_alone(self):
        said = self.notes("fit", self.log(rows_each=1), "--context", "age,income", *ROLES)
        self.assertNotIn("persons", said)

    def test_a_question_mark_among_levels_is_noted(self):
        self.log(region=lambda i: ["north", "south", "?"][i % 3])
        said = self.notes("fit", "log.csv", "--context", "age,region", *ROLES)
        self.assertIn("context 'region': '?' is a level in 120 rows; if it means missing, give --missing '?'", said)
        said = self.notes("fit", "log.csv", "--context", "age,region", "--missing", "?", *ROLES)
        self.assertNotIn("is a level", said)

    def test_terms_that_were_added_are_named(self):
        said = self.notes("fit", self.log(), "--context", "age", "--terms", "pairs", *ROLES)
        self.assertIn("--terms pairs added 1 term: price*health", said)

    def test_a_text_in_a_term_is_refused_with_the_way_out(self):
        self.log()
        self.refused("fit", "log.csv", "--context", "age", "--factors", "price,brand*price", "--outcome", "y", "-o", "m.json",
                     says=["factor 'brand*price': column 'brand' is text", "name 'brand' in --factors", "'brand=a'"])
        self.ok("fit", "log.csv", "--context", "age", "--factors", "price,brand,brand=b*price", "--outcome", "y", "--method",
                "pooled", "--reference", "brand=a", "-o", "m.json")

    def test_inspect_shows_the_options(self):
        self.ok("fit", self.log(), "--context", "age", "--folds", "4", *ROLES)
        shown = self.ok("inspect", "m.json")
        line = next(line for line in shown.splitlines() if line.startswith("options:"))
        self.assertIn("--folds 4", line)
        self.assertIn("--method pooled", line)

    def test_a_fit_from_a_centred_model_says_that_it_does_not_centre(self):
        self.log()
        self.write("candidates.csv", "person,price,health\n" + "".join(
            f"p{i},{price},{health}\n" for i in range(60) for price, health in ((1, 0), (2 + i / 60, 1))))
        self.ok("fit", "log.csv", "--context", "age", "--center-factors", "--candidates", "candidates.csv", "--context-id", "person",
                *ROLES)
        self.ok("fit", "log.csv", "--from", "m.json", "--center-factors", "--candidates", "candidates.csv", "--context-id", "person",
                "-o", "n.json")
        said = self.notes("fit", "log.csv", "--from", "m.json", "-o", "n.json")
        self.assertIn("was fitted with --center-factors, which --from does not repeat", said)
