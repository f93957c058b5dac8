"""Many who read the same page: it is made once, and meanwhile they are given the last one."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import Any

import pytest

import sites
from vgdl.competition.tracks.planning import scoring
from vgdl.competition.web import jobs, rankings, security
from vgdl.competition.web.database import Database
from vgdl.competition.web.pages import public
from vgdl.competition.web.pages.common import Recent, moment
from vgdl.competition.web.worker import Worker

HEAD = {"type": "http.response.start", "status": 200, "headers": [(b"x-snapshot", b"1")]}


class Page:
    """An application with one page, which is made when it is told so."""

    def __init__(self) -> None:
        self.made = 0
        self.may_be_made = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.may_be_made.wait()
        self.made += 1
        await send(dict(HEAD))
        await send({"type": "http.response.body", "body": str(self.made).encode()})


async def read(page: security.Snapshots) -> bytes:
    """What a visitor gets."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}
    await page(scope, None, send)  # type: ignore[arg-type]
    return b"".join(message.get("body", b"") for message in sent)


def test_a_page_is_made_once_for_all_who_ask_and_the_last_one_is_shown_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def crowd() -> None:
        page = Page()
        snapshots = security.Snapshots(page, "session")
        first = [asyncio.create_task(read(snapshots)) for _ in range(3)]
        await asyncio.sleep(0)
        page.may_be_made.set()
        assert await asyncio.gather(*first) == [b"1"] * 3
        page.may_be_made.clear()
        monkeypatch.setattr(security.Snapshots, "SECONDS", -1.0)  # the one that is kept is old now
        makes = asyncio.create_task(read(snapshots))
        await asyncio.sleep(0)
        assert await read(snapshots) == b"1"
        page.may_be_made.set()
        assert await makes == b"2"
        monkeypatch.setattr(security.Snapshots, "STALE_S", -1.0)  # and now it is too old for anyone
        page.may_be_made.clear()
        waits = [asyncio.create_task(read(snapshots)) for _ in range(2)]
        await asyncio.sleep(0)
        assert not any(one.done() for one in waits)
        page.may_be_made.set()
        assert set(await asyncio.gather(*waits)) <= {b"3", b"4"}

    asyncio.run(crowd())


def test_no_page_computes_a_board_and_all_show_the_stored_one_with_its_time(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any, **named: Any) -> None:
        raise AssertionError("a page computes a board")

    competition, ann = sites.opened(database), sites.user(database)
    entry = sites.sent(database, ann, competition)
    sites.work(database)
    sites.sent(database, ann, competition, name="Second")
    Worker(database, "rlimits", 1).run(wait=False)
    monkeypatch.setattr(rankings, "strengths", refuse)
    monkeypatch.setattr(scoring, "rank", refuse)
    client = sites.visit(database).client
    stored = database.row("SELECT * FROM boards")
    assert stored is not None
    shown = client.get("/competitions/spring").text
    assert "Right" in shown
    assert "Second" not in shown
    assert moment(stored["made"]) in shown
    for page in (f"/entries/{entry.id}", "/competitions/spring/games/toy", "/api/competitions/spring/ranking"):
        assert client.get(page).status_code in (200, 404), page
    monkeypatch.undo()
    monkeypatch.setattr(rankings, "LOOK_S", -1.0)
    rankings.refresh(database, at_once=True)
    assert "Second" in sites.visit(database).client.get("/competitions/spring").text


