"""The HTTP side of the ARC server (arc, 2): routes, keys, rate limits, and errors as JSON.

Commands run in threads, so that a slow game delays only its own player.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import re
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from vgdl.competition.store import StoreError
from vgdl.competition.tracks.arc import protocol
from vgdl.competition.tracks.arc.frame import RESET
from vgdl.competition.tracks.arc.protocol import ACTIONS, MAX_BODY, ArcError, not_found
from vgdl.competition.tracks.arc.service import ArcService

COOKIE = "vgdl_arc"

BODY_S = 60.0
"""Seconds within which the body of a request must arrive."""

Endpoint = Callable[[Request, str], Awaitable[Response]]
"""Answers a request with a valid key."""

Problem = Callable[[Request, int, str], Response]
"""Makes a page of a status and its words."""

_log = logging.getLogger(__name__)


class _Json(JSONResponse):
    """An answer as JSON in ASCII, which holds every string that a client can send, even lone surrogates."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode()


class RateLimit:
    """A token bucket per API key."""

    def __init__(self, per_minute: int) -> None:
        """Set the limit of requests per minute, a tenth of which may come at once."""
        self._rate = per_minute / 60
        self._burst = max(1.0, per_minute / 10)
        self._buckets: dict[str, tuple[float, float]] = {}  # remaining tokens, and the time of the last request
        self._lock = threading.Lock()

    def wait_s(self, key: str) -> float:
        """Take a token; returns 0, or the seconds until there is one."""
        clock = time.monotonic()
        with self._lock:
            if len(self._buckets) > 10_000:  # drop full buckets
                full = self._burst / self._rate
                self._buckets = {key: held for key, held in self._buckets.items() if clock - held[1] < full}
            tokens, since = self._buckets.get(key, (self._burst, clock))
            tokens = min(self._burst, tokens + (clock - since) * self._rate)
            if tokens < 1:
                return (1 - tokens) / self._rate
            self._buckets[key] = (tokens - 1, clock)
            return 0.0


