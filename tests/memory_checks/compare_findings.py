#!/usr/bin/env python3
"""Findings of the memory checks against what a source expects: compare_findings.py LANEBANK SOURCE clean|faulty
[--OPTION=VALUE...] PROGRAM [ARGUMENT...]; the program runs once for each argument.

A line `... // finds RULE HAZARD` of the source expects a finding of that rule and hazard there when the program is faulty. Every
expected one must come: its access or the one before it stands there. No other may come, except (one missing barrier, several
hazards) in a kernel that expects one. A clean program has neither errors nor warnings.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

lanebank, source, build, *rest = sys.argv[1:]
options = [word for word in rest if word.startswith("--")]
program, *arguments = [word for word in rest if not word.startswith("--")]
expected, function_of, function = [], {}, None
with open(source) as file:
    for number, text in enumerate(file, 1):
        if found := re.match(r"(?:__global__|__device__|template).*?(\w+)\(", text):
            function = (number, found[1], not text.startswith("__global__"))
        function_of[number] = function
        for rule, hazard in re.findall(r"// finds ([\w-]+)(?: ([\w-]+))?", text):
            expected.append((number, rule, hazard or None))


def lines_of(finding):
    evidence = finding["evidence"]
    return {finding["line"]} | ({evidence["earlier"]["line"]} if "earlier" in evidence else set())


expecting = {function_of[number] for number, _, _ in expected}

with tempfile.TemporaryDirectory() as folder:
    report = os.path.join(folder, "report.json")
    found, output, wrong = [], "", []
    for argument in arguments or [None]:
        command = [lanebank, "run", *options, "--max-excess", str(10**9), "--json", report, "--", program]
        done = subprocess.run(command + [argument] * (argument is not None), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        output += done.stdout
        with open(report) as file:
            now = [finding for finding in json.load(file)["findings"] if finding["rule"] != "bank-conflict"]
        errors = [finding for finding in now if finding["severity"] == "error"]
        if done.returncode != (120 if errors else 0):
            wrong.append(f"exit {done.returncode} with {len(errors)} errors")
        found += now
serious = [finding for finding in found if finding["severity"] != "note"]
if build == "clean":
    wrong += [f"unexpected: {f['file']}:{f['line']} {f['rule']}: {f['message']}" for f in serious]
else:
    for number, rule, hazard in expected:
        if not any(number in lines_of(f) and (f["rule"], f["evidence"].get("hazard")) == (rule, hazard) for f in found):
            wrong.append(f"missing: line {number}: {rule} {hazard}")
    for f in serious:
        if not all(function_of.get(line) in expecting or function_of[line][2] for line in lines_of(f)):
            wrong.append(f"unexpected: line {f['line']} {f['rule']}: {f['message']}")
    if not expected:
        wrong.append("the source expects nothing")
for f in found:
    print(f"{f['severity']:8} line {f['line']}: {f['rule']} {f['evidence'].get('hazard', '')}: {f['message']}")
if wrong:
    print(output, *wrong, sep="\n")
sys.exit(bool(wrong))
