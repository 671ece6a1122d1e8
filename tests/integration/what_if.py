"""Computes shares, weights, intervals and certificates from the facts of a report, as docs/reference/facts.md says: a reader
of its own, so that the tests do not depend on the program or on the page."""
import base64
import math
import struct


def encode(facts, row):
    """Encodes a context: a raw value per column, None where it is missing."""
    x, levels = [], []
    for column, value in zip(facts["columns"], row):
        missing = value is None
        if column["kind"] == "number":
            levels.append(None)
            if column["scale"] > 0:
                x.append(0.0 if missing else (value - column["center"]) / column["scale"])
        else:
            if not missing and facts["what_if"]["texts"]["trims"]:
                value = value.strip(" ")
            levels.append(value)
            for level, frequency in zip(column["levels"], column["frequencies"]):
                unexpected = missing and not column["missing"]
                x.append(0.0 if unexpected else ((value == level) - frequency) / 0.5)
        if column["missing"]:
            x.append((missing - column["missing_frequency"]) / 0.5)
    for pairs in facts["what_if"]["level_pairs"]:
        first, second = pairs["columns"]
        for (a, b), frequency in zip(pairs["pairs"], pairs["frequencies"]):
            both = levels[first] == facts["columns"][first]["levels"][a] and levels[second] == facts["columns"][second]["levels"][b]
            x.append((both - frequency) / 0.5)
    return x


def affine(slopes, intercepts, x):
    return [b + sum(s * v for s, v in zip(row, x)) for row, b in zip(slopes or [[]] * len(intercepts), intercepts)]


def softmax(scores):
    parts = [math.exp(s - max(scores)) for s in scores]
    return [part / sum(parts) for part in parts]


def monomials(x):
    columns = list(x)
    for i, v in enumerate(x):
        columns.append((v * v - 1) / math.sqrt(2))
        columns += [v * other for other in x[i + 1:]]
    return columns


def network(net, x):
    hidden = [math.tanh(h) for h in affine(net["hidden_slopes"], net["hidden_intercepts"], x)]
    return affine(net["output_slopes"], net["output_intercepts"], hidden)


def first_of(scores, best):
    chosen = scores.index(best(scores))
    return [float(k == chosen) for k in range(len(scores))]


def shares(facts, x):
    gate = facts["what_if"]["map"]["gate"]
    kind = gate["kind"]
    if kind == "linear":
        return softmax(affine(gate["slopes"], gate["intercepts"], x))
    if kind == "quadratic":
        return softmax(affine(gate["slopes"], gate["intercepts"], monomials(x)))
    if kind == "mlp":
        return softmax(network(gate, x))
    if kind == "one-hot":
        return first_of(affine(gate["slopes"], gate["intercepts"], x), max)
    if kind == "fixed":
        return first_of([sum((a - b) ** 2 for a, b in zip(x, center)) for center in gate["centers"]], min)
    assert kind == "average", kind
    return [weight * share for weight, one in zip(gate["weights"], gate["gates"])
            for share in softmax(affine(one["slopes"], one["intercepts"], x))]


def weights(facts, x):
    """The weights, and for each the sum of the absolute expert contributions."""
    model = facts["what_if"]["map"]
    if model["kind"] == "mixture":
        alpha = shares(facts, x)
        columns = list(zip(*model["experts"]))
        return ([sum(a * b for a, b in zip(alpha, column)) for column in columns],
                [sum(abs(a * b) for a, b in zip(alpha, column)) for column in columns])
    if model["kind"] == "linear weights":
        w = affine(model["slopes"], model["intercepts"], x)
        sizes = affine([[abs(s) for s in row] for row in model["slopes"]], [abs(b) for b in model["intercepts"]], [abs(v) for v in x])
        return w, sizes
    w = network(model, x)
    hidden = len(model["hidden_intercepts"])
    return w, [abs(b) + sum(abs(row[h]) for h in range(hidden)) for row, b in zip(model["output_slopes"], model["output_intercepts"])]


def unpack(packed):
    rows, columns = packed["rows"], packed["columns"]
    steps = struct.unpack(f"<{rows * columns}h", base64.b64decode(packed["int16"]))
    center = packed["center"] or [0.0] * rows
    return [[center[r] + packed["scale"][r] * q for q in steps[r * columns:(r + 1) * columns]] for r in range(rows)]


def quantile(values, p):
    values = sorted(values)
    at = min(max(p * (len(values) + 1) - 1, 0), len(values) - 1)
    below = int(at)
    return values[below] + (at - below) * (values[min(below + 1, len(values) - 1)] - values[below])


def cholesky(matrix):
    n = len(matrix)
    lower = [[0.0] * n for _ in range(n)]
    for j in range(n):
        rest = matrix[j][j] - sum(v * v for v in lower[j][:j])
        if not rest > 0:
            continue
        lower[j][j] = math.sqrt(rest)
        for i in range(j + 1, n):
            lower[i][j] = (matrix[i][j] - sum(lower[i][k] * lower[j][k] for k in range(j))) / lower[j][j]
    return lower


