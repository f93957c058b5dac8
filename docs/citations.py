"""Citations of the specification, such as ``(engine, 7.10)``, and the clauses that they lead to.

The code cites clauses in words; the pages of ``docs`` link them. ``docs/specification`` has a page for each name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PAGES = ("language", "engine", "sprites", "effects")
SPECIFICATION = Path(__file__).resolve().parent / "specification"

_NUMBER = r"\d+(?:\.\d+)*"
_MORE = rf"(?:, | and | to |; ){_NUMBER}(?![\w.]\w)"
CITATION = re.compile(rf"(?<![\w`])(?P<page>{'|'.join(PAGES)}),? (?P<numbers>{_NUMBER}(?:{_MORE})*)(?!\w)")
"""A page and its clauses: ``engine, 7.10``, ``effects 10.1``, ``sprites, 12.1 and 12.2``."""

_HEADING = re.compile(rf"^#{{2,3}} (?P<title>(?P<number>{_NUMBER})\.? .*)$", re.MULTILINE)
_ITEM = re.compile(r"^(?P<number>\d+)\. ", re.MULTILINE)


def slug(title: str) -> str:
    """The anchor that a heading has on the site and where Markdown is shown in a repository."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


@cache
def anchors(page: str) -> dict[str, str]:
    """The anchors of a page by clause; an item of a numbered list, as 2.4 in section 2, leads to its section."""
    text = (SPECIFICATION / f"{page}.md").read_text(encoding="utf-8")
    headings = list(_HEADING.finditer(text))
    found = {heading["number"]: slug(heading["title"]) for heading in headings}
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    for heading, end in zip(headings, ends, strict=True):
        for item in _ITEM.finditer(text, heading.end(), end):
            found.setdefault(f"{heading['number']}.{item['number']}", found[heading["number"]])
    return found


def cited(text: str) -> Iterator[tuple[str, str]]:
    """Page and clause of every citation in a text."""
    for citation in CITATION.finditer(text):
        for number in re.findall(_NUMBER, citation["numbers"]):
            yield citation["page"], number


def target(page: str, clause: str) -> str:
    """Where a clause is, below ``docs/specification``.

    Raises:
        KeyError: there is no such clause.
    """
    return f"{page}.md#{anchors(page)[clause]}"


def linked(text: str, folder: str) -> str:
    """The text with its citations as Markdown links.

    Args:
        text: one without links.
        folder: the path from the page to the specification's folder.
    """

    def link(citation: re.Match[str]) -> str:
        first, *rest = re.findall(_NUMBER, citation["numbers"])
        start = citation[0].index(first)
        label = citation[0][: start + len(first)]
        tail = citation[0][start + len(first) :]
        for number in rest:
            tail = tail.replace(number, f"[{number}]({folder}/{target(citation['page'], number)})", 1)
        return f"[{label}]({folder}/{target(citation['page'], first)}){tail}"

    return CITATION.sub(link, text)
