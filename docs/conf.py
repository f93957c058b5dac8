"""How the site is built: ``sphinx-build -W docs build/site``, with the extra ``docs``."""

from __future__ import annotations

import re

from sphinx.application import Sphinx

import vgdl

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

_CAPTION = re.compile(r"^\*\*(.+)\*\*$")
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


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_navigation)
