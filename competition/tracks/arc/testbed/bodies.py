"""Families in which keys move several bodies: alike, mirrored, or by turns."""

from __future__ import annotations

from random import Random

from vgdl.competition.tracks.arc.frame import Layer
from vgdl.competition.tracks.arc.testbed.puzzle import STEPS, USE, Canvas, Cell, Grid, Puzzle, free, plus, room


class Mirror(Puzzle):
    """Two bodies, the second of which goes left and right the other way round. Each has to reach its mark."""

    actions = (1, 2, 3, 4)

    def setup(self, level: int, rng: Random) -> None:
        n = 6 + level // 2
        self.grid = Grid(4, 3, 16, n, n)
        self.other = Grid(4, 61 - 4 * n, 16, n, n)
        self.walls = tuple(room(rng, n, n, 3 + 2 * level) for _ in range(2))
        picks = [rng.sample(free(self.grid, walls), 2) for walls in self.walls]
        self.at = tuple(pick[0] for pick in picks)
        self.marks = tuple(pick[1] for pick in picks)

    def act(self, action: int, x: int, y: int) -> None:
        dx, dy = STEPS[action]
        steps = (dx, dy), (-dx, dy)
        targets = [plus(at, step) for at, step in zip(self.at, steps, strict=True)]
        self.at = tuple(
            at if there in walls else there for at, there, walls in zip(self.at, targets, self.walls, strict=True)
        )
        if self.at == self.marks:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(5)
        for grid, walls, at, mark, colour in zip(
            (self.grid, self.other), self.walls, self.at, self.marks, (8, 9), strict=True
        ):
            for cell in grid.cells:
                canvas.cell(grid, cell, 3 if cell in walls else 1)
            canvas.frame(*grid.corner(mark), 4, 4, colour)
            canvas.cell(grid, at, colour, 1)
        return canvas.done()


class Turns(Puzzle):
    """The special key passes control from one body to the next. All have to stand on marks of their colours."""

    actions = (1, 2, 3, 4, USE)
    longest = 50

    def setup(self, level: int, rng: Random) -> None:
        n = 6 + level // 2
        self.grid = Grid(7, 5, 4, n, n)
        self.walls = room(rng, n, n, 2 + level)
        bodies = 2 + (level > 2)
        picks = rng.sample(free(self.grid, self.walls), 2 * bodies)
        self.at, self.marks = tuple(picks[:bodies]), tuple(picks[bodies:])
        self.active = 0

    def estimate(self) -> float:
        return sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in zip(self.at, self.marks, strict=True))

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            self.active = (self.active + 1) % len(self.at)
            return
        there = plus(self.at[self.active], STEPS[action])
        if there not in self.walls and there not in self.at:
            self.at = (*self.at[: self.active], there, *self.at[self.active + 1 :])
        if self.at == self.marks:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        for cell in self.walls:
            canvas.cell(self.grid, cell, 13)
            canvas.frame(*self.grid.corner(cell), 7, 7, 5)
        for k, (at, mark) in enumerate(zip(self.at, self.marks, strict=True)):
            colour = (14, 8, 9)[k]
            x, y = self.grid.corner(mark)
            canvas.stamp(x, y, "#.....#/.#...#./......./......./......./.#...#./#.....#", colour)
            x, y = self.grid.corner(at)
            canvas.stamp(x + 1, y + 1, ".###./#####/#####/#####/.###.", colour)
            if k == self.active:
                canvas.box(x + 2, y + 2, 3, 3, 11)
        return canvas.done()


class Herd(Puzzle):
    """All sheep go where the keys say, and stay in a pit once they are in one. All have to be in."""

    actions = (1, 2, 3, 4)

    def setup(self, level: int, rng: Random) -> None:
        n = 7 + level // 2
        self.grid = Grid(6, 6, 3, n, n)
        self.walls = room(rng, n, n, 2 + level)
        picks = rng.sample(free(self.grid, self.walls), 4 + level)
        self.pits = frozenset(picks[:2])
        self.sheep = frozenset(picks[2:])

    def act(self, action: int, x: int, y: int) -> None:
        step = STEPS[action]
        done: set[Cell] = set()
        for one in sorted(self.sheep, key=lambda cell: -(cell[0] * step[0] + cell[1] * step[1])):
            there = plus(one, step)
            done.add(one if there in self.walls or there in done else there)
        self.sheep = frozenset(done - self.pits)
        if not self.sheep:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(14)
        for cell in self.walls:
            canvas.cell(self.grid, cell, 2)
        for cell in self.pits:
            canvas.disc(*self.grid.middle(cell), 2.6, 5)
        for cell in self.sheep:
            x, y = self.grid.corner(cell)
            canvas.stamp(x, y + 1, ".00005/000000/000000/.5..5.")
        return canvas.done()


class Follower(Puzzle):
    """A chaser makes one step towards the runner after each of its steps. The runner has to get out; touch loses."""

    actions = (1, 2, 3, 4)
    shortest = 4

    def setup(self, level: int, rng: Random) -> None:
        n = 8 + level
        self.grid = Grid(5, 2, 2, n, n)
        self.walls = room(rng, n, n, 2 * n)
        self.runner, self.exit, *chasers = rng.sample(free(self.grid, self.walls), 3 + (level > 2))
        self.chasers = tuple(chasers)

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.runner, STEPS[action])
        if there not in self.walls:
            self.runner = there
        if self.runner == self.exit:
            self.win()
            return
        self.chasers = tuple(self._chase(chaser) for chaser in self.chasers)
        if self.runner in self.chasers:
            self.lose()

    def _chase(self, chaser: Cell) -> Cell:
        dx, dy = self.runner[0] - chaser[0], self.runner[1] - chaser[1]
        across, down = ((dx > 0) - (dx < 0), 0), (0, (dy > 0) - (dy < 0))
        for step in (across, down) if abs(dx) >= abs(dy) else (down, across):
            if step != (0, 0) and plus(chaser, step) not in self.walls:
                return plus(chaser, step)
        return chaser

    def draw(self) -> Layer:
        canvas = Canvas(6)
        for cell in free(self.grid, self.walls):
            canvas.cell(self.grid, cell, 15)
        canvas.cell(self.grid, self.exit, 0)
        canvas.cell(self.grid, self.exit, 15, 1)
        canvas.cell(self.grid, self.exit, 0, 2)
        canvas.stamp(*self.grid.corner(self.runner), "..9../.999./99999/.999./.9.9.")
        for chaser in self.chasers:
            canvas.stamp(*self.grid.corner(chaser), "8...8/88888/80808/88888/8.8.8")
        return canvas.done()
