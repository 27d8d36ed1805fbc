#!/usr/bin/env python3
"""Solves problems, builds one program that makes every access of every pattern through the code that came out, runs it
under `lanebank run`, and holds what the machine code cost against the prediction.

  run_solved.py LANEBANK NVCC INCLUDE_FOLDER PROBLEM.json...

Exit code 1: a figure differs, or something could not be built or run.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HEAD = """#include <lanebank/layout.hpp>
#include <lanebank/proofs.hpp>
#include <lanebank/tile.hpp>
#include "accesses.cuh"
"""


def solve(lanebank, problem):
    run = subprocess.run([lanebank, "solve", str(problem), "--json", "-"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout[run.stdout.index("{"):])


def source(solutions):
    parts, main = [HEAD], []
    for number, solution in enumerate(solutions):
        code = "\n".join(line for line in solution["code"]["lanebank"].splitlines() if not line.startswith("#include"))
        parts.append(f"namespace problem_{number} {{\n{code}\n}}\n")
        for index in range(len(solution["patterns"])):
            main.append(f"  run_pattern<problem_{number}::tile, problem_{number}::tile_pattern_{index + 1}>();\n")
    parts.append("int main() {\n" + "".join(main) + "  return finish();\n}\n")
    return "".join(parts)


def measured(report):
    """Wavefronts and ideal of the probed instructions of each launch."""
    for launch in report["launches"]:
        rows = [row for row in launch["instructions"] if row["file"].endswith("accesses.cuh") and row["executed"] > 0]
        yield sum(row["wavefronts"] for row in rows), sum(row["ideal"] for row in rows)


def main():
    lanebank, nvcc, include, *problems = sys.argv[1:]
    solutions = [solve(lanebank, problem) for problem in problems]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "solved.cu").write_text(source(solutions))
        build = [nvcc, "-std=c++17", "-arch=sm_90", "-lineinfo", "-I", include, "-I", str(Path(__file__).resolve().parent),
                 "-o", str(folder / "solved"), str(folder / "solved.cu")]
        subprocess.run(build, check=True)
        subprocess.run([lanebank, "run", "--fail-on", "never", "--report", str(folder / "text"), "--json", str(folder / "report"),
                        "--", str(folder / "solved")], check=True)
        found = list(measured(json.loads((folder / "report").read_text())))
    wanted = [(Path(problem).stem, pattern) for problem, solution in zip(problems, solutions)
              for pattern in solution["patterns"]]
    failures = len(found) != len(wanted)
    for (problem, pattern), (wavefronts, ideal) in zip(wanted, found):
        right = wavefronts == pattern["wavefronts"] and ideal == pattern["ideal"]
        failures += not right
        print(f"{problem}: {pattern['name']}: predicted {pattern['wavefronts']}, ideal {pattern['ideal']}; "
              f"counted {wavefronts}, ideal {ideal}{'' if right else '   DIFFERS'}")
    print(f"{len(found)} patterns run, {failures} failures")
    sys.exit(failures != 0)


main()
