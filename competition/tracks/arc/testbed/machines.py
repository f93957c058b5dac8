"""Families of machines: belts, trains, a board that is turned, lasers, growth."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from vgdl.competition.tracks.arc.frame import CLICK, Layer
from vgdl.competition.tracks.arc.testbed.puzzle import STEPS, USE, Canvas, Cell, Grid, Puzzle, free, plus, room


class Belts(Puzzle):
    """Belts carry the walker one cell further after each step. The way leads to the lamp."""

    actions = (1, 2, 3, 4, USE)

    def setup(self, level: int, rng: Random) -> None:
        n = 8 + level // 2
        self.grid = Grid(6, 5, 5, n, n)
        self.walls = room(rng, n, n, 6 + level)
        picks = rng.sample(free(self.grid, self.walls), 8 + 4 * level)
        self.at, self.lamp = picks[:2]
        self.belts = tuple((cell, rng.randint(1, 4)) for cell in picks[2:])

    def act(self, action: int, x: int, y: int) -> None:
        if action != USE and (there := plus(self.at, STEPS[action])) not in self.walls:
            self.at = there
        way = dict(self.belts).get(self.at)
        if way and (there := plus(self.at, STEPS[way])) not in self.walls:
            self.show()
            self.at = there
        if self.at == self.lamp:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(2)
        for cell in self.walls:
            canvas.cell(self.grid, cell, 6)
        looks = ("", "..##../.####./##..##", "##..##/.####./..##..", "..##../.##.../##..../.##.../..##..")
        for cell, way in self.belts:
            x, y = self.grid.corner(cell)
            canvas.box(x, y, 6, 6, 4)
            canvas.stamp(x, y + 1, looks[way] if way < 4 else "..##../...##./....##/...##./..##..", 1)
        canvas.disc(*self.grid.middle(self.lamp), 2, 11)
        canvas.cell(self.grid, self.at, 8, 1)
        return canvas.done()


class Points(Puzzle):
    """Clicks set the points of a railway; the special key lets the train run. Wrong platforms lose."""

    actions = (USE, CLICK)

    def setup(self, level: int, rng: Random) -> None:
        self.depth = 1 + (level + 1) // 2
        self.points = tuple(rng.randint(0, 1) for _ in range(2**self.depth - 1))
        self.platform = rng.randrange(2**self.depth)
        self.train = -1  # the points that it has passed

    def _place(self, number: int) -> Cell:
        """The pixel of points or, beyond them, of a platform: a binary tree from left to right."""
        depth = (number + 1).bit_length() - 1
        index = number + 1 - 2**depth
        return 6 + depth * 50 // self.depth, 4 + (2 * index + 1) * 56 // (2 * 2**depth)

    def targets(self) -> Iterable[Cell]:
        return [self._place(k) for k in range(len(self.points))]

    def act(self, action: int, x: int, y: int) -> None:
        if action == CLICK:
            for k, (left, top) in enumerate(self.targets()):
                if abs(x - left) <= 2 and abs(y - top) <= 2:
                    self.points = (*self.points[:k], 1 - self.points[k], *self.points[k + 1 :])
            return
        here = 0
        while here < len(self.points):
            self.train = here
            self.show()
            here = 2 * here + 1 + self.points[here]
        self.train = here
        if here - len(self.points) == self.platform:
            self.win()
        else:
            self.lose()

    def draw(self) -> Layer:
        canvas = Canvas(14)
        for k, set_to in enumerate(self.points):
            x, y = self._place(k)
            for side in (1 - set_to, set_to):
                right, bottom = self._place(2 * k + 1 + side)
                for step in range(right - x + 1):
                    colour = 5 if side == set_to else 3
                    canvas.box(x + step, y + step * (bottom - y) // (right - x), 1, 2, colour)
            canvas.box(x - 2, y - 2, 5, 5, 9)
        for k in range(2**self.depth):
            x, y = self._place(len(self.points) + k)
            canvas.box(x - 1, y - 2, 6, 5, 11 if k == self.platform else 2)
        x, y = self._place(max(self.train, 0))
        canvas.box(x - (5 if self.train < 0 else 1), y - 1, 3, 3, 8)
        return canvas.done()


class Turntable(Puzzle):
    """Keys turn the board by a quarter; the ball then falls and has to drop into the cup."""

    actions = (3, 4)
    shortest = 2

    def setup(self, level: int, rng: Random) -> None:
        n = 7 + level // 2
        self.n = n
        self.walls = room(rng, n, n, 6 + 3 * level)
        spare = sorted({(x, y) for x in range(n) for y in range(n)} - self.walls)
        self.ball, self.cup = rng.sample(spare, 2)
        self.turns = 0

    def act(self, action: int, x: int, y: int) -> None:
        self.turns = (self.turns + (1 if action == 4 else 3)) % 4
        self.show()
        down = ((0, 1), (1, 0), (0, -1), (-1, 0))[self.turns]
        while self.ball != self.cup and (there := plus(self.ball, down)) not in self.walls:
            self.ball = there
        if self.ball == self.cup:
            self.win()

    def _rotated(self, cell: Cell) -> Cell:
        x, y = cell
        for _ in range(self.turns):
            x, y = self.n - 1 - y, x
        return x, y

    def draw(self) -> Layer:
        canvas = Canvas(0)
        size = 56 // self.n
        for cells, colour in ((self.walls, 12), ({self.cup}, 14), ({self.ball}, 8)):
            for cell in cells:
                x, y = self._rotated(cell)
                canvas.box(4 + size * x, 4 + size * y, size, size, colour)
        return canvas.done()


class Laser(Puzzle):
    """A click turns a mirror. The beam has to hit the crystal."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        n = 5 + level // 2
        self.grid = Grid(8, 9, 11, n, n)
        picks = rng.sample(self.grid.cells, 4 + 2 * level)
        self.crystal, self.mirrors = picks[0], tuple(picks[1 : 4 + level])
        self.blocks = frozenset(picks[4 + level :])
        self.slants = tuple(rng.randint(0, 1) for _ in self.mirrors)
        self.row = rng.randrange(n)
        if self._beam()[-1] == self.crystal:
            self.slants = tuple(1 - slant for slant in self.slants)

    def _beam(self) -> list[Cell]:
        here, step, beam = (-1, self.row), (1, 0), [(-1, self.row)]
        slants = dict(zip(self.mirrors, self.slants, strict=True))
        for _ in range(60):
            here = plus(here, step)
            if not self.grid.has(here) or here in self.blocks:
                break
            beam.append(here)
            if here == self.crystal:
                break
            if here in slants:
                step = (step[1], step[0]) if slants[here] else (-step[1], -step[0])
        return beam

    def targets(self) -> Iterable[Cell]:
        return [self.grid.middle(cell) for cell in self.mirrors]

    def act(self, action: int, x: int, y: int) -> None:
        cell = self.grid.at(x, y)
        if cell in self.mirrors:
            k = self.mirrors.index(cell)
            self.slants = (*self.slants[:k], 1 - self.slants[k], *self.slants[k + 1 :])
        if self._beam()[-1] == self.crystal:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(5)
        for cell in self._beam():
            x, y = self.grid.middle(cell)
            canvas.box(x - 1, y - 1, 3, 3, 8)
        for cell in self.blocks:
            canvas.cell(self.grid, cell, 3, 1)
        x, y = self.grid.corner(self.crystal)
        canvas.stamp(x + 1, y + 1, "..##../.####./######/######/.####./..##..", 10)
        for cell, slant in zip(self.mirrors, self.slants, strict=True):
            x, y = self.grid.corner(cell)
            for k in range(8):
                canvas.box(x + k, y + (k if slant else 7 - k), 1, 1, 0)
                canvas.box(x + k, y + (k if slant else 7 - k) - 1, 1, 1, 1)
        return canvas.done()


