"""Families of sorting, stacking, remembering and repeating."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from random import Random

from vgdl.competition.tracks.arc.frame import CLICK, Layer
from vgdl.competition.tracks.arc.testbed.puzzle import STEPS, USE, Canvas, Cell, Grid, Puzzle

COLOURS = (8, 9, 11, 14, 12, 6)


class Tower(Puzzle):
    """Two clicks move the top disc of a peg. The tower has to stand on the right peg, larger discs below."""

    actions = (CLICK,)
    longest = 40

    def setup(self, level: int, rng: Random) -> None:
        n = 2 + (level > 0) + (level > 3)
        pegs: list[tuple[int, ...]] = [(), (), ()]
        for disc in range(n, 0, -1):
            peg = rng.randrange(3)
            pegs[peg] = (*pegs[peg], disc)
        self.pegs, self.n, self.held = tuple(pegs), n, -1

    def targets(self) -> Iterable[Cell]:
        return [(11 + 21 * peg, 35) for peg in range(3)]

    def act(self, action: int, x: int, y: int) -> None:
        peg = min(max((x - 1) // 21, 0), 2)
        if not 14 <= y < 56:
            return
        if self.held < 0:
            self.held = peg if self.pegs[peg] else -1
            return
        pegs = list(self.pegs)
        disc = pegs[self.held][-1]
        if peg != self.held and (not pegs[peg] or pegs[peg][-1] > disc):
            pegs[self.held] = pegs[self.held][:-1]
            pegs[peg] = (*pegs[peg], disc)
        self.pegs, self.held = tuple(pegs), -1
        if len(self.pegs[2]) == self.n:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        canvas.box(1, 54, 62, 3, 13)
        canvas.stamp(50, 59, "..#../.###./#####", 13)
        for peg, discs in enumerate(self.pegs):
            x = 11 + 21 * peg
            canvas.box(x - 1, 20, 2, 34, 13)
            for k, disc in enumerate(discs):
                lifted = 3 if peg == self.held and k == len(discs) - 1 else 0
                canvas.box(x - 2 - 2 * disc, 49 - 6 * k - lifted, 4 + 4 * disc, 5, COLOURS[disc])
        return canvas.done()


class Tubes(Puzzle):
    """Two clicks pour the top colour of a tube into another one. Every tube has to hold one colour."""

    actions = (CLICK,)
    longest = 44

    def setup(self, level: int, rng: Random) -> None:
        n = 2 + (level > 1) + (level > 3)
        balls = [colour for colour in range(n) for _ in range(3)]
        rng.shuffle(balls)
        self.tubes = (*(tuple(balls[3 * k : 3 * k + 3]) for k in range(n)), (), *(((),) if level else ()))
        self.held = -1

    def _x(self, tube: int) -> int:
        return 4 + tube * 60 // len(self.tubes)

    def targets(self) -> Iterable[Cell]:
        return [(self._x(k) + 4, 40) for k in range(len(self.tubes))]

    def estimate(self) -> float:
        return float(2 * sum(a != b for tube in self.tubes for a, b in pairwise(tube)))

    def act(self, action: int, x: int, y: int) -> None:
        hit = next((k for k in range(len(self.tubes)) if self._x(k) <= x < self._x(k) + 9 and 20 <= y < 54), -1)
        if hit < 0:
            return
        if self.held < 0:
            self.held = hit if self.tubes[hit] else -1
            return
        tubes = list(self.tubes)
        ball = tubes[self.held][-1]
        if hit != self.held and len(tubes[hit]) < 3 and (not tubes[hit] or tubes[hit][-1] == ball):
            tubes[self.held] = tubes[self.held][:-1]
            tubes[hit] = (*tubes[hit], ball)
        self.tubes, self.held = tuple(tubes), -1
        if all(len(set(tube)) <= 1 and len(tube) in (0, 3) for tube in self.tubes):
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(5)
        for k, tube in enumerate(self.tubes):
            x = self._x(k)
            canvas.box(x, 20, 9, 34, 0)
            canvas.box(x + 1, 20, 7, 33, 5)
            for height, colour in enumerate(tube):
                lifted = 4 if k == self.held and height == len(tube) - 1 else 0
                canvas.disc(x + 4, 49 - 9 * height - lifted, 3.3, COLOURS[colour])
        return canvas.done()


class Bars(Puzzle):
    """A click on a bar swaps it with its right neighbour. They have to stand in order of height."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        n = 3 + level
        heights = [8 + 5 * k for k in range(n)]
        rng.shuffle(heights)
        self.heights = tuple(heights)

    def _x(self, number: int) -> int:
        return 3 + number * 58 // len(self.heights)

    def targets(self) -> Iterable[Cell]:
        return [(self._x(k) + 2, 52) for k in range(len(self.heights) - 1)]

    def act(self, action: int, x: int, y: int) -> None:
        width = 58 // len(self.heights) - 1
        for k in range(len(self.heights) - 1):
            if self._x(k) <= x < self._x(k) + width and 56 - self.heights[k] <= y < 56:
                heights = list(self.heights)
                heights[k], heights[k + 1] = heights[k + 1], heights[k]
                self.show()
                self.heights = tuple(heights)
                break
        if list(self.heights) == sorted(self.heights):
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(9)
        width = 58 // len(self.heights) - 1
        canvas.box(0, 56, 64, 1, 0)
        for k, height in enumerate(self.heights):
            canvas.box(self._x(k), 56 - height, width, height, 7 if height % 2 else 12)
        return canvas.done()