def test_a_competition_whose_board_has_not_been_computed_says_so(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    sites.sent(database, ann, competition)
    Worker(database, "rlimits", 1).run(wait=False)
    answer = sites.visit(database).client.get("/competitions/spring")
    assert answer.status_code == 200
    assert "The ranking is being computed" in answer.text
    assert sites.visit(database).client.get("/api/competitions/spring/ranking").json()["made"] is None


def test_a_board_that_took_long_is_computed_less_often_and_its_strengths_less_often_still(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    sites.sent(database, ann, competition)
    sites.work(database)
    assert rankings.refresh(database) == 0
    first = database.row("SELECT * FROM boards")
    assert first is not None
    now = database.now()
    sites.sent(database, ann, competition, name="Second")
    Worker(database, "rlimits", 1).run(wait=False)
    database.run("UPDATE boards SET made = ?, seconds = 1, strengths_made = ?, strengths_seconds = 1", now, now)
    assert rankings.refresh(database) == 0
    database.run("UPDATE boards SET made = ?", now - 100)
    assert rankings.refresh(database) == 1
    board = rankings.Boards(database).get(competition, "toy")
    assert {line.entry.name: line.strength is None for line in board.lines} == {"Random": False, "Second": True}
    assert board.strengths_computed < board.computed
    database.run("UPDATE boards SET strengths_made = ?, made = ?", now - 100, now - 100)
    assert rankings.refresh(database) == 1
    board = rankings.Boards(database).get(competition, "toy")
    assert all(line.strength is not None for line in board.lines)


def test_a_worker_takes_its_turn_from_a_long_queue_without_reading_it(database: Database) -> None:
    competition, ann, bob = sites.opened(database), sites.user(database), sites.user(database, "Bob")
    for owner in (ann, bob):
        entry = sites.sent(database, owner, competition, name=owner.name)
        plays = [jobs.Play((entry.id,), "toy", "toy", 0, number, 1) for number in range(500)]
        with database.transaction() as transaction:
            jobs.queue(transaction, competition.id, entry.id, owner.id, jobs.EVALUATION, plays, database.now())
    with database.transaction() as transaction:
        waiting, usage, typical = jobs._lanes(transaction, database.now())
        order = list(islice(jobs.fair_order(waiting, usage, typical), 200))
        rows = transaction.rows("SELECT id, user_id FROM jobs WHERE user_id != 0 ORDER BY priority, id")
    own = {owner.id: iter([row["id"] for row in rows if row["user_id"] == owner.id]) for owner in (ann, bob)}
    owner_of = {row["id"]: row["user_id"] for row in rows}
    taken = [job for job in order if job in owner_of]
    assert taken == [next(own[owner_of[job]]) for job in taken]
    assert max(len(lane._known) for lane in waiting.values()) < 200  # type: ignore[attr-defined]


def test_a_long_ranking_is_shown_in_parts_and_a_signed_in_reader_finds_the_own_entry(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public, "PAGE_LINES", 1)
    competition, ann = sites.opened(database), sites.user(database)
    sites.sent(database, ann, competition, sites.RAISES)
    sites.work(database)
    client = sites.visit(database).sign_in("Ann").client
    first, second = (client.get(f"/competitions/spring?page={number}").text for number in (1, 2))
    assert ("Random</a>" in first, "Right</a>" in first) == (True, False)
    assert ("Random</a>" in second, "Right</a>" in second) == (False, True)
    assert 'Your entry Right is at place <a href="?set=toy&amp;page=2#ranking">2</a>' in first
    assert client.get("/competitions/spring?page=99").text == first
    for page in ("1", "2"):
        assert client.get(f"/competitions/spring/games/toy?page={page}").text.count('scope="row"') == 1


def test_a_value_for_all_visitors_is_computed_once() -> None:
    computed: list[int] = []

    def count() -> int:
        computed.append(1)
        return len(computed)

    recent = Recent(count, 60.0)
    assert [recent.get(), recent.get()] == [1, 1]
    anew = Recent(count, -1.0)
    assert [anew.get(), anew.get()] == [2, 3]


def test_a_stored_board_is_loaded_once_for_all_who_ask(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rankings, "LOOK_S", 60.0)
    competition, ann = sites.opened(database), sites.user(database)
    sites.sent(database, ann, competition)
    sites.work(database)
    boards = rankings.Boards(database)
    load, loaded = boards._load, []

    def loading(*arguments: Any) -> rankings.Board:
        loaded.append(arguments)
        return load(*arguments)

    monkeypatch.setattr(boards, "_load", loading)
    assert sites.race(8, lambda _: boards.get(competition, "toy")) == 8
    assert len(loaded) == 1
