"""Examples in docstrings, pages and notebooks run; the types are complete."""
import doctest
import importlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

import matplotlib.pyplot as plt

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if "```python" in page.read_text()]
MODULES = sorted(path.stem for path in (ROOT / "python/otss").glob("*.py"))


class Examples(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        shutil.copytree(ROOT / "examples", pathlib.Path(self.place.name) / "examples")
        self.before = os.getcwd()
        os.chdir(self.place.name)

    def tearDown(self):
        os.chdir(self.before)
        self.place.cleanup()
        plt.close("all")

    def run_blocks(self, blocks, name):
        names = {"__name__": "__main__", "print": lambda *unused: None}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for block in blocks:
                exec(compile(block, str(name), "exec"), names)

    def test_docstrings(self):
        ran = 0
        for stem in MODULES:
            module = importlib.import_module("otss" if stem == "__init__" else f"otss.{stem}")
            result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
            self.assertEqual(result.failed, 0, stem)
            ran += result.attempted
        self.assertGreater(ran, 30)

    def test_pages(self):
        self.assertGreaterEqual(len(PAGES), 2)
        for page in PAGES:
            with self.subTest(page.name):
                self.run_blocks(re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL), page)

    def test_the_example_program(self):
        run = subprocess.run([sys.executable, ROOT / "examples/python/first_steps.py"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"Ada +saver +\S+ +True")

    def test_notebooks(self):
        notebooks = sorted((ROOT / "examples").glob("*.ipynb"))
        self.assertGreaterEqual(len(notebooks), 3)
        for notebook in notebooks:
            with self.subTest(notebook.name):
                cells = json.loads(notebook.read_text())["cells"]
                os.chdir(pathlib.Path(self.place.name) / "examples")
                self.run_blocks(["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"], notebook)


class Types(unittest.TestCase):
    def test_mypy_is_content(self):
        with tempfile.TemporaryDirectory() as cache:
            run = subprocess.run(["mypy", "--config-file", "pyproject.toml", "--cache-dir", cache], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout)


if __name__ == "__main__":
    unittest.main()
