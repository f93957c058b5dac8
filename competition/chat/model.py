"""The protocol of chat models: messages in, one reply out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol, TypedDict

from vgdl.competition.errors import CompetitionError


class Message(TypedDict):
    """A message of a conversation, in the format of the chat-completions API."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings for sampling a reply; None leaves a setting to the provider."""

    max_tokens: int = 4096  #: maximum tokens of the reply
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None

    def given(self) -> dict[str, Any]:
        """The settings that are not left to the provider."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a model."""

    text: str  #: empty if the model returned no content
    finish_reason: str  #: ``stop``, or ``length`` if the reply was cut at ``max_tokens``
    prompt_tokens: int
    completion_tokens: int
    model: str  #: the name that the provider gave
    seconds: float  #: wall time, including retries
    retries: int = 0
    cached: bool = False

    @property
    def truncated(self) -> bool:
        """Whether the reply was cut at its limit of tokens."""
        return self.finish_reason == "length"


class ChatError(CompetitionError):
    """A model could not be asked; the message says why and what to do."""


class TransportError(ChatError):
    """The endpoint gave no reply after all retries. Nothing is known about the model: resume later."""


class EndpointUnreachable(ChatError):
    """The endpoint has not replied to any request of the run: further ones would take long and fail, too."""


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
