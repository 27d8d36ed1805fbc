#!/usr/bin/env python3
"""`lanebank fix --build` end to end on programs.cu: edits are verified or withdrawn, and files stay as they are without --apply.

  fix_build_test.py LANEBANK NVCC PROGRAMS_CU
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

FLAGS = ["-std=c++17", "-lineinfo", "-arch=sm_90"]
failures = []


def expect(condition, message):
    if not condition:
        failures.append(message)


def run(words, folder):
    return subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def only(values, what):
    values = list(values)
    if len(values) != 1:
        sys.exit(f"{len(values)} of {what}, expected one")
    return values[0]


def main():
    lanebank, nvcc, source = (os.path.abspath(word) for word in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(source, os.path.join(folder, "programs.cu"))
        built = run([nvcc, *FLAGS, "programs.cu", "-o", "programs"], folder)
        if built.returncode != 0:
            sys.exit(built.stderr)
        with open(source) as file:
            before = file.read()
        plain = run([lanebank, "run", "--", "./programs"], folder)
        command = f"{nvcc} {' '.join(FLAGS)} {{source}} -o {{output}}"
        fixed = run([lanebank, "fix", "--build", command, "--json", "fix.json", "--diff", "fix.patch", "--", "./programs"],
                    folder)
        print(fixed.stderr)
        expect(fixed.returncode == 120, f"exit code {fixed.returncode}, expected 120: nothing was applied")
        expect(fixed.stdout == plain.stdout, "the program's output does not pass through")
        with open(os.path.join(folder, "programs.cu")) as file:
            expect(file.read() == before, "the source was changed without --apply")
        with open(os.path.join(folder, "fix.json")) as file:
            report = json.load(file)

        turn = only((a for a in report["arrays"] if a["array"] == "t" and a["verdict"] == "fixable"), "fixable t")
        expect(turn["kernels"] == ["void turn<(int)32, (int)0>(const float *, float *)"], str(turn["kernels"]))
        expect(turn["proposals"][0]["trial"] == {"state": "verified", "wavefronts": 64}, str(turn["proposals"][0]["trial"]))
        padded = only((a for a in report["arrays"] if a["array"] == "t" and a["verdict"] == "clean"), "clean t")
        expect(padded["before"]["wavefronts"] == 64, "the padded instance is clean")
        walk = only((a for a in report["arrays"] if a["array"] == "w"), "w")
        trials = [proposal["trial"] for proposal in walk["proposals"]]
        expect(trials[0]["state"] == "withdrawn" and "writes something else" in trials[0].get("reason", ""), str(trials))
        expect(trials[-1]["state"] == "verified" and trials[-1].get("wavefronts") == 64, str(trials))
        expect(walk["proposals"][-1]["family"] == "padding", walk["proposals"][-1]["family"])
        expect(report["wavefronts_rebuilt"] == 64 + 64 + 64, f"rebuilt {report['wavefronts_rebuilt']}")

        other = run([lanebank, "fix", "--build", command + " -G", "--", "./programs"], folder)
        expect(other.returncode == 125 and "unchanged, takes" in other.stderr, f"other flags: {other.stderr[-300:]}")
        # The diff is the edit: applied, built and run, it costs what was said.
        applied = run(["git", "apply", "fix.patch"], folder)
        expect(applied.returncode == 0, f"git apply: {applied.stderr}")
        run([nvcc, *FLAGS, "programs.cu", "-o", "programs"], folder)
        after = run([lanebank, "fix", "--json", "after.json", "--", "./programs"], folder)
        expect(after.returncode == 0, f"exit code {after.returncode} for the fixed program, expected 0\n{after.stderr}")
        expect(after.stdout == plain.stdout, "the fixed program prints something else")
        with open(os.path.join(folder, "after.json")) as file:
            expect(json.load(file)["wavefronts"] == 192, "the fixed program takes other than 192 wavefronts")

        refused = run([lanebank, "fix", "--apply", "--", "./programs"], folder)
        expect(refused.returncode == 125 and "--build" in refused.stderr, f"--apply alone: {refused.stderr}")
        broken = run([lanebank, "fix", "--build", "false", "--", "./programs"], folder)
        expect(broken.returncode == 0, "nothing to fix needs no build")
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
