"""The words of VGDL as rows of data.

The lookup functions find the words that a game text can use; names are case-sensitive and there are no aliases
(effects, 14). :func:`parameters` returns all parameters of a word, inherited ones included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import TypeVar

from vgdl.ontology.avatars import AVATARS
from vgdl.ontology.effects import EFFECT, EFFECTS, TIME_EFFECT
from vgdl.ontology.games import GAMES
from vgdl.ontology.rows import Effect, GameClass, Parameter, SpriteClass, Termination, Word
from vgdl.ontology.sprites import SPRITE, SPRITES
from vgdl.ontology.terminations import TERMINATION, TERMINATIONS

__all__ = [
    "ALL_EFFECTS",
    "ALL_GAME_CLASSES",
    "ALL_SPRITE_CLASSES",
    "ALL_TERMINATIONS",
    "EFFECT",
    "SPRITE",
    "TERMINATION",
    "TIME_EFFECT",
    "effect",
    "game_class",
    "lineage",
    "parameters",
    "sprite_class",
    "termination",
]

_W = TypeVar("_W", bound=Word)

ALL_SPRITE_CLASSES = tuple(row for row in SPRITES + AVATARS if row.opcode)
ALL_EFFECTS = tuple(row for row in EFFECTS if row.opcode)
ALL_TERMINATIONS = tuple(row for row in TERMINATIONS if row.opcode)
ALL_GAME_CLASSES = GAMES

_SPRITE_CLASSES: Mapping[str, SpriteClass] = {row.name: row for row in ALL_SPRITE_CLASSES}
_EFFECTS: Mapping[str, Effect] = {row.name: row for row in ALL_EFFECTS}
_TERMINATIONS: Mapping[str, Termination] = {row.name: row for row in ALL_TERMINATIONS}
_GAME_CLASSES: Mapping[str, GameClass] = {row.name: row for row in ALL_GAME_CLASSES}

_ROWS: Mapping[tuple[str, str], Word] = {
    (type(row).__name__, row.name): row for row in (*SPRITES, *AVATARS, *EFFECTS, *TERMINATIONS, *GAMES)
}  # abstract rows included


def sprite_class(name: str) -> SpriteClass | None:
    """The sprite class of this name, avatars included."""
    return _SPRITE_CLASSES.get(name)


def effect(name: str) -> Effect | None:
    """The effect of this name."""
    return _EFFECTS.get(name)


def termination(name: str) -> Termination | None:
    """The termination of this name."""
    return _TERMINATIONS.get(name)


def game_class(name: str) -> GameClass | None:
    """The game class of this name."""
    return _GAME_CLASSES.get(name)


def lineage(row: _W) -> tuple[_W, ...]:
    """The row, its parent, and so on up to the root of its kind."""
    rows = [row]
    while (parent := rows[-1].parent) is not None:
        above = _ROWS[type(row).__name__, parent]
        assert isinstance(above, type(row))
        rows.append(above)
    return tuple(rows)


def parameters(row: Word) -> Mapping[str, Parameter]:
    """All parameters of a word by name, those of its ancestors first, with the defaults of this word.

    A parameter that a row redeclares replaces the inherited one.
    """
    return _parameters(type(row).__name__, row.name)


@cache
def _parameters(group: str, name: str) -> Mapping[str, Parameter]:
    found: dict[str, Parameter] = {}
    for row in reversed(lineage(_ROWS[group, name])):
        found.update((parameter.name, parameter) for parameter in row.parameters)
        if isinstance(row, SpriteClass):
            found.update((key, replace(found[key], default=default)) for key, default in row.defaults)
    return MappingProxyType(found)
