"""Attacks on what readers share: the event loop, threads, connections and caches; and on what is not for everybody."""

from __future__ import annotations

import asyncio
import http.cookies
import select
import socket
import threading
import urllib.request
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.testclient import TestClient
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import groups
import sites
from vgdl.competition import listening
from vgdl.competition.web import accounts, api, copies, entries, jobs, rankings, teams
from vgdl.competition.web.app import MOST_FORMS, make_app
from vgdl.competition.web.database import Database

PLAY = "/play/aliens/0/socket"
Server = tuple[str, int, Path]


def test_cookies_that_take_long_to_parse_are_not_parsed(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def parsed(text: str) -> str:
        assert '"' not in text, "a cookie of 30 KB would take two seconds"
        return text

    monkeypatch.setattr(http.cookies, "_unquote", parsed)
    sites.user(database)
    ann, hostile = sites.visit(database).sign_in("Ann").client, 'a="' + '\\"' * 100 + '"'
    for name, value in ann.cookies.items():
        own = f"{name}={value}"
    stranger = sites.visit(database).client
    for cookie in (hostile, f'{own.partition("=")[0]}="' + '\\"' * 100 + '"', f"session={'x' * 5000}"):
        assert stranger.get("/account", headers={"cookie": cookie}).url.path == "/sign-in"
    ann.cookies.clear()
    assert "<h1>Ann</h1>" in ann.get("/account", headers={"cookie": f"{hostile}; {own}; b=1"}).text


@pytest.mark.parametrize("later", [b"GET /health HTTP/1.1\r\nX: ", b"GET /hea"])
def test_a_connection_whose_second_request_never_ends_is_closed(server: Server, later: bytes) -> None:
    with socket.create_connection(server[:2], timeout=60) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n" + later)
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    assert received.endswith(b"ok\n")


def test_a_client_that_does_not_read_its_answers_loses_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "READ_S", 0.1)

    async def large(scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % (32 << 20))]})
        await send({"type": "http.response.body", "body": bytes(32 << 20)})

    with listening.listening("127.0.0.1", 0) as opened, socket.socket() as connection:
        config = uvicorn.Config(large, http=listening.patient_protocol(), log_level="warning", lifespan="off")
        server = uvicorn.Server(config)
        serving = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
        serving.start()
        connection.connect(opened.getsockname())
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + bytes(1 << 20))  # what is not read resets the rest
        waiting = select.poll()
        waiting.register(connection, select.POLLHUP | select.POLLERR)
        assert waiting.poll(60_000)
        server.should_exit = True
        serving.join(60)


def test_a_game_in_the_browser_lasts_longer_than_the_head_of_a_request_may_take(server: Server) -> None:
    host, port, _ = server
    with connect(f"ws://{host}:{port}{PLAY}") as play:
        play.send('{"start": true}')
        for _ in range(round(2 / 0.04) + 1):  # the server of the tests waits a second for a head
            assert b"tick" in play.recv(60, decode=False)


def test_a_compressed_message_does_not_unfold_in_the_memory_of_the_site(server: Server) -> None:
    host, port, _ = server
    with connect(f"ws://{host}:{port}{PLAY}", compression="deflate") as bomb:
        bomb.send(" " * (8 << 20))
        with pytest.raises(ConnectionClosed) as closed:
            bomb.recv(60)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code in (1008, 1009)
    assert urllib.request.urlopen(f"http://{host}:{port}/health", timeout=60).read() == b"ok\n"


