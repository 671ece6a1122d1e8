"""Every command in the documentation is run; every folder it names is there."""
import pathlib
import re
import subprocess
import os

from otss_cli import OTSS, CliTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands(page):
    """The shell blocks of a page, less the lines that build the program this test already has."""
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines if not line.startswith(("./dev", "git clone", "cd "))]


class Docs(CliTest):
    def test_every_command_runs(self):
        ran = 0
        for number, page in enumerate(PAGES):
            folder = self.dir / str(number)
            folder.mkdir()
            bin_dir = self.dir / "bin"
            bin_dir.mkdir(exist_ok=True)
            if not (bin_dir / "otss").exists():
                (bin_dir / "otss").symlink_to(OTSS)
            for line in commands(page):
                with self.subTest(page=page.name, command=line):
                    done = subprocess.run(["bash", "-euo", "pipefail", "-c", line], cwd=folder, capture_output=True,
                                          text=True, env={**os.environ, "PATH": f"{bin_dir}:{os.environ['PATH']}"})
                    # `head` may close a pipe early; nothing else may fail.
                    self.assertEqual(done.returncode, 0, done.stderr)
                    ran += 1
        self.assertGreater(ran, 15)

    def test_folders_it_names_exist(self):
        for page in PAGES:
            for name in re.findall(r"`((?:src|apps|include|tests|bench|docs|tools)/[A-Za-z0-9_./-]*)`", page.read_text()):
                self.assertTrue((ROOT / name).exists(), f"{page.name} names {name}")

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page.name} links to {target}")
