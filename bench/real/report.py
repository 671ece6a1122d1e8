"""The report of the arena, in Markdown. It needs the results only."""
import math

import methods

LOSS_NAMES = {"bernoulli": "mean log-loss", "poisson": "mean deviance", "gaussian": "mean squared error"}
TEST_PER_TRAINING = 1 / 4  # test rows per training row of a split


def mean(values):
    return sum(values) / len(values)


def corrected_error(values):
    """Standard error of the mean over splits whose training rows overlap (Nadeau and Bengio)."""
    if len(values) < 2:
        return math.nan
    variance = sum((value - mean(values)) ** 2 for value in values) / (len(values) - 1)
    return math.sqrt((1 / len(values) + TEST_PER_TRAINING) * variance)


def table(header, rows):
    lines = ["| " + " | ".join(row) + " |" for row in (header, ["---"] * len(header), *rows)]
    return "\n".join(lines)


def losses(collected, data, method):
    """The loss of each split, by split."""
    return {r["split"]: r["loss"] for r in collected if r["set"] == data.name and r["method"] == method and "loss" in r}


def digits(value):
    return f"{value:.4f}" if abs(value) < 2 else f"{value:.3f}"


def paired(collected, data, method, reference):
    """Differences of losses, method minus reference, on the splits that both have."""
    ours, theirs = losses(collected, data, method), losses(collected, data, reference)
    return [ours[split] - theirs[split] for split in sorted(ours) if split in theirs]


def set_rows(data, chosen, collected):
    rows = []
    for method in chosen:
        done = [r for r in collected if r["set"] == data.name and r["method"] == method.name and "loss" in r]
        if done:
            rows.append((mean([r["loss"] for r in done]), method, done))
    return sorted(rows, key=lambda row: row[0])


def difference_text(collected, data, method):
    differences = paired(collected, data, method.name, methods.DEFAULT)
    if method.name == methods.DEFAULT or not differences:
        return ""
    return f"{mean(differences):+.4f} ± {corrected_error(differences):.4f}"


def notes(done):
    """What was chosen on the splits, most frequent first."""
    found = [r["note"] for r in done if r["note"]]
    distinct = sorted(set(found), key=lambda note: -found.count(note))
    return "; ".join(distinct) if len(distinct) <= 2 else f"{distinct[0]}; …"


def set_section(data, chosen, collected):
    rows = [[f"**{method.name}**" if method.name == methods.DEFAULT else method.name, method.what, digits(loss),
             difference_text(collected, data, method), f"{mean([r['seconds'] for r in done]):.1f}", notes(done)]
            for loss, method, done in set_rows(data, chosen, collected)]
    if not rows:
        return ""
    header = ["method", "what", LOSS_NAMES[data.family], "minus otss", "seconds", "chosen"]
    return f"## {data.name}\n{data.what[0].upper()}{data.what[1:]} (`{data.package}`).\n\n{table(header, rows)}\n"


def overview(sets, chosen, collected):
    """One line per set: the default beside the best method of each kind."""
    kinds = (("best other otss method", lambda m: m.is_otss and m.name != methods.DEFAULT and "terms" not in m.name),
             ("best linear or mixture peer", lambda m: not m.is_otss and m.name not in ("XGBoost", "glm pairs", "glm squares", "glm logs")),
             ("XGBoost", lambda m: m.name == "XGBoost"))
    rows = []
    for data in sets:
        ranked = set_rows(data, chosen, collected)
        own = next((loss for loss, method, _ in ranked if method.name == methods.DEFAULT), None)
        cells = []
        for _, belongs in kinds:
            best = next(((loss, method) for loss, method, _ in ranked if belongs(method)), None)
            cells.append(f"{digits(best[0])} ({best[1].name}; {difference_text(collected, data, best[1])})" if best else "")
        if ranked:
            rows.append([data.name, digits(own) if own is not None else "", *cells])
    return table(["set", "otss", *(name for name, _ in kinds)], rows)


