#!/usr/bin/env python3
"""`lanebank fix` on programs with a known conflict and a known remedy (tests/data/cases).

  fix_cases.py LANEBANK CASES PAGE --programs FOLDER       quick: the table of the page says what `fix` finds
  fix_cases.py LANEBANK CASES PAGE --nvcc NVCC --write     rebuilds everything and writes the table
  fix_cases.py LANEBANK CASES PAGE --nvcc NVCC --check     rebuilds everything and compares

Figures are wavefronts of the whole program: as it is, under the proposals (recounted), with the remedy that its author
wrote, and rebuilt by --build. A layout must take at most what the remedy takes.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

# program, flags of the form with the conflict, flags of the remedy
CASES = [
    ("C01_transpose_pad1_half_rows", "", "-DPAD=2"),
    ("C02_sample_transpose_16x17", "", "-DFIX"),
    ("C03_padding_declared_not_indexed", "", "-DFIX"),
    ("C06_sgemm_store_a_transposed", "", "-DPAD=4"),
    ("C09_block_reduce_outer_axis", "", "-DFIX"),
    ("C12_fft_bit_reversal", "", "-DFIX"),
    ("C14_atomic_eight_per_thread", "", "-DFIX"),
    ("C17_lds128_row_per_lane", "", "-DFIX"),
    ("C21_transposer_4x32", "", "-DMODE=1"),
    ("C23_half_transpose_vec8", "", "-DFIX"),
    ("C24_wmma_leading_dimension", "", "-DPAD=8"),
    ("C25_ldmatrix_x2_trans_16x16", "", "-DFIX"),
    ("C27_bf16_mma_bk16_swizzle", "-DSWZ=0", "-DSWZ=1"),
    ("C31_tf32_m_major_lds32", "", "-DLD=136"),
    ("C33_stmatrix_epilogue_tile", "", "-DFIX"),
    ("C36_cpasync_ca_or_cg", "-DNOSWZ", ""),
    ("C36_cpasync_ca_or_cg", "-DCG -DNOSWZ", "-DCG"),
    ("C38_column_major_threads", "", "-DFIX"),
]
# program, what its verdict must be, what its message must say
VERDICTS = [
    ("C03_padding_declared_not_indexed", "fixable", "padding declared but not used in the index: the last 64 of 1,088"),
    ("C14_atomic_eight_per_thread", "fixable", "atomics run in loops"),
    ("C19_vec4_is_four_phases", "clean", "already clean"),
    ("C39_noinline_stack_no_conflict", "clean", "already clean"),
    ("C40_tma_swizzle128_base", "no-layout", "TMA or bulk copies reach it: only the hardware's swizzles"),
    ("C41_wgmma_descriptor_swizzle", "clean", "wgmma reads it: only the hardware's swizzles"),
]
BEGIN, END = "<!-- cases -->\n", "<!-- end of cases -->\n"
EXAMPLE = "C06_sgemm_store_a_transposed"
EXAMPLE_BEGIN, EXAMPLE_END = "<!-- example -->\n```console\n", "```\n<!-- end of example -->\n"
COMPILE = "-std=c++17 -lineinfo -gencode=arch=compute_90a,code=sm_90a"


def run(words, cwd):
    return subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def fix(arguments, program, folder, build=None):
    """The JSON of `fix`."""
    report = os.path.join(folder, "fix.json")
    words = [arguments.lanebank, "fix", "--json", report] + (["--build", build] if build else []) + ["--", program]
    done = run(words, arguments.cases)
    if done.returncode not in (0, 120):
        sys.exit(f"{program}: exit code {done.returncode}\n{done.stderr}")
    with open(report) as file:
        return json.load(file)


def predicted(report):
    """Wavefronts, bytes and layouts with the first proposal of each array."""
    wavefronts, more, layouts = report["wavefronts"], 0, []
    for array in report["arrays"]:
        if not array["proposals"]:
            continue
        best = array["proposals"][0]
        wavefronts -= array["before"]["wavefronts"] - best["after"]["wavefronts"]
        more += best["more_bytes"]
        layouts.append(array["array"] + ": " + best["layout"].replace(" (Bits, Base, Shift in bytes)", ""))
    return wavefronts, more, "; ".join(layouts)


def compiled(arguments, folder, name, flags, output):
    program = os.path.join(folder, output)
    words = [arguments.nvcc, *COMPILE.split(), *flags.split(), name + ".cu", "-o", program]
    done = run(words, arguments.cases)
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stderr}")
    return program


def total(arguments, program, folder):
    report = os.path.join(folder, "run.json")
    run([arguments.lanebank, "run", "--checks", "none", "--json", report, "--", program], arguments.cases)
    with open(report) as file:
        return sum(launch["shared"]["wavefronts"] for launch in json.load(file)["launches"])


def verified(report):
    """What --build came to, in a word."""
    trials = [proposal["trial"] for array in report["arrays"] for proposal in array["proposals"] if proposal["edit"]]
    if not trials:
        return "by hand"
    fixed = [any(proposal["trial"]["state"] == "verified" for proposal in array["proposals"])
             for array in report["arrays"] if array["proposals"]]
    return f"{report['wavefronts_rebuilt']:,}" if all(fixed) else "withdrawn"


def measured(arguments):
    rows = []
    for name, conflict, remedy in CASES:
        with tempfile.TemporaryDirectory() as folder:
            program = compiled(arguments, folder, name, conflict, name)
            build = f"{arguments.nvcc} {COMPILE} {conflict} {{source}} -o {{output}}"
            report = fix(arguments, program, folder, build)
            wanted = total(arguments, compiled(arguments, folder, name, remedy, "remedy"), folder)
        after, more, layouts = predicted(report)
        print(f"{name} {conflict}: {report['wavefronts']} -> {after}, remedy {wanted}, {verified(report)}", flush=True)
        rows.append((f"{name} {conflict}".strip(), report["wavefronts"], after, more, wanted, verified(report), layouts))
    return rows


def table(rows):
    lines = ["| program | as it is | proposed | more bytes | its remedy | rebuilt | layouts |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for name, before, after, more, remedy, rebuilt, layouts in rows:
        lines.append(f"| {name} | {before:,} | {after:,} | {more:,} | {remedy:,} | {rebuilt} | {layouts} |")
    return "\n".join(lines) + "\n"


def example(arguments, program):
    """The text report of a program, under the name that the page gives it."""
    done = run([arguments.lanebank, "fix", "--", program], arguments.cases)
    return f"$ lanebank fix -- ./{EXAMPLE}\n" + done.stderr.replace(program, "./" + EXAMPLE)


def sarif_is_the_diff(arguments, program):
    """Whether the fix in the SARIF log and the diff make the same of the source."""
    with tempfile.TemporaryDirectory() as folder:
        log, diff = os.path.join(folder, "fix.sarif"), os.path.join(folder, "fix.patch")
        run([arguments.lanebank, "fix", "--sarif", log, "--diff", diff, "--", program], arguments.cases)
        with open(log) as file:
            results = json.load(file)["runs"][0]["results"]
        fixes = [result["fixes"] for result in results if "fixes" in result]
        if not fixes or any(fix != fixes[0] for fix in fixes):
            return False
        (change,) = fixes[0][0]["artifactChanges"]
        name = change["artifactLocation"]["uri"]
        lines = read(os.path.join(arguments.cases, name)).splitlines(keepends=True)
        for one in reversed(change["replacements"]):
            region = one["deletedRegion"]
            lines[region["startLine"] - 1:region["endLine"] - 1] = [one["insertedContent"]["text"]]
        patched = os.path.join(folder, name)
        shutil.copy(os.path.join(arguments.cases, name), patched)
        done = run(["git", "apply", "-p1", diff], folder)
        return done.returncode == 0 and read(patched) == "".join(lines)


def between(text, begin, end):
    return text[text.index(begin) + len(begin):text.index(end)]


def with_part(text, begin, end, part):
    first = text.index(begin) + len(begin)
    return text[:first] + part + text[text.index(end, first):]


def read(path):
    with open(path) as file:
        return file.read()


def page_table(page):
    return between(read(page), BEGIN, END)


def page_rows(page):
    rows = {}
    for line in page_table(page).splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows[cells[0]] = cells[1:]
    return rows


def quick(arguments):
    """The programs that the truth tests compile: those whose conflict needs no flag."""
    failed = False
    rows = page_rows(arguments.page)
    for name, conflict, _ in CASES:
        said = rows[f"{name} {conflict}".strip()]
        before, after, more, remedy = (int(cell.replace(",", "")) for cell in said[:4])
        rebuilt = said[4].replace(",", "")
        if min([after] + ([int(rebuilt)] if rebuilt.isdigit() else [])) > remedy:
            print(f"{name}: the table has {after} wavefronts, more than the remedy's {remedy}")
            failed = True
        if conflict:
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = predicted(fix(arguments, os.path.join(arguments.programs, name), folder))
        report = (before, after, more)
        now = (before, *found[:2])
        if now != report or found[2] != said[5]:
            print(f"{name}: the table says {report} {said[5]}, `fix` finds {now} {found[2]}")
            failed = True
    shown = example(arguments, os.path.join(arguments.programs, EXAMPLE))
    if between(read(arguments.page), EXAMPLE_BEGIN, EXAMPLE_END) != shown:
        print(f"{arguments.page} shows another report of {EXAMPLE}; now it is:\n{shown}")
        failed = True
    if not sarif_is_the_diff(arguments, os.path.join(arguments.programs, EXAMPLE)):
        print(f"{EXAMPLE}: --sarif and --diff are not the same edit")
        failed = True
    for name, verdict, message in VERDICTS:
        with tempfile.TemporaryDirectory() as folder:
            array = fix(arguments, os.path.join(arguments.programs, name), folder)["arrays"][0]
        if array["verdict"] != verdict or message not in array["message"]:
            print(f"{name}: {array['verdict']}: {array['message']}\n  expected {verdict}: {message}")
            failed = True
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lanebank")
    parser.add_argument("cases")
    parser.add_argument("page")
    parser.add_argument("--programs")
    parser.add_argument("--nvcc")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    arguments.lanebank = os.path.abspath(arguments.lanebank)
    if arguments.programs:
        arguments.programs = os.path.abspath(arguments.programs)
    if arguments.programs:
        return quick(arguments)
    new = table(measured(arguments))
    if arguments.write:
        with tempfile.TemporaryDirectory() as folder:
            shown = example(arguments, compiled(arguments, folder, EXAMPLE, "", EXAMPLE))
        text = with_part(read(arguments.page), BEGIN, END, new)
        with open(arguments.page, "w") as file:
            file.write(with_part(text, EXAMPLE_BEGIN, EXAMPLE_END, shown))
        return 0
    if new != page_table(arguments.page):
        print(f"{arguments.page} says otherwise:\n{new}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