class Api:
    """The routes below ``/api``."""

    def __init__(self, service: ArcService, keys: Collection[str] | None = None, rpm: int | None = None) -> None:
        """Serve games.

        Args:
            service: the games and cards.
            keys: accepted API keys; None: any non-empty one.
            rpm: maximum requests per minute and key; None: any number.
        """
        self._service = service
        self._keys = keys
        self._limit = RateLimit(rpm) if rpm else None

    def routes(self) -> list[BaseRoute]:
        """All routes of the API; those with a fixed name come before those with a parameter."""
        post, get = ["POST"], ["GET"]
        commands = [
            Route(f"/api/cmd/{name}", self._keyed(self._command(action)), methods=post)
            for action, name in enumerate(ACTIONS)
        ]
        return [
            Route("/api/healthcheck", _healthcheck, methods=get),
            Route("/api/games", self._keyed(self._games), methods=get),
            Route("/api/games/anonkey", self._anonymous_key, methods=get),
            Route("/api/games/{name}", self._keyed(self._game), methods=get),
            Route("/api/games/{name}/source", self._keyed(self._source), methods=get),
            Route("/api/scorecard/open", self._keyed(self._open), methods=post),
            Route("/api/scorecard/close", self._keyed(self._close), methods=post),
            Route("/api/scorecard/{card_id}", self._keyed(self._scorecard), methods=get),
            Route("/api/scorecard/{card_id}/{game_id}", self._keyed(self._scorecard), methods=get),
            *commands,
        ]

    def _keyed(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        """Wrap an endpoint in checks of the key and of the rate."""

        async def checked(request: Request) -> Response:
            key = request.headers.get("x-api-key", "")
            if not key or (self._keys is not None and key not in self._keys):
                raise ArcError(401, "UNAUTHORIZED_ERROR", "the header X-API-Key is missing or contains an unknown key")
            wait = self._limit.wait_s(key) if self._limit else 0.0
            if wait:
                limited = ArcError(429, "RATE_LIMIT_EXCEEDED", "rate limit has been exceeded")
                return _Json(limited.facts(), 429, {"Retry-After": str(math.ceil(wait))})
            return await endpoint(request, key)

        return checked

    async def _anonymous_key(self, request: Request) -> Response:
        if self._keys is not None:
            raise ArcError(401, "UNAUTHORIZED_ERROR", "this server accepts registered API keys only")
        return _Json({"api_key": uuid.uuid4().hex})

    async def _games(self, request: Request, key: str) -> Response:
        return _Json([self._service.game_facts(game) for game in self._service.games])

    async def _game(self, request: Request, key: str) -> Response:
        name = request.path_params["name"]
        game = self._service.find(name)
        if game is None:
            raise not_found(f"game {name} not found", 404)
        return _Json(self._service.game_facts(game))

    async def _source(self, request: Request, key: str) -> Response:
        raise not_found("games are played on this server: set OPERATION_MODE to online or competition", 404)

    async def _open(self, request: Request, key: str) -> Response:
        opening = protocol.read_opening(protocol.read_object(await _body(request)))
        return _Json({"card_id": await run_in_threadpool(self._service.open, key, opening)})

    async def _close(self, request: Request, key: str) -> Response:
        card_id = protocol.read_card_id(protocol.read_object(await _body(request)))
        return _Json(await run_in_threadpool(self._service.close, key, card_id))

    async def _scorecard(self, request: Request, key: str) -> Response:
        card_id, game_id = request.path_params["card_id"], request.path_params.get("game_id")
        return _Json(await run_in_threadpool(self._service.scorecard, key, card_id, game_id))

    def _command(self, action: int) -> Endpoint:
        async def act(request: Request, key: str) -> Response:
            command = protocol.read_command(action, protocol.read_object(await _body(request)))

            def carry_out() -> tuple[bytes, str]:
                frame, guid, card_id = self._service.command(key, command)
                return protocol.frame_text(frame, command, guid), card_id

            text, card_id = await run_in_threadpool(carry_out)
            response = Response(text, media_type="application/json")
            if action == RESET:
                response.set_cookie(COOKIE, card_id, path="/", httponly=True, samesite=None)
            return response

        return act


class MergeSlashes:
    """Reads ``//api//games`` as ``/api/games``: base URLs of clients may end with a slash."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http" and "//" in scope["path"]:
            scope = {**scope, "path": re.sub("/+", "/", scope["path"])}
        await self._app(scope, receive, send)


def application(
    api: Api,
    pages: Collection[BaseRoute] = (),
    lifespan: Callable[[Starlette], AbstractAsyncContextManager[None]] | None = None,
    problem: Problem | None = None,
) -> ASGIApp:
    """The server's application.

    Args:
        api: the API.
        pages: the routes of web pages.
        lifespan: its lifespan handler.
        problem: makes pages of errors outside the API; without it, they are JSON, too.
    """

    async def http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        known = {404: f"there is nothing at {request.url.path}", 405: f"{request.method} is not allowed here"}
        words = known.get(error.status_code, error.detail)
        if problem is not None and not request.url.path.startswith("/api/"):
            page = problem(request, error.status_code, words)
            page.headers.update(error.headers or {})
            return page
        failure = ArcError(error.status_code, "SERVER_ERROR", words)
        return _Json(failure.facts(), error.status_code, dict(error.headers or {}))

    app = Starlette(
        routes=[*api.routes(), *pages],
        lifespan=lifespan,
        exception_handlers={
            ArcError: _refused,
            StoreError: _broken_store,
            HTTPException: http_error,
            ClientDisconnect: _left,
            Exception: _crashed,
        },
    )
    app.router.redirect_slashes = False
    return MergeSlashes(app)


async def _healthcheck(request: Request) -> Response:
    return PlainTextResponse("okay")


async def _body(request: Request) -> bytes:
    """Read the body of a request; raises ``ArcError`` if it is too large or too slow."""
    too_large = protocol.invalid(f"the request body exceeds {MAX_BODY} bytes")
    if int(request.headers.get("content-length", 0)) > MAX_BODY:
        raise too_large
    body = b""
    try:
        async with asyncio.timeout(BODY_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_BODY:
                    raise too_large
    except TimeoutError:
        raise ArcError(408, "VALIDATION_ERROR", "the request body took too long") from None
    return body


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, ArcError)
    return _Json(error.facts(), error.status)


async def _broken_store(request: Request, error: Exception) -> Response:
    _log.error("%s", error)
    return _Json(ArcError(500, "SERVER_ERROR", "the server cannot keep its records").facts(), 500)


async def _left(request: Request, error: Exception) -> Response:
    return Response(status_code=400)  # never received, since the client has disconnected


async def _crashed(request: Request, error: Exception) -> Response:
    return _Json(ArcError(500, "SERVER_ERROR", "the server failed; its log says why").facts(), 500)
