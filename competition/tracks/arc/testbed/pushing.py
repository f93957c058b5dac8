"""Families of pushing and pulling, and of pieces that are moved by clicks."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from vgdl.competition.tracks.arc.frame import CLICK, UNDO, Layer
from vgdl.competition.tracks.arc.testbed.puzzle import STEPS, USE, Canvas, Cell, Grid, Puzzle, free, plus, room


class Crates(Puzzle):
    """Crates are pushed onto pads. Undo is offered."""

    actions = (1, 2, 3, 4, UNDO)
    shortest = 4

    def setup(self, level: int, rng: Random) -> None:
        n = 6 + level // 2
        self.grid = Grid(8, 3 + level, 2, n, n)
        self.walls = room(rng, n, n, 2 + level)
        n_crates = 1 + (level > 0) + (level > 3)
        inner = [cell for cell in free(self.grid, self.walls) if 1 < cell[0] < n - 2 and 1 < cell[1] < n - 2]
        crates = rng.sample(inner, n_crates)
        spare = [cell for cell in free(self.grid, self.walls) if cell not in crates]
        self.at, *pads = rng.sample(spare, 1 + n_crates)
        self.crates, self.pads = frozenset(crates), frozenset(pads)

    def act(self, action: int, x: int, y: int) -> None:
        step = STEPS[action]
        there = plus(self.at, step)
        beyond = plus(there, step)
        if there in self.walls or (there in self.crates and beyond in self.walls | self.crates):
            return
        if there in self.crates:
            self.crates = (self.crates - {there}) | {beyond}
        self.at = there
        if self.crates == self.pads:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(3)
        for cell in free(self.grid, self.walls):
            x, y = self.grid.corner(cell)
            canvas.box(x, y, 8, 8, 10)
            if cell in self.pads:
                canvas.box(x + 2, y + 2, 4, 4, 12)
        for cell in self.crates:
            x, y = self.grid.corner(cell)
            canvas.box(x + 1, y + 1, 6, 6, 13)
            canvas.stamp(x + 2, y + 2, "#..#/.##./.##./#..#", 11 if cell in self.pads else 5)
        x, y = self.grid.corner(self.at)
        canvas.stamp(x + 1, y + 1, "..66../..66../666666/..66../..66../.6..6.")
        return canvas.done()


class Grip(Puzzle):
    """The special key grips and lets go of the box beside the walker, which then moves along. One box to its place."""

    actions = (1, 2, 3, 4, USE)

    def setup(self, level: int, rng: Random) -> None:
        n = 6 + level // 2
        self.grid = Grid(5, 10, 12, n, n)
        self.walls = room(rng, n, n, 3 + level)
        self.at, self.box, self.place = rng.sample(free(self.grid, self.walls), 3)
        self.gripped = False

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            self.gripped = not self.gripped and self.box in self.grid.around(self.at)
        else:
            step = STEPS[action]
            bodies = {self.at, self.box} if self.gripped else {self.at}
            moved = {plus(body, step) for body in bodies}
            if not moved & self.walls and (self.gripped or self.box not in moved):
                self.at = plus(self.at, step)
                self.box = plus(self.box, step) if self.gripped else self.box
        if self.box == self.place:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(1)
        for cell in self.walls:
            canvas.cell(self.grid, cell, 9)
            canvas.cell(self.grid, cell, 10, 1)
        x, y = self.grid.corner(self.place)
        canvas.frame(x, y, 5, 5, 8)
        canvas.cell(self.grid, self.box, 8, 1)
        canvas.cell(self.grid, self.at, 5)
        canvas.cell(self.grid, self.at, 11 if self.gripped else 0, 1)
        return canvas.done()


class Wagons(Puzzle):
    """A train follows its engine and takes up wagons. It has to leave with all of them, and may not be crossed."""

    actions = (1, 2, 3, 4)
    shortest = 4

    def setup(self, level: int, rng: Random) -> None:
        n = 6 + level // 2
        self.grid = Grid(7, 7, 8, n, n)
        self.walls = room(rng, n, n, 1 + level)
        start, self.exit, *wagons = rng.sample(free(self.grid, self.walls), 3 + level)
        self.train: tuple[Cell, ...] = (start,)
        self.wagons = frozenset(wagons)

    def estimate(self) -> float:
        return 3.0 * len(self.wagons)

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.train[0], STEPS[action])
        if there in self.walls or there in self.train or (there == self.exit and self.wagons):
            return
        grows = there in self.wagons
        self.wagons -= {there}
        self.train = (there, *(self.train if grows else self.train[:-1]))
        if there == self.exit:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(14)
        for cell in self.walls:
            canvas.disc(*self.grid.middle(cell), 3, 3)
        x, y = self.grid.corner(self.exit)
        canvas.stamp(x, y, "5555555/5.....5/5.....5/5.....5/5.....5/5.....5/5.....5")
        for cell in self.wagons:
            canvas.cell(self.grid, cell, 9, 2)
        for k, cell in enumerate(self.train):
            canvas.cell(self.grid, cell, 9 if k else 8, 1)
        return canvas.done()


class Pegs(Puzzle):
    """Two clicks jump a peg over another one, which is removed. One peg has to remain."""

    actions = (CLICK,)
    longest = 20

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(9, 9, 9, 5, 5)
        pegs = {(rng.randrange(5), rng.randrange(5))}
        for _ in range(2 + level):
            ways = [
                (peg, step)
                for peg in sorted(pegs)
                for step in STEPS.values()
                if self.grid.has(plus(peg, step, 2)) and not {plus(peg, step), plus(peg, step, 2)} & pegs
            ]
            if not ways:
                break
            peg, step = rng.choice(ways)
            pegs = (pegs - {peg}) | {plus(peg, step), plus(peg, step, 2)}
        self.pegs, self.held = frozenset(pegs), (-1, -1)

    def targets(self) -> Iterable[Cell]:
        if self.held == (-1, -1):
            return [self.grid.middle(cell) for cell in sorted(self.pegs)]
        return [
            self.grid.middle(plus(self.held, step, 2))
            for step in STEPS.values()
            if plus(self.held, step) in self.pegs
            and self.grid.has(plus(self.held, step, 2))
            and plus(self.held, step, 2) not in self.pegs
        ] or [self.grid.middle(self.held)]

    def act(self, action: int, x: int, y: int) -> None:
        cell = self.grid.at(x, y)
        if cell is None:
            return
        if cell in self.pegs:
            self.held = cell if cell != self.held else (-1, -1)
        elif self.held != (-1, -1):
            over = ((cell[0] + self.held[0]) // 2, (cell[1] + self.held[1]) // 2)
            apart = sorted((abs(cell[0] - self.held[0]), abs(cell[1] - self.held[1])))
            if apart == [0, 2] and over in self.pegs:
                self.pegs = (self.pegs - {self.held, over}) | {cell}
            self.held = (-1, -1)
        if len(self.pegs) == 1:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(13)
        for cell in self.grid.cells:
            x, y = self.grid.middle(cell)
            canvas.disc(x, y, 1, 5)
            if cell in self.pegs:
                canvas.disc(x, y, 3, 11 if cell != self.held else 6)
        return canvas.done()


class Stroll(Puzzle):
    """The walker slides straight towards the clicked place until something is in the way. It has to touch the bells."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        n = 6 + level
        self.grid = Grid(60 // n, 3, 2, n, n)
        self.walls = room(rng, n, n, 2 + 2 * level)
        self.at, *bells = rng.sample(free(self.grid, self.walls), 2 + level // 2)
        self.bells = frozenset(bells)

    def targets(self) -> Iterable[Cell]:
        reach = []
        for step in STEPS.values():
            here = plus(self.at, step)
            while here not in self.walls:
                reach.append(self.grid.middle(here))
                here = plus(here, step)
        return reach

    def act(self, action: int, x: int, y: int) -> None:
        cell = self.grid.at(x, y)
        if cell is None or (cell[0] != self.at[0]) == (cell[1] != self.at[1]):
            return
        step = ((cell[0] > self.at[0]) - (cell[0] < self.at[0]), (cell[1] > self.at[1]) - (cell[1] < self.at[1]))
        while self.at != cell and (there := plus(self.at, step)) not in self.walls:
            self.at = there
            self.bells -= {there}
            self.show()
        if not self.bells:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(15)
        for cell in self.walls:
            canvas.cell(self.grid, cell, 6)
            canvas.cell(self.grid, cell, 5, 2)
        for cell in self.bells:
            canvas.disc(*self.grid.middle(cell), 2, 11)
        canvas.disc(*self.grid.middle(self.at), self.grid.size / 2 - 1, 9)
        return canvas.done()


class Swap(Puzzle):
    """Two clicks swap two stones. Equal stones have to lie side by side in rows. Faces blink for decoration."""

    actions = (CLICK,)
    aside = frozenset({"clock"})
    longest = 16

    def setup(self, level: int, rng: Random) -> None:
        columns, rows = ((2, 2), (3, 2), (3, 2), (3, 3), (4, 3))[level]
        self.grid = Grid(10, 8, 14, columns, rows, gap=2)
        stones = [row for row in range(rows) for _ in range(columns)]
        for _ in range(1 + level // 2):
            one, other = rng.sample(range(len(stones)), 2)
            stones[one], stones[other] = stones[other], stones[one]
        self.stones, self.held, self.clock = tuple(stones), -1, 0

    def targets(self) -> Iterable[Cell]:
        return [self.grid.middle(cell) for cell in self.grid.cells]

    def estimate(self) -> float:
        rows = [self.stones[k : k + self.grid.columns] for k in range(0, len(self.stones), self.grid.columns)]
        return 2.0 * sum(len(set(row)) - 1 for row in rows)

    def act(self, action: int, x: int, y: int) -> None:
        self.clock = (self.clock + 1) % 4
        cell = self.grid.at(x, y)
        if cell is None:
            self.held = -1
            return
        stone = self.grid.cells.index(cell)
        if self.held < 0:
            self.held = stone
            return
        stones = list(self.stones)
        stones[self.held], stones[stone] = stones[stone], stones[self.held]
        self.stones, self.held = tuple(stones), -1
        if self.estimate() == 0:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        for k, cell in enumerate(self.grid.cells):
            x, y = self.grid.corner(cell)
            canvas.box(x, y, 10, 10, (12, 10, 14)[self.stones[k]])
            if k == self.held:
                canvas.frame(x, y, 10, 10, 5)
        for k in range(3):
            canvas.disc(10 + 22 * k, 6, 4, 7)
            canvas.box(8 + 22 * k, 5, 1, 1 + (self.clock == k), 5)
            canvas.box(12 + 22 * k, 5, 1, 1 + (self.clock == k), 5)
        return canvas.done()
