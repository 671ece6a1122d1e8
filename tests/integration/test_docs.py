"""Every command in the documentation is run, and prints what the documentation shows; every folder it names is there."""
import json
import os
import pathlib
import re
import subprocess

from otss_cli import OTSS, CliTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands(page):
    """The shell blocks of a page, less the lines that build the program this test already has."""
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines if not line.startswith(("./dev", "git clone", "cd "))]


def outputs(page):
    """The lines that a page shows as printed by its commands, but for those with a time."""
    blocks = re.findall(r"^```output\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines if line and not re.search(r" in [\d.]+ s$", line)]


def prints_the_same_digits():
    """Whether this program has the last digits of the one that the outputs are from: optimised, with the AVX-512 kernels."""
    version = json.loads(subprocess.run([OTSS, "version", "--json"], capture_output=True, text=True, check=True).stdout)
    return os.environ.get("OTSS_BUILD_TYPE") == "Release" and version["instruction_set"] == "avx512"


class Docs(CliTest):
    def test_every_command_runs(self):
        ran = 0
        same_digits = prints_the_same_digits()
        for number, page in enumerate(PAGES):
            folder = self.dir / str(number)
            folder.mkdir()
            bin_dir = self.dir / "bin"
            bin_dir.mkdir(exist_ok=True)
            if not (bin_dir / "otss").exists():
                (bin_dir / "otss").symlink_to(OTSS)
            printed = []
            for line in commands(page):
                with self.subTest(page=page.name, command=line):
                    done = subprocess.run(["bash", "-euo", "pipefail", "-c", line], cwd=folder, capture_output=True,
                                          text=True, env={**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}"})
                    # `head` may close a pipe early; nothing else may fail.
                    self.assertEqual(done.returncode, 0, done.stderr)
                    printed += [*done.stdout.splitlines(), *done.stderr.splitlines()]
                    ran += 1
            for line in outputs(page) if same_digits else ():
                # The end of a line, such as a column of seconds, may be left out.
                with self.subTest(page=page.name, output=line):
                    self.assertTrue(any(shown.startswith(line) for shown in printed), "no command of the page prints this line")
        self.assertGreater(ran, 15)

    def test_folders_it_names_exist(self):
        for page in PAGES:
            for name in re.findall(r"`((?:src|apps|include|tests|bench|docs|tools)/[A-Za-z0-9_./-]*)`", page.read_text()):
                self.assertTrue((ROOT / name).exists(), f"{page.name} names {name}")

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page.name} links to {target}")
