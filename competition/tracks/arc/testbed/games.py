"""The families of the test bed as games that can be served, played and measured."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from vgdl.competition.tracks.arc.frame import CLICK, Layer
from vgdl.competition.tracks.arc.options import Way
from vgdl.competition.tracks.arc.playable import GameInfo, Outcome, thinned
from vgdl.competition.tracks.arc.testbed import (
    boards,
    bodies,
    errands,
    falling,
    filling,
    machines,
    measuring,
    panels,
    powers,
    pushing,
    sliding,
    sorting,
    toggles,
    travels,
    walking,
    workshops,
)
from vgdl.competition.tracks.arc.testbed.puzzle import LEVELS, Move, Puzzle

FILE = Path(__file__).with_name("plays.json")  #: written by `record`
MODULES = (
    boards,
    bodies,
    errands,
    falling,
    filling,
    machines,
    measuring,
    panels,
    powers,
    pushing,
    sliding,
    sorting,
    toggles,
    travels,
    walking,
    workshops,
)


class Half(StrEnum):
    """The half of the test bed that a family belongs to, by a hash of its name."""

    DEVELOPED = "developed"  #: what agents may be developed on
    REPORTED = "reported"  #: what is only measured


class Recorded(NamedTuple):
    """A level's layout and a play that wins it."""

    seed: int
    play: tuple[Move, ...]


@cache
def families() -> Mapping[str, type[Puzzle]]:
    """The families by name, which is that of the class in lower case."""
    found = {
        value.__name__.lower(): value
        for module in MODULES
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Puzzle) and value.__module__ == module.__name__
    }
    return MappingProxyType(dict(sorted(found.items())))


def half_of(name: str) -> Half:
    """The half that a family belongs to."""
    return (Half.DEVELOPED, Half.REPORTED)[hashlib.blake2b(name.encode()).digest()[0] % 2]


def lay_out(name: str, level: int, seed: int) -> Puzzle:
    """A level of a family, before the first action."""
    return families()[name](level, Random(f"{name}/{level}/{seed}"))


class BedPlay:
    """A level in play; see `playable.LevelPlay`."""

    def __init__(self, level: Puzzle) -> None:
        self._level = level

    def layer(self) -> Layer:
        return self._level.draw()

    def act(self, action: int, x: int | None, y: int | None) -> Outcome:
        level = self._level
        level.shown = ()
        level.act(action, x or 0, y or 0)
        layers, level.shown = (*level.shown, level.draw()), ()
        return Outcome(thinned(layers), level.ending)

    def copy(self) -> BedPlay:
        return BedPlay(self._level.copy())


class BedGame:
    """A family as a game; see `playable.ArcGame`.

    Args:
        name: a family.
        plain_id: whether its id is its name, for development.
    """

    def __init__(self, name: str, *, plain_id: bool = False) -> None:
        self.name = name
        self.family = families()[name]
        self.half = half_of(name)
        self.levels = recorded()[name]
        key = hashlib.blake2b(repr((name, self.levels, self.family.actions)).encode()).hexdigest()
        self.version = key[:8]
        self.base = name if plain_id else _base(name)
        self.id = f"{self.base}-{self.version}"
        self.title = self.base.upper()
        self.actions = self.family.actions
        self.fresh_chance = False

    @property
    def about(self) -> str:
        return str(self._way)

    @property
    def _way(self) -> Way:
        if CLICK not in self.actions:
            return Way.KEYBOARD
        return Way.CLICK if set(self.actions) <= {CLICK, 7} else Way.BOTH

    @property
    def tags(self) -> tuple[str, ...]:
        return (self._way.value, "deterministic")

    @property
    def info(self) -> GameInfo:
        return GameInfo(self.id, self.title, self.tags)

    @property
    def win_levels(self) -> int:
        return LEVELS

    @property
    def baselines(self) -> tuple[int, ...]:
        """The actions of the recorded play of each level."""
        return tuple(len(level.play) for level in self.levels)

    def begin(self, level: int, chance: int | None = None) -> BedPlay:
        """Start a level; nothing in the test bed depends on chance."""
        return BedPlay(lay_out(self.name, level, self.levels[level].seed))

    def __reduce__(self) -> tuple[object, ...]:
        return BedGame, (self.name,)

    def __repr__(self) -> str:
        return f"<BedGame {self.id}: {self.name}>"


def bed_games(half: Half | None = None, *, plain_ids: bool = False) -> list[BedGame]:
    """The games of the test bed, or of one half of it, by name."""
    return [BedGame(name, plain_id=plain_ids) for name in recorded() if half in (None, half_of(name))]


@cache
def recorded() -> Mapping[str, tuple[Recorded, ...]]:
    """The levels and winning plays of every family."""
    facts = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: tuple(Recorded(seed, tuple(map(_move, play.split()))) for seed, play in levels)
        for name, levels in facts.items()
    }


def _move(text: str) -> Move:
    return Move(*map(int, text.split(",")))


def _base(name: str) -> str:
    """Letters and digits that say nothing about a family, and differ from those of VGDL games."""
    number = int(hashlib.blake2b(f"testbed {name}".encode()).hexdigest()[:8], 16)
    return f"{chr(97 + number % 26)}{chr(97 + number // 26 % 26)}x{number // 676 % 100:02}"
