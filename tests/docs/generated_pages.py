#!/usr/bin/env python3
"""The pages that are made from other files: docs/json.md from the JSON Schemas, docs/headers.md from the headers' first sentences.

  generated_pages.py --write
"""
import json
import re
import sys

from markdown import ROOT

SCHEMAS = ROOT / "share/lanebank/schema"
HEADERS = ROOT / "include/lanebank"
JSON_HEAD = """# JSON

<!-- Made from share/lanebank/schema by tests/docs/generated_pages.py; do not edit. -->

What lanebank reads and writes as JSON, key by key, for the formats that have a [JSON Schema](../share/lanebank/schema); the
schemas are installed with lanebank, and tests hold files against them. Keys are never renamed within a version; new ones may
be added. What the figures mean: [reports](report-format.md), [solver](solver.md). Formats described elsewhere:
`lanebank.show/1` ([show](show.md#json)), `lanebank.fix/1` ([fix](fix.md#lanebankfix1)), `lanebank.checklist/1` and
`lanebank.choose/1` ([command line](cli.md)).
"""


def type_of(schema, definitions):
    """The type in words, and the schema of the objects in it, if their keys are to be listed."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        target = definitions[name]
        if "properties" in target:
            return f"*{name}*", None
        return type_of(target, definitions)
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`", None
    if "enum" in schema:
        return ", ".join("`" + json.dumps(value) + "`" for value in schema["enum"]), None
    for key in ("anyOf", "oneOf"):
        if key in schema and "type" not in schema and "properties" not in schema:
            parts = [type_of(part, definitions) for part in schema[key]]
            return " or ".join(dict.fromkeys(words for words, _ in parts)), next((inner for _, inner in parts if inner), None)
    kind = schema.get("type", "object" if "properties" in schema else "any")
    kinds = kind if isinstance(kind, list) else [kind]
    words, inner = [], None
    for one in kinds:
        if one == "array" and "items" in schema:
            item, inner = type_of(schema["items"], definitions)
            size = f"{schema['minItems']} " if "minItems" in schema and schema["minItems"] == schema.get("maxItems") else ""
            words.append(f"array of {size}{item}")
        else:
            words.append(one)
            if one == "object" and "properties" in schema:
                inner = schema
    return " or ".join(words), inner


def rows_of(schema, definitions, prefix=""):
    required = schema.get("required", [])
    for key, value in schema.get("properties", {}).items():
        words, inner = type_of(value, definitions)
        need = "" if key in required else "optional"
        about = value.get("description", "").replace("|", "\\|")
        yield f"| `{prefix}{key}` | {words} | {need} | {about} |"
        if inner:
            array = "array" in words
            yield from rows_of(inner, definitions, f"{prefix}{key}{'[]' if array else ''}.")


def json_page():
    text = JSON_HEAD
    for path in sorted(SCHEMAS.glob("*.schema.json")):
        schema = json.loads(path.read_text())
        definitions = schema.get("$defs", {})
        text += f"\n## {schema['title']}\n{schema.get('description', '')}\n"
        parts = [("", schema)] + [(name, value) for name, value in definitions.items() if "properties" in value]
        for name, part in parts:
            if name:
                text += f"\n*{name}*{': ' + part['description'] if 'description' in part else ''}\n"
            text += "\n| key | type | | meaning |\n| --- | --- | --- | --- |\n" + "\n".join(rows_of(part, definitions)) + "\n"
    return text


HEADERS_HEAD = """# Headers

<!-- Made from the first sentences of include/lanebank by tests/docs/generated_pages.py; do not edit. -->

Header-only, C++17, no dependency: add `include/` to the compiler's path, or use the CMake target `lanebank::lanebank`.
A header opens with what it is, its formula and its smallest example, and what it does not do. `.hpp` compiles with a host compiler alone, `.cuh` needs nvcc, `.def` is a table.
"""
GROUPS = (  # title, words, pages, which headers
    ("Bank model, layouts, proofs", "For device and host code: [banks](banks.md), [layouts](layouts.md).",
     lambda name: "/" not in name and not name.endswith(".cuh") and "status" not in name),
    ("Kernels", "To be called from host code: [transposes](transpose.md), [matrix products](gemm.md), [the others](kernels.md).",
     lambda name: "/" not in name and (name.endswith(".cuh") or "status" in name)),
    ("What the kernels are made of", "For callers who want a step or a shape of their own; names and arguments may change.",
     lambda name: "/" in name),
)


def first_sentence(path):
    """Of the comment that the file opens with."""
    words = []
    for line in path.read_text().splitlines():
        if not line.startswith("//") or not line.strip("/ "):
            break
        words.append(line.strip("/ "))
    text = " ".join(words)
    end = re.search(r"[.](?= [A-Z]|$)", text)
    return text[:end.start()] if end else text.rstrip(":")


def headers_page():
    names = sorted(str(path.relative_to(HEADERS)) for path in HEADERS.rglob("*") if path.is_file())
    text = HEADERS_HEAD
    for title, about, belongs in GROUPS:
        text += f"\n## {title}\n{about}\n\n| header | |\n| --- | --- |\n"
        for name in filter(belongs, names):
            text += f"| [`{name}`](../include/lanebank/{name}) | {first_sentence(HEADERS / name).replace('|', chr(92) + '|')} |\n"
    return text


PAGES = {ROOT / "docs/json.md": json_page, ROOT / "docs/headers.md": headers_page}

if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    for page, made in PAGES.items():
        page.write_text(made())
