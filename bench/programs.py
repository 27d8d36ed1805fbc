#!/usr/bin/env python3
"""How fast `lanebank run` executes whole programs: bench/programs.py [BUILD] [REPEATS], e.g. build/release 3.

For each program: warp-instructions a second of its launches (their sum over the sum of their seconds; the best of the
repeats), counting alone (`--checks none`), on one core and on all, how much of the cores' speed that is, and the peak memory of the
program with lanebank in it. Needs nvcc.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parent.parent
build = Path(sys.argv[1]) if len(sys.argv) > 1 else root / "build/release"
repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 3
cores = len(os.sched_getaffinity(0))

# What is shown: program, arguments, kernels counted (a regular expression on their names; empty: all). The programs of
# bench/kernels/families.cu launch each kernel three times; the first launch also reads its code.
transposes = str(build / "tests/truth/transposes")
families = str(build / "families")
programs = [
    ("transpose, plain", transposes, ["1024", "1"], r"^void tr<\(int\)0, \(int\)32>"),
    ("transpose, padded", transposes, ["1024", "1"], r"^void tr<\(int\)1, \(int\)32>"),
    ("transpose, XOR", transposes, ["1024", "1"], r"^void tr<\(int\)2, \(int\)32>"),
    ("transpose, diagonal", transposes, ["1024", "1"], r"^void tr<\(int\)3, \(int\)32>"),
    ("transpose, float4", transposes, ["1024", "1"], "^vec4"),
    ("reduction", families, ["reduce"], ""),
    ("scan", families, ["scan"], ""),
    ("histogram", families, ["histogram"], ""),
    ("stencil", families, ["stencil"], ""),
    ("FFT", families, ["fft"], ""),
    ("GEMM 512, wmma", families, ["wmma"], ""),
    ("GEMM 512, ldmatrix", families, ["ldmatrix"], ""),
    ("GEMM 512, cp.async", families, ["cp.async"], ""),
    ("GEMM 512, mma.sync", families, ["mma.sync"], ""),
    ("GEMM 512, wgmma", families, ["wgmma"], ""),
]


def measure(program, arguments, kernels, jobs):
    """Best warp-instructions a second, their number, and the peak memory in MiB."""
    best, count, memory = 0.0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [str(build / "bin/lanebank"), "run", "--checks", "none", "--fail-on", "never", "--timing", "--json", str(report),
                   "--report", os.devnull, "--jobs", str(jobs), "--", program, *arguments]
        for _ in range(repeats):
            # A child of its own, so that its peak memory is not that of an earlier one.
            done = subprocess.run([sys.executable, "-c", "import resource, subprocess, sys\n"
                                   "code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n"
                                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\nsys.exit(code)", *command],
                                  stdout=subprocess.PIPE, text=True)
            if done.returncode != 0:
                sys.exit(f"{os.path.basename(program)} {' '.join(arguments)}: exit {done.returncode}")
            memory = max(memory, int(done.stdout) // 1024)
            whole = json.loads(report.read_text())
            seconds = {entry["id"]: entry["seconds"] for entry in whole["timing"]}
            launches = [launch for launch in whole["launches"] if re.search(kernels, launch["kernel"])]
            count = sum(launch["warp_instructions"] for launch in launches)
            best = max(best, count / sum(seconds[launch["id"]] for launch in launches))
    return best, count, memory


subprocess.run(["nvcc", "-O3", "-std=c++17", "-w", "-gencode", "arch=compute_90a,code=sm_90a", "-I", str(root / "include"),
                str(root / "bench/kernels/families.cu"), "-o", families], check=True)
print(f"{'program':24} {'warp instructions':>18} {'1 core':>12} {f'{cores} cores':>12} {'share':>7} {'peak memory':>12}")
for name, program, arguments, kernels in programs:
    one, count, memory = measure(program, arguments, kernels, 1)
    all_cores, _, _ = measure(program, arguments, kernels, cores)
    print(f"{name:24} {count:18,} {one / 1e6:8.1f} M/s {all_cores / 1e6:8.1f} M/s {all_cores / one / cores:7.2f} {memory:8} MiB",
          flush=True)
