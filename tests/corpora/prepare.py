"""What a checkout needs before its programs are built: edits that make them smaller, inputs, and a script that builds each."""
import os
import subprocess

import inputs
from tables import rows_of

SOURCES = {".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hpp", ".inc"}
CUTLASS = ("nvcc -O3 -std=c++17 -gencode arch=compute_90a,code=sm_90a --expt-relaxed-constexpr "
           "-I{root}/include -I{root}/tools/util/include -I{root}/examples/common -o {program} {program}.cu -lcuda\n")


def edit(folder, row):
    """Applies one expression of sed to the file that the row names, or to all sources. One that changes nothing is an error, unless a
    note beside the sources says that it was applied."""
    done = folder / "edited.txt"
    mark = f"{row['file']} {row['expression']}\n"
    if done.exists() and mark in done.read_text():
        return
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in SOURCES] if row["file"] == "*" else [folder / row["file"]]
    changed = 0
    for path in paths:
        before = path.read_bytes()
        after = subprocess.run(["sed", row["expression"]], input=before, stdout=subprocess.PIPE, check=True).stdout
        if after != before:
            path.write_bytes(after)
            changed += 1
    if changed == 0:
        raise SystemExit(f"{row['program']}: '{row['expression']}' finds nothing in {row['file']}; is this another revision of the corpus?")
    with open(done, "a") as file:
        file.write(mark)


def from_makefile(folder, script_path):
    """The commands of a program's Makefile, so that a machine without make can build it."""
    makefile = (folder / "Makefile").read_text(errors="replace")
    arch = "90" if "compute_$(ARCH)" in makefile else "sm_90"
    command = ["make", "-n", "-B", "--no-print-directory", f"ARCH={arch}", "CC=nvcc", "LAUNCHER="]
    made = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    script = ["set -e"]
    for line in made.stdout.splitlines():
        if line.startswith("make -C "):
            script.append(f"cd {line.split()[2]}")
        elif not line.startswith("make"):
            script.append(line)
    if made.returncode != 0:
        script = [f"echo 'make -n: {made.stderr.splitlines()[-1] if made.stderr else made.returncode}' >&2", "exit 1"]
    script_path.write_text("\n".join(script) + "\n")
    return made.returncode == 0


def prepare(corpus):
    """Edits, inputs and scripts for all programs of `corpus` (corpus.Corpus) that are not left out."""
    rows = {row["program"]: row for row in corpus.rows if not row["left_out"]}
    for row in rows_of(f"{corpus.name}.edits"):
        if row["program"] in rows:
            edit(corpus.folder(rows[row["program"]]), row)
    for program, row in rows.items():
        folder, script = corpus.folder(row), corpus.build_script(row)
        if corpus.name == "cutlass":
            script.write_text(CUTLASS.format(root=os.path.relpath(corpus.checkout, folder), program=program))
            continue
        inputs.write(program, folder)
        if not from_makefile(folder, script):
            print(f"{program}: make -n fails")
