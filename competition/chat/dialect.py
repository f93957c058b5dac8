"""The body of requests, and what it becomes where an endpoint refuses one of its fields.

Endpoints that call themselves compatible differ in which fields they accept. When one is refused by name, the request
is repeated without it, and the client remembers that; `docs/models.md` has a table of what was tried.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from vgdl.competition.chat.fields import LIMIT_FIELDS, Fields
from vgdl.competition.chat.model import Message, Sampling
from vgdl.competition.chat.replies import ErrorFacts

_OPTIONAL = ("stream_options", "seed", "top_p", "temperature", "stream")
"""Fields that a request can do without, in the order in which they are given up where a message names several."""

_REFUSED = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|extra_forbidden|extra (?:inputs|fields)|not permitted"
    r"|not allowed|must be verified|cannot find field|cannot both|deprecated|not enabled|only the default"
    r"|use 'max_completion_tokens'",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"(?:system|developer)\W+(?:\w+\W+){0,2}?(?:role|instruction|message|prompt)|role\W.*(?:system|developer)",
    re.IGNORECASE,
)


class Dialect:
    """What one endpoint accepts, as far as it is known."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._limit_field = fields.max_tokens_field or LIMIT_FIELDS[0]
        self._role = fields.system
        self._left_out: set[str] = set() if fields.stream else {"stream", "stream_options"}
        self.changes: tuple[str, ...] = ()  #: what was changed because the endpoint refused it, in words

    def body(self, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
        """The body of a request, without the model."""
        settings = sampling.request_fields()
        limit = settings.pop("max_tokens")
        optional = {**settings, "stream": True, "stream_options": {"include_usage": True}}
        if "stream" in self._left_out:
            del optional["stream_options"]
        effort = {"reasoning_effort": self._fields.reasoning_effort} if self._fields.reasoning_effort else {}
        return {
            "messages": self._messages(messages),
            self._limit_field: limit,
            **{name: value for name, value in optional.items() if name not in self._left_out},
            **effort,
            **self._fields.extra_body,
        }

    def _messages(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """The messages in the format of the API, with instructions in the role that the model has for them."""
        if self._role != "user":
            roles = {"system": self._role}
            return [{"role": roles.get(each["role"], each["role"]), "content": _content(each)} for each in messages]
        instructions = [each["content"] for each in messages if each["role"] == "system"]
        others = [each for each in messages if each["role"] != "system"]
        if instructions:
            first: Message = {"role": "user", "content": "\n\n".join(instructions)}
            if others and others[0]["role"] == "user":
                asked = others.pop(0)
                first = {**asked, "content": f"{first['content']}\n\n{asked['content']}"}
            others.insert(0, first)
        return [{"role": each["role"], "content": _content(each)} for each in others]

    def adapt(self, error: ErrorFacts, sent: dict[str, Any]) -> bool:
        """Give up a field that an endpoint refused; returns False if nothing can be given up.

        Args:
            error: the endpoint's error.
            sent: the body that was refused; another thread may have adapted since.
        """
        if not _REFUSED.search(error.message):
            return False
        if any(message["role"] in ("system", "developer") for message in sent["messages"]) and (
            error.parameter.endswith(".role") or _ROLE.search(error.message)
        ):
            self._change("role", "with instructions as part of the user's message")
            self._role = "user"
            return True
        name = self._named(error, sent)
        if name in LIMIT_FIELDS:
            other = LIMIT_FIELDS[1 - LIMIT_FIELDS.index(name)]
            if self._fields.max_tokens_field or ("limit" in self._left_out and self._limit_field == name):
                return False
            self._limit_field = other
            self._change("limit", f"with {other} instead of {name}")
            return True
        if not name or name in self._fields.extra_body:
            return False
        self._change(name, f"without {name}")
        return True

    def _named(self, error: ErrorFacts, sent: dict[str, Any]) -> str:
        """The field of a request that an error is about; empty if it is about none that can be given up."""
        known = [name for name in (*LIMIT_FIELDS, *_OPTIONAL) if name in sent]
        if error.parameter in known:
            return error.parameter
        return next((name for name in known if re.search(rf"(?<!\w){name}(?!\w)", error.message)), "")

    def _change(self, name: str, words: str) -> None:
        self._left_out.add(name)
        if words not in self.changes:
            self.changes = (*self.changes, words)


def _content(message: Message) -> str | list[dict[str, Any]]:
    """What a message says in the format of the API: a text, or parts if there are pictures."""
    shown = [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}
        for picture in message.get("pictures", ())
    ]
    return [{"type": "text", "text": message["content"]}, *shown] if shown else message["content"]
