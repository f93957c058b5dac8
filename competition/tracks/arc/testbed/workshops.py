"""Families of workshops: stamps on a canvas, a program to be run, orders on a belt, and tiles to be deduced."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from vgdl.competition.tracks.arc.frame import CLICK, UNDO, Layer
from vgdl.competition.tracks.arc.testbed.panels import ARROWS, near
from vgdl.competition.tracks.arc.testbed.puzzle import LEFT, RIGHT, STEPS, USE, Canvas, Cell, Grid, Puzzle, plus

SHAPES: tuple[tuple[Cell, ...], ...] = (
    ((0, 0), (1, 0), (0, 1), (1, 1)),
    ((-1, 0), (0, 0), (1, 0)),
    ((0, -1), (0, 0), (1, 0)),
    ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)),
    ((0, -1), (0, 0), (0, 1), (1, 1)),
)


class Imprint(Puzzle):
    """Clicks choose stamps and press them onto the canvas; few times, until it looks like the model. Undo works."""

    actions = (CLICK, UNDO)
    shortest = 4
    aside = frozenset({"spots"})
    blank = 0

    def setup(self, level: int, rng: Random) -> None:
        n = (6, 7, 7, 8, 8)[level]
        self.grid = Grid((6, 5, 5, 4, 4)[level], 2, 18, n, n, 1)
        self.model = Grid(2, 46, 18, n, n)
        kinds = rng.sample(SHAPES, (2, 3, 3, 4, 4)[level])
        colours = rng.sample((8, 9, 14, 12, 6), 3)
        stamps = [(shape, colours[k % 3]) for k, shape in enumerate(kinds)]
        if level > 2:
            stamps[-1] = (stamps[-1][0], self.blank)
        self.stamps = tuple(stamps)
        self.turns = level > 1
        self.chosen, self.quarter = -1, 0
        self.canvas = (self.blank,) * (n * n)
        before = self.canvas
        used, spots = (2, 3, 4, 4, 5)[level], list[Cell]()
        for k in range(used):
            self.chosen = k % len(stamps) if level > 2 else rng.randrange(len(stamps))
            self.quarter = rng.randrange(4) if self.turns and k == 1 else 0
            spot = rng.randrange(1, n - 1), rng.randrange(1, n - 1)
            if self.stamps[self.chosen][1] == self.blank:
                spot = rng.choice(spots)
            spots.append(spot)
            self.canvas = self._pressed(spot)
        self.goal, self.canvas = self.canvas, before
        self.chosen, self.quarter = -1, 0
        self.spots, self.left = tuple(dict.fromkeys(spots)), used + 1

    def _pressed(self, spot: Cell) -> tuple[int, ...]:
        shape, colour = self.stamps[self.chosen]
        cells = {plus(spot, part) for part in self._turned(shape)}
        return tuple(colour if at in cells else old for at, old in zip(self.grid.cells, self.canvas, strict=True))

    def _turned(self, shape: tuple[Cell, ...]) -> list[Cell]:
        parts = list(shape)
        for _ in range(self.quarter):
            parts = [(-y, x) for x, y in parts]
        return parts

    def _buttons(self) -> list[Cell]:
        return [*((7 + 13 * k, 8) for k in range(len(self.stamps))), *([(58, 8)] if self.turns else [])]

    def targets(self) -> Iterable[Cell]:
        return [*self._buttons(), *(self.grid.middle(spot) for spot in self.spots)]

    def act(self, action: int, x: int, y: int) -> None:
        hit, spot = near(x, y, self._buttons(), 5), self.grid.at(x, y)
        if hit >= len(self.stamps):
            self.quarter = (self.quarter + 1) % 4
        elif hit >= 0:
            self.chosen = hit
        elif spot and self.chosen >= 0:
            self.canvas = self._pressed(spot)
            self.left -= 1
            if self.canvas == self.goal:
                self.win()
            elif not self.left:
                self.lose()

    def estimate(self) -> float:
        return sum(one != other for one, other in zip(self.canvas, self.goal, strict=True)) / 2

    def draw(self) -> Layer:
        canvas = Canvas(3)
        for k, ((shape, colour), (x, y)) in enumerate(zip(self.stamps, self._buttons(), strict=False)):
            canvas.box(x - 5, y - 5, 11, 11, 1 if k == self.chosen else 2)
            canvas.frame(x - 5, y - 5, 11, 11, 5 if k == self.chosen else 2)
            for dx, dy in self._turned(shape):
                canvas.box(x - 1 + 3 * dx, y - 1 + 3 * dy, 3, 3, colour)
        if self.turns:
            canvas.stamp(
                53,
                3,
                ".....#...../...####..../..#..#...../.#........./.#.......#./.#.......#./..#.....#../...#####...",
                11,
            )
        canvas.box(1, 17, self.grid.columns * (self.grid.size + 1) + 1, self.grid.rows * (self.grid.size + 1) + 1, 5)
        canvas.box(45, 17, 2 * self.model.columns + 2, 2 * self.model.rows + 2, 5)
        for cell, colour, wanted in zip(self.grid.cells, self.canvas, self.goal, strict=True):
            canvas.cell(self.grid, cell, colour)
            canvas.cell(self.model, cell, wanted)
        for k in range(self.left):
            canvas.box(46 + 4 * (k % 4), 40 + 4 * (k // 4), 3, 3, 11)
        return canvas.done()


class Script(Puzzle):
    """Keys append arrows to a program, and clicks remove them or run it. It has to lead the walker to the flag."""

    actions = (1, 2, 3, 4, CLICK)
    shortest = 5
    aside = frozenset({"lives", "at", "got"})

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid((7, 6, 6, 5, 5)[level], 3, 3, (6, 7, 7, 8, 8)[level], (6, 7, 7, 8, 8)[level])
        cells = self.grid.cells
        rng.shuffle(cells)
        self.start, self.flag = cells[:2]
        n = (8, 12, 12, 14, 14)[level]
        self.walls = frozenset(cells[2 : 2 + n])
        self.water = frozenset(cells[2 + n : 2 + n + (0, 3, 4, 6, 6)[level]])
        self.coin = cells[-1] if level > 3 else None
        self.slots, self.times = ((6, 7, 4, 5, 6)[level], (1, 1, 2, 2, 2)[level])
        self.program: tuple[int, ...] = ()
        self.at, self.got, self.lives = self.start, False, 4
        self.button = 57, 8

    def _slots(self) -> list[Cell]:
        return [(5 + 8 * k, 58) for k in range(self.slots)]

    def targets(self) -> Iterable[Cell]:
        return [self.button]

    def act(self, action: int, x: int, y: int) -> None:
        if action != CLICK:
            if len(self.program) < self.slots:
                self.program = (*self.program, action)
            return
        hit = near(x, y, self._slots(), 3)
        if 0 <= hit < len(self.program):
            self.program = self.program[:hit] + self.program[hit + 1 :]
        elif near(x, y, [self.button], 5) == 0 and self.program:
            if self._run():
                self.win()
                return
            self.lives -= 1
            self.at, self.got = self.start, False
            if not self.lives:
                self.lose()

    def _run(self) -> bool:
        """Whether the program leads to the flag, from wherever the walker is."""
        for step in self.program * self.times:
            there = plus(self.at, STEPS[step])
            if self.grid.has(there) and there not in self.walls:
                self.at = there
            self.got |= self.at == self.coin
            self.show()
            if self.at in self.water:
                return False
            if self.at == self.flag and (self.got or not self.coin):
                return True
        return False

    def estimate(self) -> float:
        trial = self.copy()
        trial.silent = True
        if trial._run():
            return 0.0
        aim = self.coin if self.coin and not trial.got else self.flag
        far = abs(trial.at[0] - aim[0]) + abs(trial.at[1] - aim[1])
        return 0.6 * far + 3 * (aim == self.coin) + 8 * (trial.at in self.water)

    def draw(self) -> Layer:
        canvas = Canvas(13)
        side = self.grid.size * self.grid.columns
        canvas.box(2, 2, side + 2, side + 2, 5)
        for cell in self.grid.cells:
            colour = 4 if cell in self.walls else 10 if cell in self.water else 0
            canvas.cell(self.grid, cell, colour)
            x, y = self.grid.corner(cell)
            if cell in self.water:
                canvas.stamp(x, y + 1, ".#.#./#.#.#", 9)
            elif cell not in self.walls:
                canvas.box(x, y, 1, 1, 2)
        x, y = self.grid.corner(self.flag)
        canvas.stamp(x + 1, y, "#888/#888/#.../#.../#...", 5)
        if self.coin and not self.got:
            canvas.disc(*self.grid.middle(self.coin), 2, 12)
        x, y = self.grid.corner(self.at)
        canvas.stamp(x, y, ".###./.#0#./#####/.###./.#.#.", 15)
        canvas.disc(*self.button, 5, 14)
        canvas.stamp(self.button[0] - 2, self.button[1] - 3, "#..../##.../###../####./###../##.../#....", 0)
        for k in range(self.times):
            canvas.box(54 + 4 * k, 16, 2, 2, 0)
        for k in range(self.lives):
            canvas.stamp(51, 22 + 7 * k, ".###./.#0#./#####/.###./.#.#.", 15)
        for k, (x, y) in enumerate(self._slots()):
            canvas.frame(x - 3, y - 3, 7, 7, 1)
            if k < len(self.program):
                step = STEPS[self.program[k]]
                canvas.stamp(x - 2, y - 2, ARROWS[abs(step[0]), sum(step)], 11)
        return canvas.done()


class Bottler(Puzzle):
    """Clicks load a carriage, keys move it and drop parts into jars, which want what their labels show. Belts move."""

    actions = (LEFT, RIGHT, USE, CLICK)
    shortest = 6
    aside = frozenset({"left"})
    bins = (8, 9, 11, 14)

    def setup(self, level: int, rng: Random) -> None:
        n = (3, 3, 4, 4, 5)[level]
        self.n_bins = 2 + (level > 0) + (level > 3)
        self.high = (1, 2, 2, 2, 2)[level]
        self.orders = tuple(
            tuple(rng.choice(self.bins[: self.n_bins]) for _ in range(rng.randrange(1, self.high + 1)))
            if k < (2, 2, 3, 3, 4)[level]
            else ()
            for k in range(n)
        )
        self.jars: tuple[int, ...] = (0,) * n  #: how many parts each jar has, in the order of `orders`
        self.shift, self.at = 0, rng.randrange(n)
        self.load: tuple[int, ...] = ()
        self.most = 1 + (level > 1)
        self.rolls, self.rolls_on_load = level > 1, level > 3
        self.lives, self.left = 3, 60

    def _x(self, place: int) -> int:
        return 4 + 12 * place

    def _jar(self) -> int:
        return (self.at - self.shift) % len(self.jars)

    def targets(self) -> Iterable[Cell]:
        return [(9 + 14 * k, 8) for k in range(self.n_bins)]

    def act(self, action: int, x: int, y: int) -> None:
        self.left -= 1
        if action == CLICK:
            hit = near(x, y, self.targets(), 5)
            if hit >= 0 and len(self.load) < self.most:
                self.load = (*self.load, self.bins[hit])
                self.shift = (self.shift + self.rolls_on_load) % len(self.jars)
        elif action == USE:
            self._drop()
        else:
            self.at = min(max(self.at + (1 if action == RIGHT else -1), 0), len(self.jars) - 1)
        if all(filled == len(order) for filled, order in zip(self.jars, self.orders, strict=True)):
            self.win()
        elif not self.left or not self.lives:
            self.lose()

    def _drop(self) -> None:
        if not self.load:
            return
        jar, part = self._jar(), self.load[-1]
        self.load = self.load[:-1]
        filled, order = self.jars[jar], self.orders[jar]
        if filled < len(order) and order[filled] == part:
            self.jars = (*self.jars[:jar], filled + 1, *self.jars[jar + 1 :])
        else:
            self.lives -= 1
        self.show()
        self.shift = (self.shift + self.rolls) % len(self.jars)

    def estimate(self) -> float:
        missing = sum(len(order) - filled for filled, order in zip(self.jars, self.orders, strict=True))
        return 2.0 * missing - 0.9 * len(self.load) + 5 * (3 - self.lives)

    def draw(self) -> Layer:
        canvas = Canvas(2)
        for k, (x, y) in enumerate(self.targets()):
            canvas.box(x - 5, y - 4, 11, 9, 4)
            canvas.box(x - 3, y - 3, 7, 6, self.bins[k])
        canvas.box(0, 16, 64, 1, 5)
        x = self._x(self.at)
        canvas.box(x, 17, 9, 3, 5)
        canvas.box(x, 20, 1, 5, 5)
        canvas.box(x + 8, 20, 1, 5, 5)
        for k, part in enumerate(self.load):
            canvas.box(x + 1 + 4 * k, 20, 3, 4, part)
        canvas.box(0, 45, 64, 3, 3)
        for k, (order, filled) in enumerate(zip(self.orders, self.jars, strict=True)):
            x = self._x((k + self.shift) % len(self.jars))
            canvas.box(x, 31, 9, 14, 0)
            canvas.frame(x, 31, 9, 15, 5)
            canvas.box(x + 1, 31, 7, 1, 0)
            canvas.box(x, 47, 9, 9, 1)
            for j, part in enumerate(order):
                canvas.box(x + 2, 52 - 4 * j, 5, 3, part)
                if j < filled:
                    canvas.box(x + 1, 39 - 6 * j, 7, 6, part)
        for k in range(0, 64, 4):
            canvas.box((k + self.shift) % 64, 46, 2, 1, 1)
        for k in range(self.lives):
            canvas.box(61, 2 + 5 * k, 2, 4, 6)
        canvas.box(2, 60, self.left, 2, 12)
        return canvas.done()


class Sapper(Puzzle):
    """A click opens a tile, which counts the mines around it. They cost a life; all other tiles have to be opened."""

    actions = (CLICK,)
    shortest = 4
    digits = (
        "###/#.#/#.#/#.#/###",
        ".#./##./.#./.#./###",
        "###/..#/###/#../###",
        "###/..#/.##/..#/###",
        "#.#/#.#/###/..#/..#",
        "###/#../###/..#/###",
        "###/#../###/#.#/###",
    )

    def setup(self, level: int, rng: Random) -> None:
        n = (6, 6, 7, 7, 8)[level]
        size = (8, 8, 7, 7, 6)[level]
        self.grid = Grid(size - 1, 3, 12, n, n, 1)
        self.straight = level == 4  # counts along rows and columns, two tiles far, as the sign beside the flag shows
        self.silent = True
        for _ in range(400):
            cells = self.grid.cells
            rng.shuffle(cells)
            self.stone = frozenset(cells[: (0, 0, 0, 8, 6)[level]])
            rest = [cell for cell in cells if cell not in self.stone]
            self.mines = frozenset(rest[: (6, 7, 9, 9, 12)[level]])
            self.opened: frozenset[Cell] = frozenset()
            self.safe = frozenset(rest) - self.mines
            calm = [cell for cell in sorted(self.safe) if not self._count(cell)]
            if calm and all(self._count(cell) < 7 for cell in self.safe):
                self._open(rng.choice(calm))
                if len(self.safe - self.opened) > 3 + level and self._deducible():
                    break
        self.hit: frozenset[Cell] = frozenset()
        self.flags: frozenset[Cell] = frozenset()
        self.silent = self.flagging = False
        self.lives = 3

    def _around(self, cell: Cell) -> set[Cell]:
        steps = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
        if self.straight:
            steps = [(k * dx, k * dy) for dx, dy in STEPS.values() for k in (1, 2)]
        return {there for step in steps if self.grid.has(there := plus(cell, step)) and there not in self.stone}

    def _count(self, cell: Cell) -> int:
        return len(self._around(cell) & self.mines)

    def _open(self, cell: Cell) -> None:
        due = {cell}
        while due:
            self.opened |= due
            due = {there for here in due if not self._count(here) for there in self._around(here)} - self.opened
            if due:
                self.show()

    def _deducible(self) -> bool:
        """Whether counts alone, one at a time, lead from the opened tiles to all safe ones."""
        known, mines = set(self.opened), set[Cell]()
        while True:
            before = len(known) + len(mines)
            for cell in sorted(known):
                hidden = self._around(cell) - known
                if len(hidden) == self._count(cell):
                    mines |= hidden
                elif len(hidden & mines) == self._count(cell):
                    known |= hidden - mines
            if len(known) + len(mines) == before:
                return known == self.safe

    def targets(self) -> Iterable[Cell]:
        return [self.grid.middle(cell) for cell in sorted(self.safe - self.opened)]

    def act(self, action: int, x: int, y: int) -> None:
        cell = self.grid.at(x, y)
        if near(x, y, [(57, 5)], 4) == 0:
            self.flagging = not self.flagging
        elif cell is None or cell in self.stone | self.opened | self.hit:
            return
        elif self.flagging:
            self.flags ^= {cell}
        elif cell in self.mines - self.flags:
            self.hit |= {cell}
            self.lives -= 1
        elif cell not in self.flags:
            self._open(cell)
        if not self.lives:
            self.lose()
        elif self.opened >= self.safe:
            self.win()

    def estimate(self) -> float:
        return float(len(self.safe - self.opened))

    def draw(self) -> Layer:
        canvas = Canvas(9)
        middle = self.grid.size // 2 - 1
        colours = (1, 9, 14, 8, 15, 13, 5)
        side = self.grid.rows * (self.grid.size + 1)
        canvas.box(2, 11, side + 1, side + 1, 5)
        for cell in self.grid.cells:
            x, y = self.grid.corner(cell)
            canvas.cell(self.grid, cell, 5 if cell in self.stone else 0 if cell in self.opened else 10)
            if cell in self.opened and (count := self._count(cell)):
                canvas.stamp(x + middle, y + middle - 1, self.digits[count], colours[count])
            elif cell in self.hit:
                canvas.cell(self.grid, cell, 8, 1)
                canvas.cell(self.grid, cell, 5, 2)
            elif cell in self.flags:
                canvas.stamp(x + middle, y + 1, "#../##./#..", 8)
        canvas.box(53, 1, 9, 9, 11 if self.flagging else 3)
        canvas.stamp(55, 2, "#..../####./#..../#..../#....", 8)
        for k in range(self.lives):
            canvas.stamp(3 + 7 * k, 3, ".#.#./#####/#####/.###./..#..", 8)
        rows = "..0../..0../00800/..0../..0.." if self.straight else "00000/00000/00800/00000/00000"
        canvas.stamp(40, 3, rows)
        return canvas.done()
