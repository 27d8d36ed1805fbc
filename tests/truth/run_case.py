#!/usr/bin/env python3
"""Runs one case under `lanebank run` and holds the report against the truth.

  run_case.py LANEBANK PROGRAM NAME TRUTH_FOLDER [--arguments "1024 1"] [--lines]

The program must say OK (or "ok" on every line); the exit code must be 120 where the truth has excess wavefronts,
else 0. All rows must be equal (compare_truth.py). Runs in the folder of the case's source, so files are relative.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "..", "data", "cases")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lanebank")
    parser.add_argument("program")
    parser.add_argument("name")
    parser.add_argument("truth")
    parser.add_argument("--arguments", default="")
    parser.add_argument("--lines", action="store_true")
    arguments = parser.parse_args()
    case = os.path.join(arguments.truth, "cases", arguments.name + ".json")
    rows = os.path.join(arguments.truth, "instructions", arguments.name + ".csv")
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        run = subprocess.run([arguments.lanebank, "run", "--all-instructions", "--json", report, "--",
                              arguments.program, *arguments.arguments.split()],
                             cwd=CASES, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        print(run.stderr)
        said = [line for line in run.stdout.splitlines() if line]
        if not said or not all("ok" in line.lower().split() for line in said):
            print(f"the program did not say OK: {run.stdout}")
            return 1
        with open(case) as file:
            excess = any(row["wavefronts"] > row["ideal"] for row in json.load(file)["instructions"])
        if run.returncode != (120 if excess else 0):
            print(f"exit code {run.returncode}, the truth {'has' if excess else 'has no'} excess wavefronts")
            return 1
        with open(report) as file:
            absolute = [row["file"] for launch in json.load(file)["launches"] for row in launch["instructions"]
                        if row["file"].startswith("/") and row["file"].endswith(arguments.name + ".cu")]
        if absolute:
            print(f"not relative to the working directory: {absolute[0]}")
            return 1
        words = [sys.executable, os.path.join(HERE, "compare_truth.py"), report, case, rows]
        return subprocess.run(words + (["--lines"] if arguments.lines else [])).returncode


if __name__ == "__main__":
    sys.exit(main())
