"""When a search has to stop so that its answer is in time."""

from __future__ import annotations

from collections.abc import Iterator

from vgdl.controllers.base import Timer

MARGIN_MS = 1.5
"""Milliseconds kept for choosing the answer, and for one iteration that takes longer than any before it."""


def iterations(timer: Timer, *, calls: int, margin_ms: float = MARGIN_MS) -> Iterator[int]:
    """Number the iterations of a search, 0, 1, 2 ..., for as long as one more of them fits into the budget.

    Under a budget of time another iteration fits if twice the average of the iterations so far, and the longest of
    them, are both left, besides the margin. Under a budget of calls it fits if all the calls it may make are left.
    Iterations that only reach ended states make no calls, so there are never more iterations than calls allowed.

    Args:
        timer: the budget.
        calls: the most calls of the forward model that one iteration may make.
        margin_ms: milliseconds to leave unused.
    """
    count = 0
    longest = average = 0.0
    before = started = timer.elapsed_ms
    last_start = timer.budget_ms - margin_ms
    while count < timer.budget_calls and timer.calls_left >= calls and before + max(2 * average, longest) < last_start:
        yield count
        count += 1
        now = timer.elapsed_ms
        longest = max(longest, now - before)
        average = (now - started) / count
        before = now
