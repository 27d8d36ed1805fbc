"""Whole programs: `lanebank run`, from Python."""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _command
from ._errors import CannotAnalyse, Error, UsageError
from ._report import Report

#: Options of `lanebank run` that `run` itself sets.
_OWN_OPTIONS = {"json": "Report.save()", "report": "Report.text"}


def command() -> str:
    """Path of the lanebank command that belongs to this package."""
    return _command.path()


def include_dir() -> str:
    """The folder for a compiler's -I: it holds lanebank/swizzle.hpp and the others."""
    return str(_command.ROOT / "include")


def _words(options: Mapping[str, Any]) -> list[str]:
    """max_excess=10, timing=True, remap=["a", "b"] as a command line."""
    words = []
    for name, value in options.items():
        if name in _OWN_OPTIONS:
            raise UsageError(f"{name}: the report is what run() returns; use {_OWN_OPTIONS[name]}")
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        else:
            words += [f"{option}={item}" for item in (value if isinstance(value, (list, tuple)) else [value])]
    return words


def _ended(code: int, said: str, report: Report | None) -> None:
    """Raises where lanebank itself could not do its work."""
    own = report is None or report.program_exit_code == 0
    if code == CannotAnalyse.exit_code and own:
        reasons = [f"{row['where']}: {row['what']}\n  {row['remedy']}" for row in (report.problems if report else ())]
        raise CannotAnalyse("\n".join(reasons) or said.strip(), report)
    if code == UsageError.exit_code and own:
        raise UsageError(said.strip().removeprefix("lanebank run: ").removeprefix("lanebank: "))
    if report is None:
        raise Error(f"lanebank run ended with {code} and without a report: {said.strip()}")


def run(program: Sequence[str | os.PathLike[str]], *, capture: bool = False, cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None, timeout: float | None = None, **options: Any) -> Report:
    """Runs a CUDA program without a GPU and returns what its shared-memory instructions cost.

    program     the program and its arguments; its input, output and exit code stay its own
    capture     keep its standard output and error in the report, instead of passing them on
    cwd, env    as for subprocess.run
    timeout     seconds, after which subprocess.TimeoutExpired is raised and the program is killed
    options     those of `lanebank run`, with _ for -: kernel_name="regex:gemm", max_excess=100, timing=True,
                remap=["tile=pad+1"], html="report.html"

    A program that fails, and findings, are no exceptions: see Report.exit_code and Report.clean. Raises CannotAnalyse where lanebank
    would end with 122 (its `report` holds what was counted), and UsageError where it would end with 125.
    """
    if isinstance(program, (str, bytes, os.PathLike)):
        raise UsageError("program is a list: [\"./app\", \"1024\"]")
    arguments = [os.fspath(word) for word in program]
    if not arguments:
        raise UsageError("program is empty")
    with tempfile.TemporaryDirectory(prefix="lanebank-python-") as name:
        folder = Path(name)
        words = [command(), "run", *_words(options), f"--json={folder / 'report.json'}", f"--report={folder / 'report.txt'}"]
        # What lanebank itself says goes to the program's stderr; a second copy is kept for exceptions.
        with open(folder / "out", "w+b") as out, open(folder / "err", "w+b") as err:
            pipes = {"stdout": out, "stderr": err} if capture else {}
            code = _wait([*words, "--", *arguments], timeout, cwd=cwd, env=None if env is None else dict(env), **pipes)
            texts = [(folder / file).read_text(encoding="utf-8", errors="replace") if capture else None for file in ("out", "err")]
        written = folder / "report.json"
        report = None
        if written.exists() and written.stat().st_size > 0:
            text = (folder / "report.txt").read_text(encoding="utf-8", errors="replace")
            report = Report.from_json(json.loads(written.read_text(encoding="utf-8")), code, text, *texts)
    _ended(code, texts[1] or "see what it wrote to stderr", report)
    assert report is not None
    return report


def _wait(words: list[str], timeout: float | None, **how: Any) -> int:
    try:
        process = subprocess.Popen(words, **how)
    except OSError as error:
        raise Error(f"{error.filename or words[0]}: {error.strerror}") from error
    try:
        code = process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.terminate()  # goes on to the program
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        raise
    except BaseException:
        process.terminate()
        process.wait()
        raise
    return 128 - code if code < 0 else code
