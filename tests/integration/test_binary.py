"""The program as a file: which libraries it may load, and which protections it was built with."""
import os
import pathlib
import re
import unittest

from otss_cli import OTSS, CliTest, is_sanitized, readelf


class Binary(CliTest):
    def test_the_run_path_names_only_folders_beside_the_program(self):
        paths = re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", readelf("-d"))
        self.assertEqual(len(paths), 1)
        for entry in paths[0].split(":"):
            self.assertTrue(entry.startswith("$ORIGIN/"), f"{entry!r} in {paths[0]!r}")

    def test_no_library_of_the_current_folder_is_loaded(self):
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d"))
        self.assertIn("libduckdb.so", needed)
        for library in needed:
            (self.dir / library).write_text("not a library")
        self.assertIn("otss", self.ok("version"))

    def test_it_starts_without_the_library_of_postgresql(self):
        self.assertNotIn("libpq", readelf("-d"))

    def test_it_is_position_independent_and_its_tables_are_read_only(self):
        self.assertRegex(readelf("-h"), r"Type:\s+DYN")
        segments = readelf("-l")
        self.assertIn("GNU_RELRO", segments)
        self.assertRegex(segments, r"GNU_STACK.* RW ")
        dynamic = readelf("-d")
        self.assertRegex(dynamic, r"BIND_NOW|FLAGS_1.*NOW")
        self.assertNotIn("TEXTREL", dynamic)

    @unittest.skipIf(is_sanitized(), "sanitizers replace these protections")
    def test_stack_and_library_calls_are_checked(self):
        symbols = readelf("--dyn-syms")
        self.assertIn("__stack_chk_fail", symbols)
        self.assertRegex(symbols, r"__\w+_chk@")

    @unittest.skipIf(is_sanitized() or os.uname().machine != "x86_64", "only on x86-64, without sanitizers")
    def test_functions_are_marked_as_targets_of_indirect_jumps(self):
        # The mark of the whole file is missing where the C library's own start code has no marks (Debian 12).
        mark = bytes.fromhex("f30f1efa")
        self.assertGreater(pathlib.Path(OTSS).read_bytes().count(mark), 1000)


if __name__ == "__main__":
    unittest.main()
