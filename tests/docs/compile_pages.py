#!/usr/bin/env python3
"""The code of every page compiles without a warning: `cpp` by every compiler, `cuda` by nvcc alone.

    compile_pages.py INCLUDE_FOLDER COMPILER ARGS...

All blocks go into one file, each in a namespace of its own; #include lines are moved to the front. Left out are blocks
that another test compiles, excerpts of files, and files that a command of their page compiles (see markdown.py).
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from markdown import blocks_of, pages


def code_of(wanted):
    for page in pages():
        if re.search(r"\.[\w-]+\.md$", page.name):
            continue  # a translation: the blocks are those of the other page
        for block in blocks_of(page):
            if block.language in wanted and not block.says:
                yield block


def main():
    include, compiler = os.path.abspath(sys.argv[1]), sys.argv[2:]
    blocks = list(code_of({"cpp", "cuda"} if "nvcc" in os.path.basename(compiler[0]) else {"cpp"}))
    text = "\n".join(sorted({line for block in blocks for line in block.lines if line.startswith("#include")})) + "\n"
    for number, block in enumerate(blocks):
        code = "\n".join(line for line in block.lines if not line.startswith("#include"))
        text += f"namespace block_{number} {{\n#line {block.line + 1} \"{block.page.name}\"\n{code}\n}}\n"
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "pages.cpp"
        source.write_text(text)
        done = subprocess.run([*compiler, f"-I{include}", str(source)], cwd=scratch, capture_output=True, text=True)
    output = done.stdout + done.stderr
    print(f"{len(blocks)} blocks\n{output}")
    return 1 if done.returncode or output.strip() or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
