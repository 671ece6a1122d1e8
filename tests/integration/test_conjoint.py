"""The commands of docs/examples/conjoint.md, which need R with the package bayesm."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from otss_cli import OTSS, CliTest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/examples/conjoint.md"


def has_bayesm():
    return shutil.which("Rscript") is not None and subprocess.run(
        ["Rscript", "-e", 'quit(status = !requireNamespace("bayesm", quietly = TRUE))'], capture_output=True).returncode == 0


class Conjoint(CliTest):
    @unittest.skipUnless(has_bayesm(), "R with the package bayesm is not installed")
    def test_every_command_runs(self):
        (self.dir / "bin").mkdir()
        (self.dir / "bin/otss").symlink_to(OTSS)
        lines = [line for block in re.findall(r"^```bash\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
                 for line in block.splitlines()]
        self.assertGreater(len(lines), 5)
        said = {}
        for line in lines:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", line], cwd=self.dir, capture_output=True, text=True,
                                  env={**os.environ, "PATH": f"{self.dir / 'bin'}:{os.environ['PATH']}"})
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")
            said[line] = done.stdout
        new, known = (self.log_loss(said[line]) for line in lines if line.startswith("otss evaluate"))
        self.assertLess(known, new - 0.04)

    def log_loss(self, text):
        return float(re.search(r"log_loss +([0-9.]+)", text).group(1))
