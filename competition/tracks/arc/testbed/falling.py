"""Families with gravity."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import ClassVar

from vgdl.competition.tracks.arc.frame import CLICK, Layer
from vgdl.competition.tracks.arc.testbed.puzzle import STEPS, USE, Canvas, Cell, Grid, Puzzle, free, plus, room


class Flip(Puzzle):
    """The body falls until it lands. Left and right walk, and the special key turns gravity upside down."""

    actions = (3, 4, USE)

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(5, 2, 6, 12, 8 + level // 2)
        self.walls = room(rng, 12, 8 + level // 2, 12 + 3 * level)
        self.at, self.door = rng.sample(free(self.grid, self.walls), 2)
        self.down = 1
        self._fall()

    def _fall(self) -> None:
        while self.at != self.door and (there := plus(self.at, (0, self.down))) not in self.walls:
            self.at = there
            self.show()

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            self.down = -self.down
        elif (there := plus(self.at, STEPS[action])) not in self.walls:
            self.at = there
        self._fall()
        if self.at == self.door:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        for cell in self.walls:
            canvas.cell(self.grid, cell, 4)
        x, y = self.grid.corner(self.door)
        canvas.stamp(x, y, ".ccc./c...c/c...c/c...c/ccccc")
        x, y = self.grid.corner(self.at)
        canvas.stamp(x, y, ".666./6.6.6/66666/.6.6./66.66" if self.down > 0 else "66.66/.6.6./66666/6.6.6/.666.")
        return canvas.done()


class Drop(Puzzle):
    """Left and right move a piece above the shaft, the special key drops it. Heights have to match the marks."""

    actions = (3, 4, USE)
    longest = 40

    def setup(self, level: int, rng: Random) -> None:
        self.n = 3 + level // 2
        self.goal = tuple(rng.randint(0, 1 + level // 2 + (level > 0)) for _ in range(self.n))
        self.heights = (0,) * self.n
        self.column = 0

    def _x(self, column: int) -> int:
        return 6 + column * 11

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            self.show()
            heights = list(self.heights)
            heights[self.column] += 1
            self.heights = tuple(heights)
            if heights[self.column] > self.goal[self.column]:
                self.lose()
        else:
            self.column = min(max(self.column + STEPS[action][0], 0), self.n - 1)
        if self.heights == self.goal:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(1)
        for column in range(self.n):
            x = self._x(column)
            canvas.box(x, 14, 10, 46, 2)
            for k in range(self.heights[column]):
                canvas.box(x + 1, 53 - 7 * k, 8, 6, 8)
            canvas.box(x, 59 - 7 * self.goal[column], 10, 1, 14)
        canvas.box(self._x(self.column) + 1, 4, 8, 6, 8)
        canvas.box(0, 60, 64, 4, 5)
        return canvas.done()


class Clusters(Puzzle):
    """A click removes a group of equal blobs, and those above fall. The heap has to vanish; single blobs stay."""

    actions = (CLICK,)
    colours: ClassVar[tuple[int, ...]] = (0, 8, 9, 11)

    def setup(self, level: int, rng: Random) -> None:
        columns, rows = ((3, 2), (4, 2), (4, 3), (5, 3), (5, 4))[level]
        self.grid = Grid(9, 9, 56 - 9 * rows, columns, rows)
        kinds = 2 + (level > 1)
        self.heap = tuple(tuple(rng.randint(1, kinds) for _ in range(rows)) for _ in range(columns))  # from the bottom

    def _group(self, column: int, height: int) -> set[Cell]:
        colour, group, stack = self.heap[column][height], set(), [(column, height)]
        while stack:
            here = stack.pop()
            group.add(here)
            for step in STEPS.values():
                x, y = plus(here, step)
                inside = 0 <= x < len(self.heap) and 0 <= y < len(self.heap[x])
                if inside and self.heap[x][y] == colour and (x, y) not in group:
                    stack.append((x, y))
        return group

    def _pixel(self, column: int, height: int) -> Cell:
        return self.grid.middle((column, self.grid.rows - 1 - height))

    def targets(self) -> Iterable[Cell]:
        return [self._pixel(x, y) for x, column in enumerate(self.heap) for y in range(len(column))]

    def estimate(self) -> float:
        return sum(map(len, self.heap)) / 3

    def act(self, action: int, x: int, y: int) -> None:
        cell = self.grid.at(x, y)
        if cell is None:
            return
        column, height = cell[0], self.grid.rows - 1 - cell[1]
        if height >= len(self.heap[column]):
            return
        group = self._group(column, height)
        if len(group) > 1:
            kept = [
                tuple(blob for row, blob in enumerate(blobs) if (col, row) not in group)
                for col, blobs in enumerate(self.heap)
            ]
            self.heap = (*(column for column in kept if column), *[() for column in kept if not column])
        if not any(self.heap):
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(5)
        canvas.box(0, 56, 64, 8, 13)
        for x, column in enumerate(self.heap):
            for y, blob in enumerate(column):
                canvas.disc(*self._pixel(x, y), 4, self.colours[blob])
        return canvas.done()


class Digger(Puzzle):
    """The digger removes earth. Boulders fall when nothing is under them, and crush. All gems are to be fetched."""

    actions = (1, 2, 3, 4)

    def setup(self, level: int, rng: Random) -> None:
        n = 7 + level // 2
        self.grid = Grid(6, 8, 8, n, n)
        self.walls = room(rng, n, n, 2)
        picks = rng.sample(free(self.grid, self.walls), 5 + 2 * level)
        self.at, self.gems, self.rocks = (
            picks[0],
            frozenset(picks[1 : 3 + level // 2]),
            frozenset(picks[3 + level // 2 :]),
        )
        self.earth = frozenset(free(self.grid, self.walls)) - self.gems - self.rocks - {self.at}

    def act(self, action: int, x: int, y: int) -> None:
        step = STEPS[action]
        there = plus(self.at, step)
        beyond = plus(there, step)
        if there in self.rocks and step[1] == 0 and self._empty(beyond):
            self.rocks = (self.rocks - {there}) | {beyond}
        if there not in self.walls and there not in self.rocks:
            self.at = there
            self.earth -= {there}
            self.gems -= {there}
        self._fall()
        if not self.gems and self.ending is None:
            self.win()

    def _empty(self, cell: Cell) -> bool:
        return cell not in self.walls | self.rocks | self.earth | self.gems and cell != self.at

    def _fall(self) -> None:
        for rock in sorted(self.rocks, key=lambda cell: -cell[1]):
            here = rock
            while self._empty(below := plus(here, (0, 1))):
                here = below
            if here != rock:
                self.rocks = (self.rocks - {rock}) | {here}
                if plus(here, (0, 1)) == self.at:
                    self.lose()

    def draw(self) -> Layer:
        canvas = Canvas(5)
        for cell in self.grid.cells:
            x, y = self.grid.corner(cell)
            if cell in self.walls:
                canvas.box(x, y, 6, 6, 3)
            elif cell in self.earth:
                canvas.stamp(x, y, "dddddd/d4ddd4/dddddd/dd4ddd/dddddd/d4dd4d")
            elif cell in self.rocks:
                canvas.stamp(x, y, ".2222./222212/222222/222222/322222/.3333.")
            elif cell in self.gems:
                canvas.stamp(x, y, "......./..bb../.b00b./..bb..")
        canvas.stamp(*self.grid.corner(self.at), "..ee../..ee../eeeeee/..ee../.e..e.")
        return canvas.done()
