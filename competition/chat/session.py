"""Requests of tracks to models: from the cache if possible, within limits, at a bounded rate."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vgdl.competition.chat.accounts import Accounts
from vgdl.competition.chat.cache import Cache, request_key
from vgdl.competition.chat.model import (
    ChatError,
    ChatModel,
    EndpointUnreachable,
    Message,
    Reply,
    RequestRefused,
    Sampling,
    TransportError,
)

_MINUTE_S = 60.0
_IN_VAIN = 3  #: failed requests before the first reply, after which a player is not asked any more


@dataclass(frozen=True, slots=True)
class Patience:
    """How many requests may fail, lost or refused."""

    in_a_row: int = 10  #: of a player that has replied before, after which it is not asked any more
    in_all: int | None = None  #: of the run, after which it ends


class RateLimit:
    """Limits the number of calls in any minute; calls that come too early wait. May be used by several threads."""

    def __init__(
        self,
        per_minute: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if per_minute < 1:
            raise ValueError(f"a rate limit allows at least one call per minute, not {per_minute}")
        self._per_minute = per_minute
        self._clock = clock
        self._sleep = sleep
        self._calls: deque[float] = deque(maxlen=per_minute)
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Return when the next call may be made."""
        with self._lock:  # waiting threads queue here
            if len(self._calls) == self._per_minute:
                self._sleep(max(0.0, self._calls[0] + _MINUTE_S - self._clock()))
            self._calls.append(self._clock())


class ChatSession:
    """Models asked through one cache and one set of accounts."""

    def __init__(
        self,
        cache: Cache,
        accounts: Accounts | None = None,
        rate: RateLimit | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.cache = cache
        self.accounts = accounts or Accounts()
        self._rate = rate
        self._patience = patience or Patience()
        self._failures: Counter[str] = Counter()  # requests in a row without a reply, by player
        self._failed = 0
        self._answered: set[str] = set()
        self._given_up: dict[str, tuple[str, ChatError]] = {}  # why, and the last error, by player

    def ask(
        self,
        model: ChatModel,
        messages: Sequence[Message],
        sampling: Sampling,
        *,
        version: str,
        key: Sequence[str | int],
        label: str = "",
        player: str = "",
    ) -> Reply:
        """Return a model's reply.

        Args:
            model: the model to ask.
            messages: the conversation.
            sampling: settings for sampling the reply.
            version: version of the prompt, for example the hash of its template.
            key: identifies this request among equal ones of the run: match, player, turn, attempt.
            label: label for the accounts, for example the game.
            player: whose request it is, for accounts, limits and patience; by default the model's name.

        Raises:
            TransportError: there is no reply after all retries.
            RequestRefused: the endpoint refused the request.
            EndpointUnreachable: so many requests of the player failed that it is not asked any more.
            PatienceLost: so many requests of the run failed that it has to end.
            LimitReached: the call could exceed a limit; it was not made.
            NotCached: the cache is the only source, and has no reply.
        """
        player = player or model.name
        digest = request_key(model.name, messages, sampling, version, key)
        reply = self.cache.get(digest)
        if reply is not None:
            self.accounts.settle(player, label, reply)
            return reply
        try:
            if player in self._given_up:
                reason, cause = self._given_up[player]
                raise EndpointUnreachable(reason) from cause
            reserved = self.accounts.reserve(player, messages, sampling)
            try:
                if self._rate is not None:
                    self._rate.wait()
                reply = model.complete(messages, sampling, key)
            except BaseException as error:
                self.accounts.release(player, reserved)
                if isinstance(error, TransportError | RequestRefused):
                    self._count(player, error)
                raise
        except ChatError as error:
            error.player = player
            raise
        self._answered.add(player)
        self._failures[player] = 0
        self.cache.put(digest, reply, model.name)
        self.accounts.settle(player, label, reply, reserved)
        return reply

    def _count(self, player: str, error: ChatError) -> None:
        """Count a failed request.

        Raises:
            EndpointUnreachable, PatienceLost: it was one too many.
        """
        self._failures[player] += 1
        self._failed += 1
        most = self._patience.in_all
        if most is not None and self._failed >= most:
            raise PatienceLost(f"{self._failed} requests of the run have failed, the last one: {error}") from error
        in_vain = player not in self._answered
        if self._failures[player] >= (_IN_VAIN if in_vain else self._patience.in_a_row):
            first = "the first" if in_vain else "the last"
            reason = f"no reply to {first} {self._failures[player]} requests: {error}"
            self._given_up[player] = (reason, error)
            raise EndpointUnreachable(reason) from error


class PatienceLost(ChatError):
    """So many requests of a run failed that it ends. Finished work is safe; a resumed run continues."""
