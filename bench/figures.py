#!/usr/bin/env python3
"""Prints the figures of the kernels' table (bench/results/kernels.md) from the files of results: bench/results/h200/*.csv.

    bench/figures.py            every group: cases, least and median fraction of the copy, how many reach the goal, the least case

A group is what a row of the table sums up. The fraction is that of the contender "lanebank", of the faster copy of the same case.
"""
import csv
import pathlib
import re

RESULTS = pathlib.Path(__file__).resolve().parent / "results" / "h200"
POWERS = {str(1 << n) for n in range(16)}


def fractions(name, ours="lanebank"):
    """{case: fraction} of one contender, in the order of the file."""
    found = {}
    for row in csv.reader(line for line in (RESULTS / name).read_text().splitlines() if not line.startswith("#")):
        if len(row) == 7 and row[2] == ours and row[6]:
            found[f"{row[0]} {row[1]}"] = float(row[6])
    return found


def show(title, cases, goal):
    values = sorted(cases.values())
    least = min(cases, key=cases.get)
    print(f"{title:44} {len(values):3} cases, least {values[0]:.4f}, median {values[len(values) // 2]:.4f}, "
          f"greatest {values[-1]:.4f}, {sum(v >= goal for v in values)} reach {goal}; least: {least}")


def only(cases, pattern):
    return {case: value for case, value in cases.items() if re.search(pattern, case)}


def main():
    transposes = fractions("transpose.csv")
    for size in (1, 2, 4, 8, 16):
        show(f"transpose, aligned, {size} B", only(transposes, f" aligned {size} B"), 0.95 if size == 1 else 0.97)
    show("cuBLAS geam, aligned", only(fractions("transpose.csv", "cuBLAS geam"), " aligned "), 0.97)
    odd = only(transposes, " odd ")
    show("transpose, odd", odd, 0.88)
    for size in (1, 2, 3, 4, 6, 8, 12):
        show(f"transpose, odd, {size} B", only(odd, f" odd {size} B"), 0.88)
    batched = only(transposes, " batched ")
    powers = {case: v for case, v in batched.items() if re.findall(r"(\d+)x\d+ x", case)[0] in POWERS}
    show("transpose, batched, powers of two", powers, 0.90)
    show("transpose, batched, other edges", {case: v for case, v in batched.items() if case not in powers}, 0.90)
    square = only(transposes, " in place ")
    powers = {case: v for case, v in square.items() if re.findall(r"(\d+)x", case)[0] in POWERS}
    show("transpose, in place, powers of two", powers, 0.93)
    for case, value in square.items():
        if case not in powers:
            show(case, {case: value}, 0.93)
    permutations = fractions("permute.csv")
    show("permute, median", permutations, 0.92)
    show("permute, least", permutations, 0.80)
    for ours in ("before", "lanebank"):
        others = fractions("permute_seeds_sweep.csv", ours)
        for seed in range(50, 55):
            show(f"permute, seed {seed}, {ours}", only(others, f"^permute seed {seed} "), 0.80)
    stencils = fractions("stencil.csv")
    show("stencil 2-D, 5 and 9 points", only(stencils, r"2d [59] "), 0.95)
    show("stencil 2-D, 17 points", only(stencils, "2d 17 "), 0.95)
    for points in (7, 13, 25):
        show(f"stencil 3-D, {points} points", only(stencils, f"3d {points} "), 0.88)


main()
