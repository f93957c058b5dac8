"""The arena on a competition site: play against a bundled system, on any stage or one of one's own; watch two of them.

Over the WebSocket, the browser sends ``{"stage": NAME or facts, "black": …, "white": …}`` once, and
``{"cell": [r, c]}`` for each move of its person; the site sends the events of `LiveGame`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from vgdl.competition.agents.failure import MachineBusy
from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.othello.entries import BUILT_IN
from vgdl.competition.tracks.othello.live import PERSON, LiveGame, Pairing
from vgdl.competition.tracks.othello.stages import from_json, to_json
from vgdl.competition.tracks.othello.tables import rules_of
from vgdl.competition.web import limits
from vgdl.competition.web.pages.common import Shared, render
from vgdl.competition.web.pages.playing import SEND_S, START_S, Allowance, receive
from vgdl.tabletop.othello_stages import STAGES

MOST_GAMES, MOST_PER_ADDRESS = 8, 2
"""Maximum number of concurrent games: of all, and of one network."""

MOST_MESSAGE = 4000
"""Maximum length of a message from the browser, in characters: a stage of 12 rows fits."""

_GAMES = ThreadPoolExecutor(MOST_GAMES, "othello")
_playing: Counter[str] = Counter()


def routes() -> Sequence[BaseRoute]:
    """The pages below ``/tracks/othello``."""
    return [
        Route("/play", _play, methods=["GET"]),
        Route("/watch", _watch, methods=["GET"]),
        WebSocketRoute("/socket", _socket),
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


async def _socket(socket: WebSocket) -> None:
    """One game over a WebSocket."""
    common: Shared = socket.app.state.shared
    address = limits.network(socket.client.host if socket.client else "unknown")
    if _playing.total() >= MOST_GAMES or _playing[address] >= MOST_PER_ADDRESS:
        await socket.close(1013, "too many games at once")
        return
    _playing[address] += 1
    try:
        await socket.accept()
        await _serve(socket, common, address)
    except WebSocketDisconnect as left:
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.close(left.code)
    except TimeoutError:
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.close(1008, "too slow")
    except (ValueError, CompetitionError, MachineBusy) as error:
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.send_json({"problem": f"{error!s:.300}"})
            await socket.close()
    finally:
        _playing[address] -= 1
        if not _playing[address]:
            del _playing[address]


async def _serve(socket: WebSocket, common: Shared, address: str) -> None:
    pairing = _pairing(await asyncio.wait_for(receive(socket, MOST_MESSAGE), START_S))
    await run_in_threadpool(limits.spend, common.database, limits.HUMAN_PLAY, address)
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    def post(event: dict[str, Any]) -> None:
        loop.call_soon_threadsafe(events.put_nowait, event)

    game = LiveGame(pairing, post)
    playing = loop.run_in_executor(_GAMES, game.run)
    playing.add_done_callback(lambda done: events.put_nowait(None))
    listening = asyncio.create_task(_listen(socket, game))
    listening.add_done_callback(lambda done: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            async with asyncio.timeout(SEND_S):
                await socket.send_json(event)
        if listening.done():
            listening.result()
    finally:
        listening.cancel()
        game.stop()
        await asyncio.shield(playing)
    await socket.close()


async def _listen(socket: WebSocket, game: LiveGame) -> None:
    """Pass on moves until the browser disconnects or sends what it should not."""
    allowance = Allowance()
    while True:
        cell = (await receive(socket, MOST_MESSAGE)).get("cell")
        allowance.spend()
        if isinstance(cell, list) and len(cell) == 2 and all(type(number) is int for number in cell):
            game.answer((cell[0], cell[1]))


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
