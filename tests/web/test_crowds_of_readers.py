"""Many who read the same page: it is made once, and meanwhile they are given the last one."""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import Any

import jinja2
import pytest

import sites
from vgdl.competition.tracks.planning import scoring
from vgdl.competition.web import entries, jobs, plays, rankings, security
from vgdl.competition.web.database import Database
from vgdl.competition.web.pages import public
from vgdl.competition.web.pages.common import Fragments, Recent, moment
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


@pytest.mark.costly
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


@pytest.mark.costly
def test_a_competition_whose_board_has_not_been_computed_says_so(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    sites.sent(database, ann, competition)
    Worker(database, "rlimits", 1).run(wait=False)
    answer = sites.visit(database).client.get("/competitions/spring")
    assert answer.status_code == 200
    assert "The ranking is being computed" in answer.text
    assert sites.visit(database).client.get("/api/competitions/spring/ranking").json()["made"] is None


@pytest.mark.costly
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
    long = 1e5  # seconds, for a test on a busy machine
    database.run(
        "UPDATE boards SET made = ?, seconds = ?, strengths_made = ?, strengths_seconds = ?", now, long, now, long
    )
    assert rankings.refresh(database) == 0
    long_ago = now - 2 * rankings.PACE * long
    database.run("UPDATE boards SET made = ?", long_ago)
    assert rankings.refresh(database) == 1
    board = rankings.Boards(database).get(competition, "toy")
    assert {line.entry.name: line.strength is None for line in board.lines} == {"Random": False, "Second": True}
    assert board.strengths_computed < board.computed
    database.run("UPDATE boards SET strengths_made = ?, made = ?", long_ago, long_ago)
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


@pytest.mark.costly
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


def test_parts_of_pages_are_rendered_once_per_state_and_the_last_one_is_shown_meanwhile() -> None:
    fragments = Fragments(jinja2.Environment(loader=jinja2.DictLoader({"part": "{{ words }}"}), autoescape=True))
    rendered: list[str] = []

    def part(version: int, words: str) -> str:
        def data() -> dict[str, str]:
            rendered.append(words)
            if words == "second":
                assert part(3, "third") == "first"  # others do not wait for it
            return {"words": words}

        return fragments.get("part", ("name",), version, data)

    assert [part(1, "first"), part(1, "not asked for"), part(2, "second"), part(2, "neither")] == [
        *("first", "first", "second", "second")
    ]
    assert fragments.get("part", ("other",), 1, lambda: {"words": "<other>"}) == "&lt;other&gt;"
    assert rendered == ["first", "second"]


def test_parts_that_were_not_asked_for_the_longest_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fragments, "MOST_LETTERS", 10)
    fragments = Fragments(jinja2.Environment(loader=jinja2.DictLoader({"part": "{{ words }}"})))
    rendered: list[str] = []

    def get(name: str) -> None:
        fragments.get("part", (name,), 1, lambda: rendered.append(name) or {"words": name * 4})  # type: ignore[func-returns-value]

    for name in "abacab":
        get(name)
    assert rendered == ["a", "b", "c", "b"]


@pytest.mark.costly
def test_what_a_page_of_course_size_costs_does_not_grow_with_the_entries(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages of a state that has been shown neither read the board nor the plays of an entry again."""
    competition, ann = sites.opened(database), sites.user(database)
    entry = sites.sent(database, ann, competition)
    sites.work(database)
    client = sites.visit(database).sign_in("Ann").client  # no snapshots: those are for visitors
    pages = ("/competitions/spring", "/competitions/spring/games/toy", f"/entries/{entry.id}")
    before = [client.get(page).text for page in pages]
    assert "watch toy, level" in before[2]
    for module, name in ((plays, "of_entry"), (plays, "unpack"), (entries, "of_competition")):
        monkeypatch.setattr(module, name, lambda *_, name=name: pytest.fail(f"a page uses {name}"))
    assert [client.get(page).text for page in pages] == before
    monkeypatch.undo()
    sites.played(database, entry, jobs.EVALUATION)
    assert client.get(pages[2]).text.count("watch toy, level") == before[2].count("watch toy, level") + 1


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("SELECT id FROM entries WHERE competition_id = 1 AND barred != ''", "barred_entries"),
        ("SELECT COUNT(*) FROM plays WHERE finished > 1", "plays_by_time"),
        ("SELECT team_id FROM members WHERE user_id = 1", "members_by_user"),
    ],
)
def test_pages_find_rows_by_an_index(database: Database, query: str, index: str) -> None:
    plan = database.rows(f"EXPLAIN QUERY PLAN {query}")
    assert [row["detail"] for row in plan if index in row["detail"]], plan


def test_a_browser_that_has_the_page_of_visitors_is_answered_without_it(database: Database) -> None:
    sites.opened(database)
    sites.user(database)
    visitor, ann = sites.visit(database).client, sites.visit(database).sign_in("Ann").client
    for _ in range(2):  # rendered, and from the cache
        first = visitor.get("/competitions/spring")
        tag = first.headers["etag"]
        assert "Cookie" in first.headers["vary"]
        again = visitor.get("/competitions/spring", headers={"if-none-match": f'"other", W/{tag}'})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    own = ann.get("/competitions/spring", headers={"if-none-match": tag})
    assert (own.status_code, "etag" in own.headers, "Ann" in own.text) == (200, False, True)


def test_pages_do_not_wait_for_what_is_written(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    entry = sites.sent(database, ann, competition)
    client = sites.visit(database).sign_in("Ann").client
    monkeypatch.setattr("vgdl.competition.web.database.BUSY_MS", 1)  # of the connections that are opened from here on
    database.close()
    with database.transaction():  # a worker stores a play
        for page in ("/", "/queue", "/competitions/spring", "/competitions/spring/enter", f"/entries/{entry.id}"):
            assert client.get(page).status_code == 200, page


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
