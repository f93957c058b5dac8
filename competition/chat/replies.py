"""Reading what endpoints send: whole replies, replies in parts, and errors in their many forms."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from vgdl.competition.chat.accounts import tokens_at_most
from vgdl.competition.chat.model import Reply

MAX_CHARACTERS = 8 << 20
"""Maximum length of a reply's text."""

MOST_TOKENS = 10**12
"""Larger counts of tokens are no counts."""

_FINISH = {"max_tokens": "length", "model_length": "length", "safety": "content_filter", "refusal": "content_filter"}
"""Other names for reasons to end."""

_MALFORMED = (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError)


class Malformed(ValueError):
    """The endpoint's answer is not a chat completion."""


class ErrorBody(Exception):
    """The endpoint answered with an error, as described in the body."""

    def __init__(self, error: ErrorFacts) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(frozen=True, slots=True)
class ErrorFacts:
    """An error as an endpoint describes it."""

    message: str
    parameter: str = ""  #: the field of the request that it is about, if the endpoint says so
    status: int | None = None  #: the status that the body names


def error_of(body: Any) -> ErrorFacts | None:
    """The error that a body describes, in any of the forms of providers; None if it describes none."""
    if isinstance(body, list) and body:  # Google
        body = body[0]
    if not isinstance(body, dict):
        return None
    error = body.get("error")
    if not error and body.get("object") == "error":  # vLLM
        error = body
    if not error and "choices" not in body and body.get("detail"):  # FastAPI, for example Mistral
        error = {"message": body["detail"]}
    if not error:
        return None
    if not isinstance(error, dict):
        return ErrorFacts(_words(error))
    code = error.get("code", error.get("status"))
    status = int(code) if isinstance(code, int) or (isinstance(code, str) and code.isdecimal()) else None
    parameter = error.get("param")
    message = _words(error.get("message") or error)
    is_status = status is not None and 400 <= status < 600
    return ErrorFacts(message, parameter if isinstance(parameter, str) else "", status if is_status else None)


def _words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@dataclass
class Parts:
    """A reply that is being received."""

    texts: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    size: int = 0
    reasoned: bool = False
    finish: str = ""
    usage: dict[str, Any] = field(default_factory=dict)
    model: str = ""

    def add(self, body: Any) -> None:
        """Add a whole completion, or a part of one.

        Raises:
            ErrorBody: it is an error.
            Malformed: it is no completion.
        """
        if error := error_of(body):
            raise ErrorBody(error)
        try:
            self._add(body)
        except _MALFORMED:
            raise Malformed from None

    def _add(self, body: Any) -> None:
        usage = body.get("usage")
        if isinstance(usage, dict):
            self.usage = usage
        self.model = self.model or str(body.get("model") or "")
        for choice in body["choices"][:1]:
            part = choice["message"] if "message" in choice else choice.get("delta") or {}
            self._add_content(part.get("content"))
            if isinstance(refusal := part.get("refusal"), str):
                self.refusals.append(refusal)
            self.reasoned = self.reasoned or bool(part.get("reasoning_content") or part.get("reasoning"))
            reason = choice.get("finish_reason")
            if reason:
                self.finish = _FINISH.get(str(reason).lower(), str(reason)[:40])

    def _add_content(self, content: Any) -> None:
        for item in content if isinstance(content, list) else [content]:
            if isinstance(item, dict):
                kind, text = str(item.get("type")), item.get("text")
                if kind in ("thinking", "reasoning"):
                    self.reasoned = True
                elif isinstance(text, str):
                    self._add_text(text)
                elif kind == "refusal" and isinstance(item.get("refusal"), str):
                    self.refusals.append(item["refusal"])
            elif item is not None:
                self._add_text(str(item))

    def _add_text(self, text: str) -> None:
        self.size += len(text)
        if self.size > MAX_CHARACTERS:
            raise Malformed
        self.texts.append(text)

    def reply(self, prompt: int, model: str, seconds: float, retries: int) -> Reply:
        """The whole reply.

        An endpoint that does not count tokens is charged the most that the texts should have, so that limits hold.

        Args:
            prompt: the most tokens that what was sent should have.
            model: the model's name, if the endpoint gave none.
            seconds: wall time.
            retries: repetitions of the request.

        Raises:
            Malformed: counts of tokens are none.
        """
        text = "".join(self.texts) or "".join(self.refusals)
        details = self.usage.get("completion_tokens_details")
        prompt_tokens = self._count("prompt_tokens")
        completion_tokens = self._count("completion_tokens")
        return Reply(
            text=text,
            finish_reason=self.finish or "stop",
            prompt_tokens=prompt if prompt_tokens is None else prompt_tokens,
            completion_tokens=tokens_at_most([text]) if completion_tokens is None else completion_tokens,
            model=self.model or model,
            seconds=seconds,
            retries=retries,
            reasoning_tokens=(_whole(details.get("reasoning_tokens")) or 0) if isinstance(details, dict) else 0,
            reasoned=self.reasoned,
        )

    def _count(self, name: str) -> int | None:
        return _whole(self.usage.get(name))


def _whole(value: Any) -> int | None:
    """A count; a negative one, which would extend a budget, is 0."""
    if value is None:
        return None
    try:
        number = max(0, int(value))
    except _MALFORMED:
        raise Malformed from None
    if number > MOST_TOKENS:
        raise Malformed
    return number


def read_whole(body: bytes) -> Parts:
    """Read a reply that came as a whole.

    Raises:
        ErrorBody, Malformed: see `Parts.add`.
    """
    parts = Parts()
    try:
        facts = json.loads(body)
    except _MALFORMED:
        raise Malformed from None
    parts.add(facts)
    if not facts["choices"]:
        raise Malformed
    return parts


def read_stream(chunks: Iterable[bytes]) -> Parts:
    """Read a reply that comes as server-sent events.

    Raises:
        ErrorBody: an event is an error.
        Malformed: an event is no part of a completion, or the stream ended before the reply did.
    """
    parts = Parts()
    for line in _lines(chunks):
        if not line.startswith(b"data:"):
            continue  # comments that keep the connection alive, names of events
        data = line[len(b"data:") :].strip()
        if data == b"[DONE]":
            return parts
        try:
            body = json.loads(data)
        except _MALFORMED:
            raise Malformed from None
        parts.add(body)
    if not parts.finish:
        raise Malformed
    return parts


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a stream; only line feeds end one, unlike other characters of Unicode."""
    pending: list[bytes] = []
    for chunk in chunks:
        first, *others = chunk.split(b"\n")
        pending.append(first)
        for line in others:
            yield b"".join(pending)
            pending = [line]
    yield b"".join(pending)
