"""Families of lamps and dials: what is clicked changes, and others with it."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import ClassVar

from vgdl.competition.tracks.arc.frame import CLICK, Layer
from vgdl.competition.tracks.arc.testbed.puzzle import STEPS, USE, Canvas, Cell, Grid, Puzzle, plus


class Lamps(Puzzle):
    """A click toggles a lamp and its neighbours. All lamps have to be off."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        n = (2, 3, 3, 4, 4)[level]
        self.grid = Grid(40 // n, 11, 9, n, n, gap=2)
        self.lit: frozenset[Cell] = frozenset()
        for cell in rng.sample(self.grid.cells, 1 + level):
            self._toggle(cell)

    def _toggle(self, cell: Cell) -> None:
        self.lit ^= {cell, *self.grid.around(cell)}

    def targets(self) -> Iterable[Cell]:
        return [self.grid.middle(cell) for cell in self.grid.cells]

    def act(self, action: int, x: int, y: int) -> None:
        cell = self.grid.at(x, y)
        if cell is not None:
            self._toggle(cell)
        if not self.lit:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(5)
        for cell in self.grid.cells:
            canvas.cell(self.grid, cell, 11 if cell in self.lit else 3)
            canvas.frame(*self.grid.corner(cell), self.grid.size, self.grid.size, 2)
        return canvas.done()


class CursorLamps(Puzzle):
    """A cursor moves over lamps, and the special key toggles a row and a column through it. All have to be on."""

    actions = (1, 2, 3, 4, USE)

    def setup(self, level: int, rng: Random) -> None:
        n = (3, 3, 3, 4, 4)[level]
        self.grid = Grid(9, 30 - 5 * n, 8, n, n, gap=1)
        self.cursor = (0, 0)
        self.dark: frozenset[Cell] = frozenset()
        for cell in rng.sample(self.grid.cells, 1 + level // 2):
            self._toggle(cell)

    def _toggle(self, cell: Cell) -> None:
        self.dark ^= {other for other in self.grid.cells if other[0] == cell[0] or other[1] == cell[1]}

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            self._toggle(self.cursor)
        elif self.grid.has(there := plus(self.cursor, STEPS[action])):
            self.cursor = there
        if not self.dark:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        for cell in self.grid.cells:
            x, y = self.grid.middle(cell)
            canvas.disc(x, y, 3.2, 1 if cell in self.dark else 12)
        canvas.frame(*self.grid.corner(self.cursor), 9, 9, 8)
        return canvas.done()


class Headers(Puzzle):
    """Buttons beside a table invert whole rows and columns. It has to show the small picture in the corner."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        n = (2, 3, 3, 4, 5)[level]
        self.grid = Grid(7, 22, 22, n, n)
        self.goal = frozenset(rng.sample(self.grid.cells, n * n // 2))
        self.set = self.goal
        for number in rng.sample(range(2 * n), 2 + level // 2):
            self._invert(number)

    def _invert(self, number: int) -> None:
        side, line = divmod(number, self.grid.columns)
        self.set ^= {cell for cell in self.grid.cells if cell[side] == line}

    def _button(self, number: int) -> Cell:
        side, line = divmod(number, self.grid.columns)
        return (14, 23 + 7 * line) if side else (23 + 7 * line, 14)

    def targets(self) -> Iterable[Cell]:
        return [plus(self._button(number), (2, 2)) for number in range(2 * self.grid.columns)]

    def act(self, action: int, x: int, y: int) -> None:
        for number in range(2 * self.grid.columns):
            left, top = self._button(number)
            if left <= x < left + 5 and top <= y < top + 5:
                self._invert(number)
        if self.set == self.goal:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(1)
        for cell in self.grid.cells:
            canvas.cell(self.grid, cell, 9 if cell in self.set else 7)
            canvas.box(2 + 2 * cell[0], 2 + 2 * cell[1], 2, 2, 9 if cell in self.goal else 7)
        for number in range(2 * self.grid.columns):
            canvas.stamp(*self._button(number), "..#../.###./#####/.###./..#..", 13)
        return canvas.done()


class Dials(Puzzle):
    """Each click turns a dial's colour one further. The dials have to show the colours of the strip above."""

    actions = (CLICK,)
    colours: ClassVar[tuple[int, ...]] = (8, 14, 11, 10)

    def setup(self, level: int, rng: Random) -> None:
        n = 2 + level
        self.n_colours = 3 + (level > 2)
        self.goal = tuple(rng.randrange(self.n_colours) for _ in range(n))
        self.dials = tuple(rng.randrange(self.n_colours) for _ in range(n))
        self.places = tuple((7 + (50 * k) // n, 30 + 9 * (k % 2)) for k in range(n))

    def targets(self) -> Iterable[Cell]:
        return self.places

    def estimate(self) -> float:
        return sum((b - a) % self.n_colours for a, b in zip(self.dials, self.goal, strict=True))

    def act(self, action: int, x: int, y: int) -> None:
        for k, (left, top) in enumerate(self.places):
            if (x - left) ** 2 + (y - top) ** 2 <= 16:
                turned = (self.dials[k] + 1) % self.n_colours
                self.dials = (*self.dials[:k], turned, *self.dials[k + 1 :])
        if self.dials == self.goal:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(4)
        for k, (x, y) in enumerate(self.places):
            canvas.box(x - 2, 6, 5, 7, self.colours[self.goal[k]])
            canvas.disc(x, y, 4, 0)
            canvas.disc(x, y, 3, self.colours[self.dials[k]])
        return canvas.done()


class LinkedSwitches(Puzzle):
    """Each switch flips some of the bulbs, and which ones is to be found out. All bulbs have to be lit."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        n = 3 + level
        self.wires = tuple(frozenset(rng.sample(range(n), rng.randint(1, 3))) for _ in range(n))
        self.lit = frozenset(range(n))
        for wire in rng.sample(self.wires, 1 + level // 2):
            self.lit ^= wire
        self.down: frozenset[int] = frozenset()

    def _x(self, number: int) -> int:
        return 4 + number * 56 // len(self.wires)

    def targets(self) -> Iterable[Cell]:
        return [(self._x(k) + 2, 51) for k in range(len(self.wires))]

    def act(self, action: int, x: int, y: int) -> None:
        for k, wire in enumerate(self.wires):
            if self._x(k) <= x < self._x(k) + 5 and 46 <= y < 57:
                self.lit ^= wire
                self.down ^= {k}
        if len(self.lit) == len(self.wires):
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(15)
        canvas.box(0, 40, 64, 24, 3)
        for k in range(len(self.wires)):
            x = self._x(k)
            canvas.stamp(x, 10, ".###./#####/#####/.###./..2../.222.", 11 if k in self.lit else 1)
            canvas.box(x, 46, 5, 11, 5)
            canvas.box(x + 1, 52 if k in self.down else 47, 3, 4, 0)
        return canvas.done()
