"""A site under attack: forged, oversized and slow requests, other users' things, and what strangers call their entries."""

from __future__ import annotations

import io
import os
import re
import socket
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

import sites
from vgdl.competition.web import accounts, checking, entries, jobs, limits, security
from vgdl.competition.web.database import Database, open_database
from vgdl.competition.web.entries import UploadRefused
from vgdl.competition.web.pages import account, playing

pytestmark = pytest.mark.one_case

XSS = "<script>alert(1)</script>"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"


# ------------------------------------------------------------------------------------------------ forged


def test_every_form_needs_its_token_and_its_own_session(database: Database) -> None:
    sites.opened(database)
    sites.user(database)
    ann, other = sites.visit(database).sign_in("Ann"), sites.visit(database)
    stolen = other.form_token("/sign-in")
    for page in ("/sign-out", "/account/token", "/account/password", "/competitions/spring/enter", "/entries/1/delete"):
        for fields in ({}, {"form_token": ""}, {"form_token": "0" * 64}, {"form_token": stolen}):
            assert ann.client.post(page, data=fields).status_code == 403, page
    assert "Sign out" in ann.client.get("/account").text


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://[::"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_requests_from_other_sites_are_refused(database: Database, headers: dict[str, str]) -> None:
    sites.user(database)
    ann = sites.visit(database).sign_in("Ann")
    token = ann.form_token("/account")
    assert ann.client.post("/account/token", data={"form_token": token}, headers=headers).status_code == 403
    with pytest.raises(WebSocketDisconnect), ann.client.websocket_connect("/play/aliens/0/socket", headers=headers):
        pass


