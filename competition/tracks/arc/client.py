"""A client for any ARC-AGI-3 server (arc, 8): ``ArcServer`` sends requests, ``RemoteArc`` plays games on a card."""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import random
import selectors
import ssl
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np

from vgdl.competition.addresses import is_http_address
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.arc.errors import BadActionError, CommandError, NotAllowedError, NotStartedError
from vgdl.competition.tracks.arc.frame import COLORS, RESET, SIZE, UNDO, Frame, Layer, State
from vgdl.competition.tracks.arc.playable import GameInfo
from vgdl.competition.tracks.arc.protocol import ACTIONS, Opening

TIMEOUT_S = 10.0
ATTEMPTS = 8
"""Number of times a request is repeated after 429 or 5xx, or while there is no connection."""

LONGEST_WAIT_S = 60.0
MAX_ANSWER = 1 << 26
"""Maximum size of an answer in bytes; a frame with a hundred layers has about a million."""

ASSUMED_ACTIONS = (1, 2, 3, 4, 5, 6)
"""The available actions if an older server does not list them."""

_log = logging.getLogger(__name__)


class ServerError(CompetitionError):
    """A server cannot be reached, refuses a request, or sends an unreadable answer; the message says which.

    Attributes:
        status: status of the HTTP answer; 0 if there was none.
        code: the server's error code; may be empty.
    """

    def __init__(self, message: str, status: int = 0, code: str = "") -> None:
        super().__init__(printable(message, 600))
        self.status = status
        self.code = code


class AnswerLost(ServerError):
    """A command was sent but its answer was lost: it may or may not have been executed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a command."""

    frame: Frame
    guid: str


