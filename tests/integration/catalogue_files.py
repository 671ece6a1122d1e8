"""The files that the cases of the catalogue of bad input use: good ones, and each bad in one way."""
import hashlib
import json
import math
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from otss_cli import OTSS

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden" / "models-v1"
ROLES = ["--context", "age,region", "--factors", "price,health", "--outcome", "y"]
HEADER = "age,region,price,health,y"
PLAN = """Maximize
 obj: a + b
Subject To
 size: 3 a + 2 b <= 4
Binaries
 a b
End
"""
MPS = """NAME plan
ROWS
 N obj
 L size
COLUMNS
 a obj 1 size 3
 b obj 1 size 2
RHS
 RHS size 4
BOUNDS
 BV BND a
 BV BND b
ENDATA
"""


def log_rows(count=400):
    rng = random.Random(5)
    rows = []
    for i in range(count):
        age, region = rng.randint(18, 80), "north south east".split()[i % 3]
        price, health = round(rng.gauss(0, 1), 3), round(rng.gauss(0, 1), 3)
        eta = (1.0 if region == "north" else -1.0) * price + 0.4 * health
        rows.append([age, region, price, health, int(rng.random() < 1 / (1 + math.exp(-eta)))])
    return rows


def as_csv(header, rows):
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


def changed(rows, column, value, row=3):
    """The rows with another value in one cell; `row` counts from 1."""
    copy = [list(cells) for cells in rows]
    copy[row - 1][HEADER.split(",").index(column)] = value
    return as_csv(HEADER, copy)


def logs():
    rows = log_rows()
    with_extra = lambda name, value: as_csv(f"{HEADER},{name}", [r + [value(i, r)] for i, r in enumerate(rows)])
    files = {"log.csv": as_csv(HEADER, rows), "few.csv": as_csv(HEADER, rows[:4]), "empty.csv": "",
             "header.csv": HEADER + "\n", "blank.csv": "\n1,2\n", "nameless.csv": "age,,y\n1,2,0\n",
             "twice.csv": "age,age,y\n1,2,0\n", "case.csv": "age,Age,y\n1,2,0\n",
             "short.csv": as_csv(HEADER, rows[:2] + [rows[2][:-1]] + rows[3:]),
             "long.csv": as_csv(HEADER, rows[:2] + [rows[2] + [9]] + rows[3:]),
             "quote.csv": changed(rows, "region", '"north'), "mac.csv": "age,y\r1,0\r2,1\r",
             "mixed_ends.csv": "age,region\n1,north\r\n2,south\r3,east\n",
             "constant_outcome.csv": as_csv(HEADER, [r[:-1] + [1] for r in rows]),
             "constant_factor.csv": as_csv(HEADER, [r[:2] + [7] + r[3:] for r in rows]),
             "twin.csv": with_extra("copy", lambda i, r: round(2 * r[2] + 1, 3)),
             "ids.csv": with_extra("user", lambda i, r: f"user{i}") + "".join(
                 f"40,north,0.1,0.2,1,more{i}\n" for i in range(3000)),
             "weighted.csv": with_extra("w", lambda i, r: -1 if i == 4 else 1),
             "weightless.csv": with_extra("w", lambda i, r: 0),
             "no_weight.csv": with_extra("w", lambda i, r: "" if i == 6 else 1),
             "grouped.csv": with_extra("who", lambda i, r: "same"),
             "two_groups.csv": with_extra("who", lambda i, r: i % 2),
             "no_group.csv": with_extra("who", lambda i, r: "" if i == 9 else i % 40),
             "no_time.csv": with_extra("week", lambda i, r: "" if i == 11 else i),
             "one_time.csv": with_extra("week", lambda i, r: 5),
             "counts.csv": with_extra("visits", lambda i, r: i % 5 if i != 7 else 1.5),
             "negative.csv": with_extra("visits", lambda i, r: i % 5 if i != 7 else -1),
             "quoted_name.csv": 'age,region,"the ""price""",health,y\n' + as_csv("", rows)[1:]}
    for name, column, value in [
            ("nan_factor", "price", "nan"), ("inf_factor", "price", "inf"), ("text_factor", "price", "cheap"),
            ("empty_factor", "price", ""), ("underscore_factor", "price", "1_000"), ("huge_factor", "price", "1e308"),
            ("inf_context", "age", "inf"), ("text_context", "age", "old"), ("huge_context", "age", "1e308"),
            ("outcome_2", "y", 2), ("outcome_text", "y", "yes"), ("outcome_missing", "y", ""), ("overflow", "price", "1e400")]:
        files[f"{name}.csv"] = changed(rows, column, value)
    return files


