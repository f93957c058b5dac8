"""Code on the pages of the site works as it is: the blocks are found by following all links and parsing the pages."""

from __future__ import annotations

import os
import shlex
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest

import contests
import groups
import sites
import vgdl
from vgdl import Winner
from vgdl.competition.web import accounts, command, competitions, entries, people
from vgdl.competition.web.database import Database
from vgdl.controllers import Controller

SIMILAR = 2
"""Maximum number of visited pages whose addresses differ in the last part only."""


@dataclass
class Block:
    """A block of code on a page."""

    page: str
    language: str
    text: str = ""


@dataclass
class Page(HTMLParser):
    """The links and blocks of a page."""

    address: str
    links: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag == "a" and known.get("href"):
            self.links.append(urljoin(self.address, str(known["href"])))
        if tag == "pre":
            self._is_inside = True
            self.blocks.append(Block(self.address, ""))
        if tag == "code" and self._is_inside:
            self.blocks[-1].language = (known.get("class") or "").removeprefix("language-")

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre":
            self._is_inside = False

    def handle_data(self, data: str) -> None:
        if self._is_inside:
            self.blocks[-1].text += data


def crawl(visit: sites.Visit) -> list[Page]:
    """All pages that are reached by links from the home page."""
    waiting, seen, similar, found = ["/"], {"/"}, Counter[str](), []
    while waiting:
        address = waiting.pop(0)
        answer = visit.client.get(address)
        assert answer.status_code == 200, (address, answer.status_code)
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        page = Page(answer.url.path)
        page.feed(answer.text)
        found.append(page)
        for link in page.links:
            path = urlsplit(link).path
            kind = path.rstrip("/").rpartition("/")[0]
            if not urlsplit(link).netloc and path not in seen and (not kind or similar[kind] < SIMILAR):
                seen.add(path)
                similar[kind] += 1
                waiting.append(link)
    return found


@pytest.fixture
def blocks(database: Database) -> dict[str, Block]:
    """The blocks of all pages as each kind of visitor sees them, without what entrants have sent."""
    competition = sites.opened(database, team_size=2)
    sites.user(database, "Olga", accounts.ORGANISER)
    people.add_assistant(database, "tests", competition, sites.user(database, "Tom"))
    groups.team(database, competition, sites.user(database))
    visited: set[str] = set()
    found: dict[str, Block] = {}
    for name in ("", "Ann", "Tom", "Olga"):
        visit = sites.visit(database)
        for page in crawl(visit.sign_in(name) if name else visit):
            visited.add(page.address)
            found |= {block.text: block for block in page.blocks if block.text}  # a script fills those without
    expected = {"/queue", "/tracks", "/play", "/competitions/spring", "/competitions/spring/enter",
                "/competitions/spring/team", "/account", "/organise", "/organise/spring", "/organise/audit",
                "/organise/spring/settings", "/organise/spring/copies", "/sign-up", "/forgot"}  # fmt: skip
    assert expected <= visited, expected - visited
    return found


@pytest.mark.costly
def test_every_block_of_code_works_as_it_is(
    blocks: dict[str, Block], database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runners = {"python": _play, "sh": _submit}
    assert {block.language for block in blocks.values()} == runners.keys(), blocks.values()
    for number, block in enumerate(blocks.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        runners[block.language](block, database, monkeypatch)


def _play(block: Block, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A controller, which plays a whole game without an error, and passes the checks of an upload."""
    assert entries.checked("agent.py", block.text.encode())
    space: dict[str, Any] = {"__name__": "agent"}
    exec(compile(block.text, block.page, "exec"), space)
    (own,) = (one for one in space.values() if isinstance(one, type) and one.__module__ == "agent")
    assert issubclass(own, Controller)
    state = vgdl.load(contests.TOY / "toy.txt").start(level=contests.CORRIDOR, seed=1)
    controller = own(state.copy(seed=1), None)  # type: ignore[arg-type]
    while not state.is_over:
        action = controller.act(state.copy(seed=state.tick), None)  # type: ignore[arg-type]
        assert action in state.available_actions
        state.advance(action)
    assert state.winner in (Winner.PLAYER_WINS, Winner.PLAYER_LOSES)


def _submit(block: Block, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that submits an entry, with the token of a user and the name of a competition put in."""
    ann = accounts.find_user(database, "Ann")
    text = block.text.replace("…", accounts.make_token(database, ann)).replace("NAME", "spring")
    assignment, program, action, *words = shlex.split(text)
    variable, _, token = assignment.partition("=")
    assert (variable, program, action) == (command.TOKEN, "vgdl-compete", "submit")
    Path(words[0]).write_bytes(entries.checked("agent.py", sites.RIGHT.encode()))
    client = sites.visit(database).client

    class Answer:
        def __init__(self, request: urllib.request.Request) -> None:
            self._sent = client.post(request.full_url, content=request.data, headers=dict(request.header_items()))  # type: ignore[arg-type]

        def __enter__(self) -> Answer:
            return self

        def __exit__(self, *_: object) -> None:
            """Nothing is open."""

        def read(self, _: int) -> bytes:
            return self._sent.content

    monkeypatch.setattr(urllib.request, "urlopen", lambda request, timeout: Answer(request))
    monkeypatch.setitem(os.environ, variable, token)
    assert command.submit_to_site(words) == 0
    assert [one.name for one in entries.history(database, ann)] == [Path(words[0]).stem]
    assert competitions.find(database, "spring").takes_entries
