"""Visitors without a browser's help: games over the WebSocket, the ladder of games for two, e-mail, the command line."""

from __future__ import annotations

import json
import random
import re
import smtplib
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Self

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import contests
import sites
import vgdl
from vgdl.competition import cli
from vgdl.competition.errors import CompetitionError
from vgdl.competition.web import accounts, entries, ladder, plays, rankings, records
from vgdl.competition.web.app import make_app
from vgdl.competition.web.competitions import Role, SetOfGames
from vgdl.competition.web.database import Database, DatabaseError, is_site, open_database
from vgdl.competition.web.mail import Mail
from vgdl.competition.web.pages import common, playing

# ------------------------------------------------------------------------------------------------ games


def played(client: TestClient, *, consent: bool) -> dict[str, Any]:
    """Play missiles that are not stopped; returns the last message."""
    with client.websocket_connect("/play/missilecommand/0/socket") as play:
        play.send_json({"start": True, "consent": consent})
        first = play.receive_json()
        assert first["size"][0] > 0
        assert "USE" in first["actions"]
        assert all(url.startswith("data:image/png") for url in first["pictures"])
        play.send_json({"keys": ["LEFT", "no key", 7]})
        ticks = []
        while "over" not in (news := play.receive_json()):
            ticks.append(news["tick"])
        assert ticks[:-1] == list(range(1, len(ticks)))  # the action that ends a game begins no other tick
        last: dict[str, Any] = news
        return last


def test_every_game_that_can_be_played_shows_a_picture(database: Database) -> None:
    client = sites.visit(database).client
    pictures = re.findall(r'<img src="(/play/(\w+)/0/start\.png)"', client.get("/play").text)
    assert {name for _, name in pictures} == set(vgdl.games.names()) - set(vgdl.games.names("two_player"))
    assert client.get(pictures[0][0]).content.startswith(b"\x89PNG")


