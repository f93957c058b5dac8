"""Answers to commands: pictures and the state of the play (spec, 1 and 2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

SIZE: Final = 64  #: rows and columns of a layer
COLORS: Final = 16  #: a layer's values are below

RESET: Final = 0
SPECIAL: Final = 5
CLICK: Final = 6
UNDO: Final = 7

Layer = NDArray[np.uint8]  #: (64, 64): ``layer[y][x]``, (0, 0) top left


class State(StrEnum):
    """The state of a play."""

    NOT_PLAYED = "NOT_PLAYED"
    NOT_FINISHED = "NOT_FINISHED"
    WIN = "WIN"
    GAME_OVER = "GAME_OVER"


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The answer to a command.

    Attributes:
        layers: one or more steps of an animation, the last of which is the current state. Read-only.
        state: a `State`.
        levels_completed: 0 to ``win_levels``.
        win_levels: levels of the game.
        full_reset: whether this command started the game from level 1.
        available_actions: ids of the game's actions, without RESET; the same in every frame of a game.
    """

    layers: tuple[Layer, ...]
    state: str
    levels_completed: int
    win_levels: int
    full_reset: bool
    available_actions: tuple[int, ...]

    @property
    def last(self) -> Layer:
        """The layer of the current state."""
        return self.layers[-1]
