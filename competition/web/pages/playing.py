"""Play in the browser: the engine runs on the server, at 25 ticks per second; the browser sends keys and draws.

Over the WebSocket, the browser sends ``{"start": true, "consent": false}`` once, and ``{"keys": ["LEFT", "USE"]}``
whenever the keys held have changed. The site first sends ``size`` and ``actions``, and then for each tick the spans of
each layer that have changed, as in a film, and any new pictures.

Tracks with games of their own use `serve`.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import secrets
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

import vgdl
from vgdl import Action, Board, games
from vgdl.competition.seeds import SEED_BITS
from vgdl.competition.tracks.planning.pages import film
from vgdl.competition.tracks.planning.records import Outcome
from vgdl.competition.web import accounts, limits, records
from vgdl.competition.web.accounts import User
from vgdl.competition.web.database import Row
from vgdl.competition.web.pages.common import Form, Shared, form_page, redirect, render, shared, user_of
from vgdl.competition.web.pages.public import script, take_film
from vgdl.competition.web.plays import action_names
from vgdl.play.keys import action_of_keys
from vgdl.render import BLOCK, Palette, frame, png

T = TypeVar("T")

TICKS_PER_S = 25

TICK_S = 1 / TICKS_PER_S
"""Shortest time between two ticks, in seconds."""

MOST_PLAYS, MOST_OF_VISITORS = 100, 70
"""Maximum number of concurrent plays: of all, and of visitors who are not signed in."""

MOST_PER_ADDRESS, MOST_PER_USER = 8, 4
"""Maximum number of concurrent plays of visitors from one network, and of a user who is signed in."""

START_S = 5.0
"""Seconds within which a connection must start its play: the page connects when its visitor presses the button."""

SEND_S = 10.0
"""Seconds within which a browser must accept a message."""

MESSAGES_PER_S, MESSAGES_AT_ONCE = 40.0, 80.0
"""Maximum number of messages from a browser: on average, and in a burst."""

PENALTY_S = 30.0
"""Seconds for which a network that sent too many messages is refused."""

MOST_MESSAGE = 200
"""Maximum length of a message from the browser, in characters."""

_ENGINES = ThreadPoolExecutor(2, "engine")
"""Threads that run the games: neither the event loop nor the threads of pages wait for them."""

_playing: Counter[str] = Counter()
_penalties: dict[str, float] = {}
"""Networks that sent too many messages, and until when they are refused."""

_KEYS = {name: Action[name] for name in ("LEFT", "RIGHT", "UP", "DOWN", "USE")}


def overview(request: Request) -> Response:
    """All games that can be played."""
    known = {one: [(name, games.facts(name)) for name in games.names(one)] for one in games.SETS if one != "two_player"}
    counts = records.counts(shared(request).database)
    return render(request, "web/play-games.html", title="Play", sets=known, counts=counts)


def page(request: Request) -> Response:
    """The page for playing a game, with its best scores."""
    name, level = _place(request.path_params["game"], request.query_params.get("level", "0"))
    common = shared(request)
    _, height, width = _first_frame(name, level)
    return render(
        request, "web/play.html", width=width, height=height,
        title=games.facts(name).title, game=name, facts=games.facts(name), level=level,
        levels=range(len(games.levels(name))), best=records.best(common.database, name, level),
    )  # fmt: skip


def first_frame(request: Request) -> Response:
    """The start of a level, as a PNG file: the page shows it until the game runs."""
    content, *_ = _first_frame(*_place(request.path_params["game"], request.path_params["level"]))
    return Response(content, media_type="image/png", headers={"cache-control": "max-age=3600"})


def record(request: Request) -> Response:
    """The replay of a play by a person."""
    known = _record(request)
    return render(request, "web/record.html", title=f"{known['name']} plays {known['game']}", record=known)


def record_index(request: Request) -> Response:
    """The data about it for the replay player, as a script."""
    known = _record(request)
    outcome = Outcome.WON if known["won"] else Outcome.LOST
    row = [known["id"], 0, known["level"], 0, known["ticks"]]
    outcomes = [str(one) for one in Outcome]
    index = {
        "games": [known["game"]], "files": [known["game"]], "controllers": [known["name"]], "outcomes": outcomes,
        "plays": [[*row, [0, outcomes.index(outcome), known["score"], "", ""]]], "unit": "ms", "limits": [40, 50],
    }  # fmt: skip
    return script("vgdl.plays", index)


def record_film(request: Request) -> Response:
    """The film of a play by a person, as a script."""
    known = _record(request)
    taken, _, names = _film_of(known)
    facts = taken | {"actions": [[tick[0] or "" for tick in names]], "used": [[]]}
    return script("vgdl.film", known["id"], film.packed(facts))


def record_drawings(request: Request) -> Response:
    """The pictures that the film needs, as a script."""
    known = _record(request)
    return script("vgdl.drawings", known["game"], _film_of(known)[1])


def replay_file(request: Request) -> Response:
    """The replay for programs: everything that ``vgdl-replay`` needs to play it again, as JSON."""
    known = _record(request)
    facts = {name: known[name] for name in ("game", "level", "game_sha256", "level_sha256", "seed", "score", "ticks")}
    content = json.dumps(facts | {"won": bool(known["won"]), "actions": action_names(bytes(known["actions"]))})
    return Response(content, media_type="application/json")


@form_page
def withdraw(request: Request, form: Form) -> Response:
    """Delete one of the user's plays."""
    if not records.withdraw(shared(request).database, user_of(request), request.path_params["number"]):
        raise HTTPException(404, "there is no such play")
    return redirect("/account")


