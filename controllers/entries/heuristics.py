"""T2Thompson's six heuristics: what the avatar should do next, inferred from events that raised the score."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from vgdl import Category, StateObservation
from vgdl.controllers.search.distances import avatar_position, nearest_distance
from vgdl.core.observation import AvatarEvent, Observation

TICKS_PER_POINT = 50.0
"""Ticks of walking that a point is worth."""


class Purpose(enum.Enum):
    """The target of a heuristic, besides points."""

    OUTCOME = "win, do not lose, and score"
    SHOOT = "stand in line with what can be shot"
    KILL = "bring weapons close to NPCs"
    EXIT = "go to portals"
    COLLECT = "collect"
    HUNT = "touch NPCs"


# In order of priority when several events raised the score: touching walls is often accidental, so they come last.
BY_WEAPON = {Category.NPC: Purpose.KILL, Category.STATIC: Purpose.SHOOT, Category.MOVABLE: Purpose.SHOOT}
BY_AVATAR = {
    Category.RESOURCE: Purpose.COLLECT,
    Category.PORTAL: Purpose.EXIT,
    Category.NPC: Purpose.HUNT,
    Category.STATIC: Purpose.COLLECT,
}


@dataclass(frozen=True, slots=True)
class Heuristic:
    """A purpose, and its target sprites."""

    purpose: Purpose
    category: Category = Category.NPC
    type: int = -1

    def remaining(self, state: StateObservation, score: float) -> float:
        """Estimated ticks left: the distance to the targets, less the value of points gained since ``score``."""
        return self._distance(state) - TICKS_PER_POINT * (state.score - score)

    def _distance(self, state: StateObservation) -> float:
        """Cells to the nearest target, or to the nearest line of fire; 0 without a target."""
        if self.purpose is Purpose.OUTCOME or state.is_over:
            return 0.0
        position, block = avatar_position(state), state.block_size
        targets = self._targets(state)
        if self.purpose is Purpose.SHOOT:
            x, y = position
            return min((min(abs(target.x - x), abs(target.y - y)) for target in targets), default=0) / block
        return nearest_distance(targets, position, block)

    def _targets(self, state: StateObservation) -> tuple[Observation, ...]:
        lists = state.observations(self.category)
        return next((sprites for sprites in lists if sprites[0].type == self.type), ())


def chosen_by(events: Sequence[AvatarEvent]) -> Heuristic | None:
    """The heuristic for the events of a tick that raised the score; None if none of them is informative."""
    telling = [(rank, event) for event in events if (rank := _rank(event)) is not None]
    if not telling:
        return None
    _, event = min(telling, key=lambda pair: pair[0])
    purposes = BY_WEAPON if event.from_avatar else BY_AVATAR
    return Heuristic(purposes[event.passive_category], event.passive_category, event.passive_type)


def _rank(event: AvatarEvent) -> int | None:
    """Priority of an event, weapons first; None if it is uninformative."""
    order = list(BY_WEAPON) if event.from_avatar else list(BY_AVATAR)
    if event.passive_category not in order:
        return None
    return order.index(event.passive_category) + (0 if event.from_avatar else len(BY_WEAPON))
