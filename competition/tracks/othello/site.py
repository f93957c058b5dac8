"""The arena on a competition site: play against a bundled system, on any stage or one of one's own; watch two of them.

Over the WebSocket, the browser sends ``{"stage": NAME or facts, "black": …, "white": …}`` once, and
``{"cell": [r, c]}`` for each move of its person; the site sends the events of `LiveGame`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from vgdl.competition.tracks.othello.entries import BUILT_IN
from vgdl.competition.tracks.othello.live import PERSON, LiveGame, Pairing
from vgdl.competition.tracks.othello.stages import from_json, to_json
from vgdl.competition.tracks.othello.tables import rules_of
from vgdl.competition.web.halls import Hall
from vgdl.competition.web.pages.common import render
from vgdl.tabletop.othello_stages import STAGES

MOST_MESSAGE = 4000
"""Maximum length of a message from the browser, in characters: a stage of 12 rows fits."""


def routes() -> Sequence[BaseRoute]:
    """The pages below ``/tracks/othello``."""
    return [
        Route("/play", _play, methods=["GET"]),
        Route("/watch", _watch, methods=["GET"]),
        WebSocketRoute("/socket", HALL.socket),
    ]


def _play(request: Request) -> Response:
    """The page for playing."""
    return _page(request, "Play Othello", (PERSON, "greedy"))


def _watch(request: Request) -> Response:
    """The page for watching two systems."""
    return _page(request, "Watch Othello", ("template", "mcts"))


def _page(request: Request, title: str, sides: tuple[str, str]) -> Response:
    stages = {
        name: {"title": stage.name, "rules": rules_of(stage), "facts": to_json(stage)} for name, stage in STAGES.items()
    }
    names = [PERSON, *BUILT_IN] if PERSON in sides else [*BUILT_IN]
    return render(
        request, "othello/live.html", title=title, section="/tracks", stages=stages, names=names, sides=sides,
        data=json.dumps(stages),
    )  # fmt: skip


def _pairing(message: dict[str, Any]) -> Pairing:
    """What the browser asks for; raises ``ValueError`` if it does not exist."""
    asked = message.get("stage")
    if isinstance(asked, dict):
        stage = from_json(asked)
    elif isinstance(asked, str) and asked in STAGES:
        stage = STAGES[asked]
    else:
        raise ValueError(f"there is no stage {asked!r:.50}")
    return Pairing(stage, str(message.get("black")), str(message.get("white")))


HALL = Hall("othello", lambda asked, post: LiveGame(_pairing(asked), post), most_message=MOST_MESSAGE)
"""The games that are played now."""
