#!/usr/bin/env python3
"""Runs the commands of examples/ci/lanebank.yml that build and run the program, for both layouts, as GitHub would.

    workflow.py ROOT LANEBANK [NVCC]

The plain transpose must end with 120, the other with 0; annotations, SARIF, JUnit, summary and page must say so. Exit code
77 without nvcc. The installation and the steps that are actions of others (uses:) are not run.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

root, lanebank, nvcc = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else ""
if not nvcc or not Path(nvcc).exists():
    print("skipped: no nvcc")
    sys.exit(77)

workflow = (root / "examples/ci/lanebank.yml").read_text()
build = re.search(r"- name: Build the program\n +run: (.*)\n", workflow).group(1)
run = " ".join(re.search(r"- name: Run it without a GPU\n +run: >\n((?: {10}.*\n)+)", workflow).group(1).split())

failed = []


def expect(condition, what):
    if not condition:
        failed.append(what)


for block in re.findall(r"```yaml\n(.*?)```", (root / "docs/ci.md").read_text(), re.DOTALL):
    expect(block in workflow, "docs/ci.md shows what is not in the workflow")

for layout, code, excess in (("plain", 120, 64 * 32 * 31), ("xor", 0, 0)):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "examples").symlink_to(root / "examples")
        environment = dict(os.environ, LAYOUT=layout, GITHUB_STEP_SUMMARY=str(folder / "summary.md"),
                           PATH=f"{lanebank.parent}:{Path(nvcc).parent}:{os.environ['PATH']}")
        subprocess.run(["bash", "-e", "-c", build], cwd=folder, env=environment, check=True)
        done = subprocess.run(["bash", "-e", "-c", run], cwd=folder, env=environment, capture_output=True, text=True)
        expect(done.returncode == code, f"{layout}: ended with {done.returncode}, not {code}: {done.stderr}")
        expect(done.stdout.startswith("right\n"), f"{layout}: {done.stdout}")
        annotations = [line for line in done.stdout.splitlines() if line.startswith("::warning")]
        expect(len(annotations) == (code != 0), f"{layout}: annotations {annotations}")
        results = json.loads((folder / "lanebank.sarif").read_text())["runs"][0]["results"]
        expect(sum(result["properties"]["excess"] for result in results) == excess, f"{layout}: results {results}")
        for result in results:
            place = result["locations"][0]["physicalLocation"]
            expect(place["artifactLocation"]["uri"] == "examples/ci/transpose.cu", f"{layout}: {place}")
            line = (root / "examples/ci/transpose.cu").read_text().splitlines()[place["region"]["startLine"] - 1]
            expect("tile[x][column_of(x, y)]" in line, f"{layout}: points at {line}")
        suite = ElementTree.parse(folder / "lanebank.xml").getroot()
        expect(suite.get("failures") == ("1" if code else "0"), f"{layout}: JUnit {suite.attrib}")
        summary = (folder / "summary.md").read_text()
        expect(summary.startswith("### lanebank: " + ("failed" if code else "passed")), f"{layout}: {summary[:80]}")
        page = (folder / "lanebank.html").read_text()
        for text in ("As it is: 32 wavefronts, ideal 1. In bank 0 meet lanes 0..31.", "Under the cure: 1 wavefront, ideal 1. No lanes meet."):
            expect((text in page) == (code != 0), f"{layout}: the page's pictures are not those of a column: {text}")

for what in failed:
    print(what)
print(f"2 layouts, {len(failed)} expectations not met")
sys.exit(1 if failed else 0)
