"""Layers and the quickstart. What can be counted is in tools/check_house."""
import pathlib
import subprocess

from otss_cli import OTSS, CliTest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class House(CliTest):
    def test_rooms_use_only_what_they_may(self):
        done = subprocess.run([ROOT / "tools/check_layers"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_quickstart_ends_with_decisions_regret_and_a_report(self):
        done = subprocess.run([ROOT / "tools/quickstart", OTSS, str(self.dir / "demo")], capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("expert 1", "w_z1", "decision,score,margin", "regret", "Next, with your own log"):
            self.assertIn(part, done.stdout)
        size = (self.dir / "demo/report.html").stat().st_size
        self.assertLessEqual(size, 600_000, "the page is to be mailed")
