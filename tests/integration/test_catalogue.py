"""A catalogue of bad input: every answer is the exit code and the one line that the catalogue has for it.

The cases are in catalogue/*.txt, three lines each:

    # what is wrong
    otss fit log.csv …            as typed; '< FILE' at the end is standard input
    2: the words of the answer    the exit code, and what follows 'otss: error: '

catalogue_files.py makes the files that the commands name. After a deliberate change of words run
`OTSS=build/otss python3 tests/integration/test_catalogue.py --update`, and read the difference.
"""
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

import catalogue_files
from otss_cli import OTSS

CATALOGUE = pathlib.Path(__file__).resolve().parent / "catalogue"
FEWEST = 200


def cases_of(path):
    """Yields (title, command, answer)."""
    lines = [line for line in path.read_text().splitlines() if line]
    assert len(lines) % 3 == 0, f"{path.name}: a case has three lines"
    for title, command, answer in zip(lines[::3], lines[1::3], lines[2::3]):
        assert title.startswith("# ") and command.startswith("otss"), f"{path.name}: {title}"
        yield title, command, answer


def answer_to(command, folder):
    words = shlex.split(command)[1:]
    given = subprocess.DEVNULL
    if len(words) > 1 and words[-2] == "<":
        given = open(folder / words[-1], "rb")
        words = words[:-2]
    done = subprocess.run([OTSS, *words], cwd=folder, stdin=given, capture_output=True, timeout=60)
    if given is not subprocess.DEVNULL:
        given.close()
    lines = [line for line in done.stderr.decode().splitlines() if not line.startswith("otss: note:")]
    return f"{done.returncode}: " + " | ".join(line.removeprefix("otss: error: ") for line in lines)


def files_in(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


class Catalogue(catalogue_files.WithFiles):
    def test_every_case_gets_its_answer(self):
        before = files_in(self.folder)
        for path in sorted(CATALOGUE.glob("*.txt")):
            for title, command, answer in cases_of(path):
                with self.subTest(path.name, case=title):
                    self.assertEqual(answer_to(command, self.folder), answer)
                    self.assertIn(answer[:2], ("1:", "2:"))
                    self.assertEqual(files_in(self.folder), before, "a refused command must not write")

    def test_the_catalogue_is_large_and_has_no_case_twice(self):
        commands = [command for path in CATALOGUE.glob("*.txt") for _, command, _ in cases_of(path)]
        self.assertGreaterEqual(len(commands), FEWEST)
        self.assertEqual(len(commands), len(set(commands)))

    def test_every_answer_is_one_clear_line(self):
        """No words of a library, no number that is none, nothing that says a bug was met."""
        foreign = ("unexpected error", "Exception", "exception", "state machine", "Conversion Error", "Invalid Input", "std::",
                   "basic_string", "[json", "DuckDB", "assert", "(null)")
        for path in CATALOGUE.glob("*.txt"):
            for title, _, answer in cases_of(path):
                with self.subTest(path.name, case=title):
                    self.assertNotIn(" | ", answer)
                    for word in foreign:
                        self.assertNotIn(word, answer)


def update():
    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)
        catalogue_files.write_all(folder, OTSS)
        for path in sorted(CATALOGUE.glob("*.txt")):
            answered = [f"{title}\n{command}\n{answer_to(command, folder)}\n" for title, command, _ in cases_of(path)]
            path.write_text("\n".join(answered))


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        unittest.main()
