#!/usr/bin/env python3
"""The code blocks of a page compile without a warning: ```cpp by every compiler, ```cuda by nvcc alone.

    compile_page.py PAGE INCLUDE_FOLDER COMPILER ARGS...

All blocks go into one file, each in a namespace of its own; #include lines are moved to the front.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def main():
    page, include, compiler = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    wanted = {"cpp", "cuda"} if "nvcc" in os.path.basename(compiler[0]) else {"cpp"}
    blocks = [body for kind, body in re.findall(r"^```(\w+)\n(.*?)^```$", page.read_text(), re.S | re.M) if kind in wanted]
    includes = sorted({line for body in blocks for line in body.splitlines() if line.startswith("#include")})
    text = "\n".join(includes) + "\n"
    for number, body in enumerate(blocks):
        code = "\n".join(line for line in body.splitlines() if not line.startswith("#include"))
        text += f"namespace block_{number} {{\n{code}\n}}\n"
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "page.cpp"
        source.write_text(text)
        done = subprocess.run([*compiler, f"-I{include}", str(source)], cwd=scratch, capture_output=True, text=True)
    output = done.stdout + done.stderr
    print(f"{len(blocks)} blocks\n{output}")
    return 1 if done.returncode or output.strip() or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
