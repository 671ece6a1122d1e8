"""Names from files can hold anything: whatever they hold, it does not reach a terminal."""
import json
import os
import pty
import subprocess
import unittest

from otss_cli import OTSS, CliTest

BAD = "z\x1b[31m\x9b2J"
SHOWN = "z\\x1b[31m\\u009b2J"


class ShownNames(CliTest):
    def setUp(self):
        super().setUp()
        rows = [{"x": i % 7, "g\x1b]0;t\x07": "a\x1b[2J" if i % 2 else "b", BAD: (i * 37 % 101) / 50 - 1, "y": (i * 7 // 3) % 2}
                for i in range(300)]
        self.write("log.json", json.dumps(rows))
        self.roles = ["--context", "x,g\x1b]0;t\x07", "--factors", BAD, "--outcome", "y"]
        self.write("lib.json", json.dumps([{"id": "d\x1b[1m", BAD: 1}, {"id": "e", BAD: 2}]))

    def assert_harmless(self, *texts):
        for text in texts:
            self.assertFalse([c for c in text if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160], repr(text))

    def test_every_text_a_command_prints_is_escaped(self):
        fit = ["fit", "log.json", *self.roles, "--estimator", "map", "--experts", 2]
        for command in [[*fit, "--dry-run"], [*fit, "-o", "m.json"], ["inspect", "m.json"], ["check", "log.json", *self.roles],
                        ["check", "log.json", *self.roles, "--library", "lib.json", "--id", "id"],
                        ["evaluate", "m.json", "log.json"], ["compare", "log.json", *self.roles, "--methods", "pooled"],
                        ["weights", "m.json", "lib.json"], ["fit", "log.json", "--context", "x", "--factors", "\x1b[1m", "--outcome", "y"]]:
            done = self.otss(*command)
            self.assertIn(done.returncode, (0, 2), done.stderr)
            self.assert_harmless(done.stdout, done.stderr)
        self.assertIn(SHOWN, self.ok("inspect", "m.json"))

    def test_a_table_is_escaped_on_a_terminal_only(self):
        self.ok("fit", "log.json", *self.roles, "--method", "pooled", "-o", "m.json")
        command = ["decide", "m.json", "log.json", "--library", "lib.json", "--id", "id"]
        self.assertIn("d\x1b[1m", self.ok(*command))
        ours, theirs = pty.openpty()
        process = subprocess.Popen([OTSS, *command], cwd=self.dir, stdout=theirs, stderr=subprocess.DEVNULL)
        os.close(theirs)
        text = b""
        while True:
            try:
                block = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            text += block
        os.close(ours)
        self.assertEqual(process.wait(), 0)
        self.assert_harmless(text.decode().replace("\r\n", "\n"))
        self.assertIn("d\\x1b[1m", text.decode())

    def test_a_nul_does_not_cut_a_message(self):
        self.write("nul.json", json.dumps([{"x": "1\x00 and more", "g\x1b]0;t\x07": "a"}]))
        self.ok("fit", "log.json", *self.roles, "--method", "pooled", "-o", "m.json")
        self.refused("weights", "m.json", "nul.json", says="'1\\x00 and more' in row 1; this value is not a number")


if __name__ == "__main__":
    unittest.main()