def contexts():
    return {"c.csv": "age,region,id\n41,north,a\n30,south,b\n", "cx.csv": "x1,x2\n0.5,1\n", "c_lacks.csv": "region\nnorth\n", "c_header.csv": "age,region\n",
            "c_date.csv": "age,region\n2024-01-01,north\n", "c_true.csv": "age,region\ntrue,north\n",
            "c_underscore.csv": "age,region\n1_000,north\n", "c_text.csv": "age,region\n41,north\nforty,south\n",
            "c_inf.csv": "age,region\n41,north\n-inf,south\n", "c_far.csv": "age,region\n41,north\n1e6,south\n",
            "c_absurd.csv": "age,region\n41,north\n1e200,south\n", "c_unknown.csv": "age,region\n41,north\n41,mars\n",
            "c_missing.csv": "age,region\n41,north\n,south\n", "c_overflow.csv": "age,region\n1e999,north\n",
            "c_row.csv": "age,region,row\n41,north,7\n", "c_weight.csv": "age,region,w_price\n41,north,7\n",
            "c.dat": "age,region\n41,north\n", "c.json": '[{"age": 41, "region": "north"}, {"age": ',
            "c_scalar.json": "41", "c.parquet": "PAR1 this is no Parquet file PAR1", "c.csv.gz": "not compressed"}


def decisions():
    library = "id,price,health\nd1,0.5,1\nd2,-1,0.25\n"
    return {"lib.csv": library, "lib_twice.csv": library + "d1,0,0\n", "lib_header.csv": "id,price,health\n",
            "lib_lacks.csv": "id,price\nd1,1\n", "lib_text.csv": library + "d3,cheap,0\n", "lib_missing.csv": library + "d3,,0\n",
            "lib_inf.csv": library + "d3,inf,0\n", "lib_huge.csv": library + "d3,1e308,0\n", "lib_no_id.csv": library + ",1,0\n",
            "cand.csv": "id,offer,price,health\na,o1,1,0\na,o2,0,1\nb,o1,1,1\n", "cand_lacks_b.csv": "id,offer,price,health\na,o1,1,0\n",
            "cand_twice.csv": "id,offer,price,health\na,o1,1,0\na,o1,0,1\nb,o1,1,1\n",
            "cand_no_context.csv": "id,offer,price,health\n,o1,1,0\n",
            "truth.csv": "w_price,w_health\n1,0\n0,1\n", "truth_short.csv": "w_price,w_health\n1,0\n",
            "truth_lacks.csv": "w_price\n1\n0\n", "truth_nan.csv": "w_price,w_health\n1,0\nnan,1\n",
            "policy.csv": "age,region,y,offer,p\n41,north,1,d1,0.5\n30,south,0,d2,0.5\n",
            "policy_zero.csv": "age,region,y,offer,p\n41,north,1,d1,0.5\n30,south,0,d2,0\n",
            "policy_big.csv": "age,region,y,offer,p\n41,north,1,d1,1.5\n30,south,0,d2,0.5\n",
            "policy_id.csv": "age,region,y,offer,p\n41,north,1,d9,0.5\n30,south,0,d2,0.5\n",
            "policy_y.csv": "age,region,y,offer,p\n41,north,3,d1,0.5\n30,south,0,d2,0.5\n",
            "policy_factor.csv": "age,region,y,offer,p,price\n41,north,1,d1,0.5,9\n30,south,0,d2,0.5,-1\n"}


def plans():
    return {"plan.lp": PLAN, "plan.mps": MPS, "plan.txt": PLAN, "empty.lp": "", "empty.mps": "",
            "cut.mps": MPS[:MPS.index("RHS")], "number.mps": MPS.replace("size 3", "size x3"), "row.mps": MPS.replace("size 3", "sizes 3"),
            "bound.mps": MPS.replace("BV BND a", "XX BND a"), "column.mps": MPS.replace("BV BND b", "BV BND c"),
            "sense.lp": PLAN.replace("Maximize", "Improve"), "open.lp": PLAN.replace("<= 4", "<="), "infinite.lp": PLAN.replace("3 a", "1e999 a"),
            "map.csv": "variable,factor,coefficient\na,price,1\nb,health,2\n", "map_lacks.csv": "variable,factor\na,price\n",
            "map_factor.csv": "variable,factor,coefficient\na,cost,1\n", "map_variable.csv": "variable,factor,coefficient\nz,price,1\n",
            "map_twice.csv": "variable,factor,coefficient\na,price,1\na,price,2\n", "map_text.csv": "variable,factor,coefficient\na,price,one\n",
            "map_inf.csv": "variable,factor,coefficient\na,price,inf\n", "map_huge.csv": "variable,factor,coefficient\na,price,1e308\n",
            "map_empty.csv": "variable,factor,coefficient\n",
            "over.csv": "row,kind,name,value\n1,rhs,size,3\n", "over_row.csv": "row,kind,name,value\n0,rhs,size,3\n",
            "over_kind.csv": "row,kind,name,value\n1,cost,size,3\n", "over_name.csv": "row,kind,name,value\n1,rhs,weight,3\n",
            "over_value.csv": "row,kind,name,value\n1,rhs,size,nan\n", "over_twice.csv": "row,kind,name,value\n1,rhs,size,3\n1,rhs,size,2\n",
            "over_far.csv": "row,kind,name,value\n9,rhs,size,3\n", "over_lacks.csv": "row,kind,name\n1,rhs,size\n"}


