"""A part of a budget, for one of several searches that share it."""

from __future__ import annotations

import math

from vgdl.controllers.base import Timer


class Share(Timer):
    """A timer that ends when a share of what is left of another one is used."""

    __slots__ = ("_calls_started", "_started_at_ms", "_whole")

    def __init__(self, whole: Timer, share: float = 1.0, *, most_ms: float = math.inf) -> None:
        """Start with a share of what is left.

        Args:
            whole: the budget that is shared.
            share: 0 ... 1 of what is left of it.
            most_ms: milliseconds at most, unless the budget is one of calls.
        """
        self._whole = whole
        left_ms = whole.remaining_ms
        left_calls = whole.calls_left
        self.budget_ms = math.inf if left_ms == math.inf else max(left_ms, 0.0) * share
        if left_calls == math.inf:
            self.budget_ms = min(self.budget_ms, most_ms)
        self.budget_calls = math.inf if left_calls == math.inf else max(left_calls, 0.0) * share // 1
        self._started_at_ms = whole.elapsed_ms
        self._calls_started = whole.calls_used

    @property
    def elapsed_ms(self) -> float:
        return self._whole.elapsed_ms - self._started_at_ms

    @property
    def calls_used(self) -> int:
        return self._whole.calls_used - self._calls_started
