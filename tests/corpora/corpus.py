#!/usr/bin/env python3
"""Programs that nobody here wrote, under `lanebank run`, held against what they print on a GPU.

  corpus.py CORPUS FOLDER record              runs its programs as they are, on a machine with an H200, twice each
  corpus.py CORPUS FOLDER run                 runs them under `lanebank run`
  corpus.py CORPUS FOLDER table               compares both and writes CORPUS.results.tsv beside this file
  corpus.py page                              writes docs/support.md from the tables

Options: --only NAME,NAME..., --lanebank COMMAND, --limit SECONDS (of one run), --jobs N (at once). Outputs are kept in FOLDER.outputs/.
FOLDER is a checkout whose programs were built, by plain `nvcc -O3 -arch=sm_90`; building is not this script's business.
CORPUS.tsv has a row for each program: its name, its group, its arguments, a tolerance, whether its source was
edited to make it smaller, why it is left out, if it is, an expression of lines that depend on the machine or that the
program leaves to the order of its threads, and a note on why it differs, where that is known.

What is compared: how the program ended, and every word it printed on stdout. Two numbers are the same when they differ
by less than 1e-5 of the larger, or by the tolerance that the row gives; text must be the same. Not compared are numbers
in lines that speak of time or rates, and words that differ between the two runs on the GPU.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 1e-5
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)\b", re.IGNORECASE)
TIMED = re.compile(
    r"\btimes?\b|timing|second|\d s\b|\bsec\b|elapsed|\b[mnuµ]s\b|\d[mnuµ]?s\b|[kmgt]i?b(ytes?)?/s|/s\b|per s|bandwidth|throughput"
    r"|[kmgtp]?flops?|\bfps\b|latency|speed|cycles|clocks|performance|overhead|\brate\b|took\b|duration",
    re.IGNORECASE)
FOLDERS = re.compile(r"(?<![\w.])/(?:[\w.+-]+/)+")
DATE = re.compile(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} +\d+ [\d:]+ \d{4}")
KEPT_BYTES = 1 << 20


def read_rows(corpus):
    with open(HERE / f"{corpus}.tsv", newline="") as file:
        return [row for row in csv.DictReader(file, delimiter="\t")]


def run_limited(command, folder, limit, environment=None):
    """What became of a command: exit code (128 + n after signal n, None when it ran out of time), seconds, output."""
    start = time.monotonic()
    with open(os.devnull) as nothing:
        child = subprocess.Popen(command, cwd=folder, stdin=nothing, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env=environment, start_new_session=True)
        try:
            output, errors = child.communicate(timeout=limit)
            code = child.returncode if child.returncode >= 0 else 128 - child.returncode
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            output, errors = child.communicate()
            code = None
    return {"exit_code": code, "seconds": round(time.monotonic() - start, 2),
            "output": output[:KEPT_BYTES].decode(errors="replace"), "errors": errors[-20000:].decode(errors="replace")}


def words(line):
    """A line as alternating texts and numbers; without folders, and one that speaks of time without its numbers."""
    parts, at = [], 0
    line = DATE.sub("", FOLDERS.sub("", line))
    timed = TIMED.search(line) is not None
    for match in NUMBER.finditer(line):
        parts += line[at:match.start()].split()
        parts.append(None if timed else float(match[0]))
        at = match.end()
    return parts + line[at:].split()


def same_word(ours, theirs, again, tolerance):
    if theirs != again and not (theirs != theirs and again != again):
        return True
    if isinstance(ours, float) and isinstance(theirs, float):
        if ours == theirs or ours != ours and theirs != theirs:
            return True
        return abs(ours - theirs) <= tolerance * max(abs(ours), abs(theirs))
    return ours == theirs


def first_difference(ours, theirs, again, tolerance, ignore):
    """The first line of an output that is not the reference's, or None. `again`: the reference's second run; `ignore`: an
    expression of lines that are left out."""
    if ignore:
        ours, theirs, again = ("\n".join(line for line in text.splitlines() if not re.search(ignore, line))
                               for text in (ours, theirs, again))
    split = [[words(line) for line in text.splitlines() if line.strip()] for text in (ours, theirs, again)]
    lines = [[line for line in text.splitlines() if line.strip()] for text in (ours, theirs)]
    if len(split[1]) != len(split[2]):
        return None if len(split[0]) > 0 or not split[1] else "no output"
    for at, (their, other) in enumerate(zip(split[1], split[2])):
        if at >= len(split[0]):
            return f"ends before: {lines[1][at].strip()}"
        our = split[0][at]
        if len(their) != len(other):
            continue
        if len(our) != len(their) or not all(same_word(a, b, c, tolerance) for a, b, c in zip(our, their, other)):
            return f"prints: {lines[0][at].strip()[:100]} | H200: {lines[1][at].strip()[:100]}"
    if len(split[0]) > len(split[1]):
        return f"goes on: {lines[0][len(split[1])].strip()}"
    return None


def reason_in(errors):
    """The message of lanebank's that says why it could not go on."""
    for line in errors.splitlines():
        if line.startswith("lanebank: ") or re.search(r"is not implemented|not supported|unsupported", line):
            return re.sub(r"\s+", " ", line.removeprefix("lanebank: "))[:160]
    return ""


