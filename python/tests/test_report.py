"""The report page of a model."""
import html
import json
import os
import re
import tempfile
import unittest

import otss
from fixtures import LIBRARY, log, model
from test_same_numbers import command_line
from test_units import panel


class Pages(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name

    def test_the_numbers_are_those_of_the_command_line(self):
        at = files_in(self.folder)
        model().save(at("model.json"))
        log().to_csv(at("log.csv"), index=False)
        LIBRARY.to_csv(at("library.csv"), index=False)
        command_line(self.folder, "report", "model.json", "log.csv", "--library", "library.csv", "--id", "offer", "--facts", "theirs.json")
        page = model().report(at("ours.html"), log(), library=LIBRARY, id="offer", facts=at("ours.json"))
        with open(at("theirs.json")) as file:
            theirs = json.load(file)
        with open(at("ours.json")) as file:
            self.assertEqual(json.load(file), page.facts)
        self.assertEqual(set(page.facts), set(theirs))
        for section in set(theirs) - {"about", "origin"}:  # these have the names of files
            self.assertEqual(page.facts[section], theirs[section], section)
        with open(at("ours.html")) as file:
            self.assertEqual(file.read(), page.html)

    def test_a_notebook_shows_the_page_in_a_frame(self):
        page = model().report()
        shown = page._repr_html_()
        self.assertEqual(html.unescape(re.search('srcdoc="([^"]*)"', shown).group(1)), page.html)
        self.assertIn('sandbox="allow-scripts"', shown)
        self.assertRegex(repr(page), r"Page\(\d+\.\d MB of HTML\)")

    def test_units_have_their_history(self):
        _, rows, of_units, _, _ = panel()
        with_history = of_units.report(log=rows.test, history=rows.log).facts
        self.assertNotEqual(with_history, of_units.report(log=rows.test).facts)

    def test_mistakes(self):
        trees = otss.BoostedTrees().fit(log()[["age"]], log()[["price", "hours"]], log()["kept"])
        for act, words in ((lambda: model().report(history=log()), "history needs log"),
                           (lambda: model().report(propensity="p"), "propensity needs log"),
                           (lambda: model().report(facts="facts.json"), "facts needs path"),
                           (lambda: model().report("/nowhere/report.html"), "nowhere"),
                           (lambda: otss.OTSS().report(), "not fitted"),
                           (lambda: trees.report(), "no weights|gbm")):
            with self.assertRaisesRegex(otss.Error, words):
                act()


def files_in(folder):
    return lambda name: os.path.join(folder, name)


if __name__ == "__main__":
    unittest.main()