@pytest.mark.parametrize("change", ["empty", "plain", "signature", "token", "long"])
def test_a_forged_cookie_is_no_session(database: Database, change: str) -> None:
    sites.user(database)
    ann = sites.visit(database).sign_in("Ann")
    token, signed_at, signature = ann.client.cookies["session"].rsplit(".", 2)
    other = {"A": "B"}  # another first letter
    forged = {
        "empty": "",
        "plain": "1",
        "signature": f"{token}.{signed_at}.{other.get(signature[0], 'A')}{signature[1:]}",
        "token": f"{other.get(token[0], 'A')}{token[1:]}.{signed_at}.{signature}",
        "long": "A" * 6000,
    }[change]
    visitor = sites.visit(database)
    answer = visitor.client.get("/account", headers={"cookie": f"session={forged}"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/account")


def test_signing_in_gives_a_new_session_whatever_cookie_was_brought(database: Database) -> None:
    sites.user(database)
    attacker = sites.visit(database)
    attacker.client.get("/sign-in")
    planted = attacker.client.cookies["session"]
    victim = sites.visit(database)
    victim.client.cookies.set("session", planted, domain="testserver.local")
    victim.sign_in("Ann")
    assert victim.client.cookies["session"] != planted
    assert "Sign out" not in attacker.client.get("/").text


def test_every_token_that_can_be_drawn_is_one_of_a_session(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    sites.user(database)
    for letters in ("v" * 43, "visitor" + "-" * 36):  # tokens of visitors begin alike
        monkeypatch.setattr("secrets.token_urlsafe", lambda size, letters=letters: letters)
        assert "Sign out" in sites.visit(database).sign_in("Ann").client.get("/").text


def test_signing_out_ends_the_session_on_the_site_too(database: Database) -> None:
    sites.user(database)
    ann = sites.visit(database).sign_in("Ann")
    kept = ann.client.cookies["session"]
    ann.post("/sign-out", on="/account")
    again = sites.visit(database).client.get("/", headers={"cookie": f"session={kept}"})
    assert "Sign out" not in again.text


def test_cookies_are_for_this_site_only_and_not_for_scripts(database: Database) -> None:
    cookie = sites.visit(database).client.get("/sign-in").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    secure = security.Cookies("key", secure=True)
    assert secure.name == "__Host-session"


@pytest.mark.parametrize(
    "target", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:1", "/\t/evil"]
)
def test_signing_in_leads_to_pages_of_this_site_only(target: str) -> None:
    assert account.local(target) == "/"


# ------------------------------------------------------------------------------------------------ too large, too many


def test_bodies_that_are_too_large_are_refused_before_they_are_read(database: Database) -> None:
    client = sites.visit(database).client
    assert client.post("/sign-in", content=b"x" * (security.FORM_BYTES + 1)).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(1000):
            yield b"name=" + b"x" * 65536

    assert client.post("/sign-in", content=endless()).status_code in (403, 413)
    claimed = {"content-length": str(10**15)}
    assert client.post("/competitions/spring/enter", headers=claimed).status_code == 413
    assert client.post("/sign-in", headers={"content-length": "-5"}).status_code == 400


def test_an_upload_of_someone_who_may_not_upload_is_not_read(database: Database) -> None:
    sites.opened(database)
    read: list[int] = []

    def body() -> Iterator[bytes]:
        for number in range(100):
            read.append(number)
            yield b"x" * 1000

    answer = sites.visit(database).client.post("/competitions/spring/enter", content=body(), follow_redirects=False)
    assert answer.status_code == 303
    sites.user(database)
    ann = sites.visit(database).sign_in("Ann")
    database.run("UPDATE competitions SET state = 'closing'")
    assert ann.client.post("/competitions/spring/enter", content=b"x").status_code == 400


def test_zip_bombs_and_paths_out_of_the_archive_are_refused_in_words(database: Database) -> None:
    sites.opened(database)
    sites.user(database)
    ann = sites.visit(database).sign_in("Ann")
    bomb, escape = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("agent.py", sites.RIGHT)
        made.writestr("zeros", bytes(40 << 20))
    with zipfile.ZipFile(escape, "w") as made:
        made.writestr("../../etc/agent.py", sites.RIGHT)
    for content, words in ((bomb, "zip bomb"), (escape, "leads out of the archive")):
        answer = ann.upload(content.getvalue(), "agent.zip")
        assert (answer.status_code, words in answer.text) == (400, True)
    assert database.row("SELECT COUNT(*) AS n FROM entries WHERE user_id IS NOT NULL") == {"n": 0}


def test_a_refused_request_tells_programs_why_in_json_as_any_other_error(database: Database) -> None:
    client = sites.visit(database).client
    claimed = {"content-length": str(10**9)}
    for answer in (
        client.post("/api/competitions/spring/entries", headers=claimed),
        client.post("/api/competitions/spring/entries", headers={"origin": "https://evil.example"}),
        client.get("/api/%0a"),
    ):
        assert 400 <= answer.status_code < 500
        assert set(answer.json()) == {"error"}
    assert client.post("/competitions/spring/enter", headers=claimed).headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(
    ("method", "path", "status", "words"),
    [
        ("GET", "/sign-out", 405, "this address accepts POST only"),
        ("PUT", "/queue", 405, "this address accepts GET and HEAD only"),
        ("GET", "/api/competitions/spring/entries", 405, "this address accepts POST only"),
        ("GET", "/nothing", 404, "there is no such page"),
        ("GET", "/api/nothing", 404, "there is no such page"),
    ],
)
def test_addresses_and_methods_that_do_not_exist_are_told_in_words(
    database: Database, method: str, path: str, status: int, words: str
) -> None:
    answer = sites.visit(database).client.request(method, path)
    assert (answer.status_code, words in answer.text) == (status, True)


def test_programs_without_a_token_are_told_how_to_send_one(database: Database) -> None:
    client = sites.visit(database).client
    for headers, told in (
        ({}, "send 'Authorization: "),
        ({"authorization": "Bearer wrong"}, "this token is not valid"),
    ):
        answer = client.get("/api/entries/1", headers=headers)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert told in answer.json()["error"]


def test_guessing_passwords_is_slowed_down_and_told_so(database: Database) -> None:
    sites.user(database)
    guesser = sites.visit(database)
    token = guesser.form_token("/sign-in")
    codes = [
        guesser.client.post("/sign-in", data={"form_token": token, "name": "ann", "password": f"guess {n}"})
        for n in range(limits.FREE_GUESSES + 1)
    ]
    assert [code.status_code for code in codes[:-1]] == [400] * limits.FREE_GUESSES
    database.run("UPDATE attempts SET at = at + 600")  # as if all this took no time, on the busiest machine
    last = guesser.client.post("/sign-in", data={"form_token": token, "name": "ann", "password": "guess"})
    assert last.status_code == 429
    assert 0 < int(last.headers["retry-after"]) <= 700
    for same in ("Ann", "ＡＮＮ", "  aNN "):
        right = guesser.client.post("/sign-in", data={"form_token": token, "name": same, "password": sites.PASSWORD})
        assert right.status_code == 429, same


def test_delays_grow_and_end_and_concern_one_network_only(database: Database) -> None:
    sites.user(database)
    for _ in range(limits.FREE_GUESSES + 3):
        limits.guess(database, "ann", "192.0.2.1")
        database.run("UPDATE attempts SET at = at - 60")
    database.run("UPDATE attempts SET at = at + 60")
    with pytest.raises(limits.TooMany) as delayed:
        limits.guess(database, "ann", "192.0.2.1")
    assert 4 < delayed.value.seconds <= 8
    assert "Sign out" in sites.visit(database).sign_in("Ann").client.get("/").text
    limits.forgive(database, "ann", "192.0.2.1")
    limits.guess(database, "ann", "192.0.2.1")


def test_a_form_token_that_is_not_ascii_is_a_wrong_one(database: Database) -> None:
    sites.user(database)
    ann = sites.visit(database).sign_in("Ann")
    assert ann.client.post("/account/token", data={"form_token": "é" * 64}).status_code == 403


@pytest.mark.parametrize("path", ["/play/", "//evil.example/play/", "/queue/?a=1"])
def test_a_redirect_never_leads_to_the_host_that_the_request_names(database: Database, path: str) -> None:
    client = sites.visit(database).client
    answer = client.get(f"http://testserver{path}", headers={"host": "evil.example"}, follow_redirects=False)
    target = answer.headers.get("location", "/")
    assert target.startswith("/")
    assert not target.startswith("//")


def test_a_new_password_ends_links_sessions_and_the_token_for_programs(database: Database) -> None:
    ann = sites.user(database)
    for change in ("reset", "change"):
        password = sites.PASSWORD if change == "reset" else "another password"
        first, second = (accounts.make_link(database, "reset", ann) for _ in range(2))
        token, session = accounts.make_token(database, ann), accounts.open_session(database, ann)
        if change == "reset":
            accounts.use_link(database, first, "another password")
        else:
            accounts.change_password(database, ann, password, "a third password")
        assert accounts.link(database, second) is None
        assert accounts.token_user(database, token) is None
        assert accounts.session_user(database, session) is None


# ------------------------------------------------------------------------------------------------ other users' things


@pytest.mark.costly
def test_nothing_of_another_user_can_be_read_or_changed(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    sites.user(database, "Bob")
    entry = sites.sent(database, ann, competition, sites.RAISES)
    sites.work(database)
    bob = sites.visit(database).sign_in("Bob")
    token = bob.form_token("/account")
    page = f"/entries/{entry.id}"
    for path in (f"{page}/archive", f"{page}/events"):
        assert bob.client.get(path).status_code == 404
        assert sites.visit(database).client.get(path, follow_redirects=False).status_code == 303
    for action in ("count", "delete"):
        assert bob.client.post(f"{page}/{action}", data={"form_token": token}).status_code == 404
    headers = sites.token(database, accounts.find_user(database, "Bob"))
    assert bob.client.get(f"/api{page}", headers=headers).status_code == 404
    play = database.row("SELECT play_id FROM players WHERE entry_id = ?", entry.id)
    assert play is not None
    assert bob.client.get(f"/plays/{play['play_id']}/log.csv").status_code == 404
    for path in (page, f"/plays/{play['play_id']}/", f"/plays/{play['play_id']}/plays.js"):
        assert "own trace" not in bob.client.get(path).text, path
    own = sites.visit(database).sign_in("Ann").client
    shown = own.get(f"/plays/{play['play_id']}/").text
    assert "own trace" in shown, shown
    assert own.get(f"/plays/{play['play_id']}/log.csv").text.startswith("tick,player,action,used")


def test_an_entry_that_is_not_ranked_is_seen_by_its_owner_only(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    entry = sites.sent(database, ann, competition)
    assert sites.visit(database).client.get(f"/entries/{entry.id}").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../schema.py", "/assets/%2e%2e/schema.py", "/assets/..%2f..%2fetc/passwd", "/assets//etc/passwd",
        "/competitions/..%2f..", "/plays/1e9/", "/entries/99999999999999999999", "/play/..%2f..%2faliens", "/play/pong",
        "/competitions/%00", "/link/%0d%0aset-cookie:x", "/play/aliens?level=-1", "/play/aliens?level=²",
    ],
)  # fmt: skip
def test_odd_addresses_are_not_found(database: Database, path: str) -> None:
    assert sites.visit(database).client.get(path).status_code in (400, 404)


def test_an_upload_that_takes_long_to_parse_is_refused_and_never_parsed_by_the_site(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checking, "CHECK_S", 1.0)
    before = time.process_time()
    with pytest.raises(UploadRefused, match="cannot be parsed within 1 seconds"):
        entries.checked("agent.py", b'class A:\n    x = f"' + b"{1}" * 80_000 + b'"\n')
    assert time.process_time() - before < 1.0  # CPU time of this process, whatever else the machine does


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"agent.py": b"class A: pass\n" + b"#" * (1 << 20)}, "agent.py has 1.0 MiB when unpacked; 1 are allowed"),
        ({f"a{n}.py": b"class A: pass\n" + b"#" * 1_000_000 for n in range(9)}, "more than 8 MiB together"),
        ({"agent.py": b"class A: pass", "weights": os.urandom(1 << 14) * 3520}, "55.0 MiB when unpacked; 50 are"),
    ],
    ids=["source", "sources", "file"],
)
def test_the_size_of_unpacked_files_is_limited_one_by_one_and_in_all(files: dict[str, bytes], words: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
        made.writestr("noise", os.urandom(1 << 20))  # so that it grows less than a zip bomb does
    with pytest.raises(UploadRefused, match=words):
        entries.checked("agent.zip", packed.getvalue())


def test_an_upload_is_left_to_the_worker_while_too_many_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_present", threading.BoundedSemaphore(1))
    assert checking._present.acquire()
    assert zipfile.is_zipfile(io.BytesIO(entries.checked("agent.py", b"class A(:\n")))


# ------------------------------------------------------------------------------------------------ floods of a socket

PLAY = "/play/aliens/0/socket"


def _ended(socket: WebSocketTestSession) -> int:
    """The code with which the site ends a connection."""
    while True:
        try:
            socket.receive_text()
        except WebSocketDisconnect as left:
            return int(left.code)


@pytest.fixture
def no_penalties() -> Iterator[None]:
    yield
    playing._penalties.clear()


@pytest.mark.usefixtures("no_penalties")
def test_a_socket_that_sends_too_much_is_closed_and_its_network_refused(database: Database) -> None:
    client = sites.visit(database).client
    with client.websocket_connect(PLAY) as play:
        play.send_text('{"start": true}')
        for _ in range(400):
            play.send_text('{"keys": ["LEFT"]}')
        assert _ended(play) == 1008
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(PLAY):
        pass
    sites.user(database)
    with sites.visit(database).sign_in("Ann").client.websocket_connect(PLAY) as play:
        play.send_text('{"start": true}')
        assert "size" in play.receive_json()


def test_a_socket_that_never_starts_is_closed_after_seconds(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert playing.START_S <= 10.0
    monkeypatch.setattr(playing, "START_S", 0.01)
    with sites.visit(database).client.websocket_connect(PLAY) as play:
        assert _ended(play) == 1008


def test_visitors_leave_room_for_users_who_are_signed_in(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    sites.user(database)
    ann = sites.visit(database).sign_in("Ann").client
    monkeypatch.setattr(playing, "_playing", Counter({f"10.0.0.{n}": 7 for n in range(10)}))
    with pytest.raises(WebSocketDisconnect), sites.visit(database).client.websocket_connect(PLAY):
        pass
    with ann.websocket_connect(PLAY) as play:
        play.send_text('{"start": true}')
        assert "size" in play.receive_json()


def test_games_do_not_run_in_the_event_loop(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[str] = set()
    seen = playing._tick_message

    def watched(*given: Any) -> Any:
        threads.add(threading.current_thread().name)
        return seen(*given)

    monkeypatch.setattr(playing, "_tick_message", watched)
    with sites.visit(database).client.websocket_connect(PLAY) as play:
        play.send_text('{"start": true}')
        for _ in range(3):
            play.receive_json()
    assert threads
    assert all(name.startswith("engine") for name in threads)


def test_limits_count_networks_not_addresses() -> None:
    assert limits.network("2001:db8:1:2:3::4") == limits.network("2001:db8:1:2:ffff::1")
    assert limits.network("::ffff:192.0.2.1") == limits.network("192.0.2.1") != limits.network("192.0.2.2")


# ------------------------------------------------------------------------------------------------ what strangers write


@pytest.mark.costly
def test_names_and_tracebacks_are_text_on_every_page(database: Database) -> None:
    competition = sites.opened(database)
    someone = sites.visit(database)
    someone.post("/sign-up", name=f"A{XSS}"[:40], password=sites.PASSWORD)
    page = someone.upload(sites.RAISES, name=XSS).url.path
    sites.work(database)
    row = database.row("SELECT play_id FROM players ORDER BY entry_id DESC LIMIT 1")
    assert row is not None
    game = f"/competitions/{competition.slug}/games/toy"
    for path in ("/", "/account", page, f"/competitions/{competition.slug}", game, f"/plays/{row['play_id']}/"):
        text = someone.client.get(path).text
        assert "<script>alert" not in text, path
        assert "<b>own" not in text, path


def test_a_strict_policy_forbids_everything_that_is_not_ours(database: Database) -> None:
    for path in ("/", "/nothing", "/assets/site.css", "/api/queue"):
        headers = sites.visit(database).client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.costly
def test_no_page_has_scripts_or_styles_inside(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database, "Olga", accounts.ORGANISER)
    sites.sent(database, ann, competition)
    sites.work(database)
    olga = sites.visit(database).sign_in("Olga").client
    for path in (
        "/",
        "/competitions/spring",
        "/entries/2",
        "/plays/1/",
        "/play/aliens",
        "/organise",
        "/organise/spring",
        "/account",
    ):
        text = olga.get(path).text
        inside = re.findall(r"<script(?! src=)|<style|\son\w+=|\sstyle=|javascript:", text)
        assert inside == [], path


def test_passwords_are_kept_as_argon2id_and_no_secret_is_stored_as_it_is(tmp_path: Path) -> None:
    import argon2

    with open_database(str(tmp_path / "site.db"), create=True) as database:
        accounts._hasher, cheap = cache(argon2.PasswordHasher), accounts._hasher
        try:
            ann = sites.user(database)
        finally:
            accounts._hasher = cheap
        row = database.row("SELECT password FROM users")
        assert row is not None
        assert row["password"].startswith("$argon2id$v=19$m=65536")
        tokens = [
            accounts.open_session(database, ann),
            accounts.make_token(database, ann),
            accounts.make_link(database, "reset", ann),
        ]
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert [token for token in (*tokens, sites.PASSWORD) if token.encode() in content] == []


@pytest.mark.costly
def test_exports_hold_no_formulas(database: Database) -> None:
    from vgdl.competition.web import organising

    competition, ann = sites.opened(database), sites.user(database)
    sites.sent(database, ann, competition, name="=cmd|' /C calc'!A0")
    sites.work(database)
    assert "\n=cmd" not in (text := organising.as_csv(organising.export(database, "tests", competition)))
    assert ",'=cmd" in text or ",\"'=cmd" in text


# ------------------------------------------------------------------------------------------------ a real server


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"", b""),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", b""),
        (b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n" + FORM + b"\r\nname=", b" 408 "),
        (b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n", b" 413 "),
        (b"POST /sign-in HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" + FORM + b"\r\n4000\r\n" + b"x" * 0x4000 + b"\r\n", b" 408 "),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 70000, b" 400 "),
        (b"\x16\x03\x01\x02\x00\x01\x00", b" 400 "),
    ],
)  # fmt: skip
def test_slow_and_broken_requests_do_not_hold_a_connection(
    server: tuple[str, int, Path], sent: bytes, answer: bytes
) -> None:
    host, port, _ = server
    with socket.create_connection((host, port), timeout=60) as connection:
        connection.sendall(sent)
        received = b""
        while chunk := connection.recv(65536):
            received += chunk
            if b"\r\n\r\n" in received and answer in received:
                break
    assert answer in received


@pytest.mark.parametrize("path", ["/sign-in", "/api/competitions/spring/entries"])
def test_a_client_that_sends_before_it_reads_gets_the_refusal(server: tuple[str, int, Path], path: str) -> None:
    host, port, _ = server
    size = security.UPLOAD_BYTES + 1
    with socket.create_connection((host, port), timeout=60) as connection:
        connection.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode())
        connection.sendall(bytes(size))
        answer = HTTPResponse(connection, method="POST")
        answer.begin()
        assert answer.status == 413
        assert b"are allowed here" in answer.read()


def test_a_client_that_asks_before_it_sends_is_refused_at_once(server: tuple[str, int, Path]) -> None:
    host, port, _ = server
    with socket.create_connection((host, port), timeout=60) as connection:
        head = b"POST /sign-in HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n"
        connection.sendall(head)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert b" 413 " in answer
    assert b"are allowed here" in answer


def test_refusals_and_clients_that_leave_are_no_bugs_in_the_log(server: tuple[str, int, Path]) -> None:
    host, port, folder = server
    before = (folder / "log").read_text().count("Traceback")
    for path in ("/competitions/none", "/entries/99", "/api/competitions/none/ranking"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=60)
    with socket.create_connection((host, port), timeout=60) as leaving:
        leaving.sendall(b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n" + FORM + b"\r\nname=")
        leaving.shutdown(socket.SHUT_RDWR)
    urllib.request.urlopen(f"http://{host}:{port}/health", timeout=60).read()
    assert (folder / "log").read_text().count("Traceback") == before


def test_malformed_forms_leave_no_line_in_the_log(server: tuple[str, int, Path]) -> None:
    host, port, folder = server
    before = (folder / "log").read_text()
    for kind in ("multipart/form-data; boundary=x", "application/x-www-form-urlencoded"):
        request = urllib.request.Request(f"http://{host}:{port}/sign-in", b"garbage;%zz", {"content-type": kind})
        with pytest.raises(urllib.error.HTTPError, match=r"40[03]"):
            urllib.request.urlopen(request, timeout=60)
    assert (folder / "log").read_text() == before


@pytest.mark.parametrize("path", ["/queue", "/api/queue"])
def test_a_bug_is_printed_once_and_the_server_does_not_see_it(
    database: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    monkeypatch.setattr(jobs, "status", lambda database: 1 / 0)
    client = TestClient(sites.visit(database).client.app)  # raises what a server would print
    answer = client.get(path)
    assert answer.status_code == 500
    assert "ZeroDivisionError" not in answer.text
    assert capsys.readouterr().err.count("ZeroDivisionError: ") == 1


def test_a_bug_has_an_answer_if_even_its_page_cannot_be_made(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    sites.user(database)
    client = sites.visit(database).sign_in("Ann").client
    monkeypatch.setattr(accounts, "session_user", lambda database, token: 1 / 0)
    answer = client.get("/queue")
    assert (answer.status_code, answer.text) == (500, "an error of ours, which was noted\n")


def test_the_log_of_a_server_holds_no_secrets(server: tuple[str, int, Path]) -> None:
    host, port, folder = server
    for path in ("/link/very-secret-token", "/nothing?password=very-secret-token"):
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"http://{host}:{port}{path}", timeout=60)
    assert "very-secret" not in (folder / "log").read_text()
    assert os.path.getsize(folder / "log") < 2000


def test_the_database_and_the_entries_of_others_are_hidden_from_controllers(database: Database) -> None:
    from vgdl.competition.web.evaluator import Evaluator

    competition, ann = sites.opened(database), sites.user(database)
    first, second = (sites.sent(database, ann, competition, name=name) for name in ("One", "Two"))
    with Evaluator(database, "rlimits") as evaluator:
        roots = [evaluator._root(entries.get(database, one.id)) for one in (first, second)]
        hidden = evaluator._hidden(roots[0])
    assert Path(database.address) in hidden
    assert roots[1] in hidden
    assert roots[0] not in hidden
