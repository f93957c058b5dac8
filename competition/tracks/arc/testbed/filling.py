"""Families of painting, filling, connecting, enclosing and completing."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import ClassVar

from vgdl.competition.tracks.arc.frame import CLICK, UNDO, Layer
from vgdl.competition.tracks.arc.testbed.puzzle import STEPS, USE, Canvas, Cell, Grid, Puzzle, free, plus, room


class Flood(Puzzle):
    """A click on a pot floods the area of the top left corner with its colour. One colour has to remain in time."""

    actions = (CLICK,)
    aside = frozenset({"left"})
    colours: ClassVar[tuple[int, ...]] = (8, 9, 11, 14)

    def setup(self, level: int, rng: Random) -> None:
        n = 4 + level
        self.n_colours = 3 + (level > 2)
        self.grid = Grid(5, 12, 4, n, n)
        self.area = tuple(rng.randrange(self.n_colours) for _ in self.grid.cells)
        self.left = 8 + 4 * level

    def targets(self) -> Iterable[Cell]:
        return [(8 + 14 * k, 55) for k in range(self.n_colours)]

    def estimate(self) -> float:
        return len(set(self.area)) + len(self.area) / 8 - self._reach() / 8

    def _flooded(self) -> set[int]:
        area, cells = self.area, self.grid.cells
        flooded, stack = {0}, [(0, 0)]
        while stack:
            for there in self.grid.around(stack.pop()):
                index = cells.index(there)
                if index not in flooded and area[index] == area[0]:
                    flooded.add(index)
                    stack.append(there)
        return flooded

    def _reach(self) -> int:
        return len(self._flooded())

    def act(self, action: int, x: int, y: int) -> None:
        for k, (left, top) in enumerate(self.targets()):
            if (x - left) ** 2 + (y - top) ** 2 <= 25 and k != self.area[0]:
                flooded = self._flooded()
                self.area = tuple(k if index in flooded else colour for index, colour in enumerate(self.area))
                self.left -= 1
        if len(set(self.area)) == 1:
            self.win()
        elif not self.left:
            self.lose()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        for cell, colour in zip(self.grid.cells, self.area, strict=True):
            canvas.cell(self.grid, cell, self.colours[colour])
        for k, (x, y) in enumerate(self.targets()):
            canvas.disc(x, y, 5, self.colours[k])
            canvas.disc(x, y, 1, 5)
        canvas.box(60, 64 - 2 * self.left, 4, 2 * self.left, 3)
        return canvas.done()


class Roller(Puzzle):
    """Every tile that the roller leaves is painted, and painted tiles cannot be crossed. All have to be painted."""

    actions = (1, 2, 3, 4, UNDO)
    shortest = 4

    def setup(self, level: int, rng: Random) -> None:
        n = 5 + level // 2
        self.grid = Grid(8, 4, 5, n, n)
        here = (rng.randrange(n), rng.randrange(n))
        self.at, trail = here, {here}
        for _ in range(6 + 3 * level):
            ways = [there for there in self.grid.around(here) if there not in trail]
            if not ways:
                break
            here = rng.choice(ways)
            trail.add(here)
        self.bare = frozenset(trail - {self.at})
        self.painted: frozenset[Cell] = frozenset()

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.at, STEPS[action])
        if there in self.bare:
            self.painted |= {self.at}
            self.bare -= {there}
            self.at = there
        if not self.bare:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(2)
        for cell in self.bare | {self.at}:
            canvas.cell(self.grid, cell, 0)
        for cell in self.painted:
            canvas.cell(self.grid, cell, 7)
        canvas.cell(self.grid, self.at, 6, 1)
        canvas.cell(self.grid, self.at, 15, 3)
        return canvas.done()


class Pairs(Puzzle):
    """Two clicks connect two dots of a colour, if no line is crossed. All dots have to be connected."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        n = 2 + level
        self.dots = tuple((rng.randint(5, 58), rng.randint(5, 58)) for _ in range(2 * n))
        self.lines: frozenset[int] = frozenset()
        self.chosen = -1

    def targets(self) -> Iterable[Cell]:
        return self.dots

    def _crosses(self, one: int, other: int) -> bool:
        a, b = self.dots[2 * one], self.dots[2 * one + 1]
        c, d = self.dots[2 * other], self.dots[2 * other + 1]

        def side(start: Cell, end: Cell, dot: Cell) -> int:
            return (end[0] - start[0]) * (dot[1] - start[1]) - (end[1] - start[1]) * (dot[0] - start[0])

        return side(a, b, c) * side(a, b, d) <= 0 and side(c, d, a) * side(c, d, b) <= 0

    def act(self, action: int, x: int, y: int) -> None:
        hit = next((k for k, (dx, dy) in enumerate(self.dots) if abs(x - dx) <= 2 and abs(y - dy) <= 2), -1)
        if hit >= 0 and hit == self.chosen ^ 1 and self.chosen >= 0:
            if not any(self._crosses(hit // 2, line) for line in self.lines):
                self.lines |= {hit // 2}
            self.chosen = -1
        else:
            self.chosen = -1 if hit // 2 in self.lines else hit
        if 2 * len(self.lines) == len(self.dots):
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(15)
        colours = (8, 9, 14, 11, 12, 6)
        for line in self.lines:
            (x, y), (right, bottom) = self.dots[2 * line], self.dots[2 * line + 1]
            length = max(abs(right - x), abs(bottom - y), 1)
            for k in range(length + 1):
                canvas.box(x + k * (right - x) // length, y + k * (bottom - y) // length, 1, 1, colours[line])
        for k, (x, y) in enumerate(self.dots):
            canvas.box(x - 2, y - 2, 5, 5, 0 if k == self.chosen else 5)
            canvas.box(x - 1, y - 1, 3, 3, colours[k // 2])
        return canvas.done()


class Symmetry(Puzzle):
    """Clicks fill and empty squares of the right half, which has to mirror the left one."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        n = 2 + level // 2
        self.half = Grid(6, 31 - 6 * n, 20, n, n + 1)
        self.other = Grid(6, 33, 20, n, n + 1)
        self.goal = frozenset(rng.sample(self.half.cells, n + 1 + level % 2))
        self.filled: frozenset[Cell] = frozenset()

    def _mirrored(self, cell: Cell) -> Cell:
        return self.half.columns - 1 - cell[0], cell[1]

    def targets(self) -> Iterable[Cell]:
        return [self.other.middle(cell) for cell in self.other.cells]

    def estimate(self) -> float:
        return len(self.filled ^ self.goal)

    def act(self, action: int, x: int, y: int) -> None:
        cell = self.other.at(x, y)
        if cell is not None:
            self.filled ^= {self._mirrored(cell)}
        if self.filled == self.goal:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        for cell in self.half.cells:
            canvas.cell(self.half, cell, 6 if cell in self.goal else 15)
            canvas.cell(self.other, self._mirrored(cell), 6 if cell in self.filled else 15)
        canvas.box(31, 16, 2, 36, 5)
        return canvas.done()


class Fence(Puzzle):
    """Clicks put fences on grass. The hare hops after each; it has to be shut in before it gets to the edge."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        n = 5 + level // 2 * 2
        self.grid = Grid(60 // n, 2, 2, n, n)
        self.hare = (n // 2, n // 2)
        spare = [cell for cell in self.grid.cells if cell != self.hare]
        self.fences = frozenset(rng.sample(spare, 2 * n + 1 - level // 2))

    def targets(self) -> Iterable[Cell]:
        near = {there for cell in self.grid.around(self.hare) for there in (cell, *self.grid.around(cell))}
        return [self.grid.middle(cell) for cell in sorted(near - self.fences - {self.hare})]

    def _way_out(self) -> list[Cell] | None:
        came: dict[Cell, Cell] = {self.hare: self.hare}
        queue = [self.hare]
        for here in queue:
            if 0 in here or self.grid.columns - 1 in here:
                way = [here]
                while way[-1] != self.hare:
                    way.append(came[way[-1]])
                return way[::-1]
            for there in self.grid.around(here):
                if there not in came and there not in self.fences:
                    came[there] = here
                    queue.append(there)
        return None

    def act(self, action: int, x: int, y: int) -> None:
        cell = self.grid.at(x, y)
        if cell is None or cell in self.fences or cell == self.hare:
            return
        self.fences |= {cell}
        way = self._way_out()
        if way is None:
            self.win()
            return
        self.hare = way[1] if len(way) > 1 else way[0]
        if 0 in self.hare or self.grid.columns - 1 in self.hare:
            self.lose()

    def draw(self) -> Layer:
        canvas = Canvas(3)
        for cell in self.grid.cells:
            canvas.cell(self.grid, cell, 14, 1)
            if cell in self.fences:
                canvas.cell(self.grid, cell, 13, 2)
        x, y = self.grid.middle(self.hare)
        canvas.stamp(x - 2, y - 3, "0...0/0...0/00000/05050/00000/.000.")
        return canvas.done()


class Stencil(Puzzle):
    """A brush is moved by keys; the special key paints with the colour of the last pot crossed. Copy the picture."""

    actions = (1, 2, 3, 4, USE)
    longest = 70
    shortest = 4

    def setup(self, level: int, rng: Random) -> None:
        n = 3 + level // 3
        self.grid = Grid(7, 26, 26, n, n)
        self.pots = {0: 8, 1: 9} if level < 2 else {0: 8, 1: 9, 2: 11}
        self.pots_at = tuple((-2, row) for row in range(len(self.pots)))
        cells = rng.sample(self.grid.cells, 2 + level // 2)
        self.goal = tuple(rng.randrange(len(self.pots)) if cell in cells else -1 for cell in self.grid.cells)
        self.paint = tuple(-1 for _ in self.grid.cells)
        self.brush, self.dipped = (0, 0), -1

    def key(self) -> object:
        return self.paint, self.brush, self.dipped, self.ending

    def estimate(self) -> float:
        return 4.0 * sum(one != other for one, other in zip(self.paint, self.goal, strict=True))

    def act(self, action: int, x: int, y: int) -> None:
        if action != USE:
            there = plus(self.brush, STEPS[action])
            if -2 <= there[0] < self.grid.columns and 0 <= there[1] < self.grid.rows:
                self.brush = there
            if self.brush in self.pots_at:
                self.dipped = self.brush[1]
        elif self.grid.has(self.brush):
            index = self.grid.cells.index(self.brush)
            self.paint = (*self.paint[:index], self.dipped, *self.paint[index + 1 :])
        if self.paint == self.goal:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(1)
        for cell, paint, wanted in zip(self.grid.cells, self.paint, self.goal, strict=True):
            canvas.cell(self.grid, cell, self.pots.get(paint, 0))
            canvas.box(40 + 4 * cell[0], 4 + 4 * cell[1], 4, 4, self.pots.get(wanted, 0))
        for row, colour in self.pots.items():
            x, y = self.grid.middle((-2, row))
            canvas.disc(x, y, 3, colour)
        x, y = self.grid.corner(self.brush)
        canvas.frame(x, y, 7, 7, 5)
        canvas.box(x + 2, y + 2, 3, 3, self.pots.get(self.dipped, 5))
        return canvas.done()


class Mower(Puzzle):
    """All grass has to be mown within the fuel that the bar shows; the mower may cross mown ground."""

    actions = (1, 2, 3, 4)
    aside = frozenset({"fuel"})
    shortest = 6
    longest = 45

    def setup(self, level: int, rng: Random) -> None:
        n = 5 + level // 2
        self.grid = Grid(8, 3, 12, n, n)
        self.walls = room(rng, n, n, 1 + level // 2)
        spare = free(self.grid, self.walls)
        self.at = rng.choice(spare)
        self.grass = frozenset(spare) - {self.at}
        self.tank = self.fuel = 2 * len(spare) + 6

    def estimate(self) -> float:
        return len(self.grass)

    def act(self, action: int, x: int, y: int) -> None:
        self.fuel -= 1
        there = plus(self.at, STEPS[action])
        if there not in self.walls:
            self.at = there
            self.grass -= {there}
        if not self.grass:
            self.win()
        elif not self.fuel:
            self.lose()

    def draw(self) -> Layer:
        canvas = Canvas(13)
        for cell in free(self.grid, self.walls):
            canvas.cell(self.grid, cell, 14 if cell in self.grass else 10)
        x, y = self.grid.corner(self.at)
        canvas.stamp(x + 1, y + 1, "888888/800008/888888/.5..5./.5..5.")
        canvas.box(2, 4, 60, 3, 5)
        canvas.box(2, 4, 60 * self.fuel // self.tank, 3, 11)
        return canvas.done()
