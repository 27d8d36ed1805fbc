#!/usr/bin/env python3
"""What 20 proofs cost to compile: twenty_proofs.hpp against an empty file.

    compile_time.py INCLUDE_FOLDER [--limit SECONDS] COMPILER ARGS...     e.g. compile_time.py include nvcc -arch=sm_90 -c -o /dev/null

Prints processor time (user and system, all programs that the compiler calls), the least of five runs each, so that other
work on the machine counts little. With a limit: exit 1 when the proofs cost more than that over the empty file in all of
five runs; the first that keeps to it is enough.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 5


def seconds(scratch, text, include, compiler):
    source = Path(scratch) / "measured.cu"
    source.write_text(text)
    before = os.times()
    done = subprocess.run([*compiler, f"-I{include}", str(source)], cwd=scratch, capture_output=True, text=True)
    after = os.times()
    if done.returncode:
        sys.exit(f"does not compile:\n{done.stdout}{done.stderr}")
    return after.children_user - before.children_user + after.children_system - before.children_system


def main():
    include, arguments, limit = sys.argv[1], sys.argv[2:], None
    if arguments[0] == "--limit":
        limit, arguments = float(arguments[1]), arguments[2:]
    header = Path(__file__).with_name("twenty_proofs.hpp").read_text()
    proofs = header.count("static_assert(")
    empty = full = float("inf")
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(RUNS):
            empty = min(empty, seconds(scratch, "", include, arguments))
            full = min(full, seconds(scratch, header.replace("#pragma once\n", ""), include, arguments))
            if limit is not None and full - empty <= limit:
                break
    print(f"{proofs} proofs: {full:.2f} s, an empty file: {empty:.2f} s, difference: {full - empty:.2f} s of processor time"
          f" ({os.path.basename(arguments[0])})")
    if proofs != 20:
        sys.exit("twenty_proofs.hpp must hold 20 proofs")
    return 1 if limit is not None and full - empty > limit else 0


if __name__ == "__main__":
    sys.exit(main())
