"""What a session needs of a game: its facts, and levels that can be played and copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from vgdl.competition.tracks.arc.frame import Layer

MOST_LAYERS = 20  #: maximum layers of one answer


@dataclass(frozen=True, slots=True)
class GameInfo:
    """The information about a game that agents get (spec, 2.2).

    Attributes:
        game_id: ``<base>-<version>``.
        title: reveals nothing about the game.
        tags: ``keyboard``, ``click`` or ``keyboard_click``, and perhaps ``deterministic`` and ``survival``.
    """

    game_id: str
    title: str
    tags: tuple[str, ...]


class Ending(Enum):
    """How a level ended."""

    WON = auto()
    LOST = auto()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an action in a level.

    Attributes:
        layers: one or more steps of an animation, the last of which is the present state.
        ending: None while the level goes on.
    """

    layers: tuple[Layer, ...]
    ending: Ending | None = None


class LevelPlay(Protocol):
    """One play of one level."""

    def layer(self) -> Layer:
        """The picture of the present state."""

    def act(self, action: int, x: int | None, y: int | None) -> Outcome:
        """Carry out an action that the game offers, other than undo; ``x`` and ``y`` are those of a click."""

    def copy(self) -> LevelPlay:
        """An independent play in the same state."""


class ArcGame(Protocol):
    """A game that can be offered to agents and people; immutable.

    Attributes:
        id: ``<base>-<version>``.
        base: the first part of the id; unique among games offered together, and without ``-``.
        version: changes with everything that matters to players.
        title: reveals nothing about the game.
        name: the name of the game, for those who run a server; never shown to players.
        about: how it is played, in a few words for the list of games.
    """

    id: str
    base: str
    version: str
    title: str

    @property
    def name(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def info(self) -> GameInfo: ...
    @property
    def tags(self) -> tuple[str, ...]: ...
    @property
    def win_levels(self) -> int: ...
    @property
    def actions(self) -> Sequence[int]:
        """Ids of the actions that are offered, without RESET."""

    @property
    def fresh_chance(self) -> bool:
        """Whether every play has other chance events."""

    def begin(self, level: int, chance: int | None = None) -> LevelPlay:
        """Start a level, counted from 0.

        Args:
            level: the level.
            chance: seed of the play's chance events; None for those that all plays of the level share.
        """


def thinned(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Select at most `MOST_LAYERS` layers at regular distances, including the last one."""
    n = len(layers)
    if n <= MOST_LAYERS:
        return tuple(layers)
    return tuple(layers[(k + 1) * n // MOST_LAYERS - 1] for k in range(MOST_LAYERS))
