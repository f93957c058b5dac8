"""GAMEBoT's games on the site: a person plays a bundled player over a WebSocket, and sees what the seat sees."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

import sites
from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.gamebot import live, site
from vgdl.competition.tracks.gamebot.tasks import TASKS
from vgdl.competition.web.database import Database
from vgdl.tabletop import UnknownGame, load

SOCKET = "/tracks/gamebot/socket"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="matches run in processes with limits")


def needed(game: str) -> None:
    """Skip a test whose game needs a package that is missing."""
    try:
        load(TASKS[game].game_name)
    except UnknownGame:
        pytest.skip("OpenSpiel is missing")


def play(socket: Any, chosen: random.Random) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Play random moves to the end; returns all events, and the last one."""
    events = []
    while True:
        event = socket.receive_json()
        events.append(event)
        if event.get("over"):
            return events, event
        assert "problem" not in event, event
        if event.get("yours"):
            socket.send_json({"turn": event["turn"], "move": chosen.randrange(len(event["moves"]))})


def read_all(socket: Any) -> None:
    """Read until the connection ends."""
    while True:
        socket.receive_json()


@pytest.mark.one_case
@pytest.mark.parametrize("game", [*TASKS])
def test_a_person_plays_every_game_to_the_end(database: Database, game: str) -> None:
    needed(game)
    with sites.visit(database).client.websocket_connect(SOCKET) as socket:
        socket.send_json({"game": game, "opponent": "random", "seat": 1})
        events, end = play(socket, random.Random(1))
    assert events[0] == {"seats": list(TASKS[game].seats), "names": ["random", "you"], "you": 1}
    assert end["forfeited"] is None
    assert len(end["values"]) == 2
    assert end["drawing"].startswith("<svg")
    assert {player for player, _ in end["played"]} <= {0, 1}
    assert end["played"]


def test_the_page_offers_the_eight_games(database: Database) -> None:
    client = sites.visit(database).client
    page = client.get("/tracks/gamebot/play").text
    assert all(f'value="{name}"' in page for name in TASKS)
    assert client.get("/tracks/gamebot/assets/live.js").status_code == 200
    assert "/tracks/gamebot/play" in client.get("/tracks/gamebot").text


def test_hidden_cards_and_values_of_the_other_player_are_not_sent() -> None:
    needed("holdem")
    for seed in range(5):
        events: list[dict[str, Any]] = []
        table = live.Table(live.Pairing("holdem", "random", 0), events.append, seed)
        answer_at_once(table, events)
        table.play()
        state = table._match.state
        other = TASKS["holdem"]().text(state, 1)
        hidden = other.partition("Your cards: ")[2].partition("\n")[0]
        board = other.partition("Board: ")[2].partition("\n")[0]
        assert hidden
        assert hidden != board
        assert not any(hidden in str(event) for event in events)


def test_a_move_made_at_the_same_time_is_shown_only_after_ones_own() -> None:
    events: list[dict[str, Any]] = []
    table = live.Table(live.Pairing("surround", "random", 1), events.append, 3)
    answer_at_once(table, events)
    table.play()
    asked = [event for event in events if event.get("yours")]
    assert [len(event["played"]) for event in asked] == [2 * turn for turn in range(len(asked))]


def answer_at_once(table: live.Table, events: list[dict[str, Any]]) -> None:
    """Let the person choose the first move whenever it is asked."""
    post = table._post

    def posted(event: dict[str, Any]) -> None:
        post(event)
        if event.get("yours"):
            table.answers.put((event["turn"], 0))

    table._post = posted


def test_the_rules_and_the_clock_are_the_sites(monkeypatch: pytest.MonkeyPatch) -> None:
    needed("tic_tac_toe")
    monkeypatch.setattr(live, "PERSON_MS", 50.0)
    events: list[dict[str, Any]] = []
    table = live.Table(live.Pairing("tic_tac_toe", "mcts", 0), events.append, 1)
    for answer in ((0, 9), (0, -1), (7, 0)):  # no such moves, and another turn
        table.answers.put(answer)
    table.play()
    assert events[-1]["forfeited"] == 0
    assert events[-1]["values"] == [-1.0, 1.0]
    assert events[-1]["played"] == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"opponent": "human"}, "choose random or mcts"),
        ({"seat": 2}, "the seat is 0 or 1"),
        ({"seat": True}, "the seat is 0 or 1"),
        ({"seat": None}, "the seat is 0 or 1"),
    ],
)
def test_what_cannot_be_played_is_explained(database: Database, changes: dict[str, Any], words: str) -> None:
    with sites.visit(database).client.websocket_connect(SOCKET) as socket:
        socket.send_json({"game": "surround", "opponent": "random", "seat": 0} | changes)
        assert words in socket.receive_json()["problem"]


@pytest.mark.parametrize("text", ["[]", "no JSON", "1" * 500])
def test_what_is_no_message_ends_the_connection_and_the_process(database: Database, text: str) -> None:
    with sites.visit(database).client.websocket_connect(SOCKET) as socket:
        socket.send_json({"game": "surround", "opponent": "random", "seat": 0})
        while not socket.receive_json().get("yours"):
            pass
        socket.send_text(text)
        with pytest.raises(WebSocketDisconnect):
            read_all(socket)


def test_too_many_messages_end_the_connection(database: Database) -> None:
    with sites.visit(database).client.websocket_connect(SOCKET) as socket:
        socket.send_json({"game": "surround", "opponent": "random", "seat": 0})
        for _ in range(200):
            socket.send_json({"turn": 9999, "move": 0})
        with pytest.raises(WebSocketDisconnect):
            read_all(socket)


def test_matches_of_one_network_are_limited(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site.HALL, "most_per_address", 0)
    with pytest.raises(WebSocketDisconnect), sites.visit(database).client.websocket_connect(SOCKET) as socket:
        socket.receive_json()


def test_a_match_that_is_stopped_leaves_no_process() -> None:
    events: list[dict[str, Any]] = []
    match = live.LiveMatch(live.Pairing("surround", "random", 0), events.append)
    match.stop()
    match.run()
    assert events == []
    match = live.LiveMatch(live.Pairing("surround", "random", 0), lambda event: match.stop())
    match.run()
    assert match._process is not None
    assert match._process.poll() is not None


def test_a_process_that_fails_is_an_error_of_the_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(CompetitionError, match="error of the site"):
        live.LiveMatch(live.Pairing("surround", "random", 0), lambda event: None).run()