def test_forms_that_wait_leave_threads_for_readers(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = threading.Event()
    waiting = threading.Semaphore(0)

    def wait(*_: object) -> None:
        waiting.release()
        may_end.wait(60)

    monkeypatch.setattr(accounts, "close_session", wait)
    app = make_app(database, "http://testserver", upkeep_here=False)
    visit = sites.Visit(TestClient(app))
    token = visit.form_token("/sign-in")
    cookies = dict(visit.client.cookies)

    async def crowd() -> None:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver", cookies=cookies) as client:
            posts = [asyncio.create_task(client.post("/sign-out", data={"form_token": token})) for _ in range(60)]
            while waiting._value < MOST_FORMS:
                await asyncio.sleep(0.01)
            try:
                async with asyncio.timeout(60):
                    assert (await client.get("/queue")).status_code == 200
            finally:
                may_end.set()
            assert {answer.status_code for answer in await asyncio.gather(*posts)} == {303}

    asyncio.run(crowd())


def test_plays_of_an_entry_that_is_not_ranked_are_seen_by_its_owner_only(database: Database) -> None:
    competition = sites.opened(database, team_size=2)
    for name in ("Bob", "Eve"):
        sites.user(database, name)
    ann, ranked = sites.ranked(database)
    groups.team(database, competition, ann, accounts.find_user(database, "Bob"))
    secret = groups.evaluated(database, sites.sent(database, ann, competition, name="Secret"))
    entries.set_counted(database, ann, entries.get(database, ranked.id))
    shown, hidden = (sites.played(database, one, jobs.EVALUATION) for one in (ranked, secret))
    stranger = sites.visit(database).client
    own, team, eve = (sites.visit(database).sign_in(name).client for name in ("Ann", "Bob", "Eve"))
    for page in ("", "plays.js"):
        assert stranger.get(f"/plays/{shown}/{page}").status_code == 200
        assert [one.get(f"/plays/{hidden}/{page}").status_code for one in (own, team)] == [200, 200]
        assert [one.get(f"/plays/{hidden}/{page}").status_code for one in (stranger, eve)] == [404, 404]
    assert stranger.get(f"/plays/{hidden}/replays/{hidden}.js").status_code == 404
    entries.set_counted(database, ann, entries.get(database, secret.id))
    assert stranger.get(f"/plays/{hidden}/").status_code == 200


def test_a_cached_page_does_not_depend_on_the_headers_of_who_asked_first(database: Database) -> None:
    sites.opened(database)
    evil = {"host": "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https",
            "x-original-url": "/organise", "accept-language": "evil"}  # fmt: skip
    visit = sites.visit(database)
    for page in ("/", "/competitions/spring", "/queue", "/api/competitions"):
        first, second = visit.client.get(page, headers=evil), visit.client.get(page)
        assert first.text == second.text
        assert "evil" not in first.text + str(first.headers)


def test_an_archive_that_no_worker_has_accepted_is_not_opened(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "sources", lambda _: pytest.fail("the site reads an archive that was not checked"))
    competition = sites.opened(database)
    entry = sites.sent(database, sites.user(database), competition)
    sites.user(database, "Olga", accounts.ORGANISER)
    olga = sites.visit(database).sign_in("Olga").client
    for state in ("waiting", "archive refused"):
        database.run("UPDATE entries SET state = ?", state)
        answer = olga.get(f"/organise/entries/{entry.id}/source")
        assert (answer.status_code, "is not opened here" in answer.text) == (400, True)
        copies.refresh(database)
    assert database.rows("SELECT entry_id FROM fingerprints") == []


def test_the_ranking_for_programs_is_written_once_per_board(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    sites.opened(database)
    _, entry = sites.ranked(database)
    sites.played(database, entry, jobs.EVALUATION)
    rankings.refresh(database, at_once=True)
    client, written = sites.visit(database).client, []
    line = api._line

    def counted(one: rankings.Line) -> dict[str, Any]:
        written.append(one)
        return line(one)

    monkeypatch.setattr(api, "_line", counted)
    answers = [client.get("/api/competitions/spring/ranking").json() for _ in range(3)]
    assert [one["name"] for one in answers[0]["ranking"]] == ["Right"]
    assert answers[1:] == answers[:2]
    assert len(written) == 1


@pytest.mark.parametrize("name", ["Аnn", "A n n", "Ann\u200b", "x" * 41, " "])
def test_a_team_is_not_called_like_a_user(database: Database, name: str) -> None:
    competition, bob = sites.opened(database, team_size=2), sites.user(database, "Bob")
    sites.user(database)
    with pytest.raises(accounts.AccountError):
        teams.create(database, bob, competition, name)
    assert teams.team_of(database, bob, competition) is None
