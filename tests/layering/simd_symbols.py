#!/usr/bin/env python3
"""Every function that a SIMD variant defines must lie in the namespace of its level.

    simd_symbols.py LEVEL OBJECT...     e.g. simd_symbols.py simd_v4 a.cpp.o b.cpp.o

A weak function outside of it (an inline function of a container, say) would be compiled with AVX-512, and the
linker may keep that copy for the whole program, which then dies on machines without.
"""

import re
import subprocess
import sys


def main():
    level, objects = sys.argv[1], sys.argv[2:]
    if not objects:
        print("no objects given")
        return 1
    listing = subprocess.run(["nm", "--demangle", "--defined-only", *objects], capture_output=True, text=True, check=True)
    functions = re.findall(r"^[0-9a-f]+ ([TWi]) (.*)$", listing.stdout, re.M)
    shared = sorted({name for _, name in functions if f"::{level}::" not in name})
    for name in shared:
        print(f"{level} defines a function outside its namespace: {name}")
    print(f"{level}: {len(functions)} functions, {len(shared)} outside the namespace")
    return 1 if shared or not functions else 0


if __name__ == "__main__":
    sys.exit(main())
