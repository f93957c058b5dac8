"""How VGDL games are turned into ARC games: the choices of the server's operator."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Way(StrEnum):
    """What an agent plays a game with; each is a game of its own."""

    KEYBOARD = "keyboard"
    CLICK = "click"
    BOTH = "keyboard_click"


class Clicks(StrEnum):
    """What a click means (spec, 6.5)."""

    STEP = "step"  #: one tick towards the cell
    WALK = "walk"  #: the shortest way to the cell, in one command
    POINT = "point"  #: a ``ClickAvatar`` is put on the cell and used there


class PaletteKind(StrEnum):
    """How colours are dealt out (spec, 6.3)."""

    SHUFFLED = "shuffled"
    BANDED = "banded"  #: 0 to 5 for scenery, 6 to 15 for what takes part in some effect


@dataclass(frozen=True, slots=True)
class Options:
    """Choices that hold for all games offered together.

    Attributes:
        palette: how colours are dealt out.
        palette_seed: another one gives every game other colours and another id.
        nil: whether waiting is offered as an action.
        undo: whether action 7 takes back the last one.
        fresh_chance: every play meets other chance events; without it, all plays of a level meet the same ones.
        plain_ids: use the games' own names as ids, for development.
    """

    palette: PaletteKind = PaletteKind.SHUFFLED
    palette_seed: int = 0
    nil: bool = True
    undo: bool = False
    fresh_chance: bool = False
    plain_ids: bool = False
