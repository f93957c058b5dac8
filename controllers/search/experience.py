"""The effects of touching each type of sprite: points, a loss, or nothing."""

from __future__ import annotations

from collections import Counter, defaultdict

from vgdl import StateObservation
from vgdl.controllers.search.value import LOST

FATAL_SHARE = 0.5
"""A type is fatal if at least this share of the ticks in which it was touched lost the game."""


class Experience:
    """Learns about types from single ticks, simulated or real; all types in a tick's events get its credit."""

    def __init__(self) -> None:
        self._meetings: Counter[int] = Counter()
        self._losses: Counter[int] = Counter()
        self._points: defaultdict[int, float] = defaultdict(float)

    def learn(self, score_before: float, after: StateObservation, player: int = 0) -> None:
        """Learn from a tick.

        Args:
            score_before: the player's score before it.
            after: the state after it, with no events but those of the tick (see ``witnessed_future``).
            player: whose score and loss count.
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

    def is_fatal(self, kind: int) -> bool:
        """Whether touching the type tends to lose the game."""
        return self._losses[kind] > 0 and self._losses[kind] >= FATAL_SHARE * self._meetings[kind]

    def is_bad(self, kind: int) -> bool:
        """Whether touching the type is fatal or has lost points on balance."""
        return self.is_fatal(kind) or self._points.get(kind, 0.0) < 0

    def is_good(self, kind: int) -> bool:
        """Whether touching the type has gained points on balance and is not fatal."""
        return not self.is_fatal(kind) and self._points.get(kind, 0.0) > 0
