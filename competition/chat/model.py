"""The protocol of chat models: messages in, one reply out."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NotRequired, Protocol, TypedDict

from vgdl.competition.errors import CompetitionError


class Message(TypedDict):
    """A message of a conversation: a text, and pictures as PNG files in base64, which are shown after it."""

    role: Literal["system", "user", "assistant"]
    content: str
    pictures: NotRequired[list[str]]


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings for sampling a reply; None leaves a setting to the provider."""

    max_tokens: int = 4096  #: maximum tokens of the reply
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None

    def request_fields(self) -> dict[str, Any]:
        """The settings that are not left to the provider."""
        return {name: value for name, value in asdict(self).items() if value is not None}


class Fault(enum.StrEnum):
    """What is wrong with a reply as a whole, whatever it says; its tokens are paid for all the same."""

    CUT = "cut"  #: it ended at its limit of tokens
    ONLY_REASONING = "only reasoning"  #: the model thought, and gave no answer
    FILTERED = "filtered"  #: a content filter of the provider withheld it
    EMPTY = "empty"


_TAG = re.compile(r"<(/?)(?:think(?:ing)?|thought)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a model."""

    text: str  #: empty if the model returned no content
    finish_reason: str  #: ``stop``, ``length`` if the reply was cut at ``max_tokens``, ``content_filter``, ...
    prompt_tokens: int
    completion_tokens: int
    model: str  #: the name that the provider gave
    seconds: float  #: wall time, including retries
    retries: int = 0
    cached: bool = False
    reasoning_tokens: int = 0  #: those of the completion tokens that the provider reports as reasoning
    reasoned: bool = False  #: whether the endpoint returned reasoning apart from the text
    without: tuple[str, ...] = ()  #: what was changed in the request because the endpoint refused it, in words

    @property
    def truncated(self) -> bool:
        """Whether the reply was cut at its limit of tokens."""
        return self.finish_reason == "length"

    @property
    def answer(self) -> str:
        """The text without thinking blocks: a block that is not closed ends with the text, and starts with it if it was
        not opened, since the templates of some models open it.
        """
        kept: list[str] = []
        start, is_open = 0, False
        for tag in _TAG.finditer(self.text):
            if tag[1]:
                if not is_open:
                    kept.clear()
                start, is_open = tag.end(), False
            elif not is_open:
                kept.append(self.text[start : tag.start()])
                is_open = True
        return "".join(kept if is_open else [*kept, self.text[start:]])

    @property
    def fault(self) -> Fault | None:
        """What is wrong with the reply as a whole, if anything."""
        if self.finish_reason == "content_filter":
            return Fault.FILTERED
        if not self.answer.strip():
            if self.reasoned or self.reasoning_tokens or self.text.strip():
                return Fault.ONLY_REASONING
            return Fault.CUT if self.truncated else Fault.EMPTY
        return Fault.CUT if self.truncated else None


class ChatError(CompetitionError):
    """A model could not be asked; the message says why and what to do."""

    player: str = ""  #: who could not be asked, as far as known


class TransportError(ChatError):
    """The endpoint gave no reply after all retries. Nothing is known about the model: resume later."""


class EndpointUnreachable(ChatError):
    """The endpoint has not replied for so many requests that it is not asked any more in this run."""


class RequestRefused(ChatError):
    """The endpoint refused the request, for example for a wrong key or model name; a retry would not help."""


class ChatModel(Protocol):
    """A language model, or a program that answers like one."""

    @property
    def name(self) -> str:
        """The model's name, part of the key under which its replies are cached."""

    def complete(self, messages: Sequence[Message], sampling: Sampling, key: Sequence[str | int]) -> Reply:
        """Answer a conversation.

        Args:
            messages: the conversation so far.
            sampling: settings for sampling the reply.
            key: identifies this request among all of a run, for example match, player and turn.

        Raises:
            TransportError: there is no reply after all retries.
            RequestRefused: the request was refused.
        """
