"""The house's own rules: layers, a README per room, the quickstart."""
import pathlib
import subprocess

from otss_cli import OTSS, CliTest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class House(CliTest):
    def test_rooms_use_only_what_they_may(self):
        done = subprocess.run([ROOT / "tools/check_layers"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_every_room_says_what_it_is_for_in_twenty_lines(self):
        for room in sorted((ROOT / "src").iterdir()):
            readme = room / "README.md"
            self.assertTrue(readme.exists(), readme)
            self.assertLessEqual(len(readme.read_text().splitlines()), 20, readme)

    def test_quickstart_ends_with_decisions_and_regret(self):
        done = subprocess.run([ROOT / "tools/quickstart", OTSS, str(self.dir / "demo")], capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("expert 1", "w_z1", "decision,score,margin", "regret", "Next, with your own log"):
            self.assertIn(part, done.stdout)
