"""The constants of the cost model of docs/scale.md, fitted to the measurements in measured.csv.

    python3 bench/scale/costs.py      prints the constants, and each measurement beside the model

A row of measured.csv is one measurement: `workers` threads together, in one process or in several, those of MPI on 16 cores of one machine and the others on two cores of another.
Reading takes read_ns / workers for each row. A pass takes pass_ns / workers for each row. Both constants are geometric means over the measurements, so that relative errors count equally."""
import csv
import math
import pathlib

FILE = pathlib.Path(__file__).with_name("measured.csv")


def measurements():
    with FILE.open() as file:
        return [{key: value if key == "what" else float(value or 1) for key, value in row.items()} for row in csv.DictReader(file)]


def per_row_ns(row):
    """Nanoseconds of one process for one row, once."""
    return row["seconds"] * row["workers"] / row["rows"] / row["passes"] * 1e9


def fitted(what):
    values = [per_row_ns(row) for row in measurements() if row["what"] == what]
    return math.exp(sum(map(math.log, values)) / len(values))


def constants():
    return {"read_ns": fitted("mpi reading"), "pass_ns": fitted("mpi passes"), "dask_read_ns": fitted("dask reading"), "dask_pass_ns": fitted("dask passes"),
            **{name: next(row["seconds"] / row["passes"] * scale for row in measurements() if row["what"] == what)
               for name, what, scale in (("message_us", "message by TCP", 1e6), ("addition_ns", "additions", 1e9))}}


def main():
    found = constants()
    for name, value in found.items():
        print(f"{name:14} {value:8.2f}")
    print(f"\n{'measurement':14} {'workers':>8} {'seconds':>8} {'model':>8}")
    names = {"mpi reading": "read_ns", "mpi passes": "pass_ns", "dask reading": "dask_read_ns", "dask passes": "dask_pass_ns"}
    for row in measurements():
        if row["what"] in names:
            model = found[names[row["what"]]] * row["rows"] * row["passes"] / row["workers"] * 1e-9
            print(f"{row['what']:14} {row['workers']:8.0f} {row['seconds']:8.2f} {model:8.2f}")


if __name__ == "__main__":
    main()
