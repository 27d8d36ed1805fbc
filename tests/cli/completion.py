#!/usr/bin/env python3
"""Completions and the manual page, as shells and man read them; the JSON of `lanebank doctor` against its schema.

    completion.py LANEBANK

bash completes for real; zsh and fish read their scripts, and fish completes, where they are; the page is checked by mandoc and groff
where they are. What the help of each command names, completions and page must name.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LANEBANK = str(Path(sys.argv[1]).resolve())
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)


def output(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=True, **options).stdout


def help_of(command):
    return output(LANEBANK, *([command] if command else []), "--help")


def commands():
    section = help_of("").split("Subcommands:")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+) ", section, re.MULTILINE)


def long_options(command):
    """The long names in the help's lists of options, not those in its prose."""
    return sorted(set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", help_of(command), re.MULTILINE)))


class Bash:
    def __init__(self, script, folder):
        self.script, self.folder = script, folder

    def complete(self, *words):
        """Candidates for the last word, split as bash splits."""
        line = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
        text = f"source {self.script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _lanebank; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        return output("bash", "--norc", "--noprofile", "-c", text, cwd=self.folder).split("\n")[:-1]


def check_bash(folder):
    script = folder / "lanebank.bash"
    script.write_text(output(LANEBANK, "completion", "bash"))
    (folder / "patterns.csv").write_text("")
    (folder / "part").mkdir()
    bash = Bash(script, folder)
    every = commands()
    expect(len(every) >= 9, f"commands of the help: {every}")
    expect(bash.complete("lanebank", "") == every, f"commands: {bash.complete('lanebank', '')}, not {every}")
    expect(bash.complete("lanebank", "wav") == ["wavefronts"], "a command")
    for command in ["", *every]:
        words = ["lanebank", *([command] if command else [])]
        missing = set(long_options(command)) - set(bash.complete(*words, "--"))
        expect(not missing, f"options of '{command}' that bash does not complete: {missing}")
    cases = [
        (["run", "--kernel-name-"], ["--kernel-name-base"], "an option"),
        (["run", "--arch", "sm_9"], ["sm_90"], "a value"),
        (["run", "--arch", "=", "sm_7"], ["sm_75"], "a value behind ="),
        (["run", "--kernel-name-base", "="], ["function", "demangled", "mangled"], "all values behind ="),
        (["solve", "--order", ""], ["bbs", "sbm"], "the set of a check"),
        (["run", "--checks", "race,unin"], ["race,uninitialised=influence", "race,uninitialised"], "the second of a list"),
        (["show", "--ldmatrix", "x4"], ["x4", "x4.trans"], "a value that may be left out"),
        (["run", "--json", "pat"], ["patterns.csv"], "a file"),
        (["run", "--github", "=", "pat"], ["patterns.csv"], "a file behind ="),
        (["run", "--source-root", "pa"], ["part"], "a folder, no files"),
        (["wavefronts", "pat"], ["patterns.csv"], "an argument that is a file"),
        (["completion", "f"], ["fish"], "an argument with a set"),
        (["run", "--", "./pat"], ["./patterns.csv"], "a program"),
        (["run", "--", "./app", "pat"], ["patterns.csv"], "a program's argument"),
        (["run", "-k", ""], [], "nothing where only the user knows"),
        (["no-such-command", ""], [], "nothing for an unknown command"),
    ]
    for words, wanted, what in cases:
        found = bash.complete("lanebank", *words)
        expect(sorted(found) == sorted(wanted or [""]), f"{what}: {words} gives {found}, not {wanted}")


def check_others(folder):
    for shell in ("zsh", "fish"):
        script = folder / f"lanebank.{shell}"
        script.write_text(output(LANEBANK, "completion", shell))
        for command in commands():
            for option in long_options(command):
                name = option if shell == "zsh" else f" -l {option[2:]} "
                expect(name in script.read_text(), f"{shell}: {command} {option}")
        if shutil.which(shell):
            read = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True)
            expect(read.returncode == 0 and not read.stderr, f"{shell} -n: {read.stderr}")
    if shutil.which("fish"):
        def fish(line):
            text = output("fish", "--no-config", "-c", f"source {folder / 'lanebank.fish'}; complete -C '{line}'", cwd=folder,
                          env={**os.environ, "HOME": str(folder)})
            return [found.split("\t")[0] for found in text.splitlines()]
        expect(fish("lanebank wav") == ["wavefronts"], "fish: a command")
        expect(fish("lanebank run --arch sm_9") == ["sm_90"], "fish: a value")
        expect("--kernel-name" in fish("lanebank run --ker"), "fish: an option")


def check_manual(folder):
    page = folder / "lanebank.1"
    page.write_text(output(LANEBANK, "manual"))
    text = page.read_text().replace("\\-", "-")
    for command in commands():
        expect(f".SS lanebank {command}\n" in text, f"the page has no section on {command}")
        for option in long_options(command):
            expect(option in text, f"the page does not name {command} {option}")
    for line in page.read_text().splitlines():
        expect(not re.search(r"[^\\]-", line) or line.startswith("."), f"a hyphen that man may print as another sign: {line}")
    if shutil.which("mandoc"):
        said = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(page)], capture_output=True, text=True).stdout
        # No date: the page is the same every time that it is written.
        said = [line for line in said.splitlines() if "missing date" not in line]
        expect(not said, "mandoc: " + "\n".join(said))
    if shutil.which("groff"):
        said = subprocess.run(["groff", "-man", "-ww", "-z", "-K", "utf8", str(page)], capture_output=True, text=True)
        expect(said.returncode == 0 and not said.stderr, f"groff: {said.stderr}")


def check_doctor(folder):
    report = folder / "doctor.json"
    run = subprocess.run([LANEBANK, "doctor", "--json", str(report)], capture_output=True, text=True)
    expect(run.returncode == 0, f"doctor: {run.returncode} {run.stdout}")
    tests = Path(__file__).resolve().parent.parent
    valid = subprocess.run([sys.executable, str(tests / "report/validate.py"), str(tests.parent / "share/lanebank/schema"), str(report)],
                           capture_output=True, text=True)
    expect(valid.returncode in (0, 77), valid.stdout + valid.stderr)


with tempfile.TemporaryDirectory() as name:
    check_doctor(Path(name))
    check_bash(Path(name))
    check_others(Path(name))
    check_manual(Path(name))
for failure in failures:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(bool(failures))
