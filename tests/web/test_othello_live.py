"""Othello on the site: played and watched over a WebSocket, on stages of the arena and on one's own."""

from __future__ import annotations

import os
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

import sites
from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.tracks.othello import live, site
from vgdl.competition.web.database import Database
from vgdl.tabletop.othello_stages import STAGES

SOCKET = "/tracks/othello/socket"
OWN = {
    "name": "Mine", "boardSize": 4, "initialBlocked": [{"r": 0, "c": 0}],
    "initialPlayer1": [{"r": 1, "c": 2}, {"r": 2, "c": 1}], "initialPlayer2": [{"r": 1, "c": 1}, {"r": 2, "c": 2}],
    "fewestWins": True,
}  # fmt: skip

pytestmark = pytest.mark.skipif(os.name != "posix", reason="systems run in processes with limits")


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PACE_S", 0.0)


def until(socket: Any, condition: str) -> dict[str, Any]:
    """The next event with a key."""
    while condition not in (event := socket.receive_json()):
        assert "problem" not in event or "analysed" in event, event
    return dict(event)


def play(socket: Any) -> dict[str, Any]:
    """Play the first legal move to the end; returns the last event."""
    while True:
        event = socket.receive_json()
        if event.get("over"):
            return dict(event)
        if event.get("yours"):
            socket.send_json({"cell": event["moves"][-1][:2]})


def test_a_person_plays_a_game(database: Database) -> None:
    client = sites.visit(database).client
    assert client.get("/tracks/othello/play").status_code == 200
    assert client.get("/tracks/othello/assets/live.js").status_code == 200
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json({"stage": "stage-1", "black": live.PERSON, "white": "greedy"})
        assert until(socket, "analysed")["analysed"] == "greedy"
        first = until(socket, "yours")
        assert first["yours"]
        assert first["moves"] == [[1, 2, 1], [2, 1, 1], [3, 4, 1], [4, 3, 1]], "with what they turn"
        socket.send_json({"cell": [0, 0]})  # illegal: ignored
        socket.send_json({"cell": [1, 2]})
        second = until(socket, "yours")
        assert second["last"] == [1, 1, 2, 1]
        assert second["turned"] == [[2, 2]]
        assert (second["player"], second["yours"], second["pieces"]) == (2, False, [4, 1])
        end = play(socket)
        assert sum(end["pieces"]) == sum(end["scores"])
        assert "Game started: you(B) vs greedy(W)" in end["log"]


def test_two_systems_are_watched_on_a_stage_of_ones_own(database: Database) -> None:
    with sites.visit(database).client.websocket_connect(SOCKET) as socket:
        socket.send_json({"stage": OWN, "black": "first-legal", "white": "random"})
        assert until(socket, "board")["board"] == ["3000", "0210", "0120", "0000"]
        end = play(socket)
        black, white = end["scores"]
        assert end["winner"] == (0 if black == white else 1 if black < white else 2), "fewest pieces win"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stage": "nowhere"}, "there is no stage 'nowhere'"),
        ({"stage": {**OWN, "boardSize": 99}}, "4"),
        ({"stage": {**OWN, "initialPlayer1": []}}, "neither side has a move"),
        ({"stage": {**OWN, "initialPlayer1": [[1, 2]]}}, "expected cells like"),
        ({"white": "stockfish"}, "there is no system 'stockfish'"),
        ({"white": "/etc/passwd.py:X"}, "there is no system"),
        ({"white": "you"}, "two different sides"),
    ],
)
def test_what_cannot_be_played_is_explained(database: Database, changes: dict[str, Any], words: str) -> None:
    with sites.visit(database).client.websocket_connect(SOCKET) as socket:
        socket.send_json({"stage": "stage-1", "black": "you", "white": "greedy"} | changes)
        assert words in socket.receive_json()["problem"]


@pytest.mark.parametrize("text", ["[]", "no JSON", "[" * 3000, "1" * 5000])
def test_what_is_no_message_ends_the_connection(database: Database, text: str) -> None:
    with sites.visit(database).client.websocket_connect(SOCKET) as socket:
        socket.send_text(text)
        with pytest.raises(WebSocketDisconnect):
            socket.receive_json()


def test_games_of_one_network_are_limited(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site.HALL, "most_per_address", 0)
    with pytest.raises(WebSocketDisconnect), sites.visit(database).client.websocket_connect(SOCKET) as socket:
        socket.receive_json()


def test_a_machine_without_cores_for_systems_says_so(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(game: live.LiveGame) -> None:
        raise MachineBusy("no core for it")

    monkeypatch.setattr(live.LiveGame, "run", run)
    with sites.visit(database).client.websocket_connect(SOCKET) as socket:
        socket.send_json({"stage": "stage-1", "black": "you", "white": "greedy"})
        assert "no core" in socket.receive_json()["problem"]


def test_a_person_who_does_not_move_loses_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PERSON_MS", 1.0)
    events: list[dict[str, Any]] = []
    live.LiveGame(live.Pairing(STAGES["stage-1"], live.PERSON, "random"), events.append).run()
    assert events[-1]["forfeit"] == "time"
    assert events[-1]["winner"] == 2
