#!/usr/bin/env python3
"""What bounds each step of the ladder of transposes on an H200: ladder_bottleneck.py LANEBANK PROGRAM.

The plain tile is bound by shared memory, which padding, swizzles and diagonals end: DRAM is left, as in the naive form L2 is, whose
stores are scattered. Figures of the plain tile by hand: 32 wavefronts to read and 1 to write a warp's 32 elements, 4 sectors each way.
"""
import json
import os
import subprocess
import sys
import tempfile

N = 1024
EXPECTED = {"naive": "l2", "baseline 32": "shared-memory", "padding 32": "dram", "swizzle 32": "dram", "diagonal 32": "dram",
            "vector, cured": "dram", "shuffle": "dram", "tma": "dram", "tiles 64 x 64": "dram"}

lanebank, program = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    report = os.path.join(folder, "report.json")
    command = [lanebank, "run", "--checks", "none", "--gpu", "h200", "--fail-on", "never", "--json", report, "--report", os.devnull,
               "--", program, str(N), "once"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")
    with open(report) as file:
        launches = json.load(file)["launches"]

steps = [line.split(maxsplit=3)[3].split(":")[0] for line in done.stdout.splitlines() if line.startswith("predicts ")]
if len(steps) != len(launches):
    sys.exit(f"{len(steps)} steps, {len(launches)} launches")
wrong = []


def demand(name, found, wanted, within=0.0):
    if abs(found - wanted) > within * abs(wanted):
        wrong.append(f"{name}: {found}, not {wanted}")


seen = set()
for step, launch in zip(steps, launches):
    estimate, work = launch["bottleneck"], launch["work"]["global"]
    print(f"{step:28} {estimate['binds']:14} {estimate['seconds'] * 1e6:8.3f} us")
    if step in EXPECTED:
        seen.add(step)
        if estimate["binds"] != EXPECTED[step]:
            wrong.append(f"{step}: bound by {estimate['binds']}, not {EXPECTED[step]}")
    # Each step reads and writes the matrix once, by the copy engine too.
    demand(f"{step}: DRAM read", work["dram_read_bytes"], 4 * N * N, within=0.001)
    demand(f"{step}: DRAM written", work["dram_write_bytes"], 4 * N * N)
    if launch["shared"]["excess"] == 0:
        demand(f"{step}: saved", estimate["saved_seconds"], 0)
    if step == "baseline 32":
        # 32 x 32 blocks of 32 warps on 132 multiprocessors: the busiest has 8 of them.
        cycles = 8 * 32 * (33 + 2)
        demand("cycles of the plain tile", estimate["seconds"] * 1.98e9, cycles, within=1e-6)
        demand("DRAM's time", estimate["seconds_without_excess"] * 4.8e12, 8 * N * N, within=0.001)
missing = set(EXPECTED) - seen
if missing:
    wrong.append(f"no such steps: {missing}")
sys.exit("\n".join(wrong) if wrong else 0)