class ArcServer:
    """Sends requests of the ARC-AGI-3 API. Thread-safe; each thread has its own connection.

    Args:
        base_url: ``http`` or ``https``, with or without a slash at the end.
        key: the API key; if empty, the client requests an anonymous key.
        timeout: seconds to wait for an answer.
        jar: cookies shared by all requests; by default an empty jar.
        sleep: function that waits for some seconds; for tests.

    Raises:
        ServerError: the URL is invalid, or the server does not issue a key.
    """

    def __init__(
        self,
        base_url: str,
        key: str = "",
        timeout: float = TIMEOUT_S,
        jar: CookieJar | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not is_http_address(base_url):
            raise ServerError(f"{base_url!r} is not a server URL, for example http://127.0.0.1:8001")
        self.base_url = base_url.rstrip("/")
        self._parts = urlsplit(self.base_url)
        self._timeout = timeout
        self._sleep = sleep
        local = DefaultCookiePolicy(strict_ns_domain=DefaultCookiePolicy.DomainLiberal)
        self._jar = CookieJar(local) if jar is None else jar
        self._jar_lock = threading.Lock()
        self._own = threading.local()
        self._random = random.Random()
        self._is_known = False  # whether it has ever answered; if not, failed connections are not retried
        self.key = key or self._anonymous_key()

    def games(self) -> list[GameInfo]:
        """The games that the server offers."""
        listed = self._ask("GET", "/api/games")
        if not isinstance(listed, list):
            raise ServerError(f"{self.base_url} does not answer with a list of games")
        return [_game(game) for game in listed if isinstance(game, dict)]

    def open(self, opening: Opening) -> str:
        """Open a card; returns its id."""
        facts: dict[str, Any] = {"tags": list(opening.tags)}
        if opening.source_url:
            facts["source_url"] = opening.source_url
        if opening.opaque is not None:
            facts["opaque"] = opening.opaque
        if opening.competition:
            facts["competition_mode"] = True
        return _text(self._ask("POST", "/api/scorecard/open", facts), "card_id")

    def reset(self, card_id: str, game_id: str, guid: str | None = None) -> Answer:
        """RESET: start a session, or restart the level or the game.

        Raises:
            ServerError: the server refuses it.
        """
        facts = {"card_id": card_id, "game_id": game_id} | ({"guid": guid} if guid else {})
        return read_answer(self._ask("POST", "/api/cmd/RESET", facts))

    def act(
        self,
        card_id: str,
        game_id: str,
        guid: str,
        action: int,
        x: int | None = None,
        y: int | None = None,
        reasoning: Any = None,
    ) -> Answer:
        """ACTION1 to ACTION7.

        Raises:
            AnswerLost: the command may or may not have been executed; it is not sent again.
            ServerError: the server refuses it.
        """
        facts: dict[str, Any] = {"card_id": card_id, "game_id": game_id, "guid": guid}
        facts |= {name: value for name, value in (("x", x), ("y", y), ("reasoning", reasoning)) if value is not None}
        return read_answer(self._ask("POST", f"/api/cmd/{ACTIONS[action]}", facts, once=True))

    def scorecard(self, card_id: str, game_id: str | None = None) -> dict[str, Any]:
        """A card, or the part of it about one game."""
        path = f"/api/scorecard/{quote(card_id)}" + (f"/{quote(game_id)}" if game_id else "")
        return _object(self._ask("GET", path))

    def close(self, card_id: str) -> dict[str, Any]:
        """Close a card; returns it."""
        return _object(self._ask("POST", "/api/scorecard/close", {"card_id": card_id}))

    def _anonymous_key(self) -> str:
        self.key = ""
        try:
            return _text(self._ask("GET", "/api/games/anonkey"), "api_key")
        except ServerError as error:
            raise ServerError(f"{self.base_url} does not issue an anonymous API key: {error}", error.status) from None

    def _ask(self, method: str, path: str, facts: Mapping[str, Any] | None = None, *, once: bool = False) -> Any:
        """Send a request and return the JSON of the answer; repeats it while the server is busy or unreachable.

        Args:
            method: the HTTP method.
            path: below the base URL.
            facts: the body.
            once: do not repeat the request if the server may have received it.
        """
        body = None if facts is None else json.dumps(facts, separators=(",", ":")).encode()
        wait = 1.0
        for attempt in range(ATTEMPTS + 1):
            last = attempt == ATTEMPTS
            try:
                status, text = self._exchange(method, path, body)
            except _NotSent as error:
                reason = f"cannot reach {self.base_url}: {error}"
                if last or not self._is_known:
                    raise ServerError(reason) from None
            except (OSError, http.client.HTTPException) as error:
                reason = f"{self.base_url} has not answered: {_words(error)}"
                if once:
                    raise AnswerLost(reason) from None
                if last:
                    raise ServerError(reason) from None
            else:
                self._is_known = True
                if status != 429 and status < 500:
                    return self._read(status, text, path)
                reason = f"{self.base_url} answers {status} to {path}"
                if last:
                    raise ServerError(f"{reason}: {_words_of_body(text)}", status)
            pause = wait * self._random.uniform(0.8, 1.2)
            _log.warning("%s; again in %.1f s", reason, pause)
            self._sleep(pause)
            wait = min(2 * wait, LONGEST_WAIT_S)
        raise AssertionError("the last attempt returns or raises")

    def _read(self, status: int, text: bytes, path: str) -> Any:
        try:
            facts = json.loads(text)
        except (ValueError, RecursionError):
            raise ServerError(f"{self.base_url} answers {status} to {path}, not in JSON", status) from None
        if 200 <= status < 300:
            return facts
        code = facts.get("error") if isinstance(facts, dict) else None
        raise ServerError(
            f"{self.base_url} answers {status} to {path}: {_words_of_body(text)}", status, str(code or "")
        )

    def _exchange(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        """Send a request on this thread's connection and read the answer."""
        url = urllib.request.Request(self.base_url + path)
        with self._jar_lock:
            self._jar.add_cookie_header(url)
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        headers |= {"X-API-Key": self.key} if self.key else {}
        headers |= {"Cookie": cookie} if (cookie := url.get_header("Cookie")) else {}
        connection = self._connection()
        try:
            if connection.sock is None:
                try:
                    connection.connect()
                except OSError as error:
                    raise _NotSent(_words(error)) from None
            connection.request(method, self._parts.path + path, body, headers)
            response = connection.getresponse()
            text = response.read(MAX_ANSWER)
        except BaseException:
            connection.close()
            raise
        if not response.isclosed():
            connection.close()
            raise ServerError(f"{self.base_url} answers {path} with more than {MAX_ANSWER} bytes")
        with self._jar_lock:
            self._jar.extract_cookies(response, url)
        return response.status, text

    def _connection(self) -> http.client.HTTPConnection:
        """The connection of this thread, which is closed if the server has closed it since the last answer."""
        connection: http.client.HTTPConnection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = self._connect()
        elif connection.sock is not None:
            with selectors.DefaultSelector() as selector:
                selector.register(connection.sock, selectors.EVENT_READ)
                if selector.select(0):  # only the end of the stream can be readable now
                    connection.close()
        return connection

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        proxy = urllib.request.getproxies().get(self._parts.scheme)
        if proxy and not urllib.request.proxy_bypass(host):
            via = urlsplit(proxy if "//" in proxy else f"//{proxy}")
            made = _plain_or_tls(self._parts.scheme, via.hostname or "", via.port, self._timeout)
            made.set_tunnel(host, port)
            return made
        return _plain_or_tls(self._parts.scheme, host, port, self._timeout)


class RemoteArc:
    """Games on a server, played on one card; see ``environment.Arc``.

    Different environments may be used from different threads.
    """

    def __init__(self, server: ArcServer, opening: Opening | None = None) -> None:
        """Open a card.

        Raises:
            ServerError: the server does not open one.
        """
        self.server = server
        self.games: Sequence[GameInfo] = tuple(server.games())
        self.card_id = server.open(opening or Opening())

    def make(self, game_id: str) -> RemoteEnvironment:
        """A play of a game, by its id or its base; it begins with its first RESET.

        Raises:
            LookupError: there is no such game.
        """
        for info in self.games:
            if game_id in (info.game_id, info.game_id.partition("-")[0]):
                return RemoteEnvironment(self.server, self.card_id, info)
        raise LookupError(f"{self.server.base_url} has no game {game_id!r}")

    def scorecard(self) -> dict[str, Any]:
        """The current state of the card."""
        return self.server.scorecard(self.card_id)

    def close(self) -> dict[str, Any]:
        """End all plays; returns the final card."""
        return self.server.close(self.card_id)


class RemoteEnvironment:
    """One play of a game on a server; see ``environment.Environment``.

    Attributes:
        info: the game.
        guid: guid of the session; empty before the first RESET.
        lost: number of actions whose answers were lost; each was followed by a RESET.
    """

    def __init__(self, server: ArcServer, card_id: str, info: GameInfo) -> None:
        """Prepare a play of a game on a card."""
        self.info = info
        self.guid = ""
        self.lost = 0
        self._server = server
        self._card_id = card_id

    def reset(self) -> Frame:
        """RESET.

        Raises:
            CommandError: the server does not allow it.
            ServerError: the server cannot be reached, or no longer has the session or card.
        """
        with _explained():
            answer = self._server.reset(self._card_id, self.info.game_id, self.guid or None)
        self.guid = answer.guid
        return answer.frame

    def step(self, action: int, x: int | None = None, y: int | None = None, reasoning: Any = None) -> Frame:
        """ACTION1 to ACTION7; an action whose answer is lost is followed by a RESET, whose frame is returned.

        Raises:
            CommandError: the action cannot be executed.
            ServerError: as for ``reset``.
        """
        if not RESET < action <= UNDO:
            raise BadActionError(f"expected an action of 1 to {UNDO}, got {action!r}")
        try:
            with _explained():
                return self._server.act(self._card_id, self.info.game_id, self.guid, action, x, y, reasoning).frame
        except AnswerLost as error:
            self.lost += 1
            _log.warning("%s: action %d is lost (%s); RESET", self.info.game_id, action, error)
            return self.reset()


def read_answer(facts: object) -> Answer:
    """Parse a frame from a server, with current names or those before arcengine 0.9.3.

    Raises:
        ServerError: it is not a frame; the message says what is wrong.
    """
    data = _object(facts)
    state = data.get("state")
    if not isinstance(state, str) or state not in set(State):
        raise ServerError(f"the server sends the state {state!r:.40}, which is none of {', '.join(State)}")
    actions = data.get("available_actions")
    if not actions:
        actions = ASSUMED_ACTIONS
    if not isinstance(actions, list | tuple) or not all(isinstance(each, int) for each in actions):
        raise ServerError(f"the server sends {actions!r:.60} as available actions")
    frame = Frame(
        layers=_layers(data.get("frame")),
        state=State(state),
        levels_completed=_count(data, "levels_completed", "score"),
        win_levels=_count(data, "win_levels", "win_score"),
        full_reset=data.get("full_reset") is True,
        available_actions=tuple(action for action in actions if action != RESET),
    )
    return Answer(frame, _text(data, "guid"))


class _NotSent(Exception):
    """There was no connection over which to send a request."""


@contextlib.contextmanager
def _explained() -> Any:
    """Convert the server's refusals of a command to errors of the environment."""
    try:
        yield
    except ServerError as error:
        if error.code == "GAME_NOT_STARTED_ERROR":
            raise NotStartedError(str(error)) from None
        if error.code == "VALIDATION_ERROR":
            raise NotAllowedError(str(error)) from None
        raise


def _plain_or_tls(scheme: str, host: str, port: int | None, timeout: float) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(host, port, timeout=timeout, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, port, timeout=timeout)


def _layers(data: object) -> tuple[Layer, ...]:
    try:
        pixels = np.asarray(data, dtype=np.int64)
    except (ValueError, TypeError, OverflowError):
        pixels = np.empty(0, dtype=np.int64)
    if pixels.ndim != 3 or pixels.shape[0] == 0 or pixels.shape[1:] != (SIZE, SIZE):
        raise ServerError(f"the server sends a frame of the shape {pixels.shape}, expected layers of {SIZE} × {SIZE}")
    if pixels.min() < 0 or pixels.max() >= COLORS:
        raise ServerError(f"the server sends colours from {pixels.min()} to {pixels.max()}, expected 0 to {COLORS - 1}")
    layers = pixels.astype(np.uint8)
    layers.setflags(write=False)
    return tuple(layers)


def _count(data: dict[str, Any], name: str, former: str) -> int:
    value = data.get(name, data.get(former, 0))
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ServerError(f"the server sends {value!r:.40} as {name}")
    return value


def _game(data: dict[str, Any]) -> GameInfo:
    tags = data.get("tags")
    names = tuple(printable(tag, 60) for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
    game_id = _text(data, "game_id")
    title = data.get("title")
    return GameInfo(game_id, printable(title, 60) if isinstance(title, str) else game_id, names)


def _object(facts: object) -> dict[str, Any]:
    if not isinstance(facts, dict):
        raise ServerError(f"the server sends {facts!r:.60}, expected an object")
    return facts


def _text(facts: object, name: str) -> str:
    value = _object(facts).get(name)
    if not isinstance(value, str) or not value:
        raise ServerError(f"the server sends {value!r:.60} as {name}")
    return printable(value, 200)


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _words_of_body(text: bytes) -> str:
    """The message in the body of an error."""
    with contextlib.suppress(ValueError, RecursionError):
        facts = json.loads(text)
        if isinstance(facts, dict):
            return str(facts.get("message") or facts.get("error") or facts)
    return text[:200].decode("utf-8", "replace") or "nothing more"


__all__ = ["Answer", "AnswerLost", "ArcServer", "CommandError", "RemoteArc", "RemoteEnvironment", "ServerError"]
