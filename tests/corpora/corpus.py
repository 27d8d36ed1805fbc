#!/usr/bin/env python3
"""Programs that nobody here wrote, under `lanebank run`, held against what they print on a GPU.

  corpus.py CORPUS FOLDER prepare             edits its programs smaller, writes inputs, and a script that builds each
  corpus.py CORPUS FOLDER build               runs these scripts
  corpus.py CORPUS FOLDER record              runs its programs as they are, on a machine with an H200, twice each
  corpus.py CORPUS FOLDER run                 runs them under `lanebank run`
  corpus.py CORPUS FOLDER together            build, record and run, program by program, on one machine with an H200
  corpus.py CORPUS FOLDER table               compares both and writes CORPUS.results.tsv beside this file
  corpus.py page                              writes docs/support.md from the tables

Options: --only NAME,NAME..., --lanebank COMMAND, --limit SECONDS (of one run), --jobs N (programs at once), --threads N (of each run
under lanebank; 0: all cores), --on-device N (programs at once on the H200), --until SECONDS (`together` begins nothing later and ends
what still runs), --go-on (`together` keeps what was built and recorded before). Outputs are kept in FOLDER.outputs/. FOLDER is a
checkout; its programs are built by plain `nvcc -O3 -arch=sm_90` (CUTLASS: sm_90a).
CORPUS.tsv has a row for each program: its name, its group, its arguments, a tolerance, whether its source was
edited to make it smaller, why it is left out, if it is, an expression of lines that depend on the machine or that the
program leaves to the order of its threads, and a note on why it differs, where that is known.

What is compared: how the program ended, and every word it printed on stdout (on stderr, where it prints nothing there on the
GPU). Two numbers are the same when they differ by less than 1e-5 of the larger, or by the tolerance that the row gives; text
must be the same. Not compared are numbers in lines that speak of time or rates, and words that differ between the two runs on
the GPU. A program of which lanebank stopped a kernel is never the same, whatever it prints; one that launches none is left out.
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
import threading
import time

from tables import rows_of

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 1e-5
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)\b", re.IGNORECASE)
TIMED = re.compile(
    r"\btimes?\b|timing|second|\d s\b|\bsec\b|elapsed|\b[mnuµ]s\b|\d[mnuµ]?s\b|[kmgt]i?b(ytes?)?/s|/s\b|per s|bandwidth|throughput"
    r"|[kmgtp]?flops?|\bfps\b|latency|speed|cycles|clocks|performance|overhead|(?<!error )\brate\b|took\b|duration",
    re.IGNORECASE)
FOLDERS = re.compile(r"(?<![\w.])/(?:[\w.+-]+/)+")
DATE = re.compile(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} +\d+ [\d:]+ \d{4}")
KEPT_BYTES = 1 << 20


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
    if ended == 121:
        return "left out", "launches no kernel"
    if ended == 122 and "Assertion `" in ours["errors"] and "not implemented" not in ours["errors"]:
        ended = 0  # the program wanted an assertion to fail
    if ended == 122:
        return "unsupported", reason_in(ours["errors"])
    if ended != first["exit_code"]:
        return "different", f"ends with {ours['exit_code']}, H200: {first['exit_code']}; {reason_in(ours['errors'])}"
    stopped = re.search(r"^lanebank: .* stopped: ", ours["errors"], re.MULTILINE)
    if stopped and "Assertion `" not in ours["errors"]:
        return "different", reason_in(ours["errors"])
    tolerance = float(row["tolerance"]) if row.get("tolerance") else TOLERANCE
    printed = "output" if first["output"].strip() else "errors"
    difference = first_difference(ours[printed], first[printed], second[printed], tolerance, row.get("ignore") or "")
    return ("same", "") if difference is None else ("different", difference)


# Where a program stands in a checkout.
PLACES = {
    "hecbench": lambda row: pathlib.Path("src", f"{row['program']}-cuda"),
    "cuda_samples": lambda row: pathlib.Path("Samples", row["group"], row["program"]),
    "cutlass": lambda row: pathlib.Path("examples", row["group"]),
}
SHARED_FOLDERS = {"cutlass"}  # several programs of a corpus stand in one folder, each named after its source


class Corpus:
    def __init__(self, name, checkout, only):
        self.name, self.checkout = name, pathlib.Path(checkout).resolve()
        self.outputs = pathlib.Path(str(self.checkout) + ".outputs")
        self.outputs.mkdir(exist_ok=True)
        self.rows = [row for row in rows_of(name) if not only or row["program"] in only]

    def folder(self, row):
        return self.checkout / PLACES[self.name](row)

    def binary(self, row):
        return self.folder(row) / (row.get("binary") or (row["program"] if self.name in SHARED_FOLDERS else "main"))

    def build_script(self, row):
        return self.folder(row) / (f"{row['program']}.build.sh" if self.name in SHARED_FOLDERS else "build.sh")

    def kept(self, row, what):
        return self.outputs / f"{row['program'].replace('/', '-')}.{what}.json"

    def load(self, row, what):
        path = self.kept(row, what)
        return json.loads(path.read_text()) if path.exists() else None

    def each(self, one, jobs):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, [row for row in self.rows if not row["left_out"]]))

    def keep(self, row, what, result):
        self.kept(row, what).write_text(json.dumps(result, indent=1))
        shown = result["runs"][0] if "runs" in result else result
        print(f"{row['program']:32} {what:9} {shown['exit_code']!s:5} {shown['seconds']:8.1f} s", flush=True)

    def prepare(self, _):
        import prepare
        prepare.prepare(self)

    def build_one(self, row, limit):
        self.keep(row, "build", run_limited(["sh", self.build_script(row).name], self.folder(row), limit))

    def record_one(self, row, limit):
        if self.binary(row).exists():
            command = [str(self.binary(row))] + shlex.split(row["arguments"])
            runs = [run_limited(command, self.folder(row), limit)]
            if runs[0]["exit_code"] is not None:
                runs.append(run_limited(command, self.folder(row), limit))
            self.keep(row, "h200", {"runs": runs})

    def run_one(self, row, options, limit):
        if not self.binary(row).exists():
            return
        report = self.outputs / f"{row['program']}.report.txt"
        command = shlex.split(options.lanebank) + ["run", "--jobs", str(options.threads), "--fail-on", "never", "--report", str(report),
                                                   "--", str(self.binary(row))] + shlex.split(row["arguments"])
        result = run_limited(command, self.folder(row), limit)
        if result["exit_code"] is None and limit < options.limit:
            return  # the end cut it short; it may have finished within its limit
        if result["exit_code"] == 122 and report.exists():
            result["errors"] += problems_of(report.read_text())
        self.keep(row, "lanebank", result)

    def build(self, options):
        self.each(lambda row: self.build_one(row, options.limit), options.jobs)

    def record(self, options):
        self.each(lambda row: self.record_one(row, options.limit), options.jobs)

    def run(self, options):
        self.each(lambda row: self.run_one(row, options, options.limit), options.jobs)

    def together(self, options):
        end = time.monotonic() + options.until
        device = threading.Semaphore(options.on_device)

        def left(most):
            return min(most, end - time.monotonic())

        def one(row):
            if left(300) > 5 and not (options.go_on and self.binary(row).exists()):
                self.build_one(row, left(300))
            with device:
                if left(20) == 20 and not (options.go_on and self.kept(row, "h200").exists()):
                    self.record_one(row, left(20))
            if left(options.limit) > 5:
                self.run_one(row, options, left(options.limit))
        self.each(one, options.jobs)

    def result_of(self, row, known):
        """A row of the table; what earlier runs found (`known`) where no output of this program is kept."""
        ours, reference, build = (self.load(row, what) for what in ("lanebank", "h200", "build"))
        if known and ours is None and reference is None and build is None:
            return known
        what, why = judged(row, reference is not None or self.binary(row).exists(), reference, ours)
        if what not in ("same", "left out") and row.get("note"):
            why = row["note"]
        seconds = f"{ours['seconds']:.1f}" if ours else ""
        return [row["program"], row["group"], row["arguments"], what, seconds, " ".join(why.split())]

    def table(self, _):
        path = HERE / f"{self.name}.results.tsv"
        known = {}
        if path.exists():
            with open(path, newline="") as file:
                known = {found[0]: found for found in csv.reader(file, delimiter="\t")}
        results = [self.result_of(row, known.get(row["program"])) for row in self.rows]
        with open(path, "w", newline="") as file:
            writer = csv.writer(file, delimiter="\t", lineterminator="\n")
            writer.writerow(["program", "group", "arguments", "result", "seconds", "reason"])
            writer.writerows(results)
        for result in results:
            if result[3] != "same":
                print(f"{result[0]:32} {result[3]}: {result[5]}")
        print(dict(collections.Counter(result[3] for result in results)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("checkout", nargs="?")
    parser.add_argument("step", nargs="?", choices=["prepare", "build", "record", "run", "together", "table"])
    parser.add_argument("--only", default="")
    parser.add_argument("--lanebank", default="lanebank")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--on-device", type=int, default=4)
    parser.add_argument("--until", type=float, default=3600)
    parser.add_argument("--go-on", action="store_true")
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
