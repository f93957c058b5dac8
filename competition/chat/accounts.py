"""Usage of models in calls, tokens, seconds and money, and the limits of a run."""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from vgdl.competition.chat.model import ChatError, Message, Reply, Sampling

CHARACTERS_PER_TOKEN = 2
"""Minimum number of characters per prompt token, for the estimate before a call."""


def tokens_at_most(texts: Iterable[str]) -> int:
    """The most tokens that some texts should have, for limits where nothing has counted them."""
    return sum(map(len, texts)) // CHARACTERS_PER_TOKEN + 1


class LimitReached(ChatError):
    """The next call could exceed a limit of the run. Finished work is safe; a resumed run continues."""


@dataclass(frozen=True, slots=True)
class Price:
    """Prices of a model, per million tokens, in any one currency."""

    prompt: float = 0.0
    completion: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a price written ``2.5/10``.

        Raises:
            ValueError: it has another form, or one of the numbers is negative or not finite.
        """
        try:
            prompt, completion = (float(part) for part in text.split("/"))
        except ValueError:
            expected = "a price must have the form IN/OUT per million tokens, for example 2.5/10"
            raise ValueError(f"{expected}, not {text!r}") from None
        if not (0 <= prompt < math.inf and 0 <= completion < math.inf):
            raise ValueError(f"the prices {text!r} must be finite and not negative")
        return cls(prompt, completion)

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


@dataclass(slots=True)
class Usage:
    """The usage of some calls. Replies from the cache only count as ``cached``."""

    calls: int = 0
    cached: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    def add(self, reply: Reply, price: Price) -> None:
        if reply.cached:
            self.cached += 1
            return
        self.calls += 1
        self.retries += reply.retries
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
        self.seconds += reply.seconds
        self.cost += price.of(reply.prompt_tokens, reply.completion_tokens)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a run; None for no limit."""

    max_calls: int | None = None
    max_tokens: int | None = None  #: of prompts and replies together
    max_cost: float | None = None


@dataclass(slots=True)
class _Reserve:
    """The most that pending calls may use."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0


@dataclass
class Accounts:
    """Usage by model and by label, within limits. May be used by several threads.

    The worst case of a call is reserved before it is made, and settled by its actual usage, so that parallel calls
    cannot exceed a limit together.
    """

    limits: Limits = field(default_factory=Limits)
    prices: Mapping[str, Price] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.total = Usage()
        self.by_model: defaultdict[str, Usage] = defaultdict(Usage)
        self.by_label: defaultdict[tuple[str, str], Usage] = defaultdict(Usage)
        self._reserved = _Reserve()
        self._lock = threading.Lock()

    def reserve(self, model: str, messages: Sequence[Message], sampling: Sampling) -> tuple[int, float]:
        """Reserve the maximum that a call may use.

        Returns:
            Tokens and cost, to be passed to ``settle`` or ``release``.

        Raises:
            LimitReached: the call could exceed a limit.
        """
        prompt = tokens_at_most(message["content"] for message in messages)
        tokens = prompt + sampling.max_tokens
        cost = self._price(model).of(prompt, sampling.max_tokens)
        with self._lock:
            used, held, limits = self.total, self._reserved, self.limits
            used_tokens = used.prompt_tokens + used.completion_tokens
            _check("calls", used.calls + held.calls + 1, limits.max_calls)
            _check("tokens", used_tokens + held.tokens + tokens, limits.max_tokens)
            _check("cost", used.cost + held.cost + cost, limits.max_cost)
            held.calls += 1
            held.tokens += tokens
            held.cost += cost
        return tokens, cost

    def release(self, reserved: tuple[int, float]) -> None:
        """Give back a reservation whose call got no reply."""
        with self._lock:
            self._reserved.calls -= 1
            self._reserved.tokens -= reserved[0]
            self._reserved.cost -= reserved[1]

    def settle(self, model: str, label: str, reply: Reply, reserved: tuple[int, float] | None = None) -> None:
        """Book a reply under a model and a label, for example the game; a reply from the cache had no reservation."""
        if reserved is not None:
            self.release(reserved)
        price = self._price(model)
        with self._lock:
            for usage in (self.total, self.by_model[model], self.by_label[model, label]):
                usage.add(reply, price)

    def _price(self, model: str) -> Price:
        return self.prices.get(model, Price())


def _check(what: str, wanted: float, limit: float | None) -> None:
    if limit is not None and wanted > limit:
        raise LimitReached(f"the next call could exceed the limit of {limit:g} on {what}; raise it and resume")
