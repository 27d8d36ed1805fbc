#!/usr/bin/env python3
"""What README and docs/ say of the repository is so; nothing is compiled.

  check_pages.py LANEBANK SCHEMA_FOLDER [BUILD_FOLDER CTEST]

Blocks have a language and are looked at by somebody, JSON is valid, links lead somewhere, navigation and references are
complete, pages in other languages have the same blocks and links, figures that are said to be measured are in the data.
With BUILD_FOLDER, a build that has all tests, those that pages name are among them.
"""
import csv
import json
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

from generated_pages import PAGES as GENERATED
from markdown import ROOT, anchors_of, blocks_of, links_of, pages, tracked

DOCS = ROOT / "docs"
# run_blocks.py runs the first two, compile_page.py compiles the next two, json is read here, text is for drawings and messages.
LANGUAGES = ("console", "sh", "cuda", "cpp", "json", "text")
COMMAND = re.compile(r"^(\$ |lanebank |nvcc |cmake |ctest |python3? |pip |\./)")
failed = []


def expect(condition, what):
    if not condition:
        failed.append(what)


def name_of(path):
    return str(path.relative_to(ROOT))


def test_names(build):
    """The tests that CTest has in the build folder, and the programs of tests: a test that is left out checks nothing."""
    listed = subprocess.run([sys.argv[4], "--test-dir", build, "-N"], capture_output=True, text=True, check=True).stdout
    programs = (re.findall(r"lanebank_test\((\w+)", file.read_text()) for file in ROOT.glob("tests/**/CMakeLists.txt"))
    return set(re.findall(r"Test +#\d+: (\S+)", listed)).union(*programs)


def check_block(block, tests, schemas):
    expect(block.language, f"{block.place}: the block has no language")
    checker = block.says.get("checked by")
    expect(checker is None or tests is None or checker in tests, f"{block.place}: CTest has no test {checker}")
    if "part of" in block.says:
        source = ROOT / block.says["part of"]
        expect(source.is_file() and block.text in source.read_text(), f"{block.place}: not an excerpt of {name_of(source)}")
        return
    if block.language == "text":
        for line in block.lines:
            expect(checker or not COMMAND.match(line), f"{block.place}: a command in a block of text: {line}")
    elif block.language == "json":
        try:
            document = json.loads(block.text)
        except ValueError as error:
            expect(False, f"{block.place}: {error}")
            return
        name = document.get("schema", "").removeprefix("lanebank.").replace("/", "-")
        if (schemas / f"{name}.schema.json").is_file():
            try:
                import jsonschema
            except ImportError:
                print(f"{block.place}: not held against its schema: python3-jsonschema is missing")
                return
            schema = json.loads((schemas / f"{name}.schema.json").read_text())
            for error in jsonschema.validators.validator_for(schema)(schema).iter_errors(document):
                expect(False, f"{block.place}: {'/'.join(map(str, error.path))}: {error.message}")
    elif block.language not in LANGUAGES and "file" not in block.says:
        expect(checker or "not run" in block.says,
               f"{block.place}: nobody looks at blocks of {block.language}: say `checked by`, `part of` or `not run` above it")
    for key in ("not run", "exit code"):
        expect(block.says.get(key, "-"), f"{block.place}: `{key}` says nothing")


def check_links(page, files, folders):
    for line, target in links_of(page):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        inside = goal == page or goal.is_relative_to(ROOT) and (name_of(goal) in files or name_of(goal) in folders)
        expect(inside, f"{name_of(page)}:{line}: the link {target} leads nowhere")
        if inside and anchor and goal.suffix == ".md":
            expect(anchor in anchors_of(goal), f"{name_of(page)}:{line}: {name_of(goal)} has no heading #{anchor}")


def check_navigation():
    """docs/README.md leads to every page of docs/, once."""
    linked = Counter(target for _, target in links_of(DOCS / "README.md") if target.endswith(".md") and "/" not in target)
    for page in DOCS.glob("*.md"):
        if page.name != "README.md":
            expect(linked[page.name] == 1, f"docs/README.md links to {page.name} {linked[page.name]} times, not once")


