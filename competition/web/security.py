"""The layer around every page: sizes and times of requests, forged requests, headers, and cookies.

It is plain ASGI, so that a request that is refused costs next to nothing: nothing of its body is read, and no thread is
taken.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

import itsdangerous
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response

from vgdl.competition.submissions import archive

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

FORM_BYTES = 64 << 10
"""Largest body of a request that is no upload."""

UPLOAD_BYTES = archive.STANDARD.packed_bytes + FORM_BYTES
"""Largest body of an upload: a zip, and the fields beside it."""

BODY_S = 60.0
"""Seconds in which the body of a request must have come; that of an upload has ten times as long."""

UPLOAD = re.compile(r"/competitions/[a-z0-9-]+/enter|/api/competitions/[a-z0-9-]+/entries")
"""Paths of uploads."""

UNSAFE = ("POST", "PUT", "PATCH", "DELETE")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of every page: nothing from elsewhere, nothing inline."""

BOARD_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""That of the boards of tracks: static pages whose charts have styles of their own."""

HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)

VISITOR = "visitor."
"""How the tokens of visitors begin who are not signed in. No session's token does: none has a full stop."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BEYOND = re.compile(r"\d{18}")
"""Numbers that no database holds."""


class Cookies:
    """The session cookie: a random token, signed, so that a forged one is refused without asking the database."""

    def __init__(self, secret: str, *, secure: bool) -> None:
        """Set up.

        Args:
            secret: that signs.
            secure: whether the site is reached by https; then browsers send the cookie by nothing else.
        """
        self.secure = secure
        self.name = "__Host-session" if secure else "session"
        self._signer = itsdangerous.TimestampSigner(secret, salt="session", digest_method=hashlib.sha256)
        self._key = itsdangerous.Signer(secret, salt="form", digest_method=hashlib.sha256).derive_key()

    def read(self, cookies: MutableMapping[str, str] | dict[str, str], longest_s: float) -> str:
        """The token of a request; empty if there is none, or it was not signed by us."""
        try:
            return self._signer.unsign(cookies.get(self.name, ""), max_age=int(longest_s)).decode()
        except (itsdangerous.BadSignature, UnicodeError):
            return ""

    def write(self, response: Response, token: str, longest_s: float) -> None:
        """Hand a token out."""
        signed = self._signer.sign(token).decode()
        response.set_cookie(
            self.name, signed, max_age=int(longest_s), path="/", secure=self.secure, httponly=True, samesite="lax"
        )

    def clear(self, response: Response) -> None:
        """Take the token back."""
        response.delete_cookie(self.name, path="/", secure=self.secure, httponly=True, samesite="lax")

    def form_token(self, token: str) -> str:
        """What the forms of a session must send back."""
        return hmac.new(self._key, token.encode(), "sha256").hexdigest()

    def is_form_token(self, token: str, given: str) -> bool:
        """Whether a form was made for this session."""
        return bool(token) and hmac.compare_digest(self.form_token(token), given)


def fresh_token() -> str:
    """A token for a visitor who has none yet."""
    return f"{VISITOR}{secrets.token_urlsafe(24)}"


