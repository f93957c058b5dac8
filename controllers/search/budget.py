"""When a search has to stop so that its answer is in time."""

from __future__ import annotations

from collections.abc import Iterator

import cython
from cython.cimports.libc.math import INFINITY

from vgdl.controllers.base import Timer

MARGIN_MS = 1.5
"""Milliseconds kept for choosing the answer, and for one iteration that takes longer than any before it."""

LOOK_MS = 0.1
"""Milliseconds between two looks at the clock, as far as can be foreseen: a look is as dear as a short simulation."""


class Budget:
    """Grants a search its iterations for as long as one more of them fits into the budget.

    Under a budget of time it fits if twice the average of the iterations so far, and the longest of them, are both
    left, besides the margin. Iterations much shorter than ``LOOK_MS`` are granted, and counted, in stretches of about
    that length. Under a budget of calls an iteration fits if all the calls it may make are left. Iterations that only
    reach ended states make no calls, so there are never more iterations than calls allowed.
    """

    def __init__(self, timer: Timer, calls: int, margin_ms: float = MARGIN_MS) -> None:
        """Begin with no iteration.

        Args:
            timer: the budget.
            calls: the most calls of the forward model that one iteration may make.
            margin_ms: milliseconds to leave unused.
        """
        self.timer = timer
        self.calls = calls
        self.margin_ms = margin_ms
        self.budget_calls = timer.budget_calls
        self.last_start_ms = timer.budget_ms - margin_ms
        self.started_ms = self.before_ms = timer.elapsed_ms
        self.longest_ms = 0.0
        self.count = 0
        self.granted = 0

    def another(self) -> cython.bint:
        """Whether one more iteration fits; it counts as begun."""
        if self.granted == 0 and not self.look():
            return False
        self.granted -= 1
        self.count += 1
        return True

    def look(self) -> cython.bint:
        """Look at the budget and grant as many iterations as will do until the next look."""
        now: cython.double = self.timer.elapsed_ms
        calls_left: cython.double = self.budget_calls
        average: cython.double = 0.0
        stretch: cython.double = 1.0
        if calls_left < INFINITY:
            calls_left = self.timer.calls_left
        if self.count > 0:
            average = (now - self.started_ms) / self.count
            self.longest_ms = max(self.longest_ms, now - self.before_ms)
            stretch = 1000.0 if average * 1000.0 <= LOOK_MS else max(1.0, LOOK_MS / average)
        stretch = min(stretch, calls_left // self.calls, self.budget_calls - self.count)
        if stretch < 1.0 or now + max(2.0 * average * int(stretch), self.longest_ms) >= self.last_start_ms:
            return False
        self.before_ms = now
        self.granted = cython.cast(cython.longlong, stretch)
        return True

    def need(self, calls: cython.int) -> cython.void:
        """From now on an iteration may make so many calls."""
        self.calls = calls
        if self.budget_calls < INFINITY:
            self.granted = 0


def iterations(timer: Timer, *, calls: int, margin_ms: float = MARGIN_MS) -> Iterator[int]:
    """Number the iterations of a search, 0, 1, 2 ..., for as long as one more of them fits (see ``Budget``).

    Args:
        timer: the budget.
        calls: the most calls of the forward model that one iteration may make.
        margin_ms: milliseconds to leave unused.
    """
    budget = Budget(timer, calls, margin_ms)
    while budget.another():
        yield budget.count - 1
