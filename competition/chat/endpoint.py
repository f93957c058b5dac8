"""A client for OpenAI-compatible endpoints: streaming, retries, and requests that adapt to what an endpoint accepts."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vgdl.competition.chat.accounts import prompt_at_most
from vgdl.competition.chat.bounds import bounded, library_of
from vgdl.competition.chat.dialect import Dialect
from vgdl.competition.chat.fields import KEY_ENV, TIMEOUT_S, Endpoint, FieldInvalid, Fields, check_address
from vgdl.competition.chat.model import ChatError, Message, Reply, RequestRefused, Sampling, TransportError
from vgdl.competition.chat.replies import (
    ErrorBody,
    ErrorFacts,
    Malformed,
    Parts,
    error_of,
    read_stream,
    read_whole,
)  # fmt: skip
from vgdl.extras import needs

RETRIES = 5
"""Retries of a request after network errors, and the statuses 408, 409, 429 and 5xx."""

CONNECT_S = 20.0
"""Seconds to wait for a connection."""

WHOLE_S = 3600.0
"""Seconds that a reply may take in all that comes in parts."""

MAX_BYTES = 8 << 20
"""Maximum size of a reply in bytes; a stream, which repeats its frame for every token, may have eight times as many."""

MAX_MESSAGE = 500
"""Maximum number of characters shown of a server's message."""

_LONGEST_WAIT_S = 60.0
_MOST_CHANGES = 8  #: repetitions of a request with fewer fields


class _Lost(TransportError):
    """One request got no reply."""

    def __init__(self, message: str, *, wait_s: float | None = None, repeats: bool = True) -> None:
        super().__init__(message)
        self.wait_s = wait_s  #: as the endpoint wishes
        self.repeats = repeats  #: whether to send it again


class _Refused(RequestRefused):
    """One request was refused."""

    def __init__(self, message: str, error: ErrorFacts) -> None:
        super().__init__(message)
        self.error = error