class Playable(Protocol):
    """What is played over a WebSocket; its methods are called in threads."""

    def drawn(self, seed: int) -> Board:
        """The board, with what the game draws by lot drawn.

        Raises:
            HTTPException: it cannot be played.
        """

    def played(self, seconds: int) -> Mapping[str, Any] | None:
        """Called after each second of the game; returns a message for the browser, if any."""

    def left(self, ticks: int) -> None:
        """Called when the game is over, or its player has left it; with the ticks that it took."""

    def finished(
        self, seed: int, actions: Sequence[Sequence[str | None]], state: vgdl.StateObservation, *, consent: bool
    ) -> str:
        """Called when the game is over; returns the address of its replay, empty if there is none.

        Args:
            seed: the seed of the game.
            actions: names by tick and player.
            state: the final state.
            consent: whether the player agreed that the replay is published.
        """


Chosen = Callable[[WebSocket, User | None], Playable]
"""Finds what a socket is about, for a user who is signed in or a visitor; raises `HTTPException` if it is nothing."""


async def play(socket: WebSocket) -> None:
    """One play of a bundled game over a WebSocket."""
    await serve(socket, _Bundled)


async def serve(socket: WebSocket, chosen: Chosen) -> None:
    """One play over a WebSocket.

    Args:
        socket: the connection, which is not accepted yet.
        chosen: finds what is played.
    """
    common: Shared = socket.app.state.shared
    address = limits.network(socket.client.host if socket.client else "unknown")
    user = await run_in_threadpool(_user, socket, common)
    player = f"{_USER}{user.id}" if user else address
    if _is_full(player, address):
        await socket.close(1013, "too many plays at once")
        return
    _playing[player] += 1
    try:
        await socket.accept()
        await _play(socket, common, player, user, chosen)
    except WebSocketDisconnect as left:  # the browser disconnected or sent what it should not
        if left.code == _FLOOD:
            _penalties[player] = time.monotonic() + PENALTY_S
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.close(left.code)
    except TimeoutError:
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await socket.close(_FLOOD, "too slow")
    except (HTTPException, limits.TooMany) as error:
        await _end(socket, error.detail if isinstance(error, HTTPException) else str(error))
    finally:
        _playing[player] -= 1
        if not _playing[player]:
            del _playing[player]


_USER = "user "
_FLOOD = 1008
"""The code with which a connection is closed that breaks a rule."""


def _is_full(player: str, address: str) -> bool:
    """Whether there is no room for another play of a player: a user, or a network of visitors."""
    now = time.monotonic()
    for one in [one for one, until in _penalties.items() if until <= now]:
        del _penalties[one]
    is_visitor = player == address
    of_visitors = sum(count for one, count in _playing.items() if not one.startswith(_USER))
    return (
        player in _penalties
        or _playing.total() >= MOST_PLAYS
        or (is_visitor and of_visitors >= MOST_OF_VISITORS)
        or _playing[player] >= (MOST_PER_ADDRESS if is_visitor else MOST_PER_USER)
    )


