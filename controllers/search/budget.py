"""Stopping a search within its budget."""

from __future__ import annotations

from collections.abc import Iterator

import cython
from cython.cimports.libc.math import INFINITY

from vgdl.controllers.base import Timer

MARGIN_MS = 1.5
"""Milliseconds reserved for choosing the answer, and for one iteration that takes longer than all before it."""

LOOK_MS = 0.1
"""Target milliseconds between two clock readings: one reading costs as much as a short simulation."""


class Budget:
    """Grants iterations to a search while one more fits into the budget.

    With a budget of time, an iteration fits if the time left, less the margin, exceeds both twice the average and the
    longest iteration so far. Iterations much shorter than ``LOOK_MS`` are granted in batches of about that length.
    With a budget of calls, an iteration fits if all the calls it may make are left. Iterations that only reach ended
    states make no calls, so the number of iterations is also limited to the number of calls.
    """

    def __init__(self, timer: Timer, calls: int, margin_ms: float = MARGIN_MS, call_ms: float = 0.0) -> None:
        """Start counting.

        Args:
            timer: the budget.
            calls: maximum forward model calls of one iteration.
            margin_ms: milliseconds to leave unused.
            call_ms: milliseconds of a call, if known. The longest iteration is then known to fit before any was timed,
                and short iterations are no sign that the next ones will be short.
        """
        self.timer = timer
        self.calls = calls
        self.call_ms = call_ms
        self.budget_calls = timer.budget_calls
        self.last_start_ms = timer.budget_ms - margin_ms
        self.started_ms = self.before_ms = timer.elapsed_ms
        self.longest_ms = 0.0
        self.count = 0
        self.granted = 0

    def another(self) -> cython.bint:
        """Whether one more iteration fits; if so, it is counted."""
        if self.granted == 0 and not self.look():
            return False
        self.granted -= 1
        self.count += 1
        return True

    def look(self) -> cython.bint:
        """Check the budget and grant the iterations until the next check."""
        now: cython.double = self.timer.elapsed_ms
        calls_left: cython.double = self.budget_calls
        average: cython.double = 0.0
        stretch: cython.double = 1.0
        if calls_left < INFINITY:
            calls_left = self.timer.calls_left
        if self.count > 0:
            average = (now - self.started_ms) / self.count
            self.longest_ms = max(self.longest_ms, now - self.before_ms)
            likely_ms: cython.double = max(average, self.calls * self.call_ms)
            stretch = 1000.0 if likely_ms * 1000.0 <= LOOK_MS else max(1.0, LOOK_MS / likely_ms)
        stretch = min(stretch, calls_left // self.calls, self.budget_calls - self.count)
        longest_ms: cython.double = max(self.longest_ms, self.calls * self.call_ms)
        if stretch < 1.0 or now + max(2.0 * average * int(stretch), longest_ms) >= self.last_start_ms:
            return False
        self.before_ms = now
        self.granted = cython.cast(cython.longlong, stretch)
        return True

    def left_ms(self) -> cython.double:
        """Milliseconds until no further iteration starts; infinity with a budget of calls."""
        return self.last_start_ms - self.timer.elapsed_ms

    def need(self, calls: cython.int) -> cython.void:
        """Set the maximum calls of an iteration from now on."""
        self.calls = calls
        if self.budget_calls < INFINITY:
            self.granted = 0


def iterations(timer: Timer, *, calls: int, margin_ms: float = MARGIN_MS) -> Iterator[int]:
    """Number the iterations of a search, 0, 1, 2 ..., while one more fits (see ``Budget``).

    Args:
        timer: the budget.
        calls: maximum forward model calls of one iteration.
        margin_ms: milliseconds to leave unused.
    """
    budget = Budget(timer, calls, margin_ms)
    while budget.another():
        yield budget.count - 1
