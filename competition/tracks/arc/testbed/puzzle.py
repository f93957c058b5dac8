"""Hand-written 64×64 games: one class per family, whose instances are levels in play.

A family shares nothing with VGDL. It draws what it likes, and an action may take several layers. All attributes of an
instance are immutable values (numbers, tuples, frozen sets). So a shallow copy is an independent play, and the values
of the attributes are the state that a solver compares.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping
from random import Random
from types import MappingProxyType
from typing import ClassVar, NamedTuple, Self

import numpy as np

from vgdl.competition.tracks.arc.frame import CLICK, SIZE, Layer
from vgdl.competition.tracks.arc.playable import Ending

Cell = tuple[int, int]  #: column, row
UP, DOWN, LEFT, RIGHT, USE = 1, 2, 3, 4, 5
STEPS: Mapping[int, Cell] = MappingProxyType({UP: (0, -1), DOWN: (0, 1), LEFT: (-1, 0), RIGHT: (1, 0)})
LEVELS = 5  #: of every family


class Move(NamedTuple):
    """An action; ``x`` and ``y`` are those of a click."""

    action: int
    x: int | None = None
    y: int | None = None


class Puzzle(ABC):
    """A level in play.

    Subclasses set their attributes in `setup`, change them in `act` and draw them in `draw`. `act` calls `win` or
    `lose` to end the level, and `show` to add a layer to the answer before the last one.

    Args:
        level: 0 to 4.
        rng: the source of everything random about the level's layout.
    """

    actions: ClassVar[tuple[int, ...]]
    aside: ClassVar[frozenset[str]] = frozenset()  #: attributes that a solver need not tell states apart by
    longest: ClassVar[int] = 60  #: most actions of a recorded play
    shortest: ClassVar[int] = 2  #: fewest actions of the recorded play of the first level

    def __init__(self, level: int, rng: Random) -> None:
        self.ending: Ending | None = None
        self.shown: tuple[Layer, ...] = ()
        self.silent = False  #: whether `show` does nothing, for solvers
        self.setup(level, rng)

    @abstractmethod
    def setup(self, level: int, rng: Random) -> None:
        """Lay the level out."""

    @abstractmethod
    def act(self, action: int, x: int, y: int) -> None:
        """Carry out one of the family's actions; ``x`` and ``y`` are 0 unless it is a click."""

    @abstractmethod
    def draw(self) -> Layer:
        """The picture of the present state."""

    def targets(self) -> Iterable[Cell]:
        """Pixels that are worth a click, for solvers."""
        return ()

    def estimate(self) -> float:
        """A guess of how far the end is, for solvers."""
        return 0.0

    def win(self) -> None:
        self.ending = Ending.WON

    def lose(self) -> None:
        self.ending = Ending.LOST

    def show(self) -> None:
        """Add the present picture to the layers of the answer."""
        if not self.silent:
            self.shown = (*self.shown, self.draw())

    def copy(self) -> Self:
        return copy.copy(self)

    def moves(self) -> Iterator[Move]:
        """All actions that may matter in this state."""
        for action in self.actions:
            if action == CLICK:
                for x, y in self.targets():
                    yield Move(CLICK, x, y)
            else:
                yield Move(action)

    def key(self) -> Hashable:
        """The state, as far as it matters to the rest of the level."""
        return tuple(value for name, value in vars(self).items() if name not in self.aside and name != "shown")


