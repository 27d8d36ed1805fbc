#!/usr/bin/env python3
"""The ladder's predictions against `lanebank run`: ladder_predictions.py LANEBANK PROGRAM.

The program prints a line `predicts WAVEFRONTS IDEAL STEP: right` for each of its launches, in order, from what the compiler
counted; the report has the same two figures as the machine counted them.
"""
import json
import os
import subprocess
import sys
import tempfile

lanebank, program = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    report = os.path.join(folder, "report.json")
    command = [lanebank, "run", "--fail-on", "never", "--json", report, "--report", os.devnull, "--", program, "128", "once"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")
    with open(report) as file:
        launches = json.load(file)["launches"]

lines = [line for line in done.stdout.splitlines() if line.startswith("predicts ")]
wrong = len(lines) != len(launches) or len(lines) == 0
if wrong:
    print(f"{len(lines)} predictions, {len(launches)} launches")
for line, launch in zip(lines, launches):
    _, wavefronts, ideal, step = line.split(maxsplit=3)
    shared = launch["shared"]
    same = (int(wavefronts), int(ideal)) == (shared["wavefronts"], shared["ideal"])
    wrong |= not same or not step.endswith(": right")
    print(f"{step:40} predicted {wavefronts:>6} of {ideal:>5}, counted {shared['wavefronts']:>6} of {shared['ideal']:>5}"
          f"{'' if same else '   DIFFERENT'}")
sys.exit(wrong)
