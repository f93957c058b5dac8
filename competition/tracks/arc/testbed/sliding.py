"""Families of pieces that slide or turn: pipes, sliding blocks, ice, a tilted board, rotated squares."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import ClassVar

from vgdl.competition.tracks.arc.frame import CLICK, UNDO, Layer
from vgdl.competition.tracks.arc.testbed.puzzle import STEPS, Canvas, Cell, Grid, Puzzle, free, maze, plus, room

SIDES: tuple[Cell, ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))  # clockwise from the top


class Pipes(Puzzle):
    """A click turns a piece of pipe. Water has to flow from the left edge to the right one."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        columns, rows = ((3, 1), (3, 2), (4, 2), (4, 3), (5, 3))[level]
        self.grid = Grid(9, (64 - 9 * columns) // 2, 20, columns, rows)
        kinds = [frozenset({1, 3}), frozenset({0, 1}), frozenset({0, 1, 3})]
        path = self._path(rng)
        self.pieces = tuple(
            frozenset((side + turn) % 4 for side in (path.get(cell) or rng.choice(kinds)))
            for cell in self.grid.cells
            for turn in [rng.randrange(1, 4)]
        )

    def _path(self, rng: Random) -> dict[Cell, frozenset[int]]:
        """Openings of the pieces along a random way from left to right."""
        here, came = (0, 0), 3
        path: dict[Cell, frozenset[int]] = {}
        while True:
            ways = [side for side in (0, 1, 2) if side != came]
            side = rng.choice(ways)
            there = plus(here, SIDES[side])
            if there[1] not in range(self.grid.rows) or there in path:
                continue
            path[here] = frozenset({came, side})
            if there[0] == self.grid.columns:
                return path
            here, came = there, (side + 2) % 4

    def _wet(self) -> frozenset[Cell]:
        pieces = dict(zip(self.grid.cells, self.pieces, strict=True))
        wet: set[Cell] = set()
        stack = [(0, 0)] if 3 in pieces[0, 0] else []
        while stack:
            here = stack.pop()
            wet.add(here)
            for side in pieces[here]:
                there = plus(here, SIDES[side])
                if there in pieces and there not in wet and (side + 2) % 4 in pieces[there]:
                    stack.append(there)
        return frozenset(wet)

    def targets(self) -> Iterable[Cell]:
        return [self.grid.middle(cell) for cell in self.grid.cells]

    def estimate(self) -> float:
        return -max((cell[0] for cell in self._wet()), default=-1)

    def act(self, action: int, x: int, y: int) -> None:
        cell = self.grid.at(x, y)
        if cell is None:
            return
        index = self.grid.cells.index(cell)
        turned = frozenset((side + 1) % 4 for side in self.pieces[index])
        self.pieces = (*self.pieces[:index], turned, *self.pieces[index + 1 :])
        pieces = dict(zip(self.grid.cells, self.pieces, strict=True))
        if any(cell[0] == self.grid.columns - 1 and 1 in pieces[cell] for cell in self._wet()):
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        wet = self._wet()
        canvas.box(0, 23, self.grid.left, 3, 9)
        canvas.box(self.grid.left + 9 * self.grid.columns, 18, 3, 9 * self.grid.rows + 4, 6)
        for cell, piece in zip(self.grid.cells, self.pieces, strict=True):
            x, y = self.grid.corner(cell)
            canvas.frame(x, y, 9, 9, 1)
            colour = 9 if cell in wet else 4
            canvas.box(x + 3, y + 3, 3, 3, colour)
            for side in piece:
                dx, dy = SIDES[side]
                canvas.box(x + 3 + 3 * dx, y + 3 + 3 * dy, 3, 3, colour)
        return canvas.done()


class Fifteen(Puzzle):
    """A click on a tile beside the gap slides it. The tiles have to be in the order of their dots."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        columns, rows = ((2, 2), (3, 2), (3, 2), (3, 3), (3, 3))[level]
        self.grid = Grid(13, 10, 10, columns, rows, gap=1)
        self.tiles = tuple(range(columns * rows))  # 0 is the gap
        for _ in range((3, 6, 14, 8, 14)[level]):
            self._slide(rng.choice(self.grid.around(self._gap())))

    def _gap(self) -> Cell:
        return self.grid.cells[self.tiles.index(0)]

    def _slide(self, cell: Cell) -> None:
        tiles = list(self.tiles)
        one, other = tiles.index(0), self.grid.cells.index(cell)
        tiles[one], tiles[other] = tiles[other], tiles[one]
        self.tiles = tuple(tiles)

    def targets(self) -> Iterable[Cell]:
        return [self.grid.middle(cell) for cell in self.grid.around(self._gap())]

    def act(self, action: int, x: int, y: int) -> None:
        cell = self.grid.at(x, y)
        if cell in self.grid.around(self._gap()):
            self._slide(cell)
        if self.tiles == tuple(range(len(self.tiles))):
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(2)
        canvas.frame(8, 8, self.grid.columns * 14 + 3, self.grid.rows * 14 + 3, 5)
        for cell, tile in zip(self.grid.cells, self.tiles, strict=True):
            if not tile:
                continue
            x, y = self.grid.corner(cell)
            canvas.box(x, y, 13, 13, 15)
            for dot in range(tile):
                canvas.box(x + 1 + 4 * (dot % 3), y + 1 + 4 * (dot // 3), 3, 3, 6)
        return canvas.done()


class Parking(Puzzle):
    """A click selects a bar, and keys slide it along its length. The marked bar has to leave to the right."""

    actions = (1, 2, 3, 4, CLICK)
    shortest = 3

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(8, 8, 8, 6, 6)
        bars: list[tuple[Cell, ...]] = [((0, 2), (1, 2))]
        for _ in range(200):
            length, across = rng.choice((2, 2, 3)), rng.random() < 0.4
            x, y = rng.randrange(6), rng.randrange(6)
            bar = tuple((x + k, y) if across else (x, y + k) for k in range(length))
            taken = {cell for other in bars for cell in other}
            if all(self.grid.has(cell) for cell in bar) and not taken & set(bar) and not (across and y == 2):
                bars.append(bar)
            if len(bars) == 4 + level:
                break
        self.bars = tuple(bars)
        self.chosen = -1

    def targets(self) -> Iterable[Cell]:
        return [self.grid.middle(bar[0]) for k, bar in enumerate(self.bars) if k != self.chosen]

    def act(self, action: int, x: int, y: int) -> None:
        if action == CLICK:
            cell = self.grid.at(x, y)
            self.chosen = next((k for k, bar in enumerate(self.bars) if cell in bar), -1)
        elif self.chosen >= 0:
            bar = self.bars[self.chosen]
            across = bar[0][1] == bar[1][1]
            step = STEPS[action]
            moved = tuple(plus(cell, step) for cell in bar)
            others = {cell for other in self.bars if other is not bar for cell in other}
            if across == (step[1] == 0) and all(self.grid.has(cell) for cell in moved) and not others & set(moved):
                self.bars = tuple(moved if other is bar else other for other in self.bars)
        if self.bars[0][-1] == (5, 2):
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(5)
        canvas.box(7, 7, 50, 50, 4)
        canvas.box(57, 24, 4, 8, 14)
        for k, bar in enumerate(self.bars):
            (x, y), (right, bottom) = self.grid.corner(bar[0]), self.grid.corner(bar[-1])
            canvas.box(x + 1, y + 1, right - x + 6, bottom - y + 6, 14 if k == 0 else (9, 12, 13)[k % 3])
            if k == self.chosen:
                canvas.frame(x, y, right - x + 8, bottom - y + 8, 0)
        return canvas.done()


class Ice(Puzzle):
    """The skater glides until something stops it. It has to stop on the flag."""

    actions = (1, 2, 3, 4)

    def setup(self, level: int, rng: Random) -> None:
        n = 7 + level
        self.grid = Grid(60 // n, 2, 1, n, n)
        self.walls = room(rng, n, n, 3 + 2 * level)
        self.at, self.flag = rng.sample(free(self.grid, self.walls), 2)

    def act(self, action: int, x: int, y: int) -> None:
        step = STEPS[action]
        while plus(self.at, step) not in self.walls:
            self.at = plus(self.at, step)
            self.show()
        if self.at == self.flag:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(10)
        size = self.grid.size
        for cell in self.grid.cells:
            if cell in self.walls:
                canvas.cell(self.grid, cell, 1)
                canvas.box(*self.grid.corner(cell), size, 1, 2)
        x, y = self.grid.corner(self.flag)
        canvas.stamp(x + 1, y, "5888/588./5.../5...")
        x, y = self.grid.corner(self.at)
        canvas.box(x + 1, y + 1, size - 2, size - 2, 6)
        return canvas.done()


class Tilt(Puzzle):
    """Keys tilt the board, and all balls roll at once. Every ball has to lie in some hole."""

    actions = (1, 2, 3, 4, UNDO)
    longest = 25

    def setup(self, level: int, rng: Random) -> None:
        n = 5 + level // 2
        self.grid = Grid(6, 12, 14, n, n)
        n_balls = 2 + level // 3
        cells = rng.sample(self.grid.cells, 2 * n_balls + 6 + level)
        self.balls, self.holes = frozenset(cells[:n_balls]), frozenset(cells[n_balls : 2 * n_balls + 2])
        self.blocks = frozenset(cells[2 * n_balls + 2 :])

    def act(self, action: int, x: int, y: int) -> None:
        step = STEPS[action]
        order = sorted(self.balls, key=lambda ball: -(ball[0] * step[0] + ball[1] * step[1]))
        done: set[Cell] = set()
        for ball in order:
            here = ball
            while self.grid.has(there := plus(here, step)) and there not in self.blocks and there not in done:
                here = there
            done.add(here)
        self.balls = frozenset(done)
        if self.balls <= self.holes:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(13)
        side = 6 * self.grid.columns
        canvas.box(10, 12, side + 4, side + 4, 3)
        canvas.box(12, 14, side, side, 2)
        for cell in self.blocks:
            canvas.cell(self.grid, cell, 3)
        for cell in self.holes:
            canvas.disc(*self.grid.middle(cell), 2.3, 5)
        for cell in self.balls:
            canvas.disc(*self.grid.middle(cell), 1.5, 15)
        return canvas.done()


class Quads(Puzzle):
    """A click on a knob turns the four tiles around it. The board has to look like the small one."""

    actions = (CLICK,)
    colours: ClassVar[tuple[int, ...]] = (9, 8, 14, 11)

    def setup(self, level: int, rng: Random) -> None:
        columns, rows = ((2, 2), (3, 2), (3, 3), (3, 3), (4, 3))[level]
        self.grid = Grid(10, 20, 26, columns, rows)
        self.goal = tuple(rng.randrange(2 + (level > 1)) for _ in self.grid.cells)
        self.tiles = self.goal
        for _ in range(1 + level):
            self._turn(rng.choice(self._knobs()))

    def _knobs(self) -> list[Cell]:
        return [cell for cell in self.grid.cells if self.grid.has(plus(cell, (1, 1)))]

    def _turn(self, knob: Cell) -> None:
        at = [self.grid.cells.index(plus(knob, step)) for step in ((0, 0), (1, 0), (1, 1), (0, 1))]
        tiles = list(self.tiles)
        for k in range(4):
            tiles[at[(k + 1) % 4]] = self.tiles[at[k]]
        self.tiles = tuple(tiles)

    def targets(self) -> Iterable[Cell]:
        return [self.grid.corner(plus(knob, (1, 1))) for knob in self._knobs()]

    def act(self, action: int, x: int, y: int) -> None:
        for knob in self._knobs():
            left, top = self.grid.corner(plus(knob, (1, 1)))
            if abs(x - left) <= 1 and abs(y - top) <= 1:
                self._turn(knob)
        if self.tiles == self.goal:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        for cell, tile, wanted in zip(self.grid.cells, self.tiles, self.goal, strict=True):
            canvas.cell(self.grid, cell, self.colours[tile])
            canvas.box(3 + 4 * cell[0], 3 + 4 * cell[1], 4, 4, self.colours[wanted])
        for knob in self._knobs():
            x, y = self.grid.corner(plus(knob, (1, 1)))
            canvas.box(x - 1, y - 1, 3, 3, 5)
        return canvas.done()


class BlockSlide(Puzzle):
    """A three-pixel body crosses a maze of thin walls, two pixels at a time, to a door in the frame."""

    actions = (1, 2, 3, 4)

    def setup(self, level: int, rng: Random) -> None:
        n = 5 + 2 * level if level < 4 else 11
        self.grid = Grid(5, 4, 5, n, n)
        self.walls = maze(rng, n, n, level)
        self.goal = (n - 2, n - 2)
        self.at = self.grid.corner((1, 1))

    def _blocked(self, x: int, y: int) -> bool:
        corners = {(x, y), (x + 2, y), (x, y + 2), (x + 2, y + 2)}
        return any((cell := self.grid.at(*corner)) is None or cell in self.walls for corner in corners)

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.at, STEPS[action], 2)
        if not self._blocked(*there):
            self.at = there
        if self.grid.at(*self.at) == self.goal:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(3)
        for cell in free(self.grid, self.walls):
            canvas.cell(self.grid, cell, 12 if cell == self.goal else 0)
        canvas.box(*self.at, 3, 3, 9)
        canvas.box(self.at[0] + 1, self.at[1] + 1, 1, 1, 0)
        return canvas.done()
