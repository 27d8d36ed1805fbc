#!/usr/bin/env python3
"""Every public header compiles alone, twice in one file, without a warning.

    compile_alone.py INCLUDE_FOLDER COMPILER ARGS...    e.g. compile_alone.py include g++ -std=c++17 -fsyntax-only

.hpp are for every compiler, .cuh for nvcc. The parts of kernels (kernels/*.cuh) take nvcc minutes: alone only where
LANEBANK_EXHAUSTIVE is set; the headers above them include them all. Fails when there is no header.
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def compile_alone(scratch, include, header, compiler):
    source = Path(scratch) / (header.replace("/", "_") + ".cpp")
    source.write_text(f"#include <{header}>\n#include <{header}>\n")
    done = subprocess.run([*compiler, f"-I{include}", str(source)], cwd=scratch, capture_output=True, text=True)
    return header, done.returncode == 0 and not done.stderr.strip(), done.stdout + done.stderr


def main():
    include, compiler = Path(sys.argv[1]), sys.argv[2:]
    suffixes = (".hpp", ".cuh") if "nvcc" in os.path.basename(compiler[0]) else (".hpp",)
    headers = sorted(p.relative_to(include).as_posix() for p in include.rglob("*") if p.suffix in suffixes)
    if "LANEBANK_EXHAUSTIVE" not in os.environ:
        headers = [h for h in headers if "/kernels/" not in h or not h.endswith(".cuh")]
    failed = 0
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, good, output in pool.map(lambda h: compile_alone(scratch, include, h, compiler), headers):
            if not good:
                failed += 1
                print(f"{header} does not compile alone:\n{output}")
    print(f"{len(headers)} headers, {failed} failed")
    return 1 if failed or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
