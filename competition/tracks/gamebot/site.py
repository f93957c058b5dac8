"""GAMEBoT's games on a competition site: a person plays one of them against random moves or a search."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from vgdl.competition.tracks.gamebot.live import OPPONENTS, LiveMatch, Pairing
from vgdl.competition.tracks.gamebot.tasks import TASKS
from vgdl.competition.web.halls import Hall
from vgdl.competition.web.pages.common import render

MOST_MESSAGE = 300
"""Maximum length of a message from the browser, in characters."""


def routes() -> Sequence[BaseRoute]:
    """The pages below ``/tracks/gamebot``."""
    return [Route("/play", _play, methods=["GET"]), WebSocketRoute("/socket", HALL.socket)]


def _play(request: Request) -> Response:
    """The page for playing."""
    games = {name: {"title": task.title, "seats": task.seats} for name, task in TASKS.items()}
    return render(
        request, "gamebot/live.html", title="Play GAMEBoT's games", section="/tracks", games=games,
        data=json.dumps(games), opponents=OPPONENTS, is_whole=importlib.util.find_spec("pyspiel") is not None,
    )  # fmt: skip


def _pairing(message: dict[str, Any]) -> Pairing:
    """What the browser asks for; raises ``ValueError`` if it does not exist."""
    seat = message.get("seat")
    return Pairing(str(message.get("game")), str(message.get("opponent")), seat if type(seat) is int else -1)


HALL = Hall("gamebot", lambda asked, post: LiveMatch(_pairing(asked), post), most_message=MOST_MESSAGE)
"""The matches that are played now."""
