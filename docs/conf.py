"""Sphinx, with MyST: makes HTML of these pages (scripts/docs). The pages stay plain Markdown; navigation is README.md's lists."""
import re
from pathlib import Path

project = "lanebank"
copyright = "the lanebank authors, Apache License 2.0"
extensions = ["myst_parser"]
root_doc = "README"
exclude_patterns = ["plots", "pictures"]
html_theme = "furo"
html_title = "lanebank"
html_static_path = []
myst_heading_anchors = 4


DOCS = Path(__file__).parent


def link(match):
    """Files of the repository are copied beside the HTML; its folders and its other Markdown are not, and their links become text."""
    text, target = match.groups()
    return match.group() if (DOCS / target).is_file() and not target.endswith(".md") else text


def prepare(app, name, source):
    """The lists of README.md become the navigation."""
    text = re.sub(r"\[([^\]]*)\]\((\.\./[^)#]*)[^)]*\)", link, source[0])
    if name == root_doc:
        for title, lists in re.findall(r"^## (.*)\n((?:- .*\n)+)", text, re.M):
            pages = "\n".join(re.findall(r"\]\((\S+)\.md\)", lists))
            text += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{pages}\n```\n"
    source[0] = text


def setup(app):
    app.connect("source-read", prepare)
    return {"parallel_read_safe": True}
