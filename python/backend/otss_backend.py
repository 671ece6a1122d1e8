"""The build backend of the package otss (PEP 517 and PEP 660). It needs nothing but Python's own library, CMake and Ninja.

A wheel holds the Python files, the module otss._core, and in otss/libs every library that the module links beyond the C
library, so that it runs where only Python and numpy are installed.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
# Libraries of the C library, which every machine has in a version that fits its kernel.
OF_LIBC = re.compile(r"^(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv))\.so(\.\d+)?$")
PACKAGES = "g++ cmake ninja-build pybind11-dev python3-dev libfmt-dev libxgboost-dev coinor-libcbc-dev and others"


def project():
    """The table [project] of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def run(*command):
    subprocess.run([str(part) for part in command], cwd=ROOT, check=True)


def require(program):
    if shutil.which(program) is None:
        raise SystemExit(f"otss: {program} is missing; run ./dev python in {ROOT}, which installs {PACKAGES}")


def build_module():
    """Builds the module for this Python and returns the package folder."""
    for program in ("cmake", "ninja", "g++"):
        require(program)
    if not (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists():
        raise SystemExit("otss: Python.h is missing; install python3-dev, or run ./dev python")
    if not (ROOT / ".deps/duckdb/libduckdb.so").exists():
        require("npm")  # DuckDB's library is not in Debian; its own package is on npm
    run(ROOT / "tools/get_duckdb")
    options = ["-DOTSS_BUILD_PYTHON=ON", f"-DOTSS_PYTHON={os.path.realpath(sys.executable)}"]
    if shutil.which("ccache"):
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    run("cmake", "--preset", "release", *options)
    run("ninja", "-C", BUILD, "otss_python")
    return BUILD / "python/otss"


def linked_libraries(module):
    """The libraries that the module needs beyond the C library: name -> file."""
    listed = subprocess.run(["ldd", module], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in listed.splitlines():
        match = re.match(r"\s*(\S+) => (\S+)", line)
        if match is None or OF_LIBC.match(match.group(1)):
            continue
        if match.group(2) == "not":
            raise SystemExit(f"otss: the library {match.group(1)} is missing; run ./dev python")
        found[match.group(1)] = pathlib.Path(match.group(2)).resolve()
    return found


def tag():
    """The tag of the wheel: this Python, and the C library of this machine or a newer one."""
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    libc = os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")
    return f"{version}-{version}-manylinux_{libc}_{sysconfig.get_platform().split('-')[-1].replace('-', '_')}"


def metadata():
    about = project()
    lines = ["Metadata-Version: 2.1", f"Name: {about['name']}", f"Version: {about['version']}", f"Summary: {about['description']}",
             f"License: {about['license']['text']}", f"Requires-Python: {about['requires-python']}",
             "Description-Content-Type: text/markdown"]
    lines += [f"Requires-Dist: {one}" for one in about["dependencies"]]
    for extra, needs in about["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {one}; extra == "{extra}"' for one in needs]
    return "\n".join(lines) + "\n\n" + (ROOT / about["readme"]).read_text()


class Wheel:
    """A wheel that is being written."""

    def __init__(self, folder, wheel_tag):
        about = project()
        self.base = f"{about['name']}-{about['version']}"
        self.name = f"{self.base}-{wheel_tag}.whl"
        self.tag = wheel_tag
        self.record = []
        # Level 1: the libraries are large, and higher levels save little.
        self.zip = zipfile.ZipFile(pathlib.Path(folder) / self.name, "w", zipfile.ZIP_DEFLATED, compresslevel=1)

    def add(self, name, content, mode=0o644):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")
        self._write(name, content, mode)

    def _write(self, name, content, mode):
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # a fixed date: equal files give equal wheels
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, content, compresslevel=1)

    def close(self):
        info = f"{self.base}.dist-info"
        self.add(f"{info}/METADATA", metadata().encode())
        self.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
        self.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: otss_backend\nRoot-Is-Purelib: false\nTag: {self.tag}\n".encode())
        self._write(f"{info}/RECORD", ("\n".join([*self.record, f"{info}/RECORD,,"]) + "\n").encode(), 0o644)
        self.zip.close()
        return self.name


def python_files():
    return [path for path in sorted((ROOT / "python/otss").iterdir()) if path.suffix in (".py", ".pyi", ".typed") or path.name == "py.typed"]


def write_wheel(wheel_directory, package):
    """Writes the wheel of a package folder in which the module is built, and returns its name."""
    wheel = Wheel(wheel_directory, tag())
    for path in python_files():
        wheel.add(f"otss/{path.name}", path.read_bytes())
    module = next(package.glob("_core.*.so"))
    wheel.add(f"otss/{module.name}", module.read_bytes(), 0o755)
    for name, path in sorted(linked_libraries(module).items()):
        wheel.add(f"otss/libs/{name}", path.read_bytes(), 0o755)
    return wheel.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, build_module())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    package = build_module()
    wheel = Wheel(wheel_directory, tag())
    wheel.add("otss.pth", f"{package.parent}\n".encode())
    return wheel.close()


def build_sdist(sdist_directory, config_settings=None):
    about = project()
    base = f"{about['name']}-{about['version']}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for name in filter(None, listed):
            archive.add(ROOT / name, f"{base}/{name}")
    return f"{base}.tar.gz"
