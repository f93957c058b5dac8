"""Servers for tests, with a game of two short corridors, and a client that sends exactly what it is told to.

A corridor is won by going right, twice on level 1 and three times on level 2, and lost by going left.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from vgdl.competition.tracks.arc.game import VgdlGame, from_folder
from vgdl.competition.tracks.arc.options import Options, Way
from vgdl.competition.tracks.arc.server import ServerSettings, background

FOLDER = Path(__file__).with_name("corridor")
LEFT, RIGHT, WAIT, CLICK, UNDO = 3, 4, 5, 6, 7


def games(**options: Any) -> list[VgdlGame]:
    """The corridors with keys, and with clicks."""
    return sorted(from_folder(FOLDER, options=Options(**options)), key=lambda game: game.way is not Way.KEYBOARD)


@dataclass
class Answer:
    """An HTTP answer."""

    status: int
    body: Any
    headers: dict[str, str]


@dataclass
class Caller:
    """A client of a server, with a key, on one connection."""

    url: str
    key: str | None = "mine"
    guid: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=30)
        self.card = ""
        self.game = ""

    def call(self, method: str, path: str, body: Any = None, header: str = "X-API-Key") -> Answer:
        """Send a request; a body of bytes is sent as it is."""
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} | ({header: self.key} if self.key is not None else {})
        self.connection.request(method, path, data, headers)
        response = self.connection.getresponse()
        text = response.read()
        is_json = response.headers.get_content_type() == "application/json"
        return Answer(response.status, json.loads(text) if is_json else text.decode(), dict(response.headers))

    def get(self, path: str) -> Any:
        """What a path answers, which has to be 200."""
        answer = self.call("GET", path)
        assert answer.status == 200, answer.body
        return answer.body

    def open(self, **facts: Any) -> str:
        """Open a card, on which later commands are played."""
        answer = self.call("POST", "/api/scorecard/open", facts)
        assert answer.status == 200, answer.body
        self.card = answer.body["card_id"]
        return self.card

    def start(self, game_id: str) -> Any:
        """Begin a session, in which later commands are given."""
        self.game = game_id
        answer = self.call("POST", "/api/cmd/RESET", {"game_id": game_id, "card_id": self.card})
        assert answer.status == 200, answer.body
        self.guid = answer.body["guid"]
        return answer.body

    def command(self, action: int, **facts: Any) -> Answer:
        """Give a command in the session."""
        name = f"ACTION{action}" if action else "RESET"
        return self.call("POST", f"/api/cmd/{name}", {"game_id": self.game, "guid": self.guid, **facts})

    def act(self, *actions: int) -> Any:
        """Give commands that have to succeed; returns the last frame."""
        for action in actions:
            answer = self.command(action)
            assert answer.status == 200, answer.body
        return answer.body

    def close(self) -> Any:
        """Close the card."""
        answer = self.call("POST", "/api/scorecard/close", {"card_id": self.card})
        assert answer.status == 200, answer.body
        return answer.body

    def run(self) -> Any:
        """The session's last run, as the card tells it."""
        (environment,) = self.get(f"/api/scorecard/{self.card}")["environments"]
        return environment["runs"][-1]


@contextmanager
def serving(offered: list[VgdlGame] | None = None, **settings: Any) -> Iterator[Caller]:
    """A server on a thread, and a client of it."""
    with background(offered or games(), ServerSettings(**settings)) as url:
        yield Caller(url)
