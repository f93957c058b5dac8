"""Hypotheses about the rules of a game, with types by number; their text is VGDL (code world models, 13.3)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import TypeVar

import vgdl
from vgdl.game import Board, Game
from vgdl.placing import open_board

Cellful = tuple[int, ...]  #: the types that stand in a cell, in ascending order
Value = str | int | float
Observed = TypeVar("Observed")

EDGE = -1  #: stands for `EOS` as the second type of a rule
WALL, AVATAR = 0, 1  #: the types that every game has
_NAMES = {WALL: "wall", AVATAR: "avatar"}
#: classes that approach or avoid others, those that draw a direction for every move, and those that draw one at all
CHASING = ("Chaser", "Fleeing", "PathChaser", "RandomAltChaser")
TURNING = ("RandomNPC", "Chaser", "Fleeing", "RandomBomber", "RandomAltChaser", "PathChaser")
RESTING = ("Immovable", "Door", "Passive", "Resource")  #: classes whose sprites do not move by themselves
WANDERING = (*TURNING, "RandomMissile")
MOVING = ("bounceForward", "pullWithIt", "wrapAround", "turnAround")  #: effects that move sprites
MAKING = ("SpawnPoint", "Bomber", "RandomBomber")  #: classes that make sprites where they are
CHANCE = (*WANDERING, "Bomber", "SpawnPoint", "Spreader")  #: classes that draw random numbers
_SPARE = 9  #: spare types, for types that only other levels show
_FIRST_SYMBOL = 0x4E00  #: first symbol of the levels: characters that occur nowhere else in the texts


def name_of(number: int) -> str:
    """The name of a type in the texts of hypotheses."""
    return _NAMES.get(number, f"t{number}")


def number_of(name: Value) -> int:
    """The number of a type with this name in the texts of hypotheses."""
    for number, known in _NAMES.items():
        if name == known:
            return number
    return int(str(name).removeprefix("t"))


@dataclass(frozen=True)
class Kind:
    """A sprite type: its class and its parameters. A value may be the name of a type: ``{"stype": "t7"}``."""

    word: str
    parameters: Mapping[str, Value] = field(default_factory=dict)

    def line(self, number: int) -> str:
        return " ".join([f"{name_of(number)} > {self.word}", *_arguments(self.parameters)])

    def but(self, **parameters: Value) -> Kind:
        """Return a copy with changed parameters."""
        return replace(self, parameters={**self.parameters, **parameters})


@dataclass(frozen=True)
class Band:
    """Neighbouring rows, from ``start`` up to but not including ``stop``; negative: counted from the bottom."""

    start: int | None
    stop: int | None

    def rows(self, height: int) -> range:
        """The rows in a level of some height."""
        return range(height)[self.start : self.stop]


def weapons_of(kinds: Mapping[int, Kind]) -> frozenset[int]:
    """The types that avatars shoot or strike with."""
    avatars = (kind for kind in kinds.values() if kind.word.endswith("Avatar"))
    return frozenset(number_of(kind.parameters["stype"]) for kind in avatars if "stype" in kind.parameters)


def strays_of(kinds: Mapping[int, Kind]) -> frozenset[int]:
    """The types that move at random."""
    return frozenset(number for number, kind in kinds.items() if kind.word in WANDERING)


def children_of(kinds: Mapping[int, Kind]) -> frozenset[int]:
    """The types that spawn points and bombers make."""
    return frozenset(number_of(kind.parameters["stype"]) for kind in kinds.values() if kind.word in MAKING)


HIDDEN = Kind("Immovable", {"hidden": "True"})
_UNSEEN_SHOT = Kind("OrientedFlicker", {"limit": -1, "hidden": "True"})


@dataclass(frozen=True)
class Rule:
    """A line of the InteractionSet: the effect on a sprite of the first type that meets one of the second."""

    first: int
    second: int  #: a type, or `EDGE`
    effect: str
    parameters: tuple[tuple[str, Value], ...] = ()

    def line(self) -> str:
        second = "EOS" if self.second == EDGE else name_of(self.second)
        return " ".join([f"{name_of(self.first)} {second} > {self.effect}", *_arguments(dict(self.parameters))])

    def but(self, **parameters: Value) -> Rule:
        """Return a copy with changed parameters."""
        return replace(self, parameters=tuple({**dict(self.parameters), **parameters}.items()))

    @property
    def score(self) -> int:
        return int(dict(self.parameters).get("scoreChange", 0))

    def scoring(self, score: int) -> Rule:
        """Return a copy with another score."""
        rest = tuple((key, value) for key, value in self.parameters if key != "scoreChange")
        return replace(self, parameters=(*rest, ("scoreChange", score)) if score else rest)


@dataclass(frozen=True)
class End:
    """A line of the TerminationSet."""

    word: str
    parameters: tuple[tuple[str, Value], ...] = ()

    def line(self) -> str:
        return " ".join([self.word, *_arguments(dict(self.parameters))])


@dataclass(frozen=True)
class Hypothesis:
    """Rules of a game whose types are known by number only. Immutable: changes return a new hypothesis."""

    kinds: Mapping[int, Kind]
    rules: tuple[Rule, ...] = ()
    ends: tuple[End, ...] = ()
    square_size: int | None = None  #: pixels per cell; None: derived from the size of the level
    obstacles: tuple[int, ...] = ()  #: types that the path finder avoids
    groups: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  #: subtypes by their parent type
    floor: int | None = None  #: a hidden type that is in every cell
    bands: Mapping[int, Band] = field(default_factory=dict)  #: hidden types that are in every cell of some rows
    #: hidden types that are in every cell without another type
    grounds: Mapping[int, int] = field(default_factory=dict)
    #: hidden types that are in every cell next to one with another type, without that type
    margins: Mapping[int, int] = field(default_factory=dict)

    @property
    def numbers(self) -> Mapping[int, int]:
        """Empty: types have the numbers of the recorded plays."""
        return {}

    @property
    def has_chance(self) -> bool:
        """Whether a class draws random numbers."""
        return any(kind.word in CHANCE for kind in self.kinds.values())

    def renumbered(self, frame: Observed) -> Observed:
        """Return an observed state unchanged, since types have the same numbers."""
        return frame

    def renumbered_play(self, play: Observed) -> Observed:
        """Return a recorded play unchanged."""
        return play

    def level(self, shown: Layout) -> Layout:
        """A level with the hidden types of its bands, grounds and margins."""
        found = shown
        for number, band in self.bands.items():
            found = found.with_band(number, band)
        for number, other in self.grounds.items():
            found = found.with_type(number, (cell for cell in shown.cells if other not in shown.standing.get(cell, ())))
        for number, other in self.margins.items():
            found = found.with_type(number, shown.beside(other))
        return found

    def with_kind(self, number: int, kind: Kind) -> Hypothesis:
        return replace(self, kinds={**self.kinds, number: kind})

    def with_rules(self, rules: Iterable[Rule]) -> Hypothesis:
        return replace(self, rules=tuple(rules))

    def text(self, cells: Iterable[Cellful] = ()) -> str:
        """The game as VGDL, with a symbol for each set of types that shares a cell."""
        cells = tuple(cells)
        shown = {number for standing in cells for number in standing}
        if not shown.isdisjoint(self.groups):
            return self._without_parents(shown).text(cells)
        header = ["BasicGame"]
        if self.square_size is not None:
            header.append(f"square_size={self.square_size}")
        if self.obstacles:
            header.append("obs=" + ",".join(name_of(number) for number in self.obstacles))
        lines = [" ".join(header), "    SpriteSet"]
        below = {number for children in self.groups.values() for number in children}
        # parents are listed at their numbers, except that of avatars, which has number 1 at any position
        parents = {children[0] if gap == AVATAR else gap: gap for gap, children in self.groups.items()}
        for number in range(max(self.kinds, default=AVATAR) + _SPARE):
            parent = parents.get(number)
            if parent is not None:
                lines.append(f"        {name_of(parent)} >")
                lines += ["            " + self._kind(child).line(child) for child in self.groups[parent]]
            elif number not in below and (number > AVATAR or number in self.kinds):
                lines.append("        " + self._kind(number).line(number))
        lines.append("    LevelMapping")
        floor = () if self.floor is None else (self.floor,)
        for standing, symbol in symbols(cells).items():
            if floor or standing:
                lines.append(f"        {symbol} > " + " ".join(name_of(number) for number in (*floor, *standing)))
        lines.append("    InteractionSet")
        lines += ["        " + rule.line() for rule in self.rules]
        lines.append("    TerminationSet")
        lines += ["        " + end.line() for end in self.ends]
        return "\n".join(lines) + "\n"

    def _kind(self, number: int) -> Kind:
        """The class of a type. Types that were never seen fill the gaps, to keep the numbers of the others.

        Shots of an avatar that were never seen vanish before they can be observed.
        """
        return self.kinds.get(number) or (_UNSEEN_SHOT if number in weapons_of(self.kinds) else Kind("Immovable"))

    def game(self, cells: Iterable[Cellful] = ()) -> Game:
        """The compiled game. Raises VGDLError if some parameter does not fit."""
        return vgdl.loads(self.text(cells), name="learnt")

    def board(self, level: Layout, cells: Iterable[Cellful] | None = None) -> Board:
        """The game on a level, ready for states to be placed on."""
        level = self.level(level)
        used = level.sets if cells is None else tuple(cells)
        return open_board(self.game(used), level.text(symbols(used)), "learnt", block_size=level.block_size)

    def _without_parents(self, shown: Set[int]) -> Hypothesis:
        """The rules for levels that show a type which was taken for the hidden parent of others.

        The parent of avatars gets the number that theirs usually has. Of others, the first subtype takes its place.
        """
        found = self
        for parent in sorted(self.groups.keys() & shown):
            children = self.groups[parent]
            free = AVATAR not in self.kinds and AVATAR not in self.groups
            of_avatars = free and all(self._kind(child).word.endswith("Avatar") for child in children)
            other = AVATAR if of_avatars else children[0]
            names = {name_of(parent): name_of(other)}
            groups = {gap: types for gap, types in found.groups.items() if gap != parent}
            if of_avatars:
                groups[AVATAR] = children
            kinds = {n: Kind(kind.word, _renamed(kind.parameters, names)) for n, kind in found.kinds.items()}
            ends = (End(end.word, tuple(_renamed(dict(end.parameters), names).items())) for end in found.ends)
            found = replace(found, groups=groups, kinds=kinds, ends=tuple(ends))
        return found


@functools.lru_cache(maxsize=256)
def _symbols(cells: tuple[Cellful, ...]) -> Mapping[Cellful, str]:
    return {standing: chr(_FIRST_SYMBOL + k) for k, standing in enumerate(cells)}


def symbols(cells: Iterable[Cellful]) -> Mapping[Cellful, str]:
    """A private symbol for each set of types."""
    return _symbols(tuple(sorted(set(cells))))


@dataclass(frozen=True)
class Layout:
    """A level as first observed: the types in each cell."""

    width: int
    height: int
    standing: Mapping[tuple[int, int], Cellful]
    block_size: int | None = None  #: observed pixels per cell

    @property
    def cells(self) -> Iterable[tuple[int, int]]:
        """All cells, as (column, row)."""
        return itertools.product(range(self.width), range(self.height))

    def beside(self, number: int) -> list[tuple[int, int]]:
        """The cells without a type that are next to one with it."""
        having = {cell for cell, standing in self.standing.items() if number in standing}
        near = {(column + dx, row + dy) for column, row in having for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))}
        return [cell for cell in self.cells if cell in near - having]

    def with_band(self, number: int, band: Band) -> Layout:
        """Return a copy with a further type in every cell of some rows."""
        return self.with_type(number, itertools.product(range(self.width), band.rows(self.height)))

    def with_type(self, number: int, cells: Iterable[tuple[int, int]]) -> Layout:
        """Return a copy with a further type in some cells."""
        more = {cell: tuple(sorted((*self.standing.get(cell, ()), number))) for cell in cells}
        return replace(self, standing={**self.standing, **more})

    @functools.cached_property
    def sets(self) -> tuple[Cellful, ...]:
        """The sets of types that share a cell, and the empty one."""
        return tuple(sorted({(), *self.standing.values()}))

    def text(self, symbol: Mapping[Cellful, str]) -> str:
        """The level as text."""
        rows = (
            "".join(symbol.get(self.standing.get((column, row), ()), " ") for column in range(self.width))
            for row in range(self.height)
        )
        return "\n".join(rows) + "\n"


def _renamed(parameters: Mapping[str, Value], names: Mapping[str, str]) -> dict[str, Value]:
    """Parameters with other names of types."""
    return {key: names.get(value, value) if isinstance(value, str) else value for key, value in parameters.items()}


def _arguments(parameters: Mapping[str, Value]) -> list[str]:
    return [f"{key}={value}" for key, value in parameters.items()]
