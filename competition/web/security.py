"""The security layer around every page: limits on size and time, forged requests, headers, and cookies.

It is plain ASGI middleware, so refusing a request is very cheap: its body is not read, and no thread is used.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
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
from starlette.responses import Response

from vgdl.competition.submissions import archive

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

FORM_BYTES = 64 << 10
"""Maximum size of the body of a request other than an upload."""

UPLOAD_BYTES = archive.STANDARD.packed_bytes + FORM_BYTES
"""Maximum size of the body of an upload: a zip file and other form fields."""

BODY_S = 60.0
"""Seconds within which the body of a request must arrive; uploads have ten times as long."""

LINGER_S = 30.0
"""Seconds for which the rest of a refused body is read and dropped: a client that is still sending reads its answer
later, and loses it if the connection is closed before."""

UPLOAD = re.compile(r"/competitions/[a-z0-9-]+/enter|/api/competitions/[a-z0-9-]+/entries")
"""Paths of uploads."""

LONGEST_COOKIE = 400
"""Maximum length of the value of the site's cookie; its own have about 100 letters."""

UNSAFE = ("POST", "PUT", "PATCH", "DELETE")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy of every page: no foreign sources, no inline code."""

BOARD_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""The policy for the boards and runs of tracks: static pages whose charts have inline styles."""

HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)

LEAVES = b"x-leaves-site"
"""Marks the one redirect that leads to another site: to where people sign in."""

VISITOR = "visitor."
"""Prefix of the tokens of visitors who are not signed in; session tokens contain no full stop."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BEYOND = re.compile(r"\d{18}")
"""Numbers too large for the database."""


class Cookies:
    """The session cookie: a random token, signed so that forged ones are refused without a database query."""

    def __init__(self, secret: str, *, secure: bool) -> None:
        """Set up.

        Args:
            secret: the signing key.
            secure: whether the site uses HTTPS; browsers then send the cookie over HTTPS only.
        """
        self.secure = secure
        self.name = "__Host-session" if secure else "session"
        self._signer = itsdangerous.TimestampSigner(secret, salt="session", digest_method=hashlib.sha256)
        self._key = itsdangerous.Signer(secret, salt="form", digest_method=hashlib.sha256).derive_key()

    def read(self, cookies: MutableMapping[str, str] | dict[str, str], longest_s: float) -> str:
        """The token of a request; empty if there is none or its signature is wrong."""
        try:
            return self._signer.unsign(cookies.get(self.name, ""), max_age=int(longest_s)).decode()
        except (itsdangerous.BadSignature, UnicodeError):
            return ""

    def write(self, response: Response, token: str, longest_s: float) -> None:
        """Set the cookie to a token."""
        signed = self._signer.sign(token).decode()
        response.set_cookie(
            self.name, signed, max_age=int(longest_s), path="/", secure=self.secure, httponly=True, samesite="lax"
        )

    def clear(self, response: Response) -> None:
        """Delete the cookie."""
        response.delete_cookie(self.name, path="/", secure=self.secure, httponly=True, samesite="lax")

    def form_token(self, token: str) -> str:
        """The token that the forms of a session must send back."""
        return hmac.new(self._key, token.encode(), "sha256").hexdigest()

    def is_form_token(self, token: str, submitted: str) -> bool:
        """Whether a form was made for this session."""
        return bool(token) and hmac.compare_digest(
            self.form_token(token).encode(), submitted.encode("utf-8", "replace")
        )


def fresh_token() -> str:
    """A new token for a visitor without one."""
    return f"{VISITOR}{secrets.token_urlsafe(24)}"


class Guard:
    """Refuses requests that are too large, too slow or forged, and adds the headers to every response.

    Of the cookies, only those of the site are passed on: Python takes seconds to parse hostile ones.
    """

    def __init__(self, inner: Application, cookie: str, *, secure: bool) -> None:
        """Wrap an application, which uses the cookie of this name."""
        self._inner = inner
        self._cookie = cookie.encode()
        self._secure = secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or pass it to the application."""
        if scope["type"] not in ("http", "websocket"):
            await self._inner(scope, receive, send)
            return
        scope["headers"] = [pair for header in scope["headers"] if (pair := self._own_cookie(header)) is not None]
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
        sending = self._with_headers(_lingering(receive, send, headers), path)
        if refusal:
            status, words = refusal
            closing = {"connection": "close"}
            is_for_programs = path.startswith("/api/")
            content = json.dumps({"error": words}) if is_for_programs else f"{words}\n"
            kind = "application/json" if is_for_programs else "text/plain"
            await Response(content, status, closing, kind)(scope, receive, sending)
            return
        limit = UPLOAD_BYTES if UPLOAD.fullmatch(path) else FORM_BYTES
        body = _Body(receive, limit, BODY_S * (10 if limit == UPLOAD_BYTES else 1))
        await self._inner(scope, body.receive, sending)

    def _own_cookie(self, header: tuple[bytes, bytes]) -> tuple[bytes, bytes] | None:
        """A header, which of a cookie header keeps the cookie of the site; None if nothing is left."""
        name, value = header
        if name != b"cookie":
            return header
        for one in value.split(b";"):
            key, _, content = one.partition(b"=")
            if key.strip() == self._cookie and len(content) <= LONGEST_COOKIE and b'"' not in content:
                return name, self._cookie + b"=" + content.strip()
        return None

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
        policy = BOARD_POLICY if path.startswith(("/boards/", "/runs/")) else POLICY

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [*HEADERS, (b"content-security-policy", policy.encode())]
                if self._secure:
                    added.append((b"strict-transport-security", b"max-age=31536000"))
                own = [pair for pair in message.get("headers", []) if pair[0] != LEAVES]
                leaves = len(own) != len(message.get("headers", []))
                message["headers"] = [*(own if leaves else map(_local, own)), *added]
            await send(message)

        return sending


