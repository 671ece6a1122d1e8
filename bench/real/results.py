"""The results so far, a line of JSON each, so that a run can be stopped and resumed and finished peers are not run again; and the
record of a whole run, from which its report can be made again."""
import concurrent.futures
import gzip
import hashlib
import json
import pathlib
import re
import sys
import threading

DEFAULT, POOLED = "otss", "otss pooled"  # names of methods that others are compared with


def machine():
    """The name of the processor."""
    found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found.group(1) if found else "unknown"


def digest(parts):
    """A short name for these bytes."""
    value = hashlib.sha256()
    for part in parts:
        value.update(hashlib.sha256(part).digest())
    return value.hexdigest()[:16]


class Results:
    """Results by set, split, method and recipe. A recipe is a digest of rows, program and options, so that a result is
    used again only while nothing that decides it has changed."""

    KEY = ("set", "split", "method", "recipe")

    def __init__(self, path, may_run=True, again=False, jobs=1):
        """`may_run`: make results that are not there. `again`: make those again that are; the newest one counts. `jobs`: how many
        are made at the same time."""
        self.path, self.may_run, self.found, self.machine = path, may_run, {}, machine()
        self.pool, self.lock = concurrent.futures.ThreadPoolExecutor(jobs), threading.Lock()
        if path.exists() and not again:
            for line in path.read_text().splitlines():
                result = json.loads(line)
                self.found[tuple(result[name] for name in self.KEY)] = result

    def get(self, set_name, split, method, recipe, run):
        """The future result with this key. If there is none, `run` makes it; None if nothing may be run."""
        key = (set_name, split, method.name, digest([*method.recipe(), *recipe]))
        if key not in self.found and self.may_run:
            return self.pool.submit(lambda: self.add(key, run()))
        done = concurrent.futures.Future()
        done.set_result(self.found.get(key))
        return done

    def add(self, key, result):
        with self.lock:
            self.found[key] = {**dict(zip(self.KEY, key)), **result, "machine": self.machine}
            with open(self.path, "a") as file:
                file.write(json.dumps(self.found[key]) + "\n")
        shown = ", ".join(f"{name} {value}" for name, value in result.items() if name != "blocks" and value not in ("", None))
        print(f"{key[0]}, {key[1]}, {key[2]}: {shown}", file=sys.stderr, flush=True)
        return self.found[key]


def completed(futures):
    """The results of these futures, without those that were not made."""
    return [result for result in (future.result() for future in futures) if result]


def write_record(path, parts):
    """Writes the results of a run. `parts`: lists of results, by the names of the arguments of report.text_of()."""
    lines = [json.dumps({"part": part, **{name: value for name, value in result.items() if name != "recipe"}})
             for part, results in parts.items() for result in results]
    path.write_bytes(gzip.compress("".join(line + "\n" for line in lines).encode(), mtime=0))


def read_record(path):
    parts = {}
    with gzip.open(path, "rt") as file:
        for result in map(json.loads, file):
            parts.setdefault(result.pop("part"), []).append(result)
    return parts
