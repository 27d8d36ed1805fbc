"""The Markdown of README and docs/: fenced blocks, links and headings, as the tests of the pages see them.

Comments on the lines just above a block say how it is looked at:

  <!-- not run: REASON -->      nothing is done with it
  <!-- checked by: TEST -->     another test of CTest runs it
  <!-- file: NAME -->           it is the content of that file, in the folder where the page's commands run
  <!-- part of: PATH -->        it is an excerpt of that file of the repository
  <!-- exit code: N -->         a block of `sh` ends with N

`<!-- blocks checked by: TEST -->` in the first lines of a page stands for all of its blocks.
"""
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMENT = re.compile(r"<!--\s*(not run|checked by|blocks checked by|file|part of|exit code):\s*(.*?)\s*-->")


@dataclass
class Block:
    page: Path
    line: int  # of the fence, from 1
    language: str
    lines: list
    says: dict = field(default_factory=dict)  # comment -> its text

    @property
    def place(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def text(self):
        return "".join(line + "\n" for line in self.lines)


def pages():
    """README and docs/ in all languages."""
    return sorted(ROOT.glob("README*.md")) + [ROOT / "CONTRIBUTING.md"] + sorted((ROOT / "docs").glob("*.md"))


def blocks_of(page):
    """The page's fenced blocks in order. Raises ValueError where a fence is not closed."""
    lines = page.read_text(encoding="utf-8").splitlines()
    blocks, comments, block, all_checked = [], {}, None, {}
    for number, line in enumerate(lines, 1):
        if block is not None:
            if line.strip() == "```":
                blocks.append(block)
                block = None
            else:
                block.lines.append(line)
            continue
        if line.lstrip().startswith("```"):
            block = Block(page, number, line.strip()[3:], [], {**all_checked, **comments})
            comments = {}
            continue
        found = dict(COMMENT.findall(line))
        if "blocks checked by" in found:
            all_checked = {"checked by": found["blocks checked by"]}
        elif found:
            comments.update(found)
        elif line.strip() and not line.startswith("<!--"):
            comments = {}
    if block is not None:
        raise ValueError(f"{block.place}: this fence is not closed")
    return blocks


def prose_of(page):
    """The page's lines outside of blocks and of `code`, with their numbers."""
    inside = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside:
            yield number, re.sub(r"`[^`]*`", "`code`", line)


def links_of(page):
    """(line, target) of every link and picture."""
    for number, line in prose_of(page):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            yield number, target


def anchors_of(page):
    """The anchors of the page's headings, as code hosts and MyST make them."""
    anchors = set()
    inside = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside and re.match(r"#{1,6} ", line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip()).lower()
            anchors.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return anchors


def tracked():
    """The files that belong to the repository or will: what git tracks or would add. Where there is no git, all."""
    done = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if done.returncode:
        return {str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()}
    return set(done.stdout.splitlines())