def problems_of(report):
    """What a text report says could not be analysed, in one line each."""
    found = []
    for line in report.splitlines():
        if line.startswith("  cannot analyse: "):
            found.append("lanebank: " + line.removeprefix("  cannot analyse: "))
        elif found and line.startswith("  ") and not line.startswith("    "):
            found[-1] += " " + line.strip()
        elif found:
            break
    return "\n".join(found)


def judged(row, built, reference, ours):
    """(what, why): what is "same" or one word for what went wrong."""
    if row["left_out"]:
        return "left out", row["left_out"]
    if not built:
        return "not built", "nvcc 13 does not build it"
    if reference is None:
        return "no reference", "two runs took more than 30 s on the H200, mostly of its processor"
    first, second = reference["runs"][0], reference["runs"][-1]
    if None in (first["exit_code"], second["exit_code"]):
        return "no reference", "does not finish on the H200 in 20 s"
    if first["exit_code"] != second["exit_code"] or first["exit_code"] >= 128:
        return "no reference", f"ends with {first['exit_code']} and {second['exit_code']} on the H200"
    if ours is None:
        return "not run", ""
    if ours["exit_code"] is None:
        return "too long", f"more than {ours['seconds']:.0f} s"
    ended = ours["exit_code"]
    if ended == 121 or ended == 122 and "Assertion `" in ours["errors"] and "not implemented" not in ours["errors"]:
        ended = 0  # no kernel to analyse; or the program wanted an assertion to fail
    if ended == 122:
        return "unsupported", reason_in(ours["errors"])
    if ended != first["exit_code"]:
        return "different", f"ends with {ours['exit_code']}, H200: {first['exit_code']}; {reason_in(ours['errors'])}"
    tolerance = float(row["tolerance"]) if row.get("tolerance") else TOLERANCE
    difference = first_difference(ours["output"], first["output"], second["output"], tolerance,
                                  row.get("ignore") or "")
    return ("same", "") if difference is None else ("different", difference)


# Where a program stands in a checkout.
PLACES = {
    "hecbench": lambda row: pathlib.Path("src", f"{row['program']}-cuda"),
    "cuda_samples": lambda row: pathlib.Path("Samples", row["group"], row["program"]),
}


class Corpus:
    def __init__(self, name, checkout, only):
        self.name, self.checkout = name, pathlib.Path(checkout).resolve()
        self.outputs = pathlib.Path(str(self.checkout) + ".outputs")
        self.outputs.mkdir(exist_ok=True)
        self.rows = [row for row in read_rows(name) if not only or row["program"] in only]

    def folder(self, row):
        return self.checkout / PLACES[self.name](row)

    def binary(self, row):
        return self.folder(row) / (row.get("binary") or "main")

    def kept(self, row, what):
        return self.outputs / f"{row['program'].replace('/', '-')}.{what}.json"

    def load(self, row, what):
        path = self.kept(row, what)
        return json.loads(path.read_text()) if path.exists() else None

    def each(self, what, run, jobs):
        def one(row):
            result = run(row)
            if result is not None:
                self.kept(row, what).write_text(json.dumps(result, indent=1))
                shown = result["runs"][0] if "runs" in result else result
                print(f"{row['program']:32} {shown['exit_code']!s:5} {shown['seconds']:8.1f} s", flush=True)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, [row for row in self.rows if not row["left_out"]]))

    def record(self, options):
        def twice(row):
            if not self.binary(row).exists():
                return None
            command = [str(self.binary(row))] + shlex.split(row["arguments"])
            return {"runs": [run_limited(command, self.folder(row), options.limit) for _ in range(2)]}
        self.each("h200", twice, options.jobs)

    def run(self, options):
        def once(row):
            if not self.binary(row).exists():
                return None
            report = self.outputs / f"{row['program']}.report.txt"
            command = shlex.split(options.lanebank) + ["run", "--fail-on", "never", "--report", str(report), "--",
                                                       str(self.binary(row))] + shlex.split(row["arguments"])
            result = run_limited(command, self.folder(row), options.limit)
            if result["exit_code"] == 122 and report.exists():
                result["errors"] += problems_of(report.read_text())
            return result
        self.each("lanebank", once, options.jobs)

    def table(self, _):
        counts = collections.Counter()
        with open(HERE / f"{self.name}.results.tsv", "w", newline="") as file:
            writer = csv.writer(file, delimiter="\t", lineterminator="\n")
            writer.writerow(["program", "group", "arguments", "result", "seconds", "reason"])
            for row in self.rows:
                ours = self.load(row, "lanebank")
                what, why = judged(row, self.binary(row).exists(), self.load(row, "h200"), ours)
                counts[what] += 1
                seconds = f"{ours['seconds']:.1f}" if ours else ""
                if what not in ("same", "left out") and row.get("note"):
                    why = row["note"]
                writer.writerow([row["program"], row["group"], row["arguments"], what, seconds, " ".join(why.split())])
                if what != "same":
                    print(f"{row['program']:32} {what}: {why}")
        print(dict(counts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("checkout", nargs="?")
    parser.add_argument("step", nargs="?", choices=["record", "run", "table"])
    parser.add_argument("--only", default="")
    parser.add_argument("--lanebank", default="lanebank")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if options.corpus == "page":
        import page
        return page.write()
    if options.step is None:
        parser.error("which step?")
    corpus = Corpus(options.corpus, options.checkout, [name for name in options.only.split(",") if name])
    getattr(corpus, options.step)(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
