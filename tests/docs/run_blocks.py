#!/usr/bin/env python3
"""Runs the commands of every page's `console` and `sh` blocks and compares what they print with what the page shows.

  run_blocks.py LANEBANK [PAGE...] [--nvcc NVCC] [--built OPTIONS SOURCE PROGRAM]... [--bless]

Each page has a folder of its own, laid out like a clone of the repository, in which its commands run in order.
`console`: a line that begins with `$ ` is a command, what follows is its output (both streams). A line `...` stands for any
number of lines. Not compared: the seconds at the end of a report's first line, versions (1.2.3), and the path of the page's folder.
A command ends with 0, or with the code that its output names, `(exit 120)`, or that `echo $?` shows next.
`sh`: the block runs at once and ends with 0, or with the `exit code` of the comment above it.
`nvcc` with a source and options that the build (--built) or a page before has compiled is that program; else it compiles.
--bless writes the outputs as they are now into blocks without `...`, and pictures into docs/pictures.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from markdown import ROOT, blocks_of, pages

PICTURES = "docs/pictures"
SAMPLES = ("tests/data/cases/transposes.cu",)  # lie in every page's folder, as ./demo leaves them


def masked(line):
    line = re.sub(r"\b\d+\.\d+\.\d+\b", "#.#.#", line.rstrip())
    return re.sub(r"\b\d+(\.\d+)? s$", "# s", line) if line.startswith("lanebank  ") else line


def matches(shown, printed):
    """Does the shown output, in which `...` stands for any lines, fit the printed one?"""
    shown, printed = [masked(line) for line in shown], [masked(line) for line in printed]
    pieces, piece = [], []
    for line in shown:
        if line.strip() == "...":
            pieces.append(piece)
            piece = []
        else:
            piece.append(line)
    pieces.append(piece)
    if len(pieces) == 1:
        return shown == printed
    first, middle, last = pieces[0], pieces[1:-1], pieces[-1]
    if printed[:len(first)] != first or len(printed) < len(first) + len(last):
        return False
    end = len(printed) - len(last)
    at = len(first)
    for piece in middle:
        while at + len(piece) <= end and printed[at:at + len(piece)] != piece:
            at += 1
        if at + len(piece) > end:
            return False
        at += len(piece)
    return printed[end:] == last


def commands_of(block):
    """[(lines of the command, lines shown)] of a console block."""
    found = []
    for line in block.lines:
        if found and found[-1][0][-1].endswith("\\") and not found[-1][1]:
            found[-1][0].append(line)
        elif line.startswith("$ "):
            found.append(([line], []))
        elif found:
            found[-1][1].append(line)
        else:
            raise ValueError(f"{block.place}: a console block begins with a command, `$ ...`")
    return found


class Page:
    """A page's folder and what ran in it."""

    def __init__(self, page, arguments, programs, scratch):
        self.page, self.arguments, self.programs, self.folder = page, arguments, programs, Path(scratch)
        self.failures, self.commands, self.compiled, self.last_code = [], 0, 0, 0
        for entry in ROOT.iterdir():
            if entry.name not in (".git", "build", "docs") and not entry.name.startswith("."):
                (self.folder / entry.name).symlink_to(entry)
        (self.folder / PICTURES).mkdir(parents=True)
        for source in SAMPLES:
            shutil.copy(ROOT / source, self.folder)
        tools = [str(Path(tool).parent) for tool in (arguments.lanebank, arguments.nvcc) if tool]
        self.environment = dict(os.environ, PATH=":".join([*tools, os.environ["PATH"]]), TERM="dumb", LC_ALL="C.UTF-8", LANG="C.UTF-8")
        for name in ("COLUMNS", "NO_COLOR", "CLICOLOR_FORCE"):
            self.environment.pop(name, None)

    def fail(self, block, text):
        self.failures.append(f"{block.place}: {text}")

    def compilation(self, command):
        """What `nvcc OPTIONS SOURCE -o PROGRAM` compiles, comparable with others, and PROGRAM; None for other commands."""
        try:
            words = shlex.split(command)
            at = words.index("-o")
            options = [word for word in words[1:at] + words[at + 2:] if not word.endswith(".cu")]
            (source,) = [word for word in words[1:at] + words[at + 2:] if word.endswith(".cu")]
            return (tuple(sorted(options)), source, (self.folder / source).read_bytes()), self.folder / words[at + 1]
        except (ValueError, IndexError, OSError):
            return None

    def run(self, command):
        """Both streams of the command, and its code."""
        self.commands += 1
        compiled = self.compilation(command) if command.startswith("nvcc ") else None
        if compiled and compiled[0] in self.programs:
            shutil.copy(self.programs[compiled[0]], compiled[1])
            return "", 0
        done = subprocess.run(["bash", "-c", f"(exit {self.last_code}); {command}"], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        self.compiled += command.startswith("nvcc ")
        if compiled and done.returncode == 0:
            kept = Path(self.programs["folder"]) / str(len(self.programs))
            shutil.copy(compiled[1], kept)
            self.programs[compiled[0]] = kept
        output = done.stdout.decode("utf-8", "replace")
        return output.replace(f"{self.folder}/", ""), done.returncode

    def console(self, block):
        """Runs the block; its lines with the outputs as they are now."""
        made = []
        found = commands_of(block)
        for number, (lines, shown) in enumerate(found):
            command = " ".join(line.rstrip("\\").strip() for line in [lines[0][2:], *lines[1:]])
            output, code = self.run(command)
            self.last_code = code
            printed = output.splitlines()
            named = re.search(r"\(exit (\d+)\)", output)
            asked = number + 1 < len(found) and found[number + 1][0] == ["$ echo $?"]
            if code != (int(named.group(1)) if named else 0) and not asked:
                self.fail(block, f"`{command}` ends with {code}, which the page does not show\n{output}")
            fits = matches(shown, printed)
            write = self.arguments.bless and not fits and "..." not in (line.strip() for line in shown)
            if not fits and not write:
                self.fail(block, f"`{command}` prints something else:\n{output}")
            made += lines + ([line.rstrip() for line in printed] if write else shown)
        return made

    def shell(self, block):
        output, code = self.run("set -e\n" + block.text)
        if code != int(block.says.get("exit code", 0)):
            self.fail(block, f"ends with {code}\n{output}")

    def pictures(self):
        """The pictures that the page's commands drew are those of the repository."""
        for drawn in sorted((self.folder / PICTURES).iterdir()):
            kept = ROOT / PICTURES / drawn.name
            if self.arguments.bless:
                shutil.copy(drawn, kept)
            if not kept.exists() or kept.read_bytes() != drawn.read_bytes():
                self.failures.append(f"{kept.relative_to(ROOT)} is not what {self.page.name} draws: --bless")


def translated(page):
    """Whether the page is NAME.LANGUAGE.md: its blocks are those of NAME.md (check_pages.py), and run there."""
    return re.search(r"\.[\w-]+\.md$", page.name)


def copy_blocks(page):
    """Writes the blocks of NAME.md into NAME.LANGUAGE.md."""
    original = blocks_of(page.with_name(re.sub(r"\.[\w-]+\.md$", ".md", page.name)))
    text = page.read_text(encoding="utf-8").splitlines()
    for mine, block in reversed(list(zip(blocks_of(page), original))):
        text[mine.line:mine.line + len(mine.lines)] = block.lines
    page.write_text("\n".join(text) + "\n", encoding="utf-8")


def run_page(page, arguments, programs, left_out):
    # The same name for every page, since programs know where they were compiled.
    scratch = Path(programs["folder"]) / "clone"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    work = Page(page, arguments, programs, scratch)
    text = page.read_text(encoding="utf-8").splitlines()
    for block in reversed(blocks_of(page)):  # files first: they may stand below the command that compiles them
        if "file" in block.says:
            target = work.folder / block.says["file"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
    replaced = []
    for block in blocks_of(page):
        if block.language not in ("console", "sh"):
            continue
        if "not run" in block.says or "checked by" in block.says:
            left_out[next(f"{key}: {block.says[key]}" for key in ("not run", "checked by") if key in block.says)] += 1
        elif block.language == "sh":
            work.shell(block)
        else:
            replaced.append((block, work.console(block)))
    if arguments.bless:
        for block, lines in reversed(replaced):
            text[block.line:block.line + len(block.lines)] = lines
        page.write_text("\n".join(text) + "\n", encoding="utf-8")
    work.pictures()
    return work


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lanebank")
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--nvcc")
    parser.add_argument("--built", nargs=3, action="append")
    parser.add_argument("--bless", action="store_true")
    arguments = parser.parse_args()
    arguments.bless = arguments.bless or "LANEBANK_BLESS" in os.environ
    arguments.lanebank = os.path.abspath(arguments.lanebank)
    left_out, failures, commands, compiled = Counter(), [], 0, 0
    with tempfile.TemporaryDirectory() as kept:
        programs = {"folder": kept}  # a compilation -> its program, of the build and of the pages before
        for options, source, program in arguments.built or []:
            if os.path.exists(program):
                programs[tuple(sorted(options.split())), Path(source).name, Path(source).read_bytes()] = program
        for page in [Path(name).resolve() for name in arguments.pages] or pages():
            if translated(page):
                continue
            work = run_page(page, arguments, programs, left_out)
            failures += work.failures
            commands += work.commands
            compiled += work.compiled
    for page in filter(translated, pages() if arguments.bless else []):
        copy_blocks(page)
    for failure in failures:
        print(failure)
    print(f"{commands} commands run, {compiled} compilations, {len(failures)} failures")
    print(f"{sum(left_out.values())} blocks of commands not run here:")
    for reason, count in sorted(left_out.items()):
        print(f"  {count:3}  {reason}")
    return 1 if failures or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
