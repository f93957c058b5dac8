"""What an agent knows before the first play: its actions, and the shape of its observations."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Mode(enum.StrEnum):
    """Forms of observations, of which an agent chooses one."""

    GRID = "grid"  #: uint8 array (planes, rows, columns) of zeros and ones
    SPRITES = "sprites"  #: a row of numbers per visible sprite
    RGB = "rgb"  #: uint8 array (height, width, 3), the rendered screen
    TEXT = "text"  #: a grid of symbols with a legend
    JSON = "json"  #: the object of the reference's learning protocol, as dictionaries and lists


MOST_VIEW = 200
"""Largest ``view`` in cells."""

AVATAR_PLANES = ("avatar", "facing up", "facing left", "facing down", "facing right")
"""The last planes of the mode ``grid``."""

SPRITE_COLUMNS = ("id", "type", "category", "x", "y")
"""The columns of the mode ``sprites``; x and y in pixels."""


@dataclass(frozen=True, slots=True)
class Spaces:
    """The observations of a game, the same for all its plays.

    Boards smaller than the largest of the game are padded with zeros at the right and at the bottom. Types are
    numbered by lot, anew for every game of a competition; a number means the same type in all plays of a run.
    """

    mode: Mode
    view: int | None  #: cells shown to each side of the avatar; None: the whole board
    shape: tuple[int, ...]  #: of the array in the modes ``grid`` and ``rgb``; ``(most, 5)`` for ``sprites``; else empty
    n_types: int  #: types are numbered from 0
    planes: tuple[int, ...] = ()  #: ``grid``: the type of each plane but the last five, see `AVATAR_PLANES`
    training: tuple[int, ...] = ()  #: numbers of the training levels, from which ``result`` chooses
    longest: int = 0  #: ticks after which a play is ended
    budget: float = 0.0  #: learning budget, in steps or in seconds of agent time
    is_timed: bool = False  #: whether the budget is a time
