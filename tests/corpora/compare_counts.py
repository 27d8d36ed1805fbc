#!/usr/bin/env python3
"""Holds reports of `lanebank run --json --all-instructions` against Nsight Compute, instruction by instruction.

  compare_counts.py NAME=REPORT.json=SOURCE.csv...   [--details]

SOURCE.csv is what `ncu -i X.ncu-rep --page source --csv --print-units base` prints for the first launches of the same
program with the same arguments. The n-th launch of a kernel there is compared with the n-th here: executed,
predicated-on threads, wavefronts and ideal of every instruction, by its address. Rows that the report marks
timing_dependent, and wavefronts that it does not model, are counted apart. One line a program: name, launches, rows,
equal rows, shared-memory rows, equal ones, timing-dependent rows that differ, rows not modelled, rows that differ.
"""
import argparse
import collections
import csv
import json
import sys

COLUMNS = {"executed": "Instructions Executed", "threads": "Predicated-On Thread Instructions Executed",
           "wavefronts": "L1 Wavefronts Shared", "ideal": "L1 Wavefronts Shared Ideal"}


def launches_of(path):
    """(kernel, rows by address) of every launch in a source page; ncu prints some pages with each launch twice."""
    launches = list(blocks_of(path))
    twice = len(launches) % 2 == 0 and all(launches[n] == launches[n + 1] for n in range(0, len(launches), 2))
    return launches[::2] if twice else launches


def blocks_of(path):
    with open(path, newline="") as file:
        lines = list(csv.reader(file))
    at = 0
    while at < len(lines):
        if lines[at][:1] != ["Kernel Name"]:
            at += 1
            continue
        kernel, header, rows = lines[at][1], lines[at + 1], []
        at += 2
        while at < len(lines) and lines[at] and lines[at][0].startswith("0x"):
            rows.append(dict(zip(header, lines[at])))
            at += 1
        first = int(rows[0]["Address"], 16) if rows else 0
        yield kernel, {int(row["Address"], 16) - first: row for row in rows}


def compare(name, report_path, source_path, details):
    with open(report_path) as file:
        ours = collections.defaultdict(list)
        for launch in json.load(file)["launches"]:
            ours[launch["kernel"]].append(launch)
    counts, seen = collections.Counter(), collections.Counter()
    for kernel, rows in launches_of(source_path):
        turn = seen[kernel]
        seen[kernel] += 1
        if turn >= len(ours[kernel]):
            counts["missing launches"] += 1
            continue
        counts["launches"] += 1
        for row in ours[kernel][turn]["instructions"]:
            truth = rows.get(row["address"]) if "function" not in row else None
            if truth is None:
                continue
            shared = row["kind"] != "other"
            counts["rows"] += 1
            counts["shared"] += shared
            wrong = {figure: (row[figure], int(truth[column])) for figure, column in COLUMNS.items()
                     if column in truth and row[figure] is not None and row[figure] != int(truth[column])}
            if not wrong:
                counts["equal"] += 1
                counts["shared equal"] += shared
            elif row["timing_dependent"]:
                counts["timing"] += 1
            elif not row["modelled"]:
                counts["not modelled"] += 1
            else:
                counts["different"] += 1
                if details:
                    print(f"    {kernel[:60]} #{turn} {row['address']:#06x} {row['sass']}: {wrong}")
    figures = ("launches", "rows", "equal", "shared", "shared equal", "timing", "not modelled", "different",
               "missing launches")
    print("\t".join([name] + [str(counts[figure]) for figure in figures]))
    return counts["different"] + counts["missing launches"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pair", nargs="+", help="NAME=REPORT.json=SOURCE.csv")
    parser.add_argument("--details", action="store_true", help="print the rows that differ")
    options = parser.parse_args()
    print("program\tlaunches\trows\tequal\tshared\tshared equal\ttiming-dependent\tnot modelled\tdifferent\tlaunches missing")
    return 1 if sum(compare(*pair.split("="), options.details) for pair in options.pair) else 0


if __name__ == "__main__":
    sys.exit(main())
