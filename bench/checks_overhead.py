#!/usr/bin/env python3
"""What the memory checks cost: checks_overhead.py LANEBANK RUNS PROGRAM[ ARGUMENT...] ...

Runs each program RUNS times with and without checks, in turn, on one thread, and prints for each kernel launch the least seconds of
both and their ratio: time inside of the machine, without loading. Goals: 3 on the transposes, 6 on any program.
"""
import json
import os
import subprocess
import sys
import tempfile

lanebank, runs, programs = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
print(f"{'program':<36} {'launches':>8} {'counting, ms':>13} {'checks, ms':>11} {'ratio':>6} {'worst launch':>13}")
with tempfile.TemporaryDirectory() as folder:
    report = os.path.join(folder, "report.json")
    for program in programs:
        least = {}
        for _ in range(runs):
            for checks in ("none", "all"):
                command = [lanebank, "run", "--jobs", "1", "--checks", checks, "--timing", "--json", report,
                           "--report", os.devnull, "--", *program.split()]
                subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                with open(report) as file:
                    seconds = [launch["seconds"] for launch in json.load(file)["timing"]]
                least[checks] = [min(pair) for pair in zip(least.get(checks, seconds), seconds)]
        plain, checked = sum(least["none"]), sum(least["all"])
        # Launches of less than 50 us say little about anything.
        worst = max((b / a for a, b in zip(least["none"], least["all"]) if a > 5e-5), default=0)
        name = " ".join([os.path.basename(program.split()[0]), *program.split()[1:]])
        print(f"{name:<36} {len(least['none']):>8} {1e3 * plain:>13.3f} {1e3 * checked:>11.3f} {checked / plain:>6.2f}"
              f" {f'{worst:.2f}' if worst else '':>13}")
