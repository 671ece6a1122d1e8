"""The results so far, a line of JSON each, so that a run can be stopped and resumed and finished peers are not run again."""
import json


class Results:
    """Results by set, split, method and recipe. A recipe is a digest of rows, program and options, so that a result is
    used again only while nothing that decides it has changed."""

    KEY = ("set", "split", "method", "recipe")

    def __init__(self, path):
        self.path = path
        self.found = {}
        if path.exists():
            for line in path.read_text().splitlines():
                self.remember(json.loads(line))

    def remember(self, result):
        self.found[tuple(result[name] for name in self.KEY)] = result

    def get(self, *key):
        return self.found.get(key)

    def add(self, result):
        self.remember(result)
        with open(self.path, "a") as file:
            file.write(json.dumps(result) + "\n")