@dataclass(slots=True)
class Allowance:
    """The messages that a connection may still send; it grows with time."""

    left: float = MESSAGES_AT_ONCE
    at: float = field(default_factory=time.monotonic)

    def spend(self) -> None:
        """Count a message.

        Raises:
            WebSocketDisconnect: there are too many.
        """
        now = time.monotonic()
        self.left = min(MESSAGES_AT_ONCE, self.left + (now - self.at) * MESSAGES_PER_S) - 1.0
        self.at = now
        if self.left < 0.0:
            raise WebSocketDisconnect(_FLOOD)


@dataclass(slots=True)
class Keys:
    """Keys held in the browser; a key pressed and released between two ticks counts, too."""

    held: set[Action] = field(default_factory=set)
    tapped: set[Action] = field(default_factory=set)

    def read(self, names: object) -> None:
        """Record the keys held now."""
        chosen = names if isinstance(names, list) else []
        self.held = {_KEYS[name] for name in chosen if isinstance(name, str) and name in _KEYS}
        self.tapped |= self.held

    def answer(self) -> Action:
        """The action of the next tick."""
        chosen = action_of_keys(self.held | self.tapped)
        self.tapped.clear()
        return chosen


class _Bundled:
    """A level of a bundled game, whose best scores are kept."""

    def __init__(self, socket: WebSocket, user: User | None) -> None:
        """Find the level.

        Raises:
            HTTPException: there is none.
        """
        common: Shared = socket.app.state.shared
        self._database, self._user = common.database, user
        self._name, self._level = _place(socket.path_params["game"], socket.path_params["level"])

    def drawn(self, seed: int) -> Board:
        self._board = _board(self._name, self._level)
        return self._board.game.drawn(seed).board(self._level)

    def played(self, seconds: int) -> None:
        """Nothing is told."""

    def left(self, ticks: int) -> None:
        """Plays that are not finished are not kept."""

    def finished(
        self, seed: int, actions: Sequence[Sequence[str | None]], state: vgdl.StateObservation, *, consent: bool
    ) -> str:
        number = records.keep(
            self._database, self._user, self._board, self._level, seed, actions, state, consent=consent
        )
        return f"/records/{number}/" if number is not None and consent else ""


async def _play(socket: WebSocket, common: Shared, player: str, user: User | None, chosen: Chosen) -> None:
    subject = await run_in_threadpool(chosen, socket, user)
    start = await asyncio.wait_for(receive(socket, MOST_MESSAGE), START_S)
    consent = start.get("consent") is True
    await run_in_threadpool(limits.spend, common.database, limits.HUMAN_PLAY, player)
    seed = secrets.randbits(SEED_BITS)
    keys = Keys()
    listening = asyncio.create_task(_listen(socket, keys))
    actions: list[list[str | None]] = []
    try:
        board = await _engine(subject.drawn, seed)
        state = await _run(socket, board, seed, keys, listening, actions, subject)
    finally:
        listening.cancel()
        leaving = asyncio.get_running_loop().run_in_executor(None, subject.left, len(actions))
        await asyncio.shield(leaving)  # it is done even if the connection is cancelled
    record = await run_in_threadpool(lambda: subject.finished(seed, actions, state, consent=consent))
    await socket.send_json(
        {
            "over": True, "won": state.winners[0] == 1, "score": state.scores[0], "ticks": state.tick,
            "record": record,
        }
    )  # fmt: skip
    await socket.close()


