"""A panel with two factors, small enough for lme4's glmer: weights of the population and Sigma, otss beside glmer."""
import json
import pathlib
import subprocess

import numpy

import panels

FOLDER = pathlib.Path(__file__).resolve().parent
NUM_UNITS, ROWS_EACH = 400, 30
WEIGHTS = numpy.array([1.0, -0.7])
COVARIANCE = numpy.array([[0.5, 0.2, 0.0], [0.2, 0.6, -0.3], [0.0, -0.3, 0.8]])


def write_log(path, seed):
    random = numpy.random.default_rng(seed)
    deviation = random.multivariate_normal(numpy.zeros(3), COVARIANCE, NUM_UNITS)
    rows = ["unit,x1,z1,z2,y"]
    for unit in range(NUM_UNITS):
        for x, *z in random.standard_normal((ROWS_EACH, 3)):
            eta = 0.3 * x + deviation[unit, 0] + (WEIGHTS + deviation[unit, 1:]) @ z
            rows.append(f"u{unit},{x:.8g},{z[0]:.8g},{z[1]:.8g},{int(random.random() < 1 / (1 + numpy.exp(-eta)))}")
    path.write_text("\n".join(rows) + "\n")


def glmer(otss, seed, _options):
    """Errors of Sigma and ratios of the first weight to the truth: pooled (attenuated), otss and glmer."""
    write_log(otss.folder / "log.csv", seed)
    roles = ["--context", "x1", "--factors", "z1,z2", "--outcome", "y", "--method", "pooled", "--threads", 1]
    otss("fit", "log.csv", *roles, "-o", "pooled.json")
    otss("fit", "log.csv", *roles, "--unit", "unit", "-o", "model.json")
    (otss.folder / "context.csv").write_text("x1\n0\n")
    weight = {}
    for name in ("pooled", "model"):
        otss("weights", f"{name}.json", "context.csv", "-o", f"{name}.csv")
        weight[name] = panels.read_columns(otss.folder / f"{name}.csv", ["w_z1", "w_z2"])[0]
    said = json.loads(subprocess.run(["Rscript", FOLDER / "glmer_units.R", "log.csv"], cwd=otss.folder, capture_output=True, text=True,
                                     check=True).stdout)
    found = panels.covariance_in_log_units(otss.folder / "model.json")
    return {"pooled w1/truth": weight["pooled"][0] / WEIGHTS[0], "otss w1/truth": weight["model"][0] / WEIGHTS[0],
            "glmer w1/truth": said["weights"][0] / WEIGHTS[0],
            "otss Sigma error": panels.relative_error(found if found is not None else 0 * COVARIANCE, COVARIANCE),
            "glmer Sigma error": panels.relative_error(numpy.array(said["covariance"]), COVARIANCE)}
