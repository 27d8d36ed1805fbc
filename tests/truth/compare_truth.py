#!/usr/bin/env python3
"""Holds a report of `lanebank run --json --all-instructions` against what Nsight Compute measured.

  compare_truth.py REPORT.json CASE.json CASE.csv [--lines] [--quiet]

CASE.csv has every SASS instruction with executed, predicated-on threads, wavefronts and ideal; CASE.json the
shared-memory ones with their width. Both hold the first launch of each kernel. Rows are matched by (kernel,
address). A row that the report marks timing_dependent may have smaller figures than the truth: the report gives the
count without contention. --lines compares source lines too.

Exit code 0: all rows equal; 1: some differ or are missing; 2: wrong use.
"""
import argparse
import collections
import csv
import json
import os
import sys

FIGURES = ("executed", "threads", "wavefronts", "ideal")


def first_launches(report):
    launches = {}
    for launch in report["launches"]:
        launches.setdefault(launch["kernel"], launch)
    return launches


def truth_rows(path):
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            yield row["kernel"], int(row["address"]), {
                "sass": row["sass"],
                "place": (row["file"], int(row["line"] or 0)),
                "executed": int(row["executed"]),
                "threads": int(row["threads_predicated_on"]),
                "wavefronts": int(row["wavefronts"]),
                "ideal": int(row["ideal"]),
            }


def place_of(row):
    return os.path.basename(row["file"]), row["line"]


class Comparison:
    def __init__(self, with_lines):
        self.with_lines = with_lines
        self.equal = 0
        self.timing = []
        self.unmodelled = []
        self.different = []
        self.missing = []
        self.shared = 0

    def row(self, kernel, address, truth, row):
        if row is None:
            self.missing.append((kernel, address, truth["sass"]))
            return
        if row["kind"] != "other":
            self.shared += 1
        wrong = {}
        for figure in FIGURES:
            if row[figure] != truth[figure]:
                wrong[figure] = (row[figure], truth[figure])
        if self.with_lines and place_of(row) != truth["place"]:
            wrong["line"] = (place_of(row), truth["place"])
        entry = (kernel, address, truth["sass"], wrong)
        if not wrong:
            self.equal += 1
        elif not row["modelled"]:
            self.unmodelled.append(entry)
        elif row["timing_dependent"] and all(found <= expected for found, expected in wrong.values()):
            self.timing.append(entry)
        else:
            self.different.append(entry)


def widths(case, launches):
    """Shared-memory rows of CASE.json that the report does not have with that width."""
    wrong = []
    for kernel, launch in launches.items():
        expected = [row for row in case["instructions"] if row["kernel"] == kernel]
        found = collections.Counter(
            (row["sass"], row["bits"], row["line"]) for row in launch["instructions"] if row["kind"] != "other")
        for row in expected:
            bits = 0 if row["bits"] == "-" else int(row["bits"])
            key = (row["sass"].replace("  ", " "), bits, row["line"])
            if found[key] == 0:
                wrong.append((kernel, key))
            found[key] -= 1
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report")
    parser.add_argument("case")
    parser.add_argument("instructions")
    parser.add_argument("--lines", action="store_true", help="compare source lines too")
    parser.add_argument("--quiet", action="store_true", help="one line only")
    arguments = parser.parse_args()
    with open(arguments.report) as file:
        report = json.load(file)
    with open(arguments.case) as file:
        case = json.load(file)
    launches = first_launches(report)
    comparison = Comparison(arguments.lines)
    rows = {(kernel, row["address"]): row for kernel, launch in launches.items()
            for row in launch["instructions"] if "function" not in row}
    count = 0
    for kernel, address, truth in truth_rows(arguments.instructions):
        count += 1
        comparison.row(kernel, address, truth, rows.get((kernel, address)))
    if count == 0:
        print("no truth rows", file=sys.stderr)
        return 2
    wrong_widths = widths(case, launches) if arguments.lines else []
    if not arguments.quiet:
        for label, entries in (("differs", comparison.different), ("not modelled", comparison.unmodelled),
                               ("timing-dependent", comparison.timing)):
            for kernel, address, sass, wrong in entries:
                words = ", ".join(f"{key} {found} (truth {expected})" for key, (found, expected) in wrong.items())
                print(f"{label}: {kernel} +{address} {sass}: {words}")
        for kernel, address, sass in comparison.missing:
            print(f"missing: {kernel} +{address} {sass}")
        for kernel, key in wrong_widths:
            print(f"no such shared-memory row: {kernel} {key}")
    bad = len(comparison.different) + len(comparison.missing) + len(comparison.unmodelled) + len(wrong_widths)
    print(f"{case['case']}: {comparison.equal} of {count} rows equal ({comparison.shared} of shared memory), "
          f"{len(comparison.timing)} timing-dependent, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
