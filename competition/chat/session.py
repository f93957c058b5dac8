"""Requests of tracks to models: from the cache if possible, within limits, at a bounded rate."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence

from vgdl.competition.chat.accounts import Accounts
from vgdl.competition.chat.cache import Cache, request_key
from vgdl.competition.chat.model import (
    ChatModel,
    EndpointUnreachable,
    Message,
    Reply,
    Sampling,
    TransportError,
)

_MINUTE_S = 60.0
_IN_VAIN = 3  #: requests without a reply, before the first reply of a model, that end a run


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

    def __init__(self, cache: Cache, accounts: Accounts | None = None, rate: RateLimit | None = None) -> None:
        self.cache = cache
        self.accounts = accounts or Accounts()
        self._rate = rate
        self._in_vain: Counter[int] = Counter()  # requests without a reply, by identity of the model
        self._answered: set[int] = set()

    def ask(
        self,
        model: ChatModel,
        messages: Sequence[Message],
        sampling: Sampling,
        *,
        version: str,
        key: Sequence[str | int],
        label: str = "",
    ) -> Reply:
        """Return a model's reply.

        Args:
            model: the model to ask.
            messages: the conversation.
            sampling: settings for sampling the reply.
            version: version of the prompt, for example the hash of its template.
            key: identifies this request among equal ones of the run: match, player, turn, attempt.
            label: label for the accounts, for example the game.

        Raises:
            TransportError: there is no reply after all retries.
            EndpointUnreachable: so it was for the first three requests to the model.
            RequestRefused: the endpoint refused the request.
            LimitReached: the call could exceed a limit; it was not made.
            NotCached: the cache is the only source, and has no reply.
        """
        digest = request_key(model.name, messages, sampling, version, key)
        reply = self.cache.get(digest)
        if reply is not None:
            self.accounts.settle(model.name, label, reply)
            return reply
        reserved = self.accounts.reserve(model.name, messages, sampling)
        try:
            if self._rate is not None:
                self._rate.wait()
            reply = model.complete(messages, sampling, key)
        except BaseException as error:
            self.accounts.release(reserved)
            if isinstance(error, TransportError) and id(model) not in self._answered:
                self._in_vain[id(model)] += 1
                if self._in_vain[id(model)] >= _IN_VAIN:
                    raise EndpointUnreachable(f"no reply to the first {_IN_VAIN} requests: {error}") from error
            raise
        self._answered.add(id(model))
        self.cache.put(digest, reply, model.name)
        self.accounts.settle(model.name, label, reply, reserved)
        return reply
