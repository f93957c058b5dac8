"""How the site is built: ``sphinx-build -W docs build/site``, with the extra ``docs``."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

import vgdl

sys.path.insert(0, str(Path(__file__).parent))
from citations import CITATION, anchors, cited

project = "vgdl"
author = "The vgdl developers"
project_copyright = "The vgdl developers, MIT licence"
version = release = vgdl.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["games/images"]

html_theme = "furo"
html_title = f"vgdl {version}"
html_copy_source = False

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["misc.highlighting_failure"]  # blocks of VGDL, which no highlighter knows

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_mock_imports = ["stable_baselines3"]  # large, and only the base class of a page's class

_CAPTION = re.compile(r"^\*\*(.+)\*\*$")
_COLON = "\0"  # stands for a colon
_PAGE = re.compile(r"\]\((?!\.\.)([\w/-]+)\.md\)")


def add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """Give the site its navigation, from the lists of links that readers of the plain files use.

    Every ``index`` page leads to the pages that it links to; a line of bold words begins a part of its own.
    """
    if page.rpartition("/")[2] != "index":
        return
    parts: dict[str, list[str]] = {"": []}
    for line in source[0].splitlines():
        if caption := _CAPTION.match(line):
            parts[caption[1]] = []
        parts[list(parts)[-1]] += _PAGE.findall(line)
    for caption, pages in parts.items():
        options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
        unique = list(dict.fromkeys(pages))
        if unique:
            source[0] += "\n" + "\n".join(["```{toctree}", *options, "", *unique, "```"]) + "\n"


def hide_colons(app: Sphinx, what: str, name: str, target: object, options: object, lines: list[str]) -> None:
    """Napoleon takes what stands before a colon, in the docstring of a property, for its type: here it never is."""
    if what in {"property", "attribute"}:
        lines[:] = [line.replace(":", _COLON) for line in lines]


def show_colons(app: Sphinx, what: str, name: str, target: object, options: object, lines: list[str]) -> None:
    lines[:] = [line.replace(_COLON, ":") for line in lines]


def drop_docstrings_of_types(
    app: Sphinx, what: str, name: str, target: object, options: object, lines: list[str]
) -> None:
    """A constant without a docstring has that of its type, such as ``dict``: its value says more."""
    if what == "data" and lines[:1] == inspect.cleandoc(type(target).__doc__ or "").splitlines()[:1]:
        lines.clear()


def link_citations(app: Sphinx, what: str, name: str, target: object, options: object, lines: list[str]) -> None:
    """Citations of the specification in docstrings lead to their clauses."""

    def link(citation: re.Match[str]) -> str:
        page, clause = next(cited(citation[0]))
        return f"`{citation[0]} <specification/{page}.html#{anchors(page)[clause]}>`__"

    lines[:] = [CITATION.sub(link, line) for line in lines]


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", drop_docstrings_of_types, priority=200)
    app.connect("autodoc-process-docstring", link_citations, priority=300)
    app.connect("source-read", add_navigation)
    app.connect("autodoc-process-docstring", hide_colons, priority=400)  # Napoleon's is 500
    app.connect("autodoc-process-docstring", show_colons, priority=600)