class NormalErrors:
    def __init__(self, facts):
        self.facts, self.known = facts, facts["what_if"]["uncertainty"]
        self.factor, self.normals = unpack(self.known["factor"]), unpack(self.known["normals"])

    def covariance(self, x):
        experts = self.facts["what_if"]["map"]["experts"]
        alpha, (w, _) = shares(self.facts, x), weights(self.facts, x)
        columns = (monomials(x) if self.known["quadratic"] else list(x)) + [1.0]
        rank, last = len(self.factor[0]), (len(experts) - 1) * len(columns)
        scores = [[0.0] * rank for _ in experts]
        for k in range(len(experts) - 1):
            for i, c in enumerate(columns):
                scores[k] = [s + c * f for s, f in zip(scores[k], self.factor[k * len(columns) + i])]
        spread = []
        for j, weight in enumerate(w):
            row = [0.0] * rank
            for k, expert in enumerate(experts):
                own = self.factor[last + k * len(w) + j]
                row = [r + alpha[k] * ((expert[j] - weight) * s + f) for r, s, f in zip(row, scores[k], own)]
            spread.append(row)
        return [[sum(a * b for a, b in zip(one, other)) for other in spread] for one in spread]

    def draws(self, x):
        lower = cholesky(self.covariance(x))
        half = [[sum(l * n for l, n in zip(row, normal)) for row in lower] for normal in self.normals]
        return half + [[-v for v in row] for row in half]

    def bounds(self, x):
        matrix = self.covariance(x)
        sizes = [self.known["quantile"] * math.sqrt(matrix[j][j]) for j in range(len(matrix))]
        return [(-s, s) for s in sizes]


class DrawnErrors:
    def __init__(self, facts):
        self.facts, self.known = facts, facts["what_if"]["uncertainty"]
        self.groups = [(g["posterior"], g["experts"], list(zip(*unpack(g["parameters"])))) for g in self.known["groups"]]

    def draws(self, x):
        columns = (monomials(x) if self.known["quadratic"] else list(x)) + [1.0]
        num_factors = len(self.facts["factors"])
        of_posterior = {}
        for posterior, experts, draws in self.groups:
            last = (experts - 1) * len(columns)
            for draw in draws:
                scores = [sum(c * p for c, p in zip(columns, draw[k * len(columns):])) for k in range(experts - 1)] + [0.0]
                alpha = softmax(scores)
                of_posterior.setdefault(posterior, []).append(
                    [sum(alpha[k] * draw[last + k * num_factors + j] for k in range(experts)) for j in range(num_factors)])
        errors = []
        for drawn in of_posterior.values():
            n = len(drawn)
            mean = [sum(column) / n for column in zip(*drawn)]
            factor = self.known["spread"] * (math.sqrt(n / (n - 1)) if n > 1 else 0)
            errors += [[factor * (v - m) for v, m in zip(row, mean)] for row in drawn]
        return errors

    def bounds(self, x):
        level = self.facts["about"]["level"]
        columns = list(zip(*self.draws(x)))
        return [(min(0, quantile(c, 0.5 - level / 2)), max(0, quantile(c, 0.5 + level / 2))) for c in columns]


class WidenedErrors:
    """Errors together with what a gate that does not fit adds to them."""
    def __init__(self, facts, errors):
        self.facts, self.errors, self.added = facts, errors, facts["what_if"]["discrepancy"]

    def draws(self, x):
        return [[e + s * n for e, s in zip(row, self.added["sd"])] for row, n in zip(self.errors.draws(x), self.added["normals"])]

    def bounds(self, x):
        columns, level = list(zip(*self.draws(x))), self.facts["about"]["level"]
        if isinstance(self.errors, NormalErrors):
            sizes = [self.errors.known["quantile"] * math.sqrt(sum(e * e for e in c) / len(c)) for c in columns]
            return [(-s, s) for s in sizes]
        return [(min(0, quantile(c, 0.5 - level / 2)), max(0, quantile(c, 0.5 + level / 2))) for c in columns]


def errors_of(facts):
    errors = {"normal": NormalErrors, "draws": DrawnErrors}[facts["what_if"]["uncertainty"]["kind"]](facts)
    return WidenedErrors(facts, errors) if facts["what_if"]["discrepancy"] else errors


def score(w, z):
    return sum(a * b for a, b in zip(w, z))


def certificate(facts, errors, x, chosen, level):
    """Whether the decision at position `chosen` is certified, and the bound on its regret."""
    (w, _), draws = weights(facts, x), errors.draws(x)
    library = facts["what_if"]["library"]["factors"]
    differences = [[a - b for a, b in zip(z, library[chosen])] for z in library]
    sizes = [math.sqrt(sum(score(e, d) ** 2 for e in draws) / len(draws)) for d in differences]
    statistics = [max(score(e, d) / s if s > 0 else 0.0 for d, s in zip(differences, sizes)) for e in draws]
    critical = max(0.0, quantile(statistics, level))
    others = {tuple(z) for z in library if z != library[chosen]}
    enough = facts["what_if"]["pair_lead"] if len(others) > 1 else critical
    rivals = [(score(w, d), s) for d, s, z in zip(differences, sizes, library) if z != library[chosen]]
    certified = facts["what_if"]["determined"] and all(ahead + enough * s < 0 for ahead, s in rivals)
    bound = 0.0 if certified else max(ahead + max(critical, enough) * s for ahead, s in rivals)
    return certified, max(0.0, bound)
