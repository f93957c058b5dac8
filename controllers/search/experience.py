"""What meeting each type of sprite has brought: points, the end, or nothing."""

from __future__ import annotations

from collections import Counter, defaultdict

from vgdl import StateObservation
from vgdl.controllers.search.value import LOST

FATAL_SHARE = 0.5
"""A type is fatal if this share of the ticks in which it was met lost the game, or more."""


class Experience:
    """Learns about types from single ticks, simulated or real; all types that a tick's events name share its credit."""

    def __init__(self) -> None:
        self._meetings: Counter[int] = Counter()
        self._losses: Counter[int] = Counter()
        self._points: defaultdict[int, float] = defaultdict(float)

    def learn(self, score_before: float, after: StateObservation, player: int = 0) -> None:
        """Take note of a tick.

        Args:
            score_before: the player's score before it.
            after: the state after it, which has seen no other events than the tick's (``witnessed_future``).
            player: whose score and defeat count.
        """
        events = after.events
        if not events:
            return
        gained = after.scores[player] - score_before
        has_lost = after.winners[player] == LOST
        for met in {event.passive_type for event in events if not event.from_avatar}:
            self._meetings[met] += 1
            self._points[met] += gained
            self._losses[met] += has_lost

    def is_fatal(self, type: int) -> bool:
        """Whether meeting the type tends to lose the game."""
        return self._losses[type] > 0 and self._losses[type] >= FATAL_SHARE * self._meetings[type]

    def is_bad(self, type: int) -> bool:
        """Whether meeting the type is fatal or has cost more points than it brought."""
        return self.is_fatal(type) or self._points.get(type, 0.0) < 0

    def is_good(self, type: int) -> bool:
        """Whether meeting the type has brought points and is not fatal."""
        return not self.is_fatal(type) and self._points.get(type, 0.0) > 0
