"""People have a game of theirs judged: the form, the worker's judges, and what the page tells."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

import generated
import sites
from vgdl import replay
from vgdl.competition.agents.failure import AgentFailed, Cause
from vgdl.competition.track import Place, Stopped
from vgdl.competition.tracks.generation import judgements
from vgdl.competition.tracks.generation.judgements import Judgement
from vgdl.competition.web.database import Database
from vgdl.competition.web.limits import TooMany
from vgdl.competition.web.worker import Worker
from vgdl.judging.plays import Effort

HOME = "/tracks/generate/judge"
UNWINNABLE = "wwwwwww\nwAw..gw\nwwwwwww\n"


@pytest.fixture(autouse=True)
def little_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgements, "EFFORT", Effort(plays=1, calls=20, ticks=60))


def asked(database: Database, *levels: str, game: str = generated.GAME, name: str = "Ann") -> Judgement:
    key = judgements.ask(database, sites.user(database, name), game, "\n".join(levels))
    found = judgements.find(database, key)
    assert found is not None
    return found


def worked(database: Database, judgement: Judgement) -> Judgement:
    Worker(database, "auto", 1).run(wait=False)
    found = judgements.find(database, judgement.key)
    assert found is not None
    return found


@pytest.mark.costly
def test_a_game_is_judged_with_replays_and_pictures(database: Database, tmp_path: Path) -> None:
    sites.user(database, "Ann")
    visit = sites.visit(database).sign_in("Ann")
    client = visit.client
    sent = visit.post(HOME, game=generated.GAME, levels=f"{generated.LEVELS[0]}\n{UNWINNABLE}")
    address = sent.url.path
    assert "waits for a worker" in client.get(address).text
    assert client.get(address).headers["refresh"] == "5"
    Worker(database, "auto", 1).run(wait=False)
    page = client.get(address)
    assert "refresh" not in page.headers
    assert "winnable" in page.text
    assert "impossible" in page.text
    assert client.get(f"{address}/picture-1.png").content.startswith(b"\x89PNG")
    assert client.get(f"{address}/film-0.gif").content.startswith(b"GIF89a")
    assert client.get(f"{address}/film-1.gif").status_code == 404
    file = tmp_path / "win.json"
    file.write_bytes(client.get(f"{address}/replay-0.json").content)
    assert replay.read(file).result.winners == (1,)
    assert address in client.get(HOME).text


def test_a_faulty_game_is_told_with_line_and_caret(database: Database) -> None:
    faulty = generated.GAME.replace("killSprite", "killSprit")
    findings = worked(database, asked(database, generated.LEVELS[0], game=faulty)).facts["findings"]
    assert any("did you mean 'killSprite'?" in finding and "^" in finding for finding in findings)
    refused = worked(database, asked(database, "A\n", game="nonsense", name="Bob"))
    assert "expected" in refused.facts["problem"]


@pytest.mark.parametrize(
    ("game", "levels", "words"),
    [
        ("", "A\n", "the text of the game is missing"),
        ("BasicGame", "", "there are 0 levels: expected 1 to 5"),
        ("BasicGame", "A\n\n" * 6, "there are 6 levels"),
        ("g" * 100_001, "A\n", "expected at most 100000"),
    ],
)
def test_texts_that_cannot_be_judged_are_refused(database: Database, game: str, levels: str, words: str) -> None:
    with pytest.raises(judgements.GameRefused, match=words):
        judgements.ask(database, sites.user(database, "Ann"), game, levels)


def test_a_level_keeps_the_spaces_at_its_beginning(database: Database) -> None:
    assert asked(database, "  A g\n").levels == ("  A g\n",)


def test_games_are_limited_by_user(database: Database) -> None:
    user = sites.user(database, "Ann")
    for _ in range(judgements.ASKED.most):
        judgements.ask(database, user, "BasicGame", "A\n")
    with pytest.raises(TooMany):
        judgements.ask(database, user, "BasicGame", "A\n")


def test_a_visitor_has_to_sign_in_to_ask_and_can_read(database: Database) -> None:
    found = asked(database, generated.LEVELS[0])
    stranger = sites.visit(database).client
    assert "/sign-in" in stranger.get(HOME).url.path
    assert stranger.get(f"{HOME}/{found.key}").status_code == 200
    assert stranger.get(f"{HOME}/unknown").status_code == 404


def test_a_game_that_hangs_is_a_result(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: object) -> None:
        raise AgentFailed(Cause.HUNG, "no answer", 1.0)

    monkeypatch.setattr(judgements, "judged", hang)
    found = worked(database, asked(database, generated.LEVELS[0]))
    assert found.is_done
    assert found.facts["problem"].startswith("the judges could not play it: ")


def test_a_worker_that_was_killed_loses_its_game_to_another(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = asked(database, generated.LEVELS[0])
    assert judgements._take(database, "killed") is not None
    assert judgements._take(database, "other") is None
    monkeypatch.setattr(judgements, "LEASE_S", -1.0)
    database.run("UPDATE judgements SET lease = 0")
    assert judgements._take(database, "other") is not None
    assert judgements._take(database, "third") is None
    given_up = judgements.find(database, found.key)
    assert given_up is not None
    assert given_up.facts == {"problem": "it was begun 2 times, and ended its worker every time"}


def test_a_worker_that_ends_gives_the_game_back(database: Database) -> None:
    found = asked(database, generated.LEVELS[0])
    place = Place(stopped=threading.Event())
    place.stopped.set()
    with pytest.raises(Stopped):
        judgements.work(database, "ending", "auto", place)
    again = judgements.find(database, found.key)
    assert again is not None
    assert again.state == "waiting"


def test_what_was_found_is_data(database: Database) -> None:
    found = worked(database, asked(database, generated.LEVELS[0]))
    assert json.loads(json.dumps(found.facts)) == found.facts
    assert [level["verified"] for level in found.facts["judgement"]["levels"]] == [True]
