#!/usr/bin/env python3
"""Runs tests/cudart/hardware/groups.cu under `lanebank run` and holds each row against Nsight Compute's source page of an H200:
compare_groups.py LANEBANK PROGRAM GROUPS_CSV. Exit code 1: rows differ. Kernels stand in the order of their launches, not every
launch has rows."""
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    lanebank, program, truth = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run([lanebank, "run", "--all-instructions", "--fail-on", "never", "--report", f"{folder}/report.txt", "--json",
                        str(report), "--", program], check=True, stdout=subprocess.DEVNULL)
        launches = json.loads(report.read_text())["launches"]
    rows, wrong, launch, kernel = 0, 0, -1, None
    for row in csv.DictReader(open(truth, newline="")):
        if row["kernel"] != kernel:
            kernel, launch = row["kernel"], launch + 1
            while launches[launch]["kernel"].removeprefix("void ") != kernel.removeprefix("void "):
                launch += 1
            found = {i["address"]: i for i in launches[launch]["instructions"]}
        ours = found[int(row["address"])]
        for column in ("executed", "threads", "wavefronts", "ideal"):
            if int(row[column]) != ours[column]:
                wrong += 1
                print(f"{kernel} {ours['sass']}: {column} {ours[column]}, measured {row[column]}")
        rows += 1
    print(f"{rows} rows, {wrong} differences")
    return 1 if wrong or rows == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
