"""What the command-line tests share: run otss on files in a folder of their own."""
import csv
import functools
import hashlib
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

OTSS = os.environ["OTSS"]


def readelf(*options):
    return subprocess.run(["readelf", "-W", *options, OTSS], capture_output=True, text=True, check=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


@functools.cache
def is_sanitized():
    symbols = readelf("--dyn-syms")
    return "__asan_init" in symbols or "__tsan_init" in symbols


class CliTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.dir = pathlib.Path(holder.name)

    def otss(self, *args, stdin=None, env=None):
        return subprocess.run([OTSS, *map(str, args)], cwd=self.dir, input=stdin, capture_output=True, text=True,
                              env={**os.environ, **(env or {})}, timeout=3000 if is_sanitized() else 300)

    def ok(self, *args, **more):
        done = self.otss(*args, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def json(self, *args, **more):
        return json.loads(self.ok(*args, "--json", **more))

    def refused(self, *args, says, code=2, **more):
        """The command must fail with one clear line that holds every text of `says`."""
        done = self.otss(*args, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("otss: note:")]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("otss: error: "), lines[0])
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, lines[0])
        return lines[0]

    def write(self, name, text):
        (self.dir / name).write_text(text)
        return name

    def write_sealed(self, name, document):
        """Writes a changed model file with the checksum of what it holds now."""
        document.pop("checksum", None)
        text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        document["checksum"] = hashlib.sha256(text.encode()).hexdigest()
        return self.write(name, json.dumps(document, ensure_ascii=False))

    def rows(self, text_or_file):
        text = text_or_file if "\n" in text_or_file else (self.dir / text_or_file).read_text()
        return list(csv.DictReader(io.StringIO(text)))

    def simulate(self, name="demo", *, n=600, seed=3):
        self.ok("simulate", "overlap", "--n", n, "--seed", seed, "-o", name)
        return name

    ROLES = ["--context", ",".join(f"x{i}" for i in range(1, 11)),
             "--factors", ",".join(f"z{i}" for i in range(1, 9)), "--outcome", "y"]

    def fitted(self, *more, n=600):
        demo = self.simulate(n=n)
        self.ok("fit", f"{demo}/log.csv", *self.ROLES, "--experts", 2, "-o", "model.json", *more)
        return "model.json"