def check_programs_tried():
    """The figures on other people's programs that the READMEs give are those of docs/support.md."""
    there = set(re.findall(r"^(\d+) of the (\d+) programs that finish", (DOCS / "support.md").read_text(), re.M))
    sentence = re.search(r"Of other people's programs .*?;", (ROOT / "README.md").read_text(), re.S)
    said = set(re.findall(r"(\d+) of (\d+)", sentence[0])) if sentence else set()
    translated = re.findall(r"(\d+) 个中的 (\d+) 个", (ROOT / "README.zh-CN.md").read_text())
    expect(said == there, f"README.md on programs that were tried: {sorted(said)}, docs/support.md: {sorted(there)}")
    expect({(same, all) for all, same in translated} == there, f"README.zh-CN.md on programs that were tried: {translated}")


def check_translation(page):
    """A page NAME.LANGUAGE.md has the blocks of NAME.md, and its links lead to the same places or their translations."""
    original = page.with_name(re.sub(r"\.[\w-]+\.md$", ".md", page.name))
    for mine, other in zip(blocks_of(page), blocks_of(original)):
        expect((mine.language, mine.lines, mine.says) == (other.language, other.lines, other.says),
               f"{mine.place}: not the block of {other.place}")
    counts = [len(blocks_of(page)), len(blocks_of(original))]
    expect(counts[0] == counts[1], f"{name_of(page)} has {counts[0]} blocks, {name_of(original)} {counts[1]}")

    def places(of):
        return Counter(re.sub(r"\.zh-CN\.md", ".md", target) for _, target in links_of(of) if "#" not in target)

    def other_language(of):
        return Counter({original.name: places(of)[original.name]})

    expect(places(page) - other_language(page) == places(original) - other_language(original),
           f"{name_of(page)}: other links than {name_of(original)}: "
           f"{sorted((places(page) - places(original)) + (places(original) - places(page)))}")


def check_command_line(lanebank):
    """docs/cli.md names every command and, in the command's section, every option; and none that there is not."""
    text = (DOCS / "cli.md").read_text()
    for_several = text.partition("\n## ")[0]
    sections = dict(re.findall(r"^## lanebank ([\w-]+)(.*?)(?=^## |\Z)", text, re.S | re.M))

    def help_of(*words):
        return subprocess.run([lanebank, *words, "--help"], capture_output=True, text=True, check=True).stdout

    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", help_of(), re.M)
    commands = re.findall(r"^  ([a-z]\S*)  ", listed[1], re.M) if listed else []
    expect(len(commands) > 5, f"`lanebank --help` lists few commands: {commands}")
    everywhere = set()
    for command in commands:
        names = [name.split("{")[0] for words in re.findall(r"^  (-\S+)", help_of(command), re.M) for name in words.split(",")]
        known = {name for name in names if name.startswith("--")} - {"--help"}
        everywhere |= known
        expect(command in sections, f"docs/cli.md has no section on lanebank {command}")
        section = sections.get(command, "")
        section += sections["run"] if re.search(r"(as for|options of) `run`", section) else ""
        for option in sorted(known):
            expect(re.search(re.escape(option) + r"(?![\w-])", for_several + section), f"docs/cli.md, lanebank {command}: no {option}")
    for command, section in sections.items():
        expect(command in commands, f"docs/cli.md: there is no lanebank {command}")
        for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", section):
            expect(option in everywhere | {"--help"}, f"docs/cli.md, lanebank {command}: there is no {option}")


def check_pictures(files):
    """Every picture of docs/ is shown by a page, and what is drawn by a command is named in it."""
    texts = "".join(page.read_text() for page in pages())
    for file in sorted(files):
        if file.startswith("docs/pictures/"):
            expect(f"({file.removeprefix('docs/')})" in texts or f"({file})" in texts, f"{file}: no page shows it")
            expect(not file.endswith(".svg") or f"--svg {file}" in texts, f"{file}: no command draws it")


