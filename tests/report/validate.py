#!/usr/bin/env python3
"""Holds reports against their formats.

    validate.py SCHEMA_FOLDER [--solve LANEBANK] FILE...      by name: *.json *.sarif *.junit.xml *.html *.md

JSON: the schema of share/lanebank/schema that the file's own `schema` names, closed: a key that it does not name is an
error. With --solve a problem is also solved by the command, and the answer held against its schema.
SARIF: sarif-written.schema.json beside this file, closed as well, which names what lanebank writes of SARIF 2.1.0; and
the standard's own schema where LANEBANK_SARIF_SCHEMA names a copy of it.
JUnit: well-formed, counts that add up; and the XSD that LANEBANK_JUNIT_XSD names, with xmllint.
HTML: elements closed in order, ids unique, links that lead somewhere, nothing from outside, every table with header cells.
Exit code 77 without python3-jsonschema.
"""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is missing: scripts/setup check installs it")
    sys.exit(77)

HERE = Path(__file__).parent


def closed(schema):
    """The schema without room for keys that it does not name."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if "properties" in result and isinstance(result.get("type"), str):
        result.setdefault("additionalProperties", False)
    return result


def against(document, schema):
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    return [f"{'/'.join(map(str, error.path))}: {error.message[:300]}" for error in validator(schema).iter_errors(document)]


def check_document(document, schemas):
    name = document["schema"].removeprefix("lanebank.").replace("/", "-") + ".schema.json"
    return against(document, closed(json.loads((schemas / name).read_text())))


def check_json(path, schemas, solver=None):
    document = json.loads(path.read_text())
    errors = check_document(document, schemas)
    if solver and document["schema"].startswith("lanebank.problem/"):
        solved = subprocess.run([solver, "solve", "--json", "-", "--map", str(path)], capture_output=True, text=True, check=True)
        errors += check_document(json.loads(solved.stdout), schemas)
    return errors


def check_sarif(path, _):
    log = json.loads(path.read_text())
    errors = against(log, closed(json.loads((HERE / "sarif-written.schema.json").read_text())))
    official = os.environ.get("LANEBANK_SARIF_SCHEMA")
    if official:
        errors += against(log, json.loads(Path(official).read_text()))
    for run in log["runs"]:
        rules = run["tool"]["driver"]["rules"]
        prints = [result["partialFingerprints"]["lanebank/v1"] for result in run["results"]]
        errors += ["fingerprints are not unique"] * (len(set(prints)) != len(prints))
        errors += [f"ruleIndex of {result['ruleId']}" for result in run["results"]
                   if rules[result["ruleIndex"]]["id"] != result["ruleId"]]
    return errors


def check_junit(path, _):
    errors = []
    root = ElementTree.parse(path).getroot()
    for suite in [root, *root.iter("testsuite")]:
        for attribute, element in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            found = len(list(suite.iter(element)))
            if int(suite.get(attribute)) != found:
                errors.append(f"{suite.tag}: {attribute} is {suite.get(attribute)}, there are {found}")
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    errors += ["test cases are not unique"] * (len(set(names)) != len(names))
    if os.environ.get("LANEBANK_JUNIT_XSD"):
        run = subprocess.run(["xmllint", "--noout", "--schema", os.environ["LANEBANK_JUNIT_XSD"], str(path)],
                             capture_output=True, text=True)
        errors += [run.stderr] * (run.returncode != 0)
    return errors


class Page(HTMLParser):
    VOID = {"meta", "br"}

    def __init__(self):
        super().__init__()
        self.errors, self.open, self.ids, self.links, self.labels = [], [], [], [], []
        self.table_headers = []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "table":
            self.table_headers.append(0)
        if tag == "th" and self.table_headers and "scope" in attributes:
            self.table_headers[-1] += 1
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a":
            self.links.append(attributes.get("href", ""))
        self.labels += attributes.get("aria-labelledby", "").split()
        if tag == "svg" and attributes.get("role") != "img" and attributes.get("aria-hidden") != "true":
            self.errors.append("a picture that no screen reader can name")
        if tag in {"script", "link", "img", "iframe", "object", "form"} or "style" in attributes or "src" in attributes:
            self.errors.append(f"<{tag}> has no place in the page")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.errors.append(f"</{tag}> at line {self.getpos()[0]} closes another element")
        if tag == "table" and self.table_headers.pop() == 0:
            self.errors.append("a table without header cells")


def check_html(path, _):
    page = Page()
    page.feed(path.read_text())
    errors = page.errors + [f"<{tag}> is not closed" for tag in page.open]
    errors += [f"id {name} twice" for name in set(page.ids) if page.ids.count(name) > 1]
    errors += [f"link {link} leads nowhere" for link in page.links if not link.startswith("#") or link[1:] not in page.ids]
    errors += [f"label {name} is missing" for name in page.labels if name not in page.ids]
    return errors


def check_markdown(path, _):
    text = path.read_text()
    errors = ["longer than a comment"] * (len(text) > 65536)
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        errors += [f"a table with rows of {widths} bars"] * (len(widths) != 1)
    return errors


CHECKS = {".junit.xml": check_junit, ".json": check_json, ".sarif": check_sarif, ".html": check_html, ".md": check_markdown}


def main():
    schemas, files, failed = Path(sys.argv[1]), sys.argv[2:], 0
    solver = None
    if files[:1] == ["--solve"]:
        solver, files = files[1], files[2:]
    if not files:
        sys.exit("no files")
    for name in files:
        check = next(check for ending, check in CHECKS.items() if name.endswith(ending))
        errors = check(Path(name), schemas, solver) if check is check_json else check(Path(name), schemas)
        for error in errors[:20]:
            print(f"{name}: {error}")
        failed += bool(errors)
    print(f"{len(files)} files, {failed} not valid")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