class Moss(Puzzle):
    """A key makes the moss grow by one cell in its direction; the special key removes its rim. Match the outline."""

    actions = (1, 2, 3, 4, USE)

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(5, 7, 7, 10, 10)
        self.walls = room(rng, 10, 10, 3 * level)
        start = rng.choice(free(self.grid, self.walls))
        self.moss: frozenset[Cell] = frozenset({start})
        first = self.moss
        for _ in range(2 + level):
            self._grow(rng.choice((1, 2, 3, 4)))
        self.goal, self.moss = self.moss, first

    def _grow(self, action: int) -> None:
        self.moss |= {plus(cell, STEPS[action]) for cell in self.moss} - self.walls

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            inner = frozenset(cell for cell in self.moss if set(self.grid.around(cell)) <= self.moss)
            self.moss = inner or self.moss
        else:
            self._grow(action)
        if self.moss == self.goal:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(13)
        for cell in free(self.grid, self.walls):
            canvas.cell(self.grid, cell, 4)
        for cell in self.goal:
            canvas.frame(*self.grid.corner(cell), 5, 5, 11)
        for cell in self.moss:
            canvas.cell(self.grid, cell, 14, 1)
        return canvas.done()


class Cells(Puzzle):
    """The special key makes a generation: a cell lives if one or two of its neighbours do. Clicks set cells.

    The marked cell has to live after a generation while the one marked with a cross does not.
    """

    actions = (USE, CLICK)

    def setup(self, level: int, rng: Random) -> None:
        n = 4 + level // 2
        self.grid = Grid(8, 8, 8, n, n, gap=1)
        picks = rng.sample(self.grid.cells, 4 + level)
        self.goal, self.barred = frozenset(picks[: 1 + level // 2]), frozenset(picks[1 + level // 2 : 2 + level])
        self.alive = frozenset(picks[2 + level :]) if level > 2 else frozenset()

    def targets(self) -> Iterable[Cell]:
        return [self.grid.middle(cell) for cell in self.grid.cells]

    def act(self, action: int, x: int, y: int) -> None:
        if action == CLICK:
            cell = self.grid.at(x, y)
            if cell is not None:
                self.alive ^= {cell}
            return
        counts = {cell: len(self.alive & set(self.grid.around(cell))) for cell in self.grid.cells}
        self.alive = frozenset(cell for cell, n in counts.items() if n in (1, 2))
        if self.goal <= self.alive and not self.barred & self.alive:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        for cell in self.grid.cells:
            x, y = self.grid.corner(cell)
            canvas.box(x, y, 8, 8, 9 if cell in self.alive else 1)
            if cell in self.goal:
                canvas.frame(x + 1, y + 1, 6, 6, 14)
            if cell in self.barred:
                canvas.stamp(x + 2, y + 2, "#..#/.##./.##./#..#", 8)
        return canvas.done()


class Fire(Puzzle):
    """Fire spreads to one more ring of dry grass after every second step. The walker has to reach the lake."""

    actions = (1, 2, 3, 4)
    shortest = 4

    def setup(self, level: int, rng: Random) -> None:
        n = 9 + level
        self.grid = Grid(4, 10 - level, 11 - level, n, n)
        self.walls = room(rng, n, n, 2 * n)
        self.at, self.lake, *fire = rng.sample(free(self.grid, self.walls), 3 + (level > 2))
        self.fire, self.clock = frozenset(fire), 0

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.at, STEPS[action])
        if there not in self.walls:
            self.at = there
        self.clock ^= 1
        if not self.clock:
            near = {there for cell in self.fire for there in self.grid.around(cell)}
            self.fire |= near - self.walls - {self.lake}
        if self.at == self.lake:
            self.win()
        elif self.at in self.fire:
            self.lose()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        for cell in free(self.grid, self.walls):
            canvas.cell(self.grid, cell, 8 if cell in self.fire else 11)
            if cell in self.fire:
                canvas.cell(self.grid, cell, 12, 1)
        canvas.cell(self.grid, self.lake, 9)
        canvas.cell(self.grid, self.at, 5)
        return canvas.done()
