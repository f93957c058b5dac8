"""A client for OpenAI-compatible endpoints, with the retries of the ``openai`` package."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from vgdl.competition.addresses import is_http_address
from vgdl.competition.chat.accounts import tokens_at_most
from vgdl.competition.chat.bounds import bounded
from vgdl.competition.chat.model import ChatError, Message, Reply, RequestRefused, Sampling, TransportError
from vgdl.extras import needs

RETRIES = 5
"""Retries of a request after network errors, timeouts, and the statuses 408, 409, 429 and 5xx."""

TIMEOUT_S = 300.0
"""Seconds to wait for a reply before the request counts as lost."""

MAX_BYTES = 8 << 20
"""Maximum size of a reply in bytes."""

MAX_MESSAGE = 500
"""Maximum number of characters shown of a server's message."""

_RETRY_COUNT = "x-stainless-retry-count"


class OpenAIChat:
    """A model behind ``POST {base_url}/chat/completions``.

    The key is read from an environment variable when the client is made. It never appears in messages, logs or
    ``repr``.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key_env: str = "OPENAI_API_KEY",
        max_tokens_field: str = "max_tokens",
        extra_body: Mapping[str, Any] | None = None,
        timeout_s: float = TIMEOUT_S,
        retries: int = RETRIES,
    ) -> None:
        """Prepare to ask the model; nothing is sent yet.

        Args:
            base_url: base URL of the API, for example ``https://host/v1``.
            model: its name at the provider.
            api_key_env: the environment variable that holds the key; endpoints without keys ignore it.
            max_tokens_field: the request's field for the limit of tokens; some models need another name.
            extra_body: further fields of each request.
            timeout_s: seconds to wait for a whole reply.
            retries: maximum repetitions of a request without an answer, or with one that is not a chat completion.

        Raises:
            ChatError: the package ``openai`` is missing, or ``base_url`` is not an address.
        """
        try:
            import openai
        except ImportError:
            raise ChatError(needs("a language model", "openai", "llm")) from None
        if not is_http_address(base_url):
            raise ChatError(f"{base_url!r} is not an address of an endpoint: expected one like https://host/v1")
        self._openai = openai
        self._model = model
        self._max_tokens_field = max_tokens_field
        self._retries = retries
        self._extra_body = dict(extra_body or {})
        self._key = os.environ.get(api_key_env, "")
        self._client = openai.OpenAI(
            base_url=base_url,
            api_key=self._key or "none",
            timeout=timeout_s,
            max_retries=retries,
            http_client=openai.DefaultHttpxClient(event_hooks=bounded(openai.DefaultHttpxClient, timeout_s, MAX_BYTES)),
        )

    def __repr__(self) -> str:
        return f"OpenAIChat({str(self._client.base_url)!r}, {self._model!r})"

    @property
    def name(self) -> str:
        return self._model

    def complete(self, messages: Sequence[Message], sampling: Sampling, key: Sequence[str | int]) -> Reply:
        settings = sampling.given()
        settings[self._max_tokens_field] = settings.pop("max_tokens")
        began = time.monotonic()
        lost = 0  #: answers that were not chat completions, which the package does not retry
        while True:
            text, retries = self._ask(messages, settings)
            try:
                return self._reply(messages, text, time.monotonic() - began, lost + retries)
            except TransportError:
                if lost == self._retries:
                    raise
                lost += 1

    def _ask(self, messages: Sequence[Message], settings: dict[str, Any]) -> tuple[object, int]:
        """Return the body of the answer, and the number of retries by the package."""
        try:
            raw = self._client.chat.completions.with_raw_response.create(
                model=self._model,
                messages=list(messages),  # type: ignore[arg-type]  # the package expects a class for each role
                extra_body={**settings, **self._extra_body},
            )
        except self._openai.APIStatusError as error:
            raise self._refusal(error) from None
        except self._openai.APIConnectionError as error:  # timeouts included
            raise TransportError(f"{self._model}: {self._shown(error)}") from None
        return raw.text, int(raw.http_request.headers.get(_RETRY_COUNT, 0))

    def _refusal(self, error: Any) -> ChatError:
        lost = error.status_code in {408, 409, 429} or error.status_code >= 500
        text = f"{self._model}: the endpoint answered {error.status_code}: {self._shown(error)}"
        return TransportError(text) if lost else RequestRefused(text)

    def _shown(self, error: Exception) -> str:
        """A message without the key, in printable characters."""
        text = str(error)
        if self._key:
            text = text.replace(self._key, "***")
        return "".join(c if c.isprintable() else " " for c in text)[:MAX_MESSAGE]

    def _reply(self, messages: Sequence[Message], text: object, seconds: float, retries: int) -> Reply:
        """Read a response; one that is not a chat completion is a fault of the transport.

        An endpoint that does not count tokens is charged the most that the texts should have, so that limits hold.
        """
        try:
            body = json.loads(text() if callable(text) else str(text))
            choice = body["choices"][0]
            content = choice["message"].get("content")
            answer = "" if content is None else str(content)
            usage = body.get("usage") or {}
            prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
            if prompt is None:
                prompt = tokens_at_most(message["content"] for message in messages)
            if completion is None:
                completion = tokens_at_most([answer])
            return Reply(
                text=answer,
                finish_reason=str(choice.get("finish_reason") or "stop"),
                prompt_tokens=max(0, int(prompt)),  # less would extend the budget
                completion_tokens=max(0, int(completion)),
                model=str(body.get("model") or self._model),
                seconds=seconds,
                retries=retries,
            )
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, RecursionError):
            raise TransportError(f"{self._model}: the endpoint's answer is not a chat completion") from None
