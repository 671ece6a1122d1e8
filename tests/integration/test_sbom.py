"""The list of what the program is made of (SBOM), which the build writes beside the program."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from otss_cli import OTSS, CliTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SBOM = pathlib.Path(os.environ["OTSS_SBOM"])


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"}).stdout


class Sbom(CliTest):
    def setUp(self):
        super().setUp()
        self.document = json.loads(SBOM.read_text())
        self.packages = {package["name"]: package for package in self.document["packages"]}

    def test_it_is_an_spdx_document(self):
        self.assertEqual(self.document["spdxVersion"], "SPDX-2.3")
        self.assertEqual(self.document["dataLicense"], "CC0-1.0")
        self.assertRegex(self.document["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        ids = [package["SPDXID"] for package in self.document["packages"]]
        self.assertEqual(len(ids), len(set(ids)))
        for package in self.document["packages"]:
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")
            for field in ("name", "versionInfo", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText"):
                self.assertTrue(package[field], f"{package['name']}: {field}")
        for relation in self.document["relationships"]:
            for end in ("spdxElementId", "relatedSpdxElement"):
                self.assertIn(relation[end], ["SPDXRef-DOCUMENT", *ids])
        related = {end for relation in self.document["relationships"] for end in relation.values()}
        self.assertLessEqual(set(ids), related)

    def test_it_is_of_this_program(self):
        own = self.packages["otss"]
        self.assertIn(own["versionInfo"], self.ok("version"))
        self.assertEqual(own["checksums"][0]["checksumValue"], hashlib.sha256(pathlib.Path(OTSS).read_bytes()).hexdigest())

    def test_duckdb_is_the_one_that_is_downloaded(self):
        fetched = re.search(r"^fetch @duckdb/\S+@(\d+\.\d+\.\d+)", (ROOT / "tools/get_duckdb").read_text(), re.M).group(1)
        self.assertEqual(self.packages["duckdb"]["versionInfo"], fetched)
        self.assertEqual(self.packages["duckdb"]["licenseConcluded"], "MIT")

    def test_the_packages_inside_the_report_page_are_there(self):
        lock = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
        for name in ("@observablehq/plot", "d3", "d3-scale"):  # Plot needs d3, which needs d3-scale
            self.assertEqual(self.packages["npm:" + name]["versionInfo"], lock["node_modules/" + name]["version"])
        self.assertNotIn("npm:vite", self.packages, "it builds the page, and is not in it")

    @unittest.skipUnless(shutil.which("dpkg-query"), "versions and licences are those of Debian's packages")
    def test_every_package_has_its_version_and_licence(self):
        for name, package in self.packages.items():
            self.assertNotIn("NOASSERTION", (package["versionInfo"], package["licenseConcluded"]), name)
            if name not in ("otss", "duckdb") and not name.startswith("npm:"):
                installed = output_of("dpkg-query", "-W", "-f", "${Version}\n", name).splitlines()
                self.assertIn(package["versionInfo"], installed, name)

    @unittest.skipUnless(shutil.which("dpkg-query"), "packages are those of Debian")
    def test_every_library_that_the_build_installs_is_there(self):
        packages = re.search(r"^BUILD_PACKAGES=\(([^)]*)\)", (ROOT / "dev").read_text(), re.M).group(1).split()
        listed = " ".join(package.get("sourceInfo", "") for package in self.packages.values())
        for package in packages:
            if package.endswith("-dev") and package != "libpq-dev":  # libpq is loaded where it is used, and no part of the program
                source = output_of("dpkg-query", "-W", "-f", "${source:Package}\n", package).splitlines()[0]
                self.assertIn(f"source package {source} ", listed, f"{package} is built from {source}")


if __name__ == "__main__":
    unittest.main()
