"""docs/support.md from the tables of results beside this file."""
import collections
import csv
import pathlib

from tables import rows_of

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs/support.md"
INTRODUCTION = """# Programs that nobody here wrote

<!-- Made by tests/corpora/corpus.py page from tests/corpora/*.results.tsv; do not edit. -->

Other people's programs, built by nvcc 13 for sm_90, run under `lanebank run` and on an NVIDIA H200 with the same arguments.
`same`: both ended alike and printed the same, number by number to 1e-5, except for times, rates and what differs between two
runs on the H200. What launches no kernel is left out. How the programs are chosen, run and compared: `tests/corpora/`.
Arguments are small; where a source fixes its sizes an edit makes them smaller. Each run may take 60 s. Times were taken while the
machine did other work too.
"""
CORPORA = [
    ("hecbench", "HeCBench", "github.com/zjin-lcf/HeCBench, `src/*-cuda`: 472 of the 476 programs that link none of NVIDIA's "
     "closed libraries and no MPI. A sample, drawn with fixed seeds, ran on two cores; the others on one "
     "core each of the H200's machine, 18 at a time. 'Finish on the H200': built by nvcc and ended there within 20 s, twice "
     "alike. The programs without a reference were not judged."),
    ("cuda_samples", "NVIDIA's CUDA samples", "github.com/NVIDIA/cuda-samples: those that need no graphics, no second "
     "device and none of the closed libraries."),
    ("cutlass", "CUTLASS's examples", "github.com/NVIDIA/cutlass 4.7, `examples/`, with the CuTe tutorials, without those for "
     "Blackwell: built for sm_90a with their own headers, run with small sizes; all but the tutorials check their results themselves, "
     "on the host or the device."),
]
UNJUDGED = ("left out", "no reference", "not built", "not run")


def escaped(text):
    """A cell of a Markdown table; what stands in backticks stays as it is."""
    parts = text.replace("|", "\\|").split("`")
    parts[::2] = [part.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_") for part in parts[::2]]
    return "`".join(parts)


def counted(rows):
    counts = collections.Counter(row["result"] for row in rows)
    finished = sum(count for what, count in counts.items() if what not in UNJUDGED)
    return counts, finished


def section(name, title, text):
    rows = rows_of(f"{name}.results")
    if not rows:
        return ""
    counts, finished = counted(rows)
    lines = [f"\n## {title}\n", text + "\n",
             f"{counts['same']} of the {finished} programs that finish on the H200 do the same under lanebank "
             f"({100 * counts['same'] / max(finished, 1):.0f} %).\n",
             "| result | programs |", "| --- | --- |"]
    lines += [f"| {what} | {count} |" for what, count in counts.most_common()]
    given = rows_of(name)
    edited = sum(1 for row in given if row["edited"] and not row["left_out"])
    ignored = [f"`{row['program']}` (`{row['ignore']}`)" for row in given if row["ignore"]]
    left_out = ("" if not ignored else " Lines left out of the comparison (machine, rates, or the order of threads): "
                + ", ".join(ignored) + ".")
    lines += [f"\n{edited} were edited, most to make them smaller." + left_out, "\nNot the same:\n",
              "| program | result | reason |", "| --- | --- | --- |"]
    lines += [f"| {row['program']} | {row['result']} | {escaped(row['reason'])} |" for row in rows
              if row["result"] != "same" and row["result"] not in UNJUDGED]
    lines += ["\nNot judged:\n", "| result | reason | programs |", "| --- | --- | --- |"]
    groups = collections.defaultdict(list)
    for row in rows:
        if row["result"] in UNJUDGED:
            groups[row["result"], row["reason"]].append(row["program"])
    lines += [f"| {what} | {escaped(why)} | {', '.join(names)} |" for (what, why), names in sorted(groups.items())]
    same = [f"`{row['program']}`" for row in rows if row["result"] == "same"]
    lines += ["\nThe same: " + ", ".join(same) + "."]
    return "\n".join(lines) + "\n"


def ptx_section():
    rows = rows_of("zluda.results")
    if not rows:
        return ""
    counts = collections.Counter(row["result"] for row in rows)
    accepted = counts["same"] + counts["different"] + counts["unsupported"]
    lines = ["\n## ZLUDA's PTX tests\n",
             "github.com/vosen/ZLUDA, `ptx/src/test/spirv_run`: PTX texts through the driver interface, with the values of its "
             "table.\n",
             f"{counts['same']} of the {accepted} texts that ptxas accepts for sm_90 give the table's values.\n",
             "| test | result | reason |", "| --- | --- | --- |"]
    lines += [f"| {row['program']} | {row['result']} | {escaped(row['reason'])} |" for row in rows
              if row["result"] != "same"]
    return "\n".join(lines) + "\n"


def others_section():
    rows = rows_of("others.results")
    if not rows:
        return ""
    repositories = collections.defaultdict(list)
    for row in rows:
        repositories[row["repository"]].append(row)
    lines = ["\n## Programs of many other repositories\n",
             "Judged by the programs' own checks and not by an H200's outputs: none of these ran on a device. `passes`: it says "
             "itself that its results are right; `runs`: it ends as it should and has no check; `stopped`: lanebank stopped a "
             "kernel at an error of the program. "
             "Built for sm_90a, run with the default checks and with `--checks all`; some were made smaller.\n",
             "| repository | passes | runs | stopped | different | too long |", "| --- | --- | --- | --- | --- | --- |"]
    columns = ("passes", "runs", "stopped", "different", "too long")
    for name, group in [*sorted(repositories.items(), key=lambda item: item[0].lower()), ("all", rows)]:
        counts = collections.Counter(row["result"] for row in group)
        lines += [f"| {name} | " + " | ".join(str(counts[what]) for what in columns) + " |"]
    lines += ["\nWith a remark:\n", "| program | repository | result | reason |", "| --- | --- | --- | --- |"]
    lines += [f"| {escaped(row['program'])} | {row['repository']} | {row['result']} | {escaped(row['reason'])} |" for row in rows
              if row["reason"] and row["result"] != "left out"]
    return "\n".join(lines) + "\n"


def counts_section():
    path = HERE / "counts.results.tsv"
    if not path.exists():
        return ""
    with open(path, newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    total = [sum(int(row[n]) for row in rows[1:]) for n in range(1, len(rows[0]))]
    lines = ["\n## Counts against Nsight Compute\n",
             "The first launches of HeCBench programs: executed, predicated-on threads, wavefronts and ideal of every SASS "
             "instruction, against Nsight Compute's source page on the H200 (`tests/corpora/compare_counts.py`).\n",
             "| " + " | ".join(rows[0]) + " |", "|" + " --- |" * len(rows[0])]
    lines += ["| " + " | ".join(row) + " |" for row in rows[1:]]
    lines += ["| all | " + " | ".join(str(number) for number in total) + " |"]
    notes = HERE / "counts.notes.md"
    if notes.exists():
        lines += ["\n" + notes.read_text().strip()]
    return "\n".join(lines) + "\n"


def write():
    PAGE.write_text(INTRODUCTION + "".join(section(*corpus) for corpus in CORPORA) + ptx_section() + others_section() + counts_section())
    return 0