@pytest.fixture
def quick_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pause between two ticks."""
    monkeypatch.setattr(playing, "TICK_S", 0.0)


@pytest.mark.usefixtures("quick_ticks")
def test_a_play_is_kept_with_consent_and_can_be_withdrawn(database: Database) -> None:
    ann = sites.user(database)
    someone = sites.visit(database).sign_in("Ann")
    over = played(someone.client, consent=True)
    assert someone.client.get(over["record"]).status_code == 200
    replay = someone.client.get(f"{over['record']}replay.json").json()
    assert len(replay["actions"]) == over["ticks"] + 1
    assert {tick[0] for tick in replay["actions"]} <= {"NIL", "LEFT"}
    page = sites.visit(database).client.get("/play/missilecommand").text
    assert "Ann" in page
    number = records.of_user(database, ann)[0]["id"]
    sites.user(database, "Bob")
    bob = sites.visit(database).sign_in("Bob")
    assert bob.post(f"/records/{number}/delete", on="/account").status_code == 404
    someone.post(f"/records/{number}/delete", on="/account")
    assert someone.client.get(over["record"]).status_code == 404


@pytest.mark.usefixtures("quick_ticks")
def test_without_consent_no_replay_is_kept_and_of_strangers_nothing(database: Database) -> None:
    ann = sites.user(database)
    assert played(sites.visit(database).client, consent=False)["record"] == ""
    assert records.counts(database) == {}
    assert played(sites.visit(database).sign_in("Ann").client, consent=False)["record"] == ""
    assert [(row["name"], row["has_replay"]) for row in records.of_user(database, ann)] == [("Ann", 0)]


def test_the_start_of_a_level_is_a_picture_and_no_play(database: Database) -> None:
    client = sites.visit(database).client
    address = re.search(r'data-start="(\S+)"', client.get("/play/aliens?level=2").text)
    assert address
    answer = client.get(address[1])
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert answer.content == vgdl.render.png.encode(vgdl.render.frame(vgdl.load("aliens").board(2).start(0)))
    assert client.get("/play/aliens/99/start.png").status_code == 404
    assert client.get("/play/pong/0/start.png").status_code == 404
    assert records.counts(database) == {}


@pytest.mark.parametrize("message", ["nonsense", "[]", "1", '{"keys": ' + "[" * 300, "{" * 150, ""])
def test_nonsense_over_the_websocket_ends_the_play(database: Database, message: str) -> None:
    client = sites.visit(database).client
    with client.websocket_connect("/play/aliens/0/socket") as play:
        play.send_text(message)
        with pytest.raises(WebSocketDisconnect):
            play.receive_json()
    assert playing._playing.total() == 0


@pytest.mark.parametrize("place", ["pong/0", "aliens/99", "nothing/0"])
def test_a_game_that_is_not_there_is_a_problem_in_words(database: Database, place: str) -> None:
    with sites.visit(database).client.websocket_connect(f"/play/{place}/socket") as play:
        assert "there is no such" in play.receive_json()["problem"]


# ------------------------------------------------------------------------------------------------ games for two


@pytest.mark.costly
def test_entries_play_two_player_games_as_either_player_and_climb_the_ladder(
    database: Database, tmp_path: Path
) -> None:
    sets = (SetOfGames("race", Role.VALIDATION, contests.race(tmp_path)),)
    competition, ann = sites.opened(database, sets=sets, repeats=2), sites.user(database)
    entry = sites.sent(database, ann, competition)
    sites.work(database)
    assert entries.get(database, entry.id).state == "evaluated"
    known = plays.results(database, competition.id, "race", ("evaluation",))
    random_one = next(one.id for one in entries.of_competition(database, competition) if one.is_baseline)
    pairs = [play.entries for play in known]
    assert sorted(set(pairs)) == sorted({(random_one, entry.id), (entry.id, random_one)})
    board = rankings.board(database, competition, "race")
    assert board.for_two
    assert board.lines[0].entry.id == entry.id
    assert board.lines[0].rating is not None
    fitted = ladder.fit(known)
    assert {rating.controller for rating in fitted} == {str(random_one), str(entry.id)}
    for seed in range(3):
        shuffled = list(known)
        random.Random(seed).shuffle(shuffled)
        assert ladder.fit(shuffled) == fitted
    assert ladder.refit(database, competition, "race") == fitted
    assert ladder.live(database, competition, "race", known) == fitted


# ------------------------------------------------------------------------------------------------ e-mail


def test_a_forgotten_password_is_reset_by_e_mail(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    letters: list[EmailMessage] = []

    class Server:
        """Takes letters."""

        def __init__(self, host: str, port: int, timeout: float) -> None:
            assert (host, port) == ("mail.example.org", 587)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *exception: object) -> None:
            pass

        def has_extn(self, name: str) -> bool:
            return name == "starttls"

        def starttls(self) -> None:
            pass

        def login(self, user: str, password: str) -> None:
            assert (user, password) == ("me", "p@ss")

        def send_message(self, message: EmailMessage) -> None:
            letters.append(message)

    monkeypatch.setattr(smtplib, "SMTP", Server)
    accounts.sign_up(database, "Ann", sites.PASSWORD, "ann@example.org")
    mail = Mail.from_url("smtp://me:p%40ss@mail.example.org?from=site@example.org")
    app = make_app(database, "http://testserver", mail=mail, upkeep_here=False)
    someone = sites.Visit(TestClient(app))
    told = [someone.post("/forgot", name=name).text for name in ("Ann", "Nobody")]
    assert told[0].count("on its way") == told[1].count("on its way") == 1
    assert [letter["To"] for letter in letters] == ["ann@example.org"]
    link = letters[0].get_content().partition("http://testserver")[2].split()[0]
    assert someone.post(link, password="another password").url.path == "/"


def test_settings_for_e_mail_that_are_wrong_are_refused_without_their_password() -> None:
    with pytest.raises(CompetitionError) as error:
        Mail.from_url("http://me:secret-word@mail.example.org")
    assert "secret-word" not in str(error.value)


# ------------------------------------------------------------------------------------------------ the command line


def test_an_entry_is_sent_by_the_command_line(
    server: tuple[str, int, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    host, port, folder = server
    with open_database(str(folder / "site.db")) as database:
        sites.opened(database, "sent")
        monkeypatch.setenv("VGDL_TOKEN", accounts.make_token(database, sites.user(database, "Sender")))
    (tmp_path / "right.py").write_text(sites.RIGHT)
    (tmp_path / "wrong.py").write_text("class X(:\n")
    where = ["--site", f"http://{host}:{port}", "--competition", "sent"]
    assert cli.main(["submit", str(tmp_path / "right.py"), *where]) == 0
    assert f"http://127.0.0.1:{port}/entries/" in capsys.readouterr().out
    assert cli.main(["submit", str(tmp_path / "wrong.py"), *where]) == 1
    assert "line 1" in capsys.readouterr().err
    assert cli.main(["submit", str(tmp_path / "right.py"), *where[:2], "--competition", "none"]) == 1
    assert "there is no competition" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://127.0.0.1:1", "cannot reach 127.0.0.1:1: Connection refused\n"),
        *(
            (bad, f"{bad!r} is not the address of a site")
            for bad in ("127.0.0.1", "http://127.0.0.1:80x0", "http://[::1")
        ),
    ],
)
def test_a_site_that_cannot_be_reached_is_named(
    address: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VGDL_TOKEN", "vgdl_token")
    (tmp_path / "right.py").write_text(sites.RIGHT)
    with pytest.raises(SystemExit):
        cli.main(["submit", str(tmp_path / "right.py"), "--site", address, "--competition", "sent"])
    assert told in capsys.readouterr().err


def test_a_missing_token_is_named_where_nobody_can_type_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nobody(prompt: str) -> str:
        raise EOFError

    monkeypatch.delenv("VGDL_TOKEN", raising=False)
    monkeypatch.setattr("getpass.getpass", nobody)
    (tmp_path / "right.py").write_text(sites.RIGHT)
    with pytest.raises(SystemExit):
        cli.main(["submit", str(tmp_path / "right.py"), "--site", "http://127.0.0.1:1", "--competition", "sent"])
    assert "VGDL_TOKEN" in capsys.readouterr().err


def test_a_store_of_another_kind_is_not_taken_for_a_site(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.write_bytes(b"no database")
    assert not is_site(str(other))
    assert not is_site(str(tmp_path / "nothing.db"))
    with pytest.raises(DatabaseError, match="is not the database of a site"):
        open_database(str(other), create=True)
    with pytest.raises(DatabaseError, match="there is no file"):
        open_database(str(tmp_path / "nothing.db"))


def test_the_site_has_an_icon_where_browsers_look_for_it(database: Database) -> None:
    client = sites.visit(database).client
    icon = client.get("/favicon.ico")
    assert (icon.status_code, icon.headers["content-type"]) == (200, "image/svg+xml")
    assert f'rel="icon" href="{icon.url.path}"' in client.get("/").text


def test_the_api_is_json_all_through(database: Database) -> None:
    sites.opened(database)
    client = sites.visit(database).client
    for path in (
        "/api/competitions",
        "/api/queue",
        "/api/competitions/spring/ranking",
        "/api/competitions/none/ranking",
    ):
        assert isinstance(json.loads(client.get(path).text), (dict, list)), path


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 KiB"), (1, "1 KiB"), (1025, "2 KiB"), (200 << 10, "0.2 MiB"), (5 << 19, "2.5 MiB"), (200 << 20, "200 MiB")],
)
def test_small_files_have_a_size_too(count: int, words: str) -> None:
    assert common.file_size(count) == words
