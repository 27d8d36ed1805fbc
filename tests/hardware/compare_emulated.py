#!/usr/bin/env python3
"""Runs probe_shared under `lanebank run` with the patterns that were measured, and holds what each probed instruction cost
against the measurement: compare_emulated.py LANEBANK PROBE KIND TRUTH_FOLDER. Exit code 1: rows differ.

The report takes the place of Nsight Compute's source page in join.py, so that each row is found by the data flow of
the machine code, here as there. Rows of LDGSTS.BYPASS under @P0 are left out: Nsight Compute counts nothing there.
"""
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import join  # noqa: E402


def source_page(report, path):
    rows = json.loads(report.read_text())["launches"][0]["instructions"]
    columns = {"Source": "sass", "L1 Wavefronts Shared": "wavefronts", "L1 Wavefronts Shared Ideal": "ideal",
               "Predicated-On Thread Instructions Executed": "threads", "Instructions Executed": "executed"}
    with open(path, "w", newline="") as file:
        file.write("kernel\n")
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        for row in rows:
            writer.writerow({column: row[key] for column, key in columns.items()})


def emulated(lanebank, probe, kind, patterns, folder):
    report = folder / "report.json"
    subprocess.run([lanebank, "run", "--all-instructions", "--fail-on", "never", "--report", str(folder / "report.txt"),
                    "--json", str(report), "--", probe, kind, str(patterns)], check=True, stdout=subprocess.DEVNULL)
    source_page(report, folder / f"{kind}.csv")
    (folder / f"{kind}.bin").write_bytes(patterns.read_bytes())
    return join.joined(str(folder), kind)


def measured(path):
    with open(path, newline="") as file:
        return [list(row.values()) for row in csv.DictReader(file)]


def main():
    lanebank, probe, kind, truth = sys.argv[1:]
    failures = rows = left_out = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        jobs = []
        for seed in ("1", "2"):
            (folder / seed).mkdir()
            subprocess.run([sys.executable, str(HERE / "make_patterns.py"), str(folder / seed), seed], check=True)
            jobs.append((f"{kind}.csv", folder / seed / f"{kind}.bin"))
        if kind == "ld16":
            for name in ("active", "paired"):
                (folder / name).mkdir()
                subprocess.run([sys.executable, str(HERE / "make_quarter_patterns.py"), name, str(folder / name)], check=True)
                jobs += [("ld16_quarters.csv", path) for path in sorted((folder / name).iterdir())]
        wanted = {}
        for file, patterns in jobs:
            expected = wanted.setdefault(file, iter(measured(f"{truth}/{file}")))
            for ours in emulated(lanebank, probe, kind, patterns, folder):
                theirs = next(expected)
                rows += 1
                if kind == "cg16" and theirs[6] == "P0":
                    left_out += 1
                elif [str(value) for value in ours] != theirs:
                    failures += 1
                    if failures <= 10:
                        print(f"{file} row {rows}:\n  ours     {ours}\n  measured {theirs}")
    print(f"{kind}: {rows} rows, {left_out} left out, {failures} differ")
    sys.exit(failures != 0)


main()