async def _run(
    socket: WebSocket, board: Board, seed: int, keys: Keys, listening: asyncio.Task[None],
    actions: list[list[str | None]], subject: Playable,
) -> vgdl.StateObservation:  # fmt: skip
    """Play to the end with a tick every 40 ms; late ticks are not made up for; appends the actions."""
    state = await _engine(board.start, seed)
    camera = film.Camera(board.game, film.Pictures(), state.block_size, Palette.STANDARD)
    size = [side * BLOCK // state.block_size for side in state.world_dimension]
    able = [action.name for action in state.actions_of(0) if action.name in _KEYS]
    first = await _engine(lambda: json.dumps({"size": size, "actions": able, **_tick_message(camera, state)}))
    await _send(socket, first)
    loop = asyncio.get_running_loop()
    due = loop.time()

    def advance(action: Action) -> str:
        state.advance((action,))
        return json.dumps(_tick_message(camera, state))

    while not state.is_over:
        due = max(due + TICK_S, loop.time())
        await asyncio.sleep(due - loop.time())
        if listening.done():  # the browser disconnected, or sent too much
            listening.result()
        action = keys.answer()
        message = await _engine(advance, action)
        actions.append([action.name])
        await _send(socket, message)
        if len(actions) % TICKS_PER_S == 0:
            told = await run_in_threadpool(subject.played, len(actions) // TICKS_PER_S)
            if told is not None:
                await _send(socket, json.dumps(told))
    return state


async def _engine(work: Callable[..., T], *values: Any) -> T:
    """Run a part of a game in a thread for games."""
    return await asyncio.get_running_loop().run_in_executor(_ENGINES, work, *values)


async def _send(socket: WebSocket, text: str) -> None:
    """Send a message.

    Raises:
        TimeoutError: the browser does not accept it.
    """
    async with asyncio.timeout(SEND_S):
        await socket.send_text(text)


def _tick_message(camera: film.Camera, state: vgdl.StateObservation) -> dict[str, Any]:
    """The message for a tick: changed layers, new pictures, and the score."""
    shown = len(camera.numbers)
    camera.take(state.tick, state)
    order = {kind: at for at, kind in enumerate(camera.game.order)}
    layers = [[order[kind], *span[1:]] for kind, spans in camera.spans.items() for span in spans]
    camera.spans.clear()
    pictures = [camera.pictures.urls[name] for name in list(camera.numbers)[shown:]]
    return {"tick": state.tick, "score": state.scores[0], "layers": layers, "pictures": pictures}


async def _listen(socket: WebSocket, keys: Keys) -> None:
    """Record keys until the browser disconnects or sends an invalid message."""
    allowance = Allowance()
    while True:
        keys.read((await receive(socket, MOST_MESSAGE)).get("keys"))
        allowance.spend()


async def receive(socket: WebSocket, most: int) -> dict[str, Any]:
    """Receive a message from the browser.

    Args:
        socket: the connection.
        most: greatest length of a message, in characters.

    Raises:
        WebSocketDisconnect: the browser disconnected, or the message is too long or not an object.
    """
    try:
        text = await socket.receive_text()
        message = json.loads(text) if len(text) <= most else None
    except (ValueError, KeyError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise WebSocketDisconnect(1003)
    return message


async def _end(socket: WebSocket, words: str) -> None:
    await socket.send_json({"problem": words})
    await socket.close()


def _user(socket: WebSocket, common: Shared) -> User | None:
    token = common.cookies.read(socket.cookies, accounts.SESSION_S)
    return accounts.session_user(common.database, token) if token else None


def _board(name: str, level: int) -> Board:
    return vgdl.load(games.path(name)).board(level)


@functools.lru_cache(maxsize=256)
def _first_frame(name: str, level: int) -> tuple[bytes, int, int]:
    """The start of a level as a PNG file, its height and its width."""
    return picture(vgdl.load(games.path(name)).drawn(0).board(level))


def picture(board: Board) -> tuple[bytes, int, int]:
    """The start of a board as a PNG file, its height and its width in pixels."""
    shown = frame(board.start(0))
    return png.encode(shown), shown.shape[0], shown.shape[1]


def _place(game: str, level: str | int) -> tuple[str, int]:
    """A bundled single-player game, and the number of one of its levels.

    Raises:
        HTTPException: there is none.
    """
    if game not in games.names() or game in games.names("two_player"):
        raise HTTPException(404, "there is no such game for one player")
    number = int(level) if str(level).isascii() and str(level).isdecimal() and len(str(level)) < 4 else -1
    if not 0 <= number < len(games.levels(game)):
        raise HTTPException(404, "there is no such level")
    return game, number


def _record(request: Request) -> Row:
    known = records.get(shared(request).database, request.path_params["number"])
    if known is None:
        raise HTTPException(404, "there is no such replay")
    return known


def _film_of(known: Row) -> tuple[dict[str, Any], dict[str, str], list[list[str | None]]]:
    """The film of a play by a person, with its pictures and actions."""
    names = action_names(bytes(known["actions"]))
    board = _board(known["game"], known["level"])
    if board.game.digest != known["game_sha256"] or board.digest != known["level_sha256"]:
        raise HTTPException(404, "the game has changed since this was played")
    key = tuple(tuple(tick) for tick in names)
    path = str(games.path(known["game"]))
    return *take_film(path, known["level"], known["seed"], key, ""), names