class Grid(NamedTuple):
    """Square cells on the screen."""

    size: int  #: pixels per side of a cell
    left: int
    top: int
    columns: int
    rows: int
    gap: int = 0  #: pixels between cells

    @property
    def cells(self) -> list[Cell]:
        return [(column, row) for row in range(self.rows) for column in range(self.columns)]

    def has(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.columns and 0 <= cell[1] < self.rows

    def corner(self, cell: Cell) -> Cell:
        """The top left pixel of a cell."""
        pitch = self.size + self.gap
        return self.left + cell[0] * pitch, self.top + cell[1] * pitch

    def middle(self, cell: Cell) -> Cell:
        x, y = self.corner(cell)
        return x + self.size // 2, y + self.size // 2

    def at(self, x: int, y: int) -> Cell | None:
        """The cell at a pixel; None outside, and between cells."""
        pitch = self.size + self.gap
        (column, dx), (row, dy) = divmod(x - self.left, pitch), divmod(y - self.top, pitch)
        return (column, row) if self.has((column, row)) and dx < self.size and dy < self.size else None

    def around(self, cell: Cell) -> list[Cell]:
        """The orthogonal neighbours of a cell."""
        return [there for step in STEPS.values() if self.has(there := plus(cell, step))]


class Canvas:
    """A layer that is being drawn; what lies outside is clipped."""

    def __init__(self, colour: int) -> None:
        self.pixels: Layer = np.full((SIZE, SIZE), colour, dtype=np.uint8)

    def box(self, x: int, y: int, width: int, height: int, colour: int) -> None:
        self.pixels[max(y, 0) : max(y + height, 0), max(x, 0) : max(x + width, 0)] = colour

    def frame(self, x: int, y: int, width: int, height: int, colour: int) -> None:
        """The one-pixel outline of a box."""
        for part in ((x, y, width, 1), (x, y + height - 1, width, 1), (x, y, 1, height), (x + width - 1, y, 1, height)):
            self.box(*part, colour)

    def disc(self, x: int, y: int, radius: float, colour: int) -> None:
        rows, columns = np.ogrid[:SIZE, :SIZE]
        self.pixels[(columns - x) ** 2 + (rows - y) ** 2 <= radius**2] = colour

    def cell(self, grid: Grid, cell: Cell, colour: int, inset: int = 0) -> None:
        """Fill a cell of a grid, except ``inset`` pixels along its sides."""
        x, y = grid.corner(cell)
        self.box(x + inset, y + inset, grid.size - 2 * inset, grid.size - 2 * inset, colour)

    def stamp(self, x: int, y: int, rows: str, colour: int = 0) -> None:
        """Draw a bitmap: rows between slashes, ``.`` transparent, ``#`` in the given colour, others hexadecimal."""
        for dy, row in enumerate(rows.split("/")):
            for dx, mark in enumerate(row):
                if mark != "." and 0 <= x + dx < SIZE and 0 <= y + dy < SIZE:
                    self.pixels[y + dy, x + dx] = colour if mark == "#" else int(mark, 16)

    def done(self) -> Layer:
        self.pixels.flags.writeable = False
        return self.pixels


def plus(cell: Cell, step: Cell, times: int = 1) -> Cell:
    return cell[0] + times * step[0], cell[1] + times * step[1]


def far(one: Cell, other: Cell) -> int:
    """The steps between two cells if nothing is in the way."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def maze(rng: Random, columns: int, rows: int, openings: int = 0) -> frozenset[Cell]:
    """The walls of a maze with odd numbers of columns and rows, without as many more walls as ``openings``."""
    walls = {(x, y) for x in range(columns) for y in range(rows)}
    here = (1, 1)
    walls.discard(here)
    path = [here]
    while path:
        here = path[-1]
        ways = [
            step
            for step in STEPS.values()
            if plus(here, step, 2) in walls and 0 < here[0] + 2 * step[0] < columns and 0 < here[1] + 2 * step[1] < rows
        ]
        if not ways:
            path.pop()
            continue
        step = rng.choice(ways)
        walls -= {plus(here, step), plus(here, step, 2)}
        path.append(plus(here, step, 2))
    inner = [(x, y) for x, y in sorted(walls) if 0 < x < columns - 1 and 0 < y < rows - 1 and (x + y) % 2]
    walls -= set(rng.sample(inner, min(openings, len(inner))))
    return frozenset(walls)


def room(rng: Random, columns: int, rows: int, blocks: int) -> frozenset[Cell]:
    """The walls around a room, and some single ones in it."""
    inner = [(x, y) for x in range(1, columns - 1) for y in range(1, rows - 1)]
    edge = {(x, y) for x in range(columns) for y in range(rows)} - set(inner)
    return frozenset(edge | set(rng.sample(inner, blocks)))


def free(grid: Grid, walls: frozenset[Cell]) -> list[Cell]:
    """The cells of a grid without walls."""
    return [cell for cell in grid.cells if cell not in walls]