class OpenAIChat:
    """A model behind ``POST {base_url}/chat/completions``.

    The key is read from an environment variable when the client is made. It never appears in messages, logs or
    ``repr``. May be used by several threads.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key_env: str = KEY_ENV,
        max_tokens_field: str = "",
        extra_body: Mapping[str, Any] | None = None,
        timeout_s: float = TIMEOUT_S,
        fields: Fields | None = None,
        retries: int | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare to ask the model; nothing is sent yet.

        Args:
            base_url: base URL of the API, for example ``https://host/v1``.
            model: its name at the provider.
            api_key_env: the environment variable that holds the key; endpoints without keys ignore it.
            max_tokens_field: the request's field for the limit of tokens; by default ``max_tokens``, or
                ``max_completion_tokens`` where the endpoint refuses that.
            extra_body: further fields of each request.
            timeout_s: seconds without data after which a request is lost.
            fields: all fields of requests, in place of the three above.
            retries: maximum repetitions of a request without an answer, or with one that is not a chat completion; by
                default `RETRIES`. A request whose answer was waited for in vain is not repeated, since it may have been
                charged.
            sleep: waits between retries.

        Raises:
            ChatError: the package ``openai`` is missing, ``base_url`` is not an address, or a variable is not set.
        """
        try:
            import openai
        except ImportError:
            raise ChatError(needs("a language model", "openai", "llm")) from None
        chosen = fields or Fields(max_tokens_field=max_tokens_field, extra_body=extra_body or {}, timeout=timeout_s)
        self._openai = openai
        self._model = model
        self._retries = RETRIES if retries is None else retries
        self._sleep = sleep
        self._dialect = Dialect(chosen)
        self._key = os.environ.get(api_key_env, "")
        try:
            check_address(base_url)
            headers = chosen.resolved_headers()
        except FieldInvalid as error:
            raise ChatError(error.message) from None
        self._secrets = sorted({self._key, *chosen.secrets()} - {""}, key=len, reverse=True)
        self._library = library_of(openai.DefaultHttpxClient)
        hooks = bounded(openai.DefaultHttpxClient, chosen.timeout, MAX_BYTES, stream_s=WHOLE_S)
        self._client = openai.OpenAI(
            base_url=base_url,
            api_key=self._key or "none",
            timeout=openai.Timeout(chosen.timeout, connect=min(CONNECT_S, chosen.timeout)),
            max_retries=0,
            default_headers=headers,
            http_client=openai.DefaultHttpxClient(event_hooks=hooks),
        )

    @classmethod
    def of(cls, endpoint: Endpoint) -> OpenAIChat:
        """The client of an endpoint.

        Raises:
            ChatError: as above.
        """
        return cls(endpoint.url, endpoint.model, api_key_env=endpoint.key_env, fields=endpoint.fields)

    def __repr__(self) -> str:
        return f"OpenAIChat({str(self._client.base_url)!r}, {self._model!r})"

    @property
    def name(self) -> str:
        return self._model

    def complete(self, messages: Sequence[Message], sampling: Sampling, key: Sequence[str | int]) -> Reply:
        began = time.monotonic()
        retries = changes = 0
        while True:
            body = self._dialect.body(messages, sampling)
            try:
                parts = self._ask(body)
                reply = parts.reply(prompt_at_most(messages), self._model, time.monotonic() - began, retries)
                return replace(reply, text=self._hidden(reply.text), without=self._dialect.changes)
            except _Lost as lost:
                if not lost.repeats or retries == self._retries:
                    raise
                self._sleep(_wait_s(retries) if lost.wait_s is None else lost.wait_s)
                retries += 1
            except Malformed:
                if retries == self._retries:
                    text = f"{self._model}: the endpoint's answer is not a chat completion"
                    raise TransportError(text) from None
                retries += 1
            except _Refused as refused:
                changes += 1
                if changes > _MOST_CHANGES or not self._dialect.adapt(refused.error, body):
                    raise

    def _ask(self, body: Mapping[str, Any]) -> Parts:
        """Send a request, and read the reply."""
        create = self._client.chat.completions.with_streaming_response.create
        messages = body["messages"]
        rest = {name: value for name, value in body.items() if name != "messages"}
        try:
            with create(model=self._model, messages=messages, extra_body=rest) as response:
                if "text/event-stream" in response.headers.get("Content-Type", ""):
                    return read_stream(response.iter_bytes())
                return read_whole(response.read())
        except ErrorBody as error:
            raise self._failure(error.error.status or 500, error.error, None) from None
        except self._openai.APIStatusError as error:
            raise self._failure(error.status_code, _facts(error.response.text), error.response.headers) from None
        except self._openai.APIConnectionError as error:  # timeouts included
            raise self._lost(error, error.__cause__) from None
        except self._library.HTTPError as error:  # in the middle of a reply
            raise self._lost(error, error) from None

    def _lost(self, error: Exception, cause: BaseException | None) -> _Lost:
        is_late = isinstance(cause, self._library.ReadTimeout)
        hint = "; it is not sent again, since it may be charged" if is_late else ""
        what = "Request timed out." if is_late else str(error)
        return _Lost(f"{self._model}: {self._shown(what)}{hint}", repeats=not is_late)

    def _failure(self, status: int, error: ErrorFacts, headers: Mapping[str, str] | None) -> _Lost | _Refused:
        text = f"{self._model}: the endpoint answered {status}: {self._shown(error.message)}"
        if status in {408, 409, 429} or status >= 500:
            return _Lost(text, wait_s=_wished_s(headers or {}))
        return _Refused(text, error)

    def _hidden(self, text: str) -> str:
        """A text without keys."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def _shown(self, text: str) -> str:
        """A message without keys, in printable characters."""
        return "".join(c if c.isprintable() else " " for c in self._hidden(text))[:MAX_MESSAGE]


def _facts(text: str) -> ErrorFacts:
    """What the body of an error says."""
    try:
        found = error_of(json.loads(text))
    except (ValueError, RecursionError):
        found = None
    return found or ErrorFacts(text)


def _wait_s(retries: int) -> float:
    """Seconds to wait before a retry."""
    return min(_LONGEST_WAIT_S, 2.0**retries) * random.uniform(0.75, 1.0)


def _wished_s(headers: Mapping[str, str]) -> float | None:
    """Seconds that an endpoint wishes to be left alone; None if it does not say, or too many."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if 0 <= seconds <= _LONGEST_WAIT_S:
            return seconds
    return None
