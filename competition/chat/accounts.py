"""Usage of models in calls, tokens, seconds and money, and the limits of a run."""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from vgdl.competition.chat.model import ChatError, Fault, Message, Reply, Sampling

CHARACTERS_PER_TOKEN = 2
"""Minimum number of characters per prompt token, for the estimate before a call."""


PICTURE_TOKENS = 2_000
"""The most tokens that a picture of 512×512 pixels should have; providers count some 85 to 1,600."""


def prompt_at_most(messages: Iterable[Message]) -> int:
    """The most tokens that a conversation should have, with its pictures."""
    listed = list(messages)
    pictures = sum(len(message.get("pictures", ())) for message in listed)
    return tokens_at_most(message["content"] for message in listed) + PICTURE_TOKENS * pictures


def tokens_at_most(texts: Iterable[str]) -> int:
    """The most tokens that some texts should have, for limits where nothing has counted them."""
    return sum(map(len, texts)) // CHARACTERS_PER_TOKEN + 1


class LimitReached(ChatError):
    """The next call could exceed a limit of the run. Finished work is safe; a resumed run continues."""


class PlayerLimitReached(LimitReached):
    """The next call could exceed a limit of the player; others go on."""


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
    reasoning_tokens: int = 0  #: those of the completion tokens that were reported as reasoning
    seconds: float = 0.0
    cost: float = 0.0
    cut: int = 0  #: replies that ended at their limit of tokens
    unanswered: int = 0  #: replies without an answer: only reasoning, filtered, or empty
    faulty_tokens: int = 0  #: completion tokens of these two kinds of replies

    def add(self, reply: Reply, price: Price) -> None:
        if reply.cached:
            self.cached += 1
            return
        self.calls += 1
        self.retries += reply.retries
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
        self.reasoning_tokens += reply.reasoning_tokens
        if reply.fault is not None:
            self.cut += reply.fault is Fault.CUT
            self.unanswered += reply.fault is not Fault.CUT
            self.faulty_tokens += reply.completion_tokens
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

    def add(self, calls: int, tokens: int, cost: float) -> None:
        self.calls += calls
        self.tokens += tokens
        self.cost += cost


@dataclass
class Accounts:
    """Usage by player and by label, within limits. May be used by several threads.

    The worst case of a call is reserved before it is made, and settled by its actual usage, so that parallel calls
    cannot exceed a limit together. Prices and limits belong to players: two may use the same model.
    """

    limits: Limits = field(default_factory=Limits)  #: of the run
    prices: Mapping[str, Price | None] = field(default_factory=dict)  #: by player
    own_limits: Mapping[str, Limits] = field(default_factory=dict)  #: by player

    def __post_init__(self) -> None:
        self.total = Usage()
        self.by_player: defaultdict[str, Usage] = defaultdict(Usage)
        self.by_label: defaultdict[tuple[str, str], Usage] = defaultdict(Usage)
        self.without: dict[str, tuple[str, ...]] = {}  #: by player, what its endpoint refused of requests
        self._reserved = _Reserve()
        self._reserved_by: defaultdict[str, _Reserve] = defaultdict(_Reserve)
        self._lock = threading.Lock()

    def reserve(self, player: str, messages: Sequence[Message], sampling: Sampling) -> tuple[int, float]:
        """Reserve the maximum that a call may use.

        Returns:
            Tokens and cost, to be passed to ``settle`` or ``release``.

        Raises:
            LimitReached: the call could exceed a limit of the run.
            PlayerLimitReached: it could exceed one of the player.
        """
        prompt = prompt_at_most(messages)
        tokens = prompt + sampling.max_tokens
        cost = self._price(player).of(prompt, sampling.max_tokens)
        own = self.own_limits.get(player, Limits())
        with self._lock:
            _check(self.total, self._reserved, self.limits, tokens, cost)
            _check(self.by_player[player], self._reserved_by[player], own, tokens, cost, player)
            for held in (self._reserved, self._reserved_by[player]):
                held.add(1, tokens, cost)
        return tokens, cost

    def release(self, player: str, reserved: tuple[int, float]) -> None:
        """Give back a reservation whose call got no reply."""
        with self._lock:
            for held in (self._reserved, self._reserved_by[player]):
                held.add(-1, -reserved[0], -reserved[1])

    def settle(self, player: str, label: str, reply: Reply, reserved: tuple[int, float] | None = None) -> None:
        """Book a reply under a player and a label, for example the game; a reply from the cache had no reservation."""
        if reserved is not None:
            self.release(player, reserved)
        price = self._price(player)
        with self._lock:
            for usage in (self.total, self.by_player[player], self.by_label[player, label]):
                usage.add(reply, price)
            self.without[player] = tuple(dict.fromkeys((*self.without.get(player, ()), *reply.without)))

    def _price(self, player: str) -> Price:
        return self.prices.get(player) or Price()


def _check(used: Usage, held: _Reserve, limits: Limits, tokens: int, cost: float, player: str = "") -> None:
    """Check a call of so many tokens and such a cost against limits.

    Raises:
        LimitReached: it could exceed one; `PlayerLimitReached` if they are a player's.
    """
    used_tokens = used.prompt_tokens + used.completion_tokens
    for what, needed, limit in (
        ("calls", used.calls + held.calls + 1, limits.max_calls),
        ("tokens", used_tokens + held.tokens + tokens, limits.max_tokens),
        ("cost", used.cost + held.cost + cost, limits.max_cost),
    ):
        if limit is not None and needed > limit:
            whose = f" of {player}" if player else ""
            text = f"the next call could exceed the limit{whose} of {limit:g} on {what}; raise it and resume"
            raise PlayerLimitReached(text) if player else LimitReached(text)