def measured_gain(ours, pooled):
    """The gain in log-loss over pooled on the test rows, and its standard error over blocks of units."""
    gains = [(size, theirs - mine) for (size, mine), (_, theirs) in zip(ours["blocks"], pooled["blocks"])]
    total = sum(size for size, _ in gains)
    gain = sum(size * g for size, g in gains) / total
    variance = len(gains) / (len(gains) - 1) * sum((size / total * (g - gain)) ** 2 for size, g in gains)
    return gain, math.sqrt(variance)


def claims(sets, collected):
    """Rows (set, claimed gain, its standard error, measured gain, its standard error) of all splits."""
    found = {(r["set"], r["split"], r["method"]): r for r in collected if "blocks" in r}
    rows = []
    for (name, split, method), ours in found.items():
        pooled = found.get((name, split, methods.POOLED))
        if method == methods.DEFAULT and pooled and ours.get("heterogeneity"):
            claim = ours["heterogeneity"]
            rows.append((name, claim["gain"], (claim["hi"] - claim["lo"]) / (2 * 1.96), *measured_gain(ours, pooled), claim["supported"]))
    return rows


def claims_section(sets, collected):
    rows = claims(sets, collected)
    if not rows:
        return ""
    lines, covered = [], 0
    for data in sets:
        own = [row for row in rows if row[0] == data.name]
        within = sum(abs(row[1] - row[3]) <= 1.96 * math.hypot(row[2], row[4]) for row in own)
        covered += within
        if own:
            errors = [row[1] - row[3] for row in own]
            lines.append([data.name, f"{mean([row[1] for row in own]):+.4f}", f"{mean([row[3] for row in own]):+.4f}",
                          f"{mean(errors):+.4f} ± {corrected_error(errors):.4f}", f"{within} of {len(own)}",
                          f"{sum(row[5] for row in own)} of {len(own)}"])
    header = ["set", "claimed gain", "measured gain", "claimed minus measured", "within 1.96 standard errors", "supported"]
    return ("## What fit claims, and what the held-out units say\nThe gain over `pooled` in log-loss per row: as `otss fit` claims it "
            f"from the training rows, and as measured on the test rows. Both agree within their standard errors in {covered} of "
            f"{len(rows)} splits.\n\n{table(header, lines)}\n")


def shuffled_section(shuffled):
    done = [r for r in shuffled if r.get("heterogeneity")]
    if not done:
        return ""
    rows = []
    for name in sorted({r["set"] for r in done}):
        own = [r for r in done if r["set"] == name]
        rows.append([name, str(len(own)), str(sum(r["heterogeneity"]["supported"] for r in own)),
                     f"{mean([r['heterogeneity']['gain'] for r in own]):+.5f}"])
    return ("## Nothing to find\nThe contexts of the units are permuted among the units; everything else stays. How often does the "
            f"default still say \"supported\"?\n\n{table(['set', 'copies', 'supported', 'mean claimed gain'], rows)}\n")


INTRODUCTION = """# Real logs
`./dev bench --real` made this report; [bench/real](../../bench/real/README.md) says how. Five splits hold out a fifth of the units
(people, households, doctors, stores, schools; of the rows for `cheese`). *Minus otss* is the mean difference of the loss to the
default of `otss fit` on the same splits, with a standard error corrected for overlapping training rows (Nadeau and Bengio): above
zero, otss is better. Seconds are those of a fit with the choice of its settings, on the same machine: for otss of the whole process,
for the peers without start and reading."""


def text_of(sets, chosen, collected, shuffled):
    sections = [INTRODUCTION + "\n\n" + overview(sets, chosen, collected) + "\n",
                *(set_section(data, chosen, collected) for data in sets), claims_section(sets, collected), shuffled_section(shuffled)]
    return "\n".join(section for section in sections if section)
