#!/usr/bin/env python3
"""Runs patterns_run under `lanebank run`: the program must say ok, and each launch must cost what its proofs predict.

    run_patterns.py LANEBANK PROGRAM
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    lanebank, program = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        run = subprocess.run([lanebank, "run", "--fail-on", "never", "--json", str(report), "--", program],
                             capture_output=True, text=True)
        lines = run.stdout.splitlines()
        if run.returncode != 0 or not lines or lines[-1] != "ok":
            print(run.stdout + run.stderr, f"exit code {run.returncode}")
            return 1
        launches = json.loads(report.read_text())["launches"]
    predicted = [line.split()[1:] for line in lines if line.startswith("predicted ")]
    failures = 0 if len(predicted) == len(launches) > 0 else 1
    for (kernel, kind, wavefronts, ideal), launch in zip(predicted, launches):
        rows = [row for row in launch["instructions"] if row["kind"] == kind]
        counted = (sum(row["wavefronts"] for row in rows), sum(row["ideal"] for row in rows))
        right = kernel in launch["kernel"] and rows and counted == (int(wavefronts), int(ideal))
        failures += not right
        print(f"{'' if right else 'WRONG: '}launch {launch['id']} {kernel}: {kind}: predicted {wavefronts} wavefronts, ideal {ideal}; "
              f"counted {counted[0]}, ideal {counted[1]}")
    print(f"{len(launches)} launches, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
