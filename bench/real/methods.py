"""The methods of the arena. Each is a command that fits to the training rows of a split and gives its loss on the test rows."""
import functools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from data import FOLDER
from results import DEFAULT, POOLED, digest

LOSS_OF_FAMILY = {"bernoulli": "log_loss", "poisson": "deviance", "gaussian": "mse"}
NUM_BLOCKS = 20     # of test units, for the standard error of a gain
BAYESM_DRAWS = 20000


class Peer:
    """A script in peers/ that prints its loss as JSON. `sets` says to which sets it applies."""

    kind = "peer"

    def __init__(self, name, what, script, *arguments, sets=lambda data: True, is_rival=True):
        self.name, self.what, self.script, self.arguments, self.applies_to = name, what, FOLDER / "peers" / script, arguments, sets
        self.is_rival = is_rival  # whether it is a function of the user's own factors whose weights can be read

    def recipe(self):
        """All that decides the result, apart from the rows."""
        shared = [FOLDER / "peers" / "common.R"] if self.script.suffix == ".R" else []
        return [path.read_bytes() for path in (self.script, *shared)] + [" ".join(self.arguments).encode()]

    def run(self, data, train, test):
        interpreter = "Rscript" if self.script.suffix == ".R" else sys.executable
        done = subprocess.run([interpreter, self.script, data.name, train, test, *self.arguments], capture_output=True, text=True)
        if done.returncode:
            return {"refused": last_line(done.stderr)}
        result = json.loads(last_line(done.stdout).replace('"loss": Inf', '"loss": Infinity'))  # R's word, and JSON's
        return result if math.isfinite(result["loss"]) else {"refused": "an outcome of the test rows has the probability 0"}


class Otss:
    """A method of the program under test: `otss fit` with these options, then `otss evaluate`."""

    kind = "otss"

    def __init__(self, program, name, what, *options, sets=lambda data: True, is_rival=True, threads=2):
        self.program, self.name, self.what, self.options, self.applies_to = program, name, what, options, sets
        self.is_rival, self.threads = is_rival, threads

    @functools.cached_property
    def program_digest(self):
        return digest([self.program.read_bytes()]).encode()

    @functools.cached_property
    def version(self):
        done = subprocess.run([self.program, "version", "--json"], capture_output=True, text=True, check=True)
        return "otss {version} ({instruction_set})".format(**json.loads(done.stdout))

    def recipe(self):
        return [self.program_digest, " ".join(self.options).encode()]

    def run(self, data, train, test):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder, "model.json")
            fit = self.fit(data, train, model)
            if fit.returncode:
                return {"refused": last_line(fit.stderr)}
            summary = json.loads(fit.stdout)
            result = {"loss": self.evaluate(model, test)[LOSS_OF_FAMILY[data.family]], "seconds": round(fit.seconds, 3),
                      "note": chosen(summary), "heterogeneity": summary.get("heterogeneity"), "program": self.version}
            if self.name in (DEFAULT, POOLED):
                result["blocks"] = self.block_losses(model, test)
            return result

    def claim(self, data, table):
        """The gain over pooled that the fit claims, without a look at other rows."""
        with tempfile.TemporaryDirectory() as folder:
            fit = self.fit(data, table, pathlib.Path(folder, "model.json"))
        if fit.returncode:
            return {"refused": last_line(fit.stderr)}
        summary = json.loads(fit.stdout)
        return {"note": chosen(summary), "heterogeneity": summary.get("heterogeneity")}

    def fit(self, data, train, model, *options):
        return run_measured([self.program, "fit", train, *data.otss_options(), *self.options, *options, "--threads",
                             str(self.threads), "--json", "-o", model])

    def evaluate(self, model, test, *options):
        done = subprocess.run([self.program, "evaluate", model, test, "--json", *options], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"otss evaluate failed: {last_line(done.stderr)}")
        return json.loads(done.stdout)

    def block_losses(self, model, test):
        """The number of rows and the log-loss of each block of test units. The gain of one model over another on the blocks
        says how sure the gain on all test rows is."""
        sizes = block_sizes(test)
        return [[size, self.evaluate(model, test, "--query", f"SELECT * FROM t WHERE unit % {NUM_BLOCKS} = {block}")["log_loss"]]
                for block, size in sorted(sizes.items())]


def run_measured(command):
    """A completed process, with its processor time as `seconds`: this depends little on what else the machine does."""
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        process = subprocess.Popen(command, stdout=stdout, stderr=stderr)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        stdout.seek(0)
        stderr.seek(0)
        done = subprocess.CompletedProcess(command, process.returncode, stdout.read(), stderr.read())
    done.seconds = usage.ru_utime + usage.ru_stime
    return done


def block_sizes(test):
    sizes = {}
    for row in test.read_text().splitlines()[1:]:
        block = int(row.split(",", 1)[0]) % NUM_BLOCKS
        sizes[block] = sizes.get(block, 0) + 1
    return sizes


def chosen(summary):
    """What `otss fit` chose, in a word or two."""
    experts = summary.get("experts")
    return f"{experts} expert{'s' if experts != 1 else ''}" if experts else ""


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def otss_methods(program, threads):
    def terms(data):
        return data.name in ("bank", "detailing")
    make = functools.partial(Otss, program, threads=threads)
    return [make(DEFAULT, "the default of `otss fit`"),
            make(POOLED, "one weight vector for all", "--method", "pooled"),
            make("otss --terms auto", "derived factors where they gain", "--terms", "auto", sets=terms, is_rival=False),
            *(make(f"otss {method}", what, "--method", method) for method, what in (
                ("linear", "weights linear in the context"), ("low-rank", "weights linear in the context, of low rank"),
                ("em", "mixture of experts by EM"), ("mlp", "weights by a neural network"), ("cluster", "weights by cluster"),
                ("hard", "weights by hard segments")))]


def peers():
    def few_levels(data):
        return not data.levels
    return [Peer("glm", "context and factors", "glm.R"),
            Peer("glm products", "with all context × factor products", "glm.R", "products"),
            Peer("ridge products", "glmnet, all context × factor products", "glmnet.R", "ridge"),
            Peer("lasso products", "glmnet, all context × factor products", "glmnet.R", "lasso"),
            Peer("glm pairs", "with all pairs of factors", "glm.R", "pairs", sets=lambda data: data.name == "bank", is_rival=False),
            Peer("glm squares", "with squares of factors", "glm.R", "squares", sets=lambda data: data.name == "bank", is_rival=False),
            Peer("glm logs", "with log(1 + factor)", "glm.R", "logs", sets=lambda data: data.name == "detailing", is_rival=False),
            Peer("glm logs products", "with log(1 + factor), all context × factor products", "glm.R", "logs", "products",
                 sets=lambda data: data.name == "detailing", is_rival=False),
            Peer("flexmix", "concomitant variables; a row's own segment", "flexmix.R", "row", sets=few_levels),
            Peer("flexmix units", "concomitant variables; a unit's rows share a segment", "flexmix.R", "unit", sets=few_levels),
            Peer("lmer", "lme4, weights vary by level and unit", "lmer.R", sets=lambda data: data.family == "gaussian"),
            Peer("XGBoost", "trees on context and factors", "xgboost_peer.py", is_rival=False),
            Peer("bayesm", "hierarchical logit, averaged over people", "bayesm.R", str(BAYESM_DRAWS),
                 sets=lambda data: data.family == "bernoulli")]

