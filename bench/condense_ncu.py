#!/usr/bin/env python3
"""Condenses what Nsight Compute counted to a line per kernel: launches, and the wavefronts of its shared-memory instructions.

    ncu --section SourceCounters --metrics memory_l1_wavefronts_shared,memory_l1_wavefronts_shared_ideal \\
        --csv --page raw ./stencil > stencil.csv
    bench/condense_ncu.py stencil.csv .. > bench/results/ncu_counts.csv

Each file is named after the program that ran. Sums over all launches of a kernel; excess = wavefronts - ideal. Launches
without the metrics (no shared memory) count as 0. Ends with 1 where a file holds no kernel.
"""
import csv
import pathlib
import re
import sys

WAVEFRONTS, IDEAL = "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"


def short(name):
    """The kernel and its template arguments, without namespaces, types of arguments and casts."""
    name = re.sub(r"^void ", "", name)
    depth = 0
    for at, sign in enumerate(name):  # the parameter list: the first parenthesis outside all template arguments
        depth += {"<": 1, ">": -1}.get(sign, 0)
        if sign == "(" and depth == 0:
            name = name[:at]
            break
    name = re.sub(r"\((unsigned )?(int|long|bool|char)\)|\(lanebank::[A-Za-z0-9_:]*\)", "", name)
    return re.sub(r"lanebank::|kernels::|detail::", "", name)


def number(text):
    return int(float(text.replace(",", ""))) if text not in ("", "n/a") else 0


def main(paths):
    kernels, empty = {}, []
    for path in map(pathlib.Path, paths):
        rows = list(csv.reader(line for line in path.read_text().splitlines() if line.startswith('"')))
        if len(rows) < 3:
            empty.append(path)
            continue
        column = {name: at for at, name in enumerate(rows[0])}
        for row in rows[2:]:  # names, units, launches
            sums = kernels.setdefault((path.stem, short(row[column["Kernel Name"]])), [0, 0, 0])
            for at, value in enumerate((1, number(row[column[WAVEFRONTS]]), number(row[column[IDEAL]]))):
                sums[at] += value
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["program", "kernel", "launches", "wavefronts", "ideal", "excess"])
    for (program, kernel), (launches, wavefronts, ideal) in sorted(kernels.items()):
        out.writerow([program, kernel, launches, wavefronts, ideal, wavefronts - ideal])
    for path in empty:
        print(f"{path}: no kernel in it", file=sys.stderr)
    return bool(empty)


sys.exit(main(sys.argv[1:]))