def measured_rows(case, kernel, line, opcode):
    with open(ROOT / f"tests/data/truth/instructions/{case}.csv") as file:
        rows = [row for row in csv.DictReader(file) if kernel in row["kernel"] and row["line"] == line
                and re.sub(r"^@!?U?P\d ", "", row["sass"]).split()[0] == opcode]
    return {tuple(sum(int(row[key]) for row in rows) for key in ("wavefronts", "ideal"))} if rows else set()


def measured_patterns(lanebank, instruction, expression, options):
    """Figures of the rows of tests/data/truth that have the addresses of an access, all lanes on, copies from consecutive memory."""
    shown = subprocess.run([lanebank, "show", expression, *shlex.split(options), "--json", "-"], capture_output=True, text=True)
    if shown.returncode:
        return {shown.stderr}
    access = json.loads(shown.stdout)["accesses"][0]
    addresses = [lane["byte"] for lane in access["worst"]["lanes"]]
    found = set()
    for path in [ROOT / "tests/data/truth/source_page.csv", *sorted((ROOT / "tests/data/truth/h200").glob("*.csv"))]:
        with open(path) as file:
            for row in csv.DictReader(file):
                # cg16.csv copies from anywhere, and the source page misses some of its instructions.
                if (row.get("instruction") == instruction and row.get("access_bytes") == str(access["lane_bytes"])
                        and row["active_mask"] == "ffffffff" and "global_offsets" not in row
                        and [int(word) for word in row["byte_addresses"].split()] == addresses):
                    found.add((int(row["wavefronts"]), int(row["ideal"])))
    return found


def check_measured(lanebank):
    """Lines `- H200: ...: W wavefronts, ideal I.` say what Nsight Compute's source page counted: an instruction of a program
    of tests/data/cases, or an access as `lanebank show` takes it."""
    count = 0
    for page in pages():
        for line in re.findall(r"^- H200: (.*)$", page.read_text(), re.M):
            count += 1
            figures = re.search(r": ([\d,]+) wavefronts?, ideal ([\d,]+)\.$", line)
            case = re.match(r"`(\w+)`, `(.*?)`, line (\d+), `([\w.]+)`:", line)
            access = re.match(r"`(\w+)`, `(.*?)`(?: `(.*?)`)?:", line)
            if not figures or not (case or access):
                expect(False, f"{name_of(page)}: not understood: {line}")
                continue
            said = tuple(int(text.replace(",", "")) for text in figures.groups())
            found = measured_rows(*case.groups()) if case else measured_patterns(lanebank, access[1], access[2], access[3] or "")
            expect(found == {said}, f"{name_of(page)}: measured {sorted(found)}, the page has {said}: {line}")
    return count


def main():
    lanebank, schemas = sys.argv[1], Path(sys.argv[2])
    files = tracked()
    folders = {str(parent) for file in files for parent in Path(file).parents}
    tests = test_names(sys.argv[3]) if len(sys.argv) > 4 else None
    count, not_run = Counter(), Counter()
    for page in pages():
        try:
            for block in blocks_of(page):
                count[block.language] += 1
                not_run.update([block.says["not run"]] if "not run" in block.says else [])
                check_block(block, tests, schemas)
        except ValueError as error:
            expect(False, str(error))
        check_links(page, files, folders)
        if re.search(r"\.[\w-]+\.md$", page.name):
            check_translation(page)
    check_navigation()
    check_programs_tried()
    check_command_line(lanebank)
    check_pictures(files)
    for page, made in GENERATED.items():
        expect(page.read_text() == made(), f"{name_of(page)} is not what it is made from: tests/docs/generated_pages.py --write")
    measured = check_measured(lanebank)
    for what in failed:
        print(what)
    print(f"{len(pages())} pages, blocks {dict(count)}, {measured} measured figures, {len(failed)} expectations not met")
    print(f"{sum(not_run.values())} blocks that nothing runs:")
    for reason, number in sorted(not_run.items()):
        print(f"  {number:3}  {reason}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
