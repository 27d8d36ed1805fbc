#!/usr/bin/env python3
"""Holds every #include of the sources against the layer table of cmake/LanebankModules.cmake.

    layering.py ROOT         exit 1 and one line per violation
    layering.py --self-test  plants violations in a scratch tree and demands that each is found

Rules: a module includes its own headers and those of the modules in its row ("machine:events.hpp": that header
alone); rows name only modules above them; headers of other modules are written from src/, tools/ or include/, without "../";
quotes are for headers of ours, angle brackets for the rest; every folder with sources has a row; include/lanebank
takes nothing from outside but the standard library and CUDA.
"""

import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

SOURCE_SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".cuh", ".cu", ".def", ".inc"}
ROOTS = ("src", "tools", "include", "testing")  # where every folder needs a row
GENERATED = {"lanebank_simd_levels.hpp"}  # cmake/LanebankSimd.cmake
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


class Row(NamedTuple):
    name: str
    folder: str
    may_include: dict  # module -> None (all of it) or the set of allowed headers


def read_table(text):
    """The rows of LANEBANK_LAYERS and the violations in the table itself."""
    block = re.search(r"set\(LANEBANK_LAYERS\n(.*?)\n\)", text, re.S)
    if not block:
        return [], ["cmake/LanebankModules.cmake: no LANEBANK_LAYERS table"]
    rows, errors = [], []
    for line in re.findall(r'^\s*"(.*)"\s*$', block.group(1), re.M):
        columns = [column.strip() for column in line.split("|")]
        if len(columns) != 4:
            errors.append(f"cmake/LanebankModules.cmake: row '{line}' has {len(columns)} columns, not 4")
            continue
        name, folder, may_include, _ = columns
        allowed = {}
        for item in may_include.split():
            module, _, header = item.partition(":")
            if module not in [row.name for row in rows]:
                errors.append(f"cmake/LanebankModules.cmake: {name} may include {module}, which is not above it")
            if header:
                allowed.setdefault(module, set())
                if allowed[module] is not None:
                    allowed[module].add(header)
            else:
                allowed[module] = None
        rows.append(Row(name, folder, allowed))
    return rows, errors


def owner(rows, path):
    """The row whose folder holds `path`, relative to the root."""
    inside = [row for row in rows if path == row.folder or path.startswith(row.folder + "/")]
    return max(inside, key=lambda row: len(row.folder), default=None)


def resolve(root, file, name):
    """The header of ours that `name` means, relative to the root; None for a header from outside."""
    for base in (file.parent, root / "src", root / "tools", root / "include", root / "testing"):
        target = base / name
        if target.is_file():
            return target.resolve().relative_to(root).as_posix()
    return None


def check_include(root, rows, row, file, bracket, name):
    """Why `row` may not include this; None when it may."""
    target = resolve(root, file, name)
    if target is None:
        if bracket == '"':
            return None if name in GENERATED else "is not a header of ours; use <> for what comes from outside"
        if row.name == "include" and "." in name and not name.startswith(("cuda", "cooperative_groups", "mma.h", "cub/")):
            return "is neither of the standard library nor of CUDA"
        return None
    other = owner(rows, target)
    if other is None:
        return f"lies in no module ({target})"
    if other.name == row.name:
        return None
    if ".." in Path(name).parts:
        return "is relative; write it from src/ or include/"
    if other.name not in row.may_include:
        return f"belongs to {other.name}, which {row.name} may not include"
    headers = row.may_include[other.name]
    if headers is not None and target[len(other.folder) + 1:] not in headers:
        return f"{row.name} may include only {', '.join(sorted(headers))} of {other.name}"
    return None


def violations(root):
    root = root.resolve()
    rows, errors = read_table((root / "cmake/LanebankModules.cmake").read_text())
    files = 0
    for top in ROOTS:
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in SOURCE_SUFFIXES or not file.is_file():
                continue
            files += 1
            path = file.relative_to(root).as_posix()
            row = owner(rows, path)
            if row is None:
                errors.append(f"{path}: its folder has no row in cmake/LanebankModules.cmake")
                continue
            for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
                found = INCLUDE.match(line)
                why = found and check_include(root, rows, row, file, *found.groups())
                if why:
                    errors.append(f"{path}:{number}: {found.group(2)} {why}")
    if files == 0:
        errors.append(f"no sources below {root}")
    return errors, files


SELF_TEST_TABLE = """set(LANEBANK_LAYERS
  "include | include/lanebank |                  | "
  "base    | src/base         |                  | "
  "machine | src/machine      | base             | "
  "checks  | src/checks       | machine:events.hpp | "
)
"""
SELF_TEST_CLEAN = {
    "include/lanebank/model.hpp": "#include <cstdint>\n#include <lanebank/other.hpp>\n",
    "include/lanebank/other.hpp": "#include <cuda_fp16.h>\n",
    "src/base/result.hpp": "#include <vector>\n#include <fmt/core.h>\n",
    "src/machine/events.hpp": '#include "base/result.hpp"\n',
    "src/machine/deep/inner.cpp": '#include "../warp.hpp"\n',
    "src/machine/warp.hpp": '#include "machine/events.hpp"\n#include "lanebank_simd_levels.hpp"\n',
    "src/checks/conflicts.cpp": '#include "machine/events.hpp"\n',
}
SELF_TEST_PLANTED = [  # file, its text, what must be said
    ("src/base/bad.hpp", '#include "machine/warp.hpp"\n', "base may not include"),
    ("src/base/bad.hpp", "#include <machine/warp.hpp>\n", "base may not include"),
    ("src/checks/bad.cpp", '  #  include "machine/warp.hpp"\n', "only events.hpp of machine"),
    ("src/checks/bad.cpp", '#include "../machine/events.hpp"\n', "is relative"),
    ("src/checks/bad.cpp", '#include "base/result.hpp"\n', "checks may not include"),
    ("src/machine/deep/bad.cpp", '#include "checks/conflicts.cpp"\n', "machine may not include"),
    ("src/base/bad.hpp", '#include "fmt/core.h"\n', "not a header of ours"),
    ("include/lanebank/bad.hpp", "#include <fmt/core.h>\n", "neither of the standard library nor of CUDA"),
    ("include/lanebank/bad.hpp", '#include "base/result.hpp"\n', "include may not include"),
    ("src/extra/new.cpp", "int x;\n", "has no row"),
    ("cmake/LanebankModules.cmake", SELF_TEST_TABLE.replace("|                  | \"\n  \"machine", "| checks | \"\n  \"machine"), "not above it"),
]


def self_test():
    """Number of failures; every planted violation must be the only one found, and the clean tree has none."""
    failures = 0
    for planted in [None] + SELF_TEST_PLANTED:
        with tempfile.TemporaryDirectory() as folder:
            tree = {"cmake/LanebankModules.cmake": SELF_TEST_TABLE, **SELF_TEST_CLEAN}
            if planted:
                tree[planted[0]] = planted[1]
            for path, text in tree.items():
                file = Path(folder) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            errors, _ = violations(Path(folder))
            good = errors == [] if planted is None else len(errors) == 1 and planted[2] in errors[0]
            if not good:
                failures += 1
                print(f"planted {planted}: found {errors}")
    print(f"{len(SELF_TEST_PLANTED) + 1 - failures} passed, {failures} failed")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    errors, files = violations(Path(sys.argv[1]))
    for error in errors:
        print(error)
    print(f"layering: {files} files, {len(errors)} violations")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
