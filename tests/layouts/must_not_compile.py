#!/usr/bin/env python3
"""Every misuse in must_not_compile.cases is refused by the compiler, with the message that the case demands.

    must_not_compile.py CASES INCLUDE_FOLDER COMPILER ARGS...

The file: what all cases begin with, then cases of the form

    //! what is misused
    //! expect: text            one or more; found in the compiler's output once both are spelled alike (see spelled)
    faulty code
    //! clean
    the same without the fault

Each faulty part is compiled alone and must fail with all expected texts; all clean parts are compiled together, each in
a namespace of its own, and must succeed without a warning.
"""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple


class Case(NamedTuple):
    name: str
    line: int
    expected: list
    faulty: str
    clean: str


def read_cases(path):
    prelude, cases, part = [], [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("//! expect: "):
            cases[-1]["expected"].append(line[len("//! expect: "):])
        elif line == "//! clean":
            part = cases[-1]["clean"]
        elif line.startswith("//! "):
            cases.append({"name": line[4:], "line": number, "expected": [], "faulty": [], "clean": []})
            part = cases[-1]["faulty"]
        else:
            (prelude if part is None else part).append(line)
    made = [Case(c["name"], c["line"], c["expected"], "\n".join(c["faulty"]), "\n".join(c["clean"])) for c in cases]
    for case in made:
        if not case.expected or not case.faulty.strip() or not case.clean.strip():
            sys.exit(f"{path.name}:{case.line}: a case needs an expected text, a faulty part and a clean one")
    return "\n".join(prelude) + "\n", made


def spelled(text):
    """g++, clang and nvcc write the same type differently: 4 or 4U, '> >' or '>>', short or short int, with or without
    namespace, and nvcc names the parameters: 'Lanes=lanes<..>'."""
    text = re.sub(r"\b(\d+)[uU][lL]?\b", r"\1", text)
    text = re.sub(r"\b[A-Z]\w*=(?=[\w:<])", "", text)
    text = text.replace("lanebank::", "").replace("evidence::", "").replace("short int", "short")
    text = re.sub(r"\s+", " ", text)
    return re.sub(r" ?([<>,]) ?", r"\1", text)


def compile_text(scratch, name, text, include, compiler):
    source = Path(scratch) / f"{name}.cpp"
    source.write_text(text)
    done = subprocess.run([*compiler, f"-I{include}", str(source)], cwd=scratch, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check(scratch, prelude, case, include, compiler):
    code, output = compile_text(scratch, f"line_{case.line}", prelude + case.faulty + "\n", include, compiler)
    if code == 0:
        return f"line {case.line}, {case.name}: compiles"
    missing = [text for text in case.expected if spelled(text) not in spelled(output)]
    if missing:
        return f"line {case.line}, {case.name}: not in the message: {missing}\n{output}"
    return None


def main():
    path, include, compiler = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    prelude, cases = read_cases(path)
    clean = prelude + "".join(f"namespace clean_{c.line} {{\n{c.clean}\n}}\n" for c in cases)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        code, output = compile_text(scratch, "clean", clean, include, compiler)
        failures = [f"the clean parts do not compile without a warning:\n{output}"] if code or output.strip() else []
        failures += [f for f in pool.map(lambda c: check(scratch, prelude, c, include, compiler), cases) if f]
    for failure in failures:
        print(failure)
    print(f"{len(cases)} misuses, {len(failures)} failures")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
