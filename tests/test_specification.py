"""The specification: every citation names an existing clause, and every link to a clause works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from citations import PAGES, anchors, cited, linked

PROJECT = Path(__file__).resolve().parents[1]
DOCS = PROJECT / "docs"
SPECIFICATION = DOCS / "specification"
SOURCES = sorted(
    path
    for folder in ("vgdl", "controllers", "competition", "tests", "benchmarks", "docs")
    for path in (PROJECT / folder).rglob("*")
    if path.suffix in {".py", ".pyx", ".pxd", ".pyi", ".md"} and SPECIFICATION not in path.parents
)
_CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?P<page>[\w./-]*)#(?P<anchor>[\w-]+)\)")


def test_every_citation_names_a_clause() -> None:
    unknown = {
        f"{path.relative_to(PROJECT)}: {page}, {clause}"
        for path in SOURCES
        for page, clause in cited(path.read_text(encoding="utf-8"))
        if clause not in anchors(page)
    }
    assert unknown == set()


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_pages_link_their_citations(page: Path) -> None:
    prose = _LINK.sub("](", _CODE.sub("", page.read_text(encoding="utf-8")))
    bare = [clause for part in re.split(r"\[[^]]*\]", prose) for clause in cited(part)]
    assert bare == []


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_links_to_clauses_arrive(page: Path) -> None:
    for link in _LINK.finditer(_CODE.sub("", page.read_text(encoding="utf-8"))):
        target = (page.parent / link["page"]).resolve() if link["page"] else page
        if target.parent == SPECIFICATION and target.stem in PAGES:
            assert link["anchor"] in anchors(target.stem).values(), link[0]


def test_a_citation_becomes_a_link_to_its_clause() -> None:
    assert linked("(engine, 7.10)", "../x") == "([engine, 7.10](../x/engine.md#710-result))"
    assert (
        linked("(language, 2.4)", "x") == "([language, 2.4](x/language.md#2-from-a-game-text-line-to-a-content-record))"
    )
    several = linked("effects 10.1 and 10.2", "x")
    assert several == "[effects 10.1](x/effects.md#101-killing) and [10.2](x/effects.md#102-transforming)"


@pytest.mark.parametrize("page", PAGES)
def test_pages_of_the_specification_mention_no_bundled_game(page: Path) -> None:
    text = (SPECIFICATION / f"{page}.md").read_text(encoding="utf-8")
    assert not re.search(r"\b(gridphysics|contphysics|2player|corpus)\b", text, re.IGNORECASE)
