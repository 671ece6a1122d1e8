"""The report of the arena, in Markdown. It needs the results only."""
import math
import textwrap

from results import DEFAULT, POOLED

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


def paragraph(text):
    return textwrap.fill(text, 125)


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
    differences = paired(collected, data, method.name, DEFAULT)
    if method.name == DEFAULT or not differences:
        return ""
    return f"{mean(differences):+.4f} ± {corrected_error(differences):.4f}"


def notes(done):
    """What was chosen on the splits, most frequent first."""
    found = [r["note"] for r in done if r["note"]]
    distinct = sorted(dict.fromkeys(found), key=lambda note: -found.count(note))
    return "; ".join(distinct) if len(distinct) <= 2 else f"{distinct[0]}; …"


def set_section(data, chosen, collected):
    ranked = set_rows(data, chosen, collected)
    if not ranked:
        return ""
    most = max(len(done) for _, _, done in ranked)
    rows = [[f"**{method.name}**" if method.name == DEFAULT else method.name, method.what,
             digits(loss) + (f" ({len(done)} of {most} splits)" if len(done) < most else ""), difference_text(collected, data, method),
             f"{mean([r['seconds'] for r in done]):.1f}", notes(done)] for loss, method, done in ranked]
    header = ["method", "what", LOSS_NAMES[data.family], "minus otss", "CPU seconds", "chosen"]
    return f"## {data.name}\n{data.what[0].upper()}{data.what[1:]} (`{data.package}`).\n\n{table(header, rows)}\n"


def verdict(collected, data, rival):
    """How the default stands to a rival, in corrected standard errors of the paired difference."""
    differences = paired(collected, data, DEFAULT, rival.name)
    if not differences:
        return ""
    error = corrected_error(differences)
    if abs(mean(differences)) <= error:
        return "level"
    return f"{'behind' if mean(differences) > 0 else 'ahead'} by {abs(mean(differences)) / error:.1f} standard errors"


def overview(sets, chosen, collected):
    """One line per set: the default beside pooled, the best rival and XGBoost."""
    rows = []
    for data in sets:
        ranked = set_rows(data, chosen, collected)
        own = next((digits(loss) for loss, method, _ in ranked if method.name == DEFAULT), "")
        picked = [next(((loss, method) for loss, method, _ in ranked if belongs(method)), None) for belongs in (
            lambda method: method.name == POOLED, lambda method: method.is_rival and method.name != DEFAULT,
            lambda method: method.name == "XGBoost")]
        cells = []
        for best in picked:
            cells += [f"{digits(best[0])} {best[1].name}" if best else "", verdict(collected, data, best[1]) if best else ""]
        if ranked:
            rows.append([data.name, own, *cells])
    return table(["set", "otss", "pooled", "otss is", "best rival", "otss is", "trees", "otss is"], rows)


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
        pooled = found.get((name, split, POOLED))
        if method == DEFAULT and pooled and ours.get("heterogeneity"):
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
    text = paragraph("The gain over `pooled` in log-loss per row: as `otss fit` claims it from the training rows, and as measured on the "
                     f"test rows. Both agree within 1.96 standard errors in {covered} of {len(rows)} splits.")
    return f"## What fit claims, and what the held-out units say\n{text}\n\n{table(header, lines)}\n"


def alarms_section(contests):
    """How often "supported" is said where there is nothing to find, and where there is something."""
    done = [r for r in contests if r.get("heterogeneity")]
    rows = []
    for name in dict.fromkeys(r["set"] for r in done):
        own = [r["heterogeneity"] for r in done if r["set"] == name]
        what = name if name.startswith("people") else f"{name}, contexts permuted among units"
        rows.append([what, str(len(own)), str(sum(claim["supported"] for claim in own)), f"{mean([claim['gain'] for claim in own]):+.5f}"])
    if not rows:
        return ""
    text = paragraph("The contexts of the units are permuted among the units, everything else stays; or people are simulated (200 with 30 "
                     "choices each) whose tastes have nothing to do with their contexts. \"Supported\" is a false alarm there. It is right "
                     "for people whose tastes follow their contexts.")
    return f"## Nothing to find\n{text}\n\n{table(['log', 'copies', 'supported', 'mean claimed gain'], rows)}\n"


def seeds_section(seeds):
    if not seeds:
        return ""
    rows = [[what, f"{100 * mean(shares):.1f} %", f"{100 * max(shares):.1f} %"]
            for what, shares in (("all cards offered in the log", [r["of_all"] for r in seeds]),
                                 ("ten of them, drawn for each person", [r["of_ten"] for r in seeds]))]
    text = paragraph("Models of `bank` with seeds 1 to 5: the share of held-out people for whom two seeds choose different cards.")
    return f"## How much the decisions depend on the seed\n{text}\n\n{table(['to choose from', 'mean', 'worst split'], rows)}\n"


INTRODUCTION = """# Real logs
`./dev bench --real --markdown docs/results/real-logs.md` writes this page; [bench/real](../../bench/real/README.md) says how the
numbers are made. Five splits hold out a fifth of the units (people, households, doctors, stores, schools; of the rows for `cheese`).

- *minus otss*: the mean difference of the loss to that of the default of `otss fit` on the same splits, ± its standard error, which is
  corrected for overlapping training rows (Nadeau and Bengio). Above zero, otss is better. *Level*: at most one standard error apart.
- *rival*: our other methods that have weights, and every peer on the user's own factors, except XGBoost's trees.
- *CPU seconds*: processor time of a fit with the choice of its settings. Those of otss are of the whole process, those of the peers are
  without the start of R and the reading of the table.
- The settings of [ADR 31](../adr/0031-opposite-tastes-and-kept-curvatures.md) were chosen with a look at the test rows of `travel` and
  `verbagg`, so these two are no independent evidence for it.
"""


def values_of(name, collected):
    """The distinct values that results have under this name."""
    return " and ".join(sorted({r[name] for r in collected if name in r}))


def text_of(sets, chosen, collected, shuffled=(), simulated=(), seeds=()):
    made = paragraph(f"Made by {values_of('program', collected)} on {values_of('machine', collected)}. The record of the run, "
                     "[real-logs.jsonl.gz](real-logs.jsonl.gz), has every result; a test makes this page again from it.")
    sections = [INTRODUCTION, made + "\n", overview(sets, chosen, collected) + "\n",
                *(set_section(data, chosen, collected) for data in sets), claims_section(sets, collected),
                alarms_section([*shuffled, *simulated]), seeds_section(seeds)]
    return "\n".join(section for section in sections if section)
