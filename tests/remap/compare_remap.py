#!/usr/bin/env python3
"""What `lanebank run --remap` says of a program, against the same program rewritten by hand with that layout.

  compare_remap.py LANEBANK PLAIN REWRITTEN [--remap TEXT ...] [--pair PLAIN_KERNEL REWRITTEN_KERNEL ...] [--sums]

Both programs must say OK. Without --pair the launches of both correspond in order; with --pair the kernels named so do (their
names as in the report; both may be in one program). For each pair of launches, the rows of one source line and mnemonic must have
the same figures: executed, wavefronts, ideal, worst degree; where several rows share a line, as a multiset (the compiler may order
them otherwise). --sums: only the sums over all rows of each launch must be equal, for programs whose rows ptxas arranges
otherwise. At least one row must change. The array as it is (ARRAY=row-major) must give the figures of the run.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile


def run(lanebank, program, remaps):
    """The launches of the program's report."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [lanebank, "run", "--jobs", "1", "--checks", "none", "--json", report]
        for text in remaps:
            command += ["--remap", text]
        done = subprocess.run(command + ["--"] + program.split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = [line for line in done.stdout.splitlines() if line]
        if not said or not all("ok" in line.lower().split() for line in said) or done.returncode not in (0, 120):
            sys.exit(f"{program}: exit code {done.returncode}, said {done.stdout!r}\n{done.stderr}")
        with open(report) as file:
            return json.load(file)["launches"]


def figures(row, remapped):
    prefix = "remapped_" if remapped and "remapped_wavefronts" in row else ""
    return (row["executed"], row[prefix + "wavefronts"], row[prefix + "ideal"], row[prefix + "worst_degree"])


def by_place(launch, remapped):
    """Sorted figures of the shared-memory rows that ran, by line and mnemonic."""
    places = collections.defaultdict(list)
    for row in launch["instructions"]:
        words = row["sass"].split()
        mnemonic = words[1] if words[0].startswith("@") else words[0]
        if row["executed"]:
            places[(os.path.basename(row["file"]), row["line"], mnemonic)].append(figures(row, remapped))
    return {place: sorted(rows) for place, rows in places.items()}


def sums(launch, remapped):
    rows = [figures(row, remapped) for row in launch["instructions"]]
    return sum(row[1] for row in rows), sum(row[2] for row in rows)


def compare(plain, rewritten, only_sums):
    """Number of rows that were compared; exits where one differs."""
    name = f"{plain['kernel']} and {rewritten['kernel']}"
    for remap in plain.get("remaps", []):
        if "refused" in remap:
            sys.exit(f"{name}: {remap['array']}={remap['layout']} refused: {remap['refused']}")
    if not any("remapped_wavefronts" in row for row in plain["instructions"]):
        sys.exit(f"{name}: no row was recounted")
    expected, found = sums(rewritten, False), sums(plain, True)
    if expected != found:
        sys.exit(f"{name}: wavefronts and ideal {found} recounted, {expected} rewritten")
    if only_sums:
        return len(plain["instructions"])
    expected, found = by_place(rewritten, False), by_place(plain, True)
    for place in sorted(set(expected) | set(found)):
        if expected.get(place) != found.get(place):
            sys.exit(f"{name}, {place}: recounted {found.get(place)}, rewritten {expected.get(place)}")
    return sum(len(rows) for rows in found.values())


def check_identity(lanebank, program, remaps):
    arrays = sorted({text.split("=")[0] for text in remaps})
    for launch in run(lanebank, program, [array + "=row-major" for array in arrays]):
        for row in launch["instructions"]:
            if figures(row, True) != figures(row, False):
                sys.exit(f"{launch['kernel']}: as it is, {row['sass']} is recounted to {figures(row, True)}, "
                         f"was {figures(row, False)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lanebank")
    parser.add_argument("plain")
    parser.add_argument("rewritten")
    parser.add_argument("--remap", action="append", default=[])
    parser.add_argument("--pair", action="append", nargs=2, default=[])
    parser.add_argument("--sums", action="store_true")
    arguments = parser.parse_args()
    plain = run(arguments.lanebank, arguments.plain, arguments.remap)
    rewritten = plain if arguments.rewritten == arguments.plain else run(arguments.lanebank, arguments.rewritten, [])
    if arguments.pair:
        named = lambda launches, name: [launch for launch in launches if launch["kernel"].startswith(name)]
        pairs = [(a, b) for names in arguments.pair for a, b in zip(named(plain, names[0]), named(rewritten, names[1]))]
    else:
        pairs = list(zip(plain, rewritten))
    if len(pairs) < max(1, len(arguments.pair)):
        sys.exit(f"only {len(pairs)} pairs of launches")
    rows = sum(compare(a, b, arguments.sums) for a, b in pairs)
    before, after = sum(sums(a, False)[0] for a, _ in pairs), sum(sums(a, True)[0] for a, _ in pairs)
    if before == after:
        sys.exit("the layout changes nothing, so nothing is shown")
    check_identity(arguments.lanebank, arguments.plain, arguments.remap)
    print(f"{len(pairs)} pairs of launches, {rows} rows: wavefronts {before} -> {after}, as rewritten")


if __name__ == "__main__":
    main()
