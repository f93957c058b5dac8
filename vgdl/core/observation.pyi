"""Observations of a state: avatars, lists, grid, arrays, event history (engine, 8 and 13; the paper, III-B)."""

from typing import Any, Final, NamedTuple

import numpy as np

from vgdl.core.data.layout import Action, Category
from vgdl.core.state import StateObservation

class Observation(NamedTuple):
    """A sprite as controllers see it.

    ``square_distance``: squared distance in pixels to the reference position of the query, or to (-1, -1) without one.
    """

    category: Category
    type: int
    id: int
    x: int
    y: int
    square_distance: float

    @property
    def position(self) -> tuple[int, int]:
        """Left upper corner of the sprite's rectangle, pixels."""

class Avatar(NamedTuple):
    """A player's avatar, dead or alive.

    Once the game has ended, position and orientation are (-1, -1) and the speed is 0 (engine, 13.1).
    """

    type: int
    id: int
    position: tuple[int, int]
    orientation: tuple[float, float]
    speed: float
    resources: dict[int, int]
    health: int
    max_health: int
    limit_health: int
    last_action: Action
    is_alive: bool

class AvatarEvent(NamedTuple):
    """A collision of an avatar or a sprite that came from one, active, with another sprite, passive (engine, 8)."""

    tick: int
    from_avatar: bool
    active_type: int
    passive_type: int
    active_category: Category
    passive_category: Category
    active_id: int
    passive_id: int
    position: tuple[int, int]

VISIBLE: Final[np.dtype[Any]]

__pyx_capi__: dict[str, Any]
__test__: dict[str, str]

def record_tuples(
    state: StateObservation,
) -> list[tuple[int, int, int, int, int, int, float, float, float, int, bool, dict[int, int]]]:
    """All sprites of a state, hidden ones included.

    Per sprite: id, type, x, y, width, height (pixels), orientation x and y, speed, health, disabled,
    {resource type: amount}.
    """