def _local(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """A header whose redirect, if it is one, stays on this site, whatever host the request named."""
    name, value = header
    if name.lower() != b"location" or value.startswith(b"/"):
        return header
    parts = urlsplit(value.decode("latin-1"))
    path = "/" + parts.path.lstrip("/")
    return name, (f"{path}?{parts.query}" if parts.query else path).encode("latin-1")


def body_refused(status: int, words: str) -> HTTPException:
    """The error for a body that is too large or too slow, after which the connection is closed."""
    return HTTPException(status, words, {"connection": "close"})


def _lingering(receive: Receive, send: Send, headers: Headers) -> Send:
    """Drop the rest of the body before the end of a response that closes the connection, unless it came too slowly."""
    if "expect" in headers:  # the client waits for the answer before it sends the body
        return send
    closes = False

    async def sending(message: Message) -> None:
        nonlocal closes
        if message["type"] == "http.response.start":
            closes = (b"connection", b"close") in message["headers"] and message["status"] != 408
        elif closes and not message.get("more_body", False):
            await send({**message, "more_body": True})
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LINGER_S):
                    while (await receive()).get("more_body", False):
                        pass
            message = {"type": "http.response.body", "body": b""}
        await send(message)

    return sending


class _Body:
    """Passes on the body of a request within its limits."""

    def __init__(self, receive: Receive, limit: int, seconds: float) -> None:
        self._receive = receive
        self._limit = limit
        self._deadline = time.monotonic() + seconds
        self._size = 0
        self._ended = False

    async def receive(self) -> Message:
        """The next message."""
        if self._ended:  # then wait for the end of the connection, without a time limit
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
    """Caches pages that are the same for all visitors who are not signed in, for a short time.

    A ranking is rendered only once in that time, regardless of its number of readers. While it is rendered again, they
    get the previous version. Only pages with the header ``x-snapshot`` are cached. They have an ETag, so a browser that
    has the current version is answered without it; pages of users who are signed in have none.
    """

    SECONDS = 2.0
    STALE_S = 10.0
    MOST = 500

    def __init__(self, inner: Application, cookie: str) -> None:
        """Wrap an application; requests with this cookie are not cached."""
        self._inner = inner
        self._cookie = cookie.encode() + b"="
        self._cache: OrderedDict[bytes, tuple[float, bytes, list[Message]]] = OrderedDict()
        self._making: dict[bytes, asyncio.Lock] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from the cache, or pass the request to the application and cache its response."""
        if scope["type"] != "http" or scope["method"] != "GET" or self._is_personal(scope):
            await self._inner(scope, receive, send)
            return
        key = scope["path"].encode() + b"?" + scope.get("query_string", b"")
        if await self._answer(key, scope, send, self.STALE_S if key in self._making else self.SECONDS):
            return
        lock = self._making.setdefault(key, asyncio.Lock())
        try:
            async with lock:  # concurrent requests without a cached page wait for it
                if not await self._answer(key, scope, send, self.SECONDS):
                    await self._make(key, scope, receive, send)
        finally:
            self._making.pop(key, None)

    async def _answer(self, key: bytes, scope: Scope, send: Send, longest_s: float) -> bool:
        cached = self._cache.get(key)
        if cached is None or time.monotonic() - cached[0] > longest_s:
            return False
        await self._send(scope, send, *cached[1:])
        return True

    @staticmethod
    async def _send(scope: Scope, send: Send, tag: bytes, messages: list[Message]) -> None:
        """Send a page, or that the browser has it already."""
        known = [value for name, value in scope["headers"] if name == b"if-none-match"]
        if any(tag in (one.strip().removeprefix(b"W/") for one in value.split(b",")) for value in known):
            kept = [pair for pair in messages[0]["headers"] if pair[0] not in (b"content-length", b"content-type")]
            await send({"type": "http.response.start", "status": 304, "headers": kept})
            await send({"type": "http.response.body", "body": b""})
            return
        for message in messages:
            await send(dict(message))

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
            else:
                await send(message)

        await self._inner(scope, receive, sending)
        if keeps:
            body = b"".join(message.get("body", b"") for message in messages)
            tag = b'"' + hashlib.sha256(body).hexdigest()[:32].encode() + b'"'
            messages[0]["headers"] += [(b"etag", tag), (b"vary", b"Cookie, Authorization")]
            self._cache[key] = time.monotonic(), tag, messages
            await self._send(scope, send, tag, messages)
            self._cache.move_to_end(key)
            if len(self._cache) > self.MOST:
                self._cache.popitem(last=False)

    def _is_personal(self, scope: Scope) -> bool:
        return any(name in (b"cookie", b"authorization") and (name != b"cookie" or self._cookie in value)
                   for name, value in scope["headers"])  # fmt: skip


def _is_foreign(scope: Scope, headers: Headers) -> bool:
    """Whether a request was sent by a page of another site; programs other than browsers send neither header."""
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc != headers.get("host", "")
    except ValueError:  # not an address
        return True
