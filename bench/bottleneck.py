#!/usr/bin/env python3
"""Holds the bottleneck estimate against times measured on an H200.

  bottleneck.py count LANEBANK PROGRAM...   counts and estimates each launch of bench/gpu/bottleneck_forms*.cu: writes
                                            results/bottleneck.csv
  bottleneck.py page                        the tables of docs/bottleneck.md, from that file and results/h200
  bottleneck.py page --check                fails where the page has other tables

Measured times are read from results/h200; nothing of the estimate is fitted to them.
"""
import csv
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

BENCH = os.path.dirname(os.path.abspath(__file__))
COUNTS = os.path.join(BENCH, "results", "bottleneck.csv")
PAGE = os.path.join(BENCH, "..", "docs", "bottleneck.md")
SAMPLE = 64  # blocks of each launch that run

# A form with conflicts and the same kernel without: family, case, contenders.
PAIRS = [("ladder", "16384", "baseline 32", "padding 32"),
         ("ladder", "16384", "baseline 32", "swizzle 32"),
         ("ladder", "16384", "baseline 32", "diagonal 32"),
         ("ladder", "16384", "baseline 16", "swizzle 16"),
         ("ladder", "16384", "padding 16", "swizzle 16"),
         ("ladder", "16384", "vector, textbook", "vector, cured"),
         ("gemm", "4096 A*B^T", "step: wmma, conflicts", "step: ldmatrix, padded"),
         ("gemm", "4096 A*B^T", "step: wmma, conflicts", "step: ldmatrix, swizzled")]
PAIRS += [("fft", f"N {n}", "lanebank, no swizzle", "lanebank") for n in (16, 32, 64, 256, 1024, 4096)]
PAIRS += [("reduce", "sum float 2^28", "lanebank, interleaved tree", "lanebank")]
PAIRS += [("histogram", f"{kind} 2^30", "lanebank, one counter per bin", "lanebank") for kind in ("uniform", "skewed", "one value")]
PAIRS += [("stencil2d", f"{points} points 16384x16384", "lanebank, plain words", "lanebank, swizzled words") for points in (5, 9)]
PAIRS += [("convolution", "3x3 32x64->64 112x112", "lanebank, wide windows", "lanebank")]


def measured():
    """Milliseconds by (family, case, contender)."""
    times = {}
    folder = os.path.join(BENCH, "results", "h200")
    for name in ("convolution", "fft", "gemm", "reduce_scan_histogram", "stencil"):
        with open(os.path.join(folder, name + ".csv")) as file:
            for line in file:
                row = re.sub(r'"', "", line.rstrip("\n"))
                # Names hold commas: the last four fields and the first are plain.
                parts = row.rsplit(",", 4)
                if line.startswith(("#", "target", "family")) or len(parts) != 5:
                    continue
                family, _, names = parts[0].partition(",")
                times[family, names] = float(parts[2])
    with open(os.path.join(folder, "transpose_ladder.txt")) as file:
        for line in file:
            size, rest = line.split(maxsplit=1)
            step, ms = re.match(r"(.*?)\s+([\d.]+) ms", rest).groups()
            times["ladder", f"{size},{step}"] = float(ms)
    return lambda family, case, contender: times[family, f"{case},{contender}"]