class Guard:
    """Refuses requests that are too large, too slow or forged, and adds the headers to every response."""

    def __init__(self, inner: Application, *, secure: bool) -> None:
        """Stand before an application."""
        self._inner = inner
        self._secure = secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have the application answer it."""
        if scope["type"] not in ("http", "websocket"):
            await self._inner(scope, receive, send)
            return
        headers = Headers(scope=scope)
        path = scope["path"]
        refusal = self._refusal(scope, headers, path)
        if scope["type"] == "websocket":
            if refusal:
                await receive()
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self._inner(scope, receive, send)
            return
        sending = self._with_headers(send, path)
        if refusal:
            status, words = refusal
            closing = {"connection": "close"}  # what is left of the body is not read
            await PlainTextResponse(words + "\n", status, closing)(scope, receive, sending)
            return
        limit = UPLOAD_BYTES if UPLOAD.fullmatch(path) else FORM_BYTES
        body = _Body(receive, limit, BODY_S * (10 if limit == UPLOAD_BYTES else 1))
        await self._inner(scope, body.receive, sending)

    def _refusal(self, scope: Scope, headers: Headers, path: str) -> tuple[int, str] | None:
        if _CONTROL.search(path) or len(path) > 1000 or len(scope.get("query_string", b"")) > 4000:
            return 400, "this address is not valid"
        if _BEYOND.search(path):
            return 404, "there is no such page"
        method = scope.get("method", "GET")
        if (method in UNSAFE or scope["type"] == "websocket") and _is_foreign(scope, headers):
            return 403, "this request comes from another site"
        limit = UPLOAD_BYTES if UPLOAD.fullmatch(path) else FORM_BYTES
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 18:
            return 400, "the content length is not a number"
        if int(length) > limit:
            return 413, f"the request has {int(length):,} bytes; {limit:,} are allowed here"
        return None

    def _with_headers(self, send: Send, path: str) -> Send:
        policy = BOARD_POLICY if path.startswith("/boards/") else POLICY

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [*HEADERS, (b"content-security-policy", policy.encode())]
                if self._secure:
                    added.append((b"strict-transport-security", b"max-age=31536000"))
                message["headers"] = [*message.get("headers", []), *added]
            await send(message)

        return sending


def body_refused(status: int, words: str) -> HTTPException:
    """A body is too large or too slow; what is left of it is not read."""
    return HTTPException(status, words, {"connection": "close"})


class _Body:
    """Hands on the body of a request, as far as it is within its limits."""

    def __init__(self, receive: Receive, limit: int, seconds: float) -> None:
        self._receive = receive
        self._limit = limit
        self._deadline = time.monotonic() + seconds
        self._size = 0
        self._ended = False

    async def receive(self) -> Message:
        """The next message."""
        if self._ended:  # then it is waited for the end of the connection, as long as that takes
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), max(0.0, self._deadline - time.monotonic()))
        except TimeoutError:
            raise body_refused(408, "the request took too long") from None
        if message["type"] == "http.request":
            self._size += len(message.get("body", b""))
            self._ended = not message.get("more_body", False)
            if self._size > self._limit:
                raise body_refused(413, f"the request has more than the {self._limit:,} bytes that are allowed here")
        return message


class Snapshots:
    """Answers pages that are the same for all who are not signed in from memory, for a moment.

    However many people read a ranking, it is rendered once in that time. Only pages that say so by the header
    ``x-snapshot`` are kept.
    """

    SECONDS = 2.0
    MOST = 500

    def __init__(self, inner: Application, cookie: str) -> None:
        """Stand before an application; requests with this cookie go through."""
        self._inner = inner
        self._cookie = cookie.encode() + b"="
        self._kept: OrderedDict[bytes, tuple[float, list[Message]]] = OrderedDict()
        self._making: dict[bytes, asyncio.Lock] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from memory, or have the application answer and keep that."""
        if scope["type"] != "http" or scope["method"] != "GET" or self._is_personal(scope):
            await self._inner(scope, receive, send)
            return
        key = scope["path"].encode() + b"?" + scope.get("query_string", b"")
        if await self._answer(key, send):
            return
        lock = self._making.setdefault(key, asyncio.Lock())
        try:
            async with lock:  # those who ask meanwhile wait for the one that is being made
                if not await self._answer(key, send):
                    await self._make(key, scope, receive, send)
        finally:
            self._making.pop(key, None)

    async def _answer(self, key: bytes, send: Send) -> bool:
        kept = self._kept.get(key)
        if kept is None or time.monotonic() - kept[0] > self.SECONDS:
            return False
        for message in kept[1]:
            await send(dict(message))
        return True

    async def _make(self, key: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        messages: list[Message] = []
        keeps = False

        async def sending(message: Message) -> None:
            nonlocal keeps
            if message["type"] == "http.response.start":
                keeps = any(name == b"x-snapshot" for name, _ in message["headers"])
                message["headers"] = [pair for pair in message["headers"] if pair[0] != b"x-snapshot"]
            if keeps:
                messages.append(dict(message))
            await send(message)

        await self._inner(scope, receive, sending)
        if keeps:
            self._kept[key] = time.monotonic(), messages
            self._kept.move_to_end(key)
            if len(self._kept) > self.MOST:
                self._kept.popitem(last=False)

    def _is_personal(self, scope: Scope) -> bool:
        return any(name in (b"cookie", b"authorization") and (name != b"cookie" or self._cookie in value)
                   for name, value in scope["headers"])  # fmt: skip


def _is_foreign(scope: Scope, headers: Headers) -> bool:
    """Whether a request was sent by a page of another site; programs that are no browsers send neither header."""
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    if origin is None:
        return False
    return urlsplit(origin).netloc != headers.get("host", "")
