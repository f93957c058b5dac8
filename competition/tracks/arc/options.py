"""Options for converting VGDL games to ARC games, chosen by the server's operator."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Way(StrEnum):
    """The controls of a game; each makes a separate game."""

    KEYBOARD = "keyboard"
    CLICK = "click"
    BOTH = "keyboard_click"


class Clicks(StrEnum):
    """The meaning of a click (spec, 6.5)."""

    STEP = "step"  #: one tick towards the cell
    WALK = "walk"  #: the shortest path to the cell, in one command
    POINT = "point"  #: a ``ClickAvatar`` is put on the cell and used there


class PaletteKind(StrEnum):
    """The assignment of colours to types (spec, 6.3)."""

    SHUFFLED = "shuffled"
    BANDED = "banded"  #: 0 to 5 for scenery, 6 to 15 for types that take part in effects


@dataclass(frozen=True, slots=True)
class Options:
    """Options of all games offered together.

    Attributes:
        palette: the assignment of colours.
        palette_seed: changes the colours and the id of every game.
        nil: whether waiting is offered as an action.
        undo: whether action 7 takes back the last one.
        fresh_chance: whether every play has other chance events; otherwise all plays of a level have the same ones.
        plain_ids: whether to use the games' names as ids, for development.
    """

    palette: PaletteKind = PaletteKind.SHUFFLED
    palette_seed: int = 0
    nil: bool = True
    undo: bool = False
    fresh_chance: bool = False
    plain_ids: bool = False