def count(lanebank, programs):
    rows = []
    for program in programs:
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            command = [lanebank, "run", "--blocks", f"sample:{SAMPLE}", "--checks", "none", "--gpu", "h200", "--fail-on", "never",
                       "--json", report, "--report", os.devnull, "--", program]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
            if done.returncode != 0:
                sys.exit(f"{' '.join(command)}: exit {done.returncode}")
            with open(report) as file:
                launches = json.load(file)["launches"]
        names = [line[len("launch "):] for line in done.stdout.splitlines() if line.startswith("launch ")]
        if len(names) != len(launches):
            sys.exit(f"{program}: {len(names)} names, {len(launches)} launches")
        for name, launch in zip(names, launches):
            estimate = launch["bottleneck"]
            limits = " ".join(f"{limit['limit']}:{limit['seconds'] * 1e3:.4f}" for limit in estimate["limits"])
            rows.append(name.split("|") + [launch["shared"]["wavefronts"], launch["shared"]["ideal"], f"{estimate['seconds'] * 1e3:.5f}",
                                           f"{estimate['saved_seconds_at_most'] * 1e3:.5f}", estimate["binds"], limits])
    with open(COUNTS, "w", newline="") as file:
        file.write("# lanebank's counts and estimates for an H200, of the kernels of bench/gpu/bottleneck_forms*.cu; "
                   f"--blocks sample:{SAMPLE}, scaled. limits: milliseconds of each.\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["family", "case", "contender", "wavefronts", "ideal", "at_least_ms", "saved_at_most_ms", "binds", "limits"])
        writer.writerows(rows)


def figure(value):
    return f"{value:.3f}" if value < 10 else f"{value:.2f}"


def tables():
    time = measured()
    with open(COUNTS) as file:
        rows = {(row["family"], row["case"], row["contender"]): row for row in csv.DictReader(line for line in file if line[0] != "#")}
    bounds = ["| kernel | bound by | at least, ms | measured, ms | reached |", "| --- | --- | --- | --- | --- |"]
    reached = []
    for key, row in rows.items():
        least, ms = float(row["at_least_ms"]), time(*key)
        reached.append(least / ms)
        bounds.append(f"| {key[0]} {key[1]}: {key[2]} | {row['binds']} | {figure(least)} | {figure(ms)} | {100 * least / ms:.0f} % |")
    pairs = ["| kernel | before, after | predicted | measured | error | saved, ms | at most, ms |", "| --- | --- | --- | --- | --- | --- | --- |"]
    errors, outside, gains = [], 0, []
    for family, case, before, after in PAIRS:
        first, second = rows[family, case, before], rows[family, case, after]
        predicted = float(first["at_least_ms"]) / float(second["at_least_ms"])
        speedup = time(family, case, before) / time(family, case, after)
        saved, most = time(family, case, before) - time(family, case, after), float(first["saved_at_most_ms"])
        errors.append(predicted / speedup - 1)
        if speedup >= 1.03:
            gains.append(abs(errors[-1]))
        outside += saved > most + 0.01 * time(family, case, before)  # what times of two runs differ by
        pairs.append(f"| {family} {case} | {before} -> {after} | {predicted:.2f} | {speedup:.2f} | {100 * errors[-1]:+.0f} % | {saved:.3f} | {most:.3f} |")
    sizes = sorted(abs(error) for error in errors)
    within = sum(size <= 0.10 for size in sizes)
    summary = [f"{len(errors)} pairs: the error of the predicted speed-up is {100 * statistics.median(sizes):.1f} % in the median, at most "
               f"{100 * sizes[-1]:.0f} %; {within} are within 10 %. Of the {len(gains)} pairs that gained 3 % or more: "
               f"{100 * statistics.median(gains):.0f} % in the median, {sum(size <= 0.10 for size in gains)} within 10 %. What was saved exceeds \"at most\" by more than 1 % of the time in {outside} of them. "
               f"The lower bound is {100 * statistics.median(reached):.0f} % of the measured time in the median, {100 * min(reached):.0f} to "
               f"{100 * max(reached):.0f} % of {len(reached)} kernels."]
    return {"pairs": pairs, "bounds": bounds, "summary": summary}


def page(check):
    with open(PAGE) as file:
        text = old = file.read()
    for name, lines in tables().items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.S)
        if not pattern.search(text):
            sys.exit(f"docs/bottleneck.md has no place <!-- {name} --> ... <!-- end -->")
        text = pattern.sub(lambda match, lines=lines: match.group(1) + "\n".join(lines) + "\n" + match.group(2), text)
    if check and text != old:
        sys.exit("docs/bottleneck.md is not what bench/results gives: run `python3 bench/bottleneck.py page`.")
    if not check:
        with open(PAGE, "w") as file:
            file.write(text)


def main():
    if sys.argv[1:2] == ["count"] and len(sys.argv) > 3:
        count(sys.argv[2], sys.argv[3:])
    elif sys.argv[1:2] == ["page"]:
        page("--check" in sys.argv)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