def models(text):
    document = json.loads(text)
    return {"cut.json": text[:len(text) // 2], "altered.json": text.replace('"age"', '"agf"', 1),
            "newer.json": json.dumps({**document, "version": 99}), "other.json": '{"format": "onnx"}', "list.json": "[1, 2]",
            "number.json": "41", "nothing.json": "", "deep.json": "[" * 200 + "]" * 200, "binary.json": "\x00\x01\x02",
            "twice.json": text.replace('"format"', '"format": "otss-model",\n  "format"', 1)}


def unit_models(text):
    """Models whose units differ: u.json, and u2.json, in which they differ more."""
    files = {}
    for name, variance in (("u.json", 0.5), ("u2.json", 0.7)):
        document = json.loads(text)
        document["schema"]["unit"] = "who"
        document["units"] = {"form": "diagonal", "rank": 3, "covariance": [[variance * (i == j) for j in range(3)] for i in range(3)]}
        document.pop("checksum")
        sealed = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        document["checksum"] = hashlib.sha256(sealed.encode()).hexdigest()
        files[name] = json.dumps(document, ensure_ascii=False)
    return files


def unit_tables():
    rows = [[i % 7, i] + row for i, row in enumerate(log_rows(60))]
    header = f"who,week,{HEADER}"
    with_cell = lambda row, column, value: [r if i != row else r[:column] + [value] + r[column + 1:] for i, r in enumerate(rows)]
    return {"h.csv": as_csv(header, rows), "h_later.csv": as_csv(header, [[r[0], r[1] + 60] + r[2:] for r in rows]),
            "h_no_unit.csv": as_csv(header, with_cell(4, 0, "")), "h_no_time.csv": as_csv(header, with_cell(4, 1, "")),
            "h_nan.csv": as_csv(header, with_cell(4, 4, "nan")), "h_y.csv": as_csv(header, with_cell(4, 6, 3)),
            "h_lacks.csv": "who,week,age,region,price,y\n1,1,41,north,1,0\n",
            "cu.csv": "who,week,age,region\n1,99,41,north\n9,99,30,south\n", "cu_no_time.csv": "who,week,age,region\n1,,41,north\n",
            "cu_early.csv": "who,week,age,region\n1,20,41,north\n"}


def write_units(folder, otss):
    """Writes units files, and damaged ones."""
    for name, args in (("units.parquet", []), ("units.csv", []), ("untimed.csv", None), ("kept.csv", ["--keep-rows", "2"])):
        time = [] if args is None else ["--time", "week"]
        subprocess.run([otss, "units", "u.json", "--history", "h.csv", "--unit", "who", *time, *(args or []), "-o", name],
                       cwd=folder, check=True, capture_output=True)
    whole = (folder / "units.parquet").read_bytes()
    (folder / "units_cut.parquet").write_bytes(whole[:len(whole) // 2])
    header, first, *rest = (folder / "units.csv").read_text().splitlines()
    lines = lambda *all_lines: "\n".join(all_lines) + "\n"
    (folder / "units_twice.csv").write_text(lines(header, first, first, *rest))
    (folder / "units_lacks.csv").write_text(lines(*(line.rsplit(",", 1)[0] for line in (header, first, *rest))))
    cells = first.split(",")
    names = header.split(",")
    for name, column, value in (("units_nan.csv", "mean_1", "nan"), ("units_weak.csv", "factor_1_1", "0.1"), ("units_rows.csv", "rows", "-3")):
        changed_cells = [value if other == column else cell for other, cell in zip(names, cells)]
        (folder / name).write_text(lines(header, ",".join(changed_cells), *rest))


def write_all(folder, otss):
    for name, text in {**logs(), **contexts(), **decisions(), **plans(), **unit_tables()}.items():
        (folder / name).write_bytes(text.encode())
    (folder / "latin.csv").write_bytes("age,région\n1,2\n".encode("latin-1"))
    (folder / "latin_row.csv").write_bytes("age,region\n41,r\xe9gion\n".encode("latin-1"))
    (folder / "nul.csv").write_bytes(b"a\x00ge,region\n41,north\n")
    (folder / "folder").mkdir()
    (folder / "full").mkdir()
    (folder / "full" / "panel-a").write_text("a file where a folder is needed\n")
    fit = [otss, "fit", "log.csv", *ROLES, "--estimator", "map", "--experts", "2", "-o", "m.json"]
    subprocess.run(fit, cwd=folder, check=True, capture_output=True)
    shutil.copy(GOLDEN / "log.csv", folder / "golden.csv")
    for name in ("method-gbm", "method-linear", "method-pooled", "bounds", "center-candidates", "gaussian-map"):
        shutil.copy(GOLDEN / f"{name}.json", folder / f"{name.removeprefix('method-')}.json")
    text = (folder / "m.json").read_text()
    for name, content in {**models(text), **unit_models(text)}.items():
        (folder / name).write_text(content)
    write_units(folder, otss)


class WithFiles(unittest.TestCase):
    """Tests that run in a folder with these files, which is made once."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        write_all(cls.folder, OTSS)
