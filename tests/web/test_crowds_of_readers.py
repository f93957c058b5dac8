"""Many who read the same page: it is made once, and meanwhile they are given the last one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import sites
from vgdl.competition.web import rankings, security
from vgdl.competition.web.database import Database

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


@pytest.fixture
def slow_board(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, threading.Event]]:
    """Two events: a board has begun to be made; it may be finished."""
    begun, may_end = threading.Event(), threading.Event()
    make = rankings.board

    def board(*arguments: Any) -> rankings.Board:
        begun.set()
        may_end.wait()
        return make(*arguments)

    monkeypatch.setattr(rankings, "board", board)
    yield begun, may_end
    may_end.set()


def test_a_board_that_is_being_made_is_not_waited_for_if_there_is_a_last_one(
    database: Database, monkeypatch: pytest.MonkeyPatch, slow_board: tuple[threading.Event, threading.Event]
) -> None:
    begun, may_end = slow_board
    monkeypatch.setattr(rankings, "FRESH_S", -1.0)
    competition, ann = sites.opened(database), sites.user(database)
    boards = rankings.Boards(database)
    may_end.set()
    last = boards.get(competition, "toy")
    sites.sent(database, ann, competition)
    sites.work(database)
    begun.clear()
    may_end.clear()
    makes = threading.Thread(target=boards.get, args=(competition, "toy"))
    makes.start()
    begun.wait()
    assert boards.get(competition, "toy") is last
    may_end.set()
    makes.join()
    assert [line.entry.name for line in boards.get(competition, "toy").lines] == ["Right", "Random"]


def test_readers_of_a_board_that_takes_long_are_told_to_come_back(
    database: Database, monkeypatch: pytest.MonkeyPatch, slow_board: tuple[threading.Event, threading.Event]
) -> None:
    begun, may_end = slow_board
    monkeypatch.setattr(rankings, "WAIT_S", 0.01)
    sites.opened(database)
    client = sites.visit(database).client
    makes = threading.Thread(target=client.get, args=("/competitions/spring",))
    makes.start()
    begun.wait()
    answer = client.get("/api/competitions/spring/ranking")
    may_end.set()
    makes.join()
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
