"""The wheel carries what it needs."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

import otss

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python/backend"))
import otss_backend  # noqa: E402

SHOW_LIBRARIES = """
import sys
import json, logging, shutil, tempfile  # these load libraries of Python
import numpy
def libraries():
    return {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
before = libraries()
sys.path.insert(0, sys.argv[1])
import otss
otss.Pooled().fit([[0.0], [1], [2], [3]] * 50, [[0.0], [1], [1], [0]] * 50, [0, 1, 0, 1] * 50)
print(libraries() - before)
"""


class TheWheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        name = otss_backend.write_wheel(cls.place.name, pathlib.Path(os.path.dirname(otss._core.__file__)))
        cls.wheel = pathlib.Path(cls.place.name) / name
        cls.folder = pathlib.Path(cls.place.name) / "unpacked"
        with zipfile.ZipFile(cls.wheel) as wheel:
            wheel.extractall(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_it_loads_no_library_that_it_does_not_carry(self):
        run = subprocess.run([sys.executable, "-I", "-c", SHOW_LIBRARIES, self.folder], env={}, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        for path in map(pathlib.PurePath, eval(run.stdout)):
            of_python = "lib-dynload" in path.parts
            ours = self.folder in path.parents
            self.assertTrue(ours or of_python or otss_backend.OF_LIBC.match(path.name), path)

    def test_it_has_the_version_of_the_program(self):
        self.assertEqual(otss_backend.project()["version"], otss.__version__)
        self.assertTrue(self.wheel.name.startswith(f"otss-{otss.__version__}-cp"))

    def test_every_file_is_in_the_record(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            names = set(wheel.namelist())
            record = wheel.read(next(name for name in names if name.endswith("RECORD"))).decode().splitlines()
        self.assertEqual({line.split(",")[0] for line in record}, names)
        for wanted in ("otss/py.typed", "otss/_core.pyi", "otss/plot.py", "otss/libs/libduckdb.so"):
            self.assertIn(wanted, names)

    def test_pip_installs_it_without_a_registry(self):
        target = pathlib.Path(self.place.name) / "target"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(target), str(self.wheel)]
        subprocess.run(pip, check=True, capture_output=True)
        self.assertTrue((target / "otss/__init__.py").exists())


if __name__ == "__main__":
    unittest.main()
