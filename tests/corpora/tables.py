"""The tables beside this file."""
import csv
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def rows_of(name):
    """The rows of NAME.tsv, by column; none where there is no such file."""
    path = HERE / f"{name}.tsv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))
