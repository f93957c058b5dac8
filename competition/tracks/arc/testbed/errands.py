"""Families of walkers with something to do on the way."""

from __future__ import annotations

from random import Random

import numpy as np

from vgdl.competition.tracks.arc.frame import Layer
from vgdl.competition.tracks.arc.testbed.puzzle import (
    DOWN,
    LEFT,
    RIGHT,
    STEPS,
    UP,
    USE,
    Canvas,
    Cell,
    Grid,
    Puzzle,
    far,
    free,
    maze,
    plus,
    room,
)


class Keymaker(Puzzle):
    """Tiles on the way turn, recolour or reshape the key in the corner. It has to match the lock; steps are few."""

    actions = (1, 2, 3, 4)
    shortest = 8
    aside = frozenset({"steps"})
    shapes = ("###/#../#..", "##./.##/..#", "#.#/##./#..")
    colours = (9, 14, 8)
    changes = ((0,), (1,), (0, 1), (1, 2), (0, 1, 2))  #: 0: turn, 1: colour, 2: shape; by level

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(5, 6, 1, 11, 10)
        self.walls = room(rng, 11, 10, 14 + 2 * level)
        kinds = self.changes[level]
        self.at, self.door, *spare = rng.sample(free(self.grid, self.walls), 6 + level // 2)
        self.tiles = tuple(zip(spare, kinds, strict=False))
        self.batteries = frozenset(spare[len(kinds) : len(kinds) + 1 + level // 3])
        self.key_now = rng.randrange(4), rng.randrange(3), rng.randrange(3)
        self.lock = tuple(
            (was + (rng.randrange(1, n) if k in kinds else 0)) % n
            for k, (was, n) in enumerate(zip(self.key_now, (4, 3, 3), strict=True))
        )
        self.most = self.steps = 28 + 4 * level

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.at, STEPS[action])
        self.steps -= 1
        if there == self.door and self.key_now == self.lock:
            self.win()
            return
        if there not in self.walls and there != self.door:
            self.at = there
            if there in self.batteries:
                self.batteries -= {there}
                self.steps = self.most
            for tile, kind in self.tiles:
                if tile == there:
                    changed = list(self.key_now)
                    changed[kind] = (changed[kind] + 1) % (4, 3, 3)[kind]
                    self.key_now = changed[0], changed[1], changed[2]
        if self.steps <= 0:
            self.lose()

    def _glyph(self, canvas: Canvas, x: int, y: int, look: tuple[int, ...], size: int) -> None:
        turn, colour, shape = look
        bits = np.array([[mark == "#" for mark in row] for row in self.shapes[shape].split("/")])
        for row, column in np.argwhere(np.rot90(bits, -turn)).tolist():
            canvas.box(x + size * column, y + size * row, size, size, self.colours[colour])

    def draw(self) -> Layer:
        canvas = Canvas(4)
        canvas.box(6, 1, 55, 50, 3)
        for cell in self.walls:
            canvas.cell(self.grid, cell, 5)
        for cell, kind in self.tiles:
            looks = (".0.0./0...0/..0../0...0/.0.0.", "88999/8...9/8...9/e...9/eeee9", "00000/0.../000../0.0../00000")
            canvas.stamp(*self.grid.corner(cell), looks[kind])
        for cell in self.batteries:
            canvas.cell(self.grid, cell, 11, 1)
        x, y = self.grid.corner(self.door)
        canvas.frame(x, y, 5, 5, 0)
        self._glyph(canvas, x + 1, y + 1, self.lock, 1)
        canvas.stamp(*self.grid.corner(self.at), "ccccc/ccccc/99999/99999/99999")
        canvas.frame(1, 53, 10, 10, 5)
        self._glyph(canvas, 3, 55, self.key_now, 2)
        canvas.box(14, 57, 48, 3, 5)
        canvas.box(14, 57, self.steps, 3, 11)
        return canvas.done()


class Fog(Puzzle):
    """A cave is dark but for what the walker has been near. A lever opens the exit."""

    actions = (1, 2, 3, 4)
    shortest = 10
    longest = 80
    aside = frozenset({"seen"})

    def setup(self, level: int, rng: Random) -> None:
        n = 9 + 2 * (level // 2)
        self.grid = Grid(60 // n, 2, 2, n, n)
        self.walls = maze(rng, n, n, 3 + 2 * level)
        self.at, self.exit, self.lever = rng.sample(free(self.grid, self.walls), 3)
        self.pulled = False
        self.seen: frozenset[Cell] = frozenset()
        self._look()

    def _look(self) -> None:
        self.seen |= {cell for cell in self.grid.cells if max(abs(cell[0] - self.at[0]), abs(cell[1] - self.at[1])) < 3}

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.at, STEPS[action])
        if there in self.walls or (there == self.exit and not self.pulled):
            return
        self.at = there
        self.pulled |= there == self.lever
        self._look()
        if there == self.exit:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        size = self.grid.size
        for cell in self.seen:
            canvas.cell(self.grid, cell, 13 if cell in self.walls else 1)
        for cell, colour in ((self.exit, 14 if self.pulled else 8), (self.lever, 11)):
            if cell in self.seen and not (self.pulled and cell == self.lever):
                canvas.cell(self.grid, cell, colour, 1)
        canvas.box(*self.grid.corner(self.at), size, size, 6)
        canvas.box(*self.grid.middle(self.at), 1, 1, 0)
        return canvas.done()


class Courier(Puzzle):
    """The special key lifts a parcel and puts it down again. Each has to be put into the box of its colour."""

    actions = (1, 2, 3, 4, USE)
    shortest = 8

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(6, 2, 8, 10, 9)
        self.walls = room(rng, 10, 9, 4 + 2 * level)
        n = 1 + (level + 1) // 2
        self.at, *spare = rng.sample(free(self.grid, self.walls), 1 + 2 * n)
        self.parcels = tuple((cell, k) for k, cell in enumerate(spare[:n]))
        self.boxes = tuple(spare[n:])
        self.held = -1

    def act(self, action: int, x: int, y: int) -> None:
        if action != USE:
            if (there := plus(self.at, STEPS[action])) not in self.walls:
                self.at = there
            return
        here = [parcel for parcel in self.parcels if parcel[0] == self.at]
        if self.held < 0 and here:
            self.held = here[0][1]
            self.parcels = tuple(parcel for parcel in self.parcels if parcel != here[0])
        elif self.held >= 0 and self.at in self.boxes:
            if self.boxes[self.held] == self.at:
                self.held = -1
        elif self.held >= 0 and not here:
            self.parcels = tuple(sorted((*self.parcels, (self.at, self.held))))
            self.held = -1
        if self.held < 0 and not self.parcels:
            self.win()

    def estimate(self) -> float:
        rest = sum(far(cell, self.boxes[k]) + 8 for cell, k in self.parcels)
        return rest + (far(self.at, self.boxes[self.held]) if self.held >= 0 else 0)

    def draw(self) -> Layer:
        canvas = Canvas(1)
        for cell in self.walls:
            canvas.cell(self.grid, cell, 2)
        colours = (8, 9, 14)
        for k, cell in enumerate(self.boxes):
            canvas.cell(self.grid, cell, colours[k])
            canvas.cell(self.grid, cell, 5, 1)
        for cell, k in self.parcels:
            canvas.cell(self.grid, cell, colours[k], 1)
        x, y = self.grid.corner(self.at)
        canvas.stamp(x, y, ".cccc./cccccc/c.cc.c/cccccc/.cccc./.c..c.")
        if self.held >= 0:
            canvas.box(x + 2, y + 3, 2, 2, colours[self.held])
        return canvas.done()


class Partners(Puzzle):
    """The special key changes who walks. The gate is open while somebody stands on a plate. Both go home."""

    actions = (1, 2, 3, 4, USE)
    shortest = 12

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(6, 0, 5, 10, 8)
        fence = 4 + level % 2
        rows = range(1, 7)
        walls = set(room(rng, 10, 8, 3 + level)) | {(fence, row) for row in rows}
        self.gate = fence, rng.choice(rows)
        walls -= {self.gate, plus(self.gate, (-1, 0)), plus(self.gate, (1, 0))}
        self.walls = frozenset(walls)
        spare = [cell for cell in free(self.grid, self.walls) if cell != self.gate]
        left = [cell for cell in spare if cell[0] < fence]
        right = [cell for cell in spare if cell[0] > fence]
        one, other, plate = rng.sample(left, 3)
        second, home, other_home = rng.sample(right, 3)
        self.bodies = (one, other)
        self.plates = frozenset({plate, second})
        self.homes = (home, other_home)
        self.active = 0

    def _is_open(self) -> bool:
        return any(body in self.plates or body == self.gate for body in self.bodies)

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            self.active = 1 - self.active
            return
        there = plus(self.bodies[self.active], STEPS[action])
        if there in self.walls or there in self.bodies or (there == self.gate and not self._is_open()):
            return
        self.bodies = (there, self.bodies[1]) if self.active == 0 else (self.bodies[0], there)
        if self.bodies == self.homes:
            self.win()

    def estimate(self) -> float:
        return float(sum(far(body, home) for body, home in zip(self.bodies, self.homes, strict=True)))

    def draw(self) -> Layer:
        canvas = Canvas(12)
        canvas.box(0, 5, 60, 48, 11)
        for cell in self.walls:
            canvas.cell(self.grid, cell, 12)
        if not self._is_open():
            x, y = self.grid.corner(self.gate)
            for k in range(3):
                canvas.box(x + 2 * k, y, 1, 6, 8)
        for cell in self.plates:
            canvas.frame(*self.grid.corner(cell), 6, 6, 8)
        for k, cell in enumerate(self.homes):
            canvas.stamp(*self.grid.corner(cell), "..#.../.###../#####./.#.#../.###..", (9, 6)[k])
        for k, cell in enumerate(self.bodies):
            x, y = self.grid.corner(cell)
            canvas.box(x + 1, y + 1, 4, 4, (9, 6)[k])
            if k == self.active:
                canvas.box(x + 2, y + 2, 2, 2, 0)
        return canvas.done()


class Rafts(Puzzle):
    """Rafts swim to and fro on rivers with every action and carry the walker. Water loses. Over to the other bank."""

    actions = (1, 2, 3, 4, USE)
    shortest = 5

    def setup(self, level: int, rng: Random) -> None:
        self.rivers = 2 + level // 2 + (level == 4)
        self.grid = Grid(6, 2, 2, 10, self.rivers + 4)
        self.rafts = tuple((rng.randrange(0, 14), rng.choice((2, 3))) for _ in range(self.rivers))
        self.home = rng.randrange(10), 0
        self.at = rng.randrange(10), self.rivers + 3
        self.clock = 0

    def _raft(self, river: int) -> range:
        """The columns of a river's raft; it needs seven actions to the right, and as many back."""
        start, length = self.rafts[river]
        phase = (start + self.clock) % 14
        left = phase if phase < 7 else 14 - phase
        return range(left, left + length)

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.at, STEPS[action]) if action != USE else self.at
        if not self.grid.has(there):
            there = self.at
        river = there[1] - 2
        if 0 <= river < self.rivers:
            was = self._raft(river)
            if there[0] not in was:
                self.lose()
            self.clock = (self.clock + 1) % 14
            self.at = there[0] + self._raft(river).start - was.start, there[1]
            return
        self.clock = (self.clock + 1) % 14
        self.at = there
        if there == self.home:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(14)
        canvas.box(0, 14, 64, 6 * self.rivers, 10)
        for k in range(self.rivers):
            for column in self._raft(k):
                x, y = self.grid.corner((column, k + 2))
                canvas.box(x, y + 1, 6, 4, 13)
                canvas.box(x, y + 3, 6, 1, 5)
        x, y = self.grid.corner(self.home)
        canvas.stamp(x, y, ".8888./888888/.0000./.0550./.0550./.0550.")
        x, y = self.grid.corner(self.at)
        canvas.stamp(x + 1, y + 1, ".66./6666/.66./6..6")
        return canvas.done()


class Hopper(Puzzle):
    """Seen from the side: steps, jumps of three cells, and a fall of one cell per action. Coins, then the flag."""

    actions = (UP, LEFT, RIGHT)
    shortest = 6

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(5, 2, 4, 12, 11)
        walls = set(room(rng, 12, 11, 0))
        for row in (3, 6, 8):
            start = rng.randrange(1, 8)
            walls |= {(column, row) for column in range(start, start + rng.randrange(3, 6)) if column < 11}
        self.spikes = frozenset((column, 9) for column in rng.sample(range(3, 11), level))
        self.walls = frozenset(walls)
        tops = [cell for cell in free(self.grid, self.walls) if plus(cell, (0, 1)) in walls and cell not in self.spikes]
        self.at = next(cell for cell in tops if cell[1] == 9)
        self.flag, *coins = rng.sample([cell for cell in tops if cell != self.at], 2 + level // 2)
        self.coins = frozenset(coins)
        self.rise = 0

    def act(self, action: int, x: int, y: int) -> None:
        stands = plus(self.at, (0, 1)) in self.walls
        if action == UP:
            self.rise = 3 if stands else self.rise
        else:
            self._go(STEPS[action])
        if self.rise:
            self.rise = self.rise - 1 if self._go((0, -1)) else 0
        else:
            self._go((0, 1))
        if self.at in self.spikes:
            self.lose()
        elif self.at == self.flag and not self.coins:
            self.win()

    def _go(self, step: Cell) -> bool:
        there = plus(self.at, step)
        if there in self.walls:
            return False
        self.at = there
        self.coins -= {there}
        return True

    def draw(self) -> Layer:
        canvas = Canvas(10)
        for cell in self.walls:
            canvas.cell(self.grid, cell, 13)
            canvas.box(*self.grid.corner(cell), 5, 1, 14)
        for cell in self.spikes:
            canvas.stamp(*self.grid.corner(cell), "...../...../..8../.888./88888")
        for cell in self.coins:
            canvas.disc(*self.grid.middle(cell), 1.5, 11)
        canvas.stamp(*self.grid.corner(self.flag), "088../0888./088../0..../0....")
        x, y = self.grid.corner(self.at)
        canvas.stamp(x, y, ".666./.606./66666/.666./.6.6.")
        return canvas.done()


class Fish(Puzzle):
    """Fish swim to and fro. The walker eats smaller ones and grows by each; larger ones eat the walker."""

    actions = (UP, DOWN, LEFT, RIGHT)
    shortest = 4

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(8, 4, 6, 7, 6)
        n = 2 + level // 2 + (level == 4)
        rows = rng.sample(range(6), n + 1)
        self.at = rng.randrange(7), rows[0]
        self.shoal = tuple((row, rng.randrange(12), size) for size, row in enumerate(rows[1:], 1))
        self.size = 1
        self.clock = 0

    def _place(self, fish: tuple[int, int, int]) -> Cell:
        phase = (fish[1] + self.clock) % 12
        return (phase if phase < 7 else 12 - phase), fish[0]

    def act(self, action: int, x: int, y: int) -> None:
        was = self.at
        if self.grid.has(there := plus(self.at, STEPS[action])):
            self.at = there
        before = {fish: self._place(fish) for fish in self.shoal}
        self.clock = (self.clock + 1) % 12
        for fish in self.shoal:
            place = self._place(fish)
            if place == self.at or (before[fish] == self.at and place == was):
                if fish[2] > self.size:
                    self.lose()
                    return
                self.shoal = tuple(other for other in self.shoal if other != fish)
                self.size += 1
        if not self.shoal:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(9)
        canvas.box(4, 6, 56, 48, 10)
        for fish in self.shoal:
            self._fish(canvas, self._place(fish), fish[2], (12, 8, 15, 6, 7)[fish[2] - 1])
        self._fish(canvas, self.at, self.size, 0)
        return canvas.done()

    def _fish(self, canvas: Canvas, cell: Cell, size: int, colour: int) -> None:
        x, y = self.grid.middle(cell)
        half = min(size, 4)
        canvas.box(x - half, y - (half + 1) // 2, 2 * half, half + 1, colour)
        canvas.box(x + half - 1, y, 1, 1, 5)