class Memory(Puzzle):
    """Cards show their faces while two are turned. Equal pairs stay; all pairs have to be found."""

    actions = (CLICK,)
    longest = 20

    def setup(self, level: int, rng: Random) -> None:
        columns, rows = ((2, 2), (3, 2), (4, 2), (4, 3), (4, 3))[level]
        self.grid = Grid(11, 6, 8, columns, rows, gap=3)
        faces = [k // 2 for k in range(columns * rows)]
        rng.shuffle(faces)
        self.faces = tuple(faces)
        self.up: tuple[int, ...] = ()
        self.pairs: frozenset[int] = frozenset()

    def targets(self) -> Iterable[Cell]:
        cells = self.grid.cells
        return [self.grid.middle(cells[k]) for k in range(len(cells)) if k not in self.pairs]

    def act(self, action: int, x: int, y: int) -> None:
        cell = self.grid.at(x, y)
        if cell is None:
            return
        card = self.grid.cells.index(cell)
        if card in self.pairs or (card in self.up[:1] and len(self.up) == 1):
            return
        if len(self.up) == 2:
            self.up = ()
        self.up = (*self.up, card)
        if len(self.up) == 2 and self.faces[self.up[0]] == self.faces[self.up[1]]:
            self.pairs |= set(self.up)
            self.up = ()
        if len(self.pairs) == len(self.faces):
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(2)
        shapes = (
            ".###./#####/#####/#####/.###.", "..#../..#../#####/..#../..#..", "#####/#...#/#.#.#/#...#/#####",
            "..#../.###./#####/.###./..#..", "#...#/.#.#./..#../.#.#./#...#", "####./####./####./####./.....",
        )  # fmt: skip
        for k, cell in enumerate(self.grid.cells):
            x, y = self.grid.corner(cell)
            canvas.box(x, y, 11, 11, 0 if k in self.pairs or k in self.up else 9)
            if k in self.pairs or k in self.up:
                canvas.stamp(x + 3, y + 3, shapes[self.faces[k]], COLOURS[self.faces[k]])
            else:
                canvas.frame(x + 1, y + 1, 9, 9, 10)
        return canvas.done()


class Repeat(Puzzle):
    """The special key plays a sequence of lights as an animation. The lights have to be clicked in that order."""

    actions = (USE, CLICK)

    def setup(self, level: int, rng: Random) -> None:
        self.n = 3 + (level > 1)
        self.order = tuple(rng.randrange(self.n) for _ in range(2 + level // 2))
        self.done = 0
        self.flash = -1

    def _place(self, light: int) -> Cell:
        return ((16, 18), (46, 18), (16, 44), (46, 44))[light]

    def targets(self) -> Iterable[Cell]:
        return [self._place(light) for light in range(self.n)]

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            for light in self.order:
                self.flash = light
                self.show()
                self.flash = -1
                self.show()
            return
        for light in range(self.n):
            left, top = self._place(light)
            if (x - left) ** 2 + (y - top) ** 2 <= 81:
                self.flash = light
                self.show()
                self.flash = -1
                self.done = self.done + 1 if self.order[self.done] == light else 0
        if self.done == len(self.order):
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(5)
        for light in range(self.n):
            x, y = self._place(light)
            canvas.disc(x, y, 10, 3)
            canvas.disc(x, y, 9, 0 if light == self.flash else COLOURS[light])
        for k in range(len(self.order)):
            canvas.box(24 + 4 * k, 60, 3, 3, 14 if k < self.done else 2)
        return canvas.done()


class Crane(Puzzle):
    """A crane moves left and right and lifts or drops with the special key. The stacks have to match the sketch."""

    actions = (3, 4, USE)
    longest = 40

    def setup(self, level: int, rng: Random) -> None:
        n, blocks = 3 + level // 3, 2 + level // 2

        def stacks() -> tuple[tuple[int, ...], ...]:
            piled: list[tuple[int, ...]] = [()] * n
            for block in rng.sample(range(blocks), blocks):
                place = rng.randrange(n)
                piled[place] = (*piled[place], block)
            return tuple(piled)

        self.stacks, self.goal = stacks(), stacks()
        self.at, self.load = 0, -1

    def act(self, action: int, x: int, y: int) -> None:
        if action != USE:
            self.at = min(max(self.at + STEPS[action][0], 0), len(self.stacks) - 1)
            return
        stacks = list(self.stacks)
        if self.load >= 0:
            stacks[self.at] = (*stacks[self.at], self.load)
            self.load = -1
        elif stacks[self.at]:
            self.load = stacks[self.at][-1]
            stacks[self.at] = stacks[self.at][:-1]
        self.show()
        self.stacks = tuple(stacks)
        if self.stacks == self.goal:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(10)
        canvas.box(0, 58, 64, 6, 3)
        for k, (stack, wanted) in enumerate(zip(self.stacks, self.goal, strict=True)):
            for height, block in enumerate(stack):
                canvas.box(6 + 13 * k, 50 - 9 * height, 9, 8, COLOURS[block])
            for height, block in enumerate(wanted):
                canvas.box(44 + 5 * k, 13 - 4 * height, 4, 3, COLOURS[block])
        x = 6 + 13 * self.at
        canvas.box(x + 4, 14, 1, 6, 5)
        canvas.box(x, 19, 9, 2, 5)
        if self.load >= 0:
            canvas.box(x, 21, 9, 8, COLOURS[self.load])
        return canvas.done()
