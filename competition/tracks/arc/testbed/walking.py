"""Families of a walker among keys, doors, switches, teleports, hazards, and views that scroll or zoom."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from vgdl.competition.tracks.arc.frame import UNDO, Layer
from vgdl.competition.tracks.arc.testbed.puzzle import STEPS, USE, Canvas, Cell, Grid, Puzzle, free, maze, plus, room


class Locks(Puzzle):
    """Keys of two colours open doors of theirs on the way to the chest. Wall and floor have a texture."""

    actions = (1, 2, 3, 4)
    longest = 70
    shortest = 6

    def setup(self, level: int, rng: Random) -> None:
        n = 7 + 2 * (level // 2)
        self.grid = Grid(64 // n, (64 - 64 // n * n) // 2, 0, n, n)
        self.walls = maze(rng, n, n, 1)
        spare = [cell for cell in free(self.grid, self.walls) if cell != (1, 1)]
        self.at = (1, 1)
        n_locks = 1 + (level > 1)
        picks = rng.sample(spare, 2 * n_locks + 1)
        self.chest = picks[0]
        self.keys = tuple(picks[1 : 1 + n_locks])
        self.doors = tuple(picks[1 + n_locks :])
        self.held: frozenset[int] = frozenset()

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.at, STEPS[action])
        if there in self.walls or (there in self.doors and self.doors.index(there) not in self.held):
            return
        self.at = there
        if there in self.keys:
            self.held |= {self.keys.index(there)}
        if there == self.chest and len(self.held) == len(self.keys):
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(5)
        size = self.grid.size
        for cell in self.grid.cells:
            x, y = self.grid.corner(cell)
            if cell in self.walls:
                canvas.box(x, y, size, size, 3)
                canvas.box(x, y + size // 2, size, 1, 2)
                canvas.box(x + size // 2, y, 1, size // 2, 2)
        for k, colour in enumerate((11, 9)[: len(self.keys)]):
            if k not in self.held:
                x, y = self.grid.corner(self.keys[k])
                canvas.stamp(x + 1, y + 1, "##../####/##.#", colour)
            x, y = self.grid.corner(self.doors[k])
            if k not in self.held:
                canvas.box(x, y, size, size, colour)
                canvas.box(x + size // 2, y + size // 2, 1, 1, 5)
        x, y = self.grid.corner(self.chest)
        canvas.stamp(x, y + 1, "ccccc/cbbbc/ccccc")
        x, y = self.grid.corner(self.at)
        canvas.stamp(x + 1, y, ".66./.66./6666/.66./6..6")
        return canvas.done()


class Gates(Puzzle):
    """Stepping on a switch opens the gates of its colour and shuts the others. The way leads to the arch."""

    actions = (1, 2, 3, 4)
    shortest = 5

    def setup(self, level: int, rng: Random) -> None:
        n = 9 + 2 * (level // 2)
        self.grid = Grid(4, 31 - 2 * n + 1, 30 - 2 * n + 3, n, n)
        self.walls = maze(rng, n, n, 2 + level)
        spare = [cell for cell in free(self.grid, self.walls) if cell != (1, 1)]
        picks = rng.sample(spare, 7 + level)
        self.arch, self.red, self.blue = picks[0], frozenset(picks[1:3]), frozenset(picks[3:5])
        self.gates = tuple((cell, k % 2) for k, cell in enumerate(picks[5:]))
        self.at, self.open = (1, 1), 0

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.at, STEPS[action])
        shut = {cell for cell, colour in self.gates if colour != self.open}
        if there in self.walls or there in shut:
            return
        self.at = there
        if there in self.red:
            self.open = 0
        elif there in self.blue:
            self.open = 1
        if there == self.arch:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(4)
        for cell in free(self.grid, self.walls):
            canvas.cell(self.grid, cell, 1)
        for cells, colour in ((self.red, 8), (self.blue, 9)):
            for cell in cells:
                canvas.cell(self.grid, cell, colour, 1)
        for cell, side in self.gates:
            colour = (8, 9)[side]
            if side == self.open:
                canvas.frame(*self.grid.corner(cell), 4, 4, colour)
            else:
                canvas.cell(self.grid, cell, colour)
        canvas.cell(self.grid, self.arch, 11)
        canvas.cell(self.grid, self.at, 5)
        canvas.cell(self.grid, self.at, 0, 1)
        return canvas.done()


class Portals(Puzzle):
    """Holes of the same colour are connected. The star can be reached through them only."""

    actions = (1, 2, 3, 4)

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(5, 2, 2, 12, 12)
        cuts = {(x, 6) for x in range(12)} | {(6, y) for y in range(12)}
        self.walls = frozenset(room(rng, 12, 12, 4 + 3 * level) | cuts)
        spare = free(self.grid, self.walls)
        picks = rng.sample(spare, 2 + 2 * (2 + level // 2))
        self.at, self.star = picks[0], picks[1]
        self.holes = tuple((picks[k], picks[k + 1]) for k in range(2, len(picks), 2))

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.at, STEPS[action])
        if there in self.walls:
            return
        self.at = there
        for one, other in self.holes:
            if there in (one, other):
                self.show()
                self.at = other if there == one else one
        if self.at == self.star:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        for cell in self.walls:
            canvas.cell(self.grid, cell, 7)
        for k, pair in enumerate(self.holes):
            for cell in pair:
                canvas.disc(*self.grid.middle(cell), 2, (8, 9, 14, 12)[k])
                canvas.box(*self.grid.middle(cell), 1, 1, 5)
        canvas.stamp(*self.grid.corner(self.star), "..b../bbbbb/.bbb./.b.b.")
        canvas.stamp(*self.grid.corner(self.at), ".555./55555/5.5.5/55555/.555.")
        return canvas.done()


class Traffic(Puzzle):
    """The walker crosses lanes of cars, which move with every action. A hit loses. Flags wave beside the road."""

    actions = (1, 2, 3, 4)
    shortest = 5

    def setup(self, level: int, rng: Random) -> None:
        self.lanes = 3 + level
        self.grid = Grid(5, 2, 6, 12, self.lanes + 2)
        self.cars = tuple(
            (rng.choice((-1, 1)), frozenset(rng.sample(range(12), 2 + (k % 2) + level // 3))) for k in range(self.lanes)
        )
        self.at, self.clock = (rng.randrange(12), self.lanes + 1), 0

    def _car_at(self, cell: Cell) -> bool:
        if not 1 <= cell[1] <= self.lanes:
            return False
        way, cars = self.cars[cell[1] - 1]
        return (cell[0] - way * self.clock) % 12 in cars

    def act(self, action: int, x: int, y: int) -> None:
        if self.grid.has(there := plus(self.at, STEPS[action])):
            self.at = there
        self.clock = (self.clock + 1) % 12
        if self._car_at(self.at):
            self.lose()
        elif self.at[1] == 0:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(14)
        canvas.box(2, 11, 60, 5 * self.lanes, 5)
        for cell in self.grid.cells:
            if self._car_at(cell):
                x, y = self.grid.corner(cell)
                canvas.box(x, y + 1, 5, 3, (8, 9, 11)[cell[1] % 3])
        x, y = self.grid.corner(self.at)
        canvas.stamp(x + 1, y, ".0./000/.0./0.0")
        for k in range(3):
            canvas.box(6 + 22 * k, 1, 1, 5, 13)
            canvas.box(7 + 22 * k, 1 + self.clock % 2, 3, 2, 6)
        return canvas.done()


class Scroll(Puzzle):
    """The view follows the walker through a cave larger than the screen. All coins and then the exit."""

    actions = (1, 2, 3, 4)
    longest = 70
    shortest = 8

    def setup(self, level: int, rng: Random) -> None:
        n = 13 + 2 * level
        self.grid = Grid(7, 0, 0, n, n)
        self.walls = maze(rng, n, n, 6 + 3 * level)
        spare = [cell for cell in free(self.grid, self.walls) if cell != (1, 1)]
        self.at = (1, 1)
        self.exit, *coins = rng.sample(spare, 2 + level // 2)
        self.coins = frozenset(coins)

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.at, STEPS[action])
        if there not in self.walls:
            self.at = there
            self.coins -= {there}
        if self.at == self.exit and not self.coins:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(5)
        for dx in range(-4, 5):
            for dy in range(-4, 5):
                cell = plus(self.at, (dx, dy))
                x, y = 29 + 7 * dx, 29 + 7 * dy
                if cell in self.walls:
                    canvas.box(x, y, 7, 7, 12)
                    canvas.box(x, y + 6, 7, 1, 13)
                elif self.grid.has(cell):
                    canvas.box(x, y, 7, 7, 4)
                if cell in self.coins:
                    canvas.disc(x + 3, y + 3, 2, 11)
                if cell == self.exit:
                    canvas.frame(x + 1, y + 1, 5, 5, 14 if not self.coins else 2)
        canvas.stamp(30, 29, "..0../.000./00000/.000./.0.0.")
        canvas.box(0, 0, 64, 4, 0)
        for k in range(len(self.coins)):
            canvas.box(2 + 5 * k, 1, 3, 2, 11)
        return canvas.done()


class Zoom(Puzzle):
    """The special key changes between a map of the island and the view around the walker, who seeks the treasure."""

    actions = (1, 2, 3, 4, USE)
    aside = frozenset({"near"})

    def setup(self, level: int, rng: Random) -> None:
        n = 11 + 2 * (level // 2)
        self.grid = Grid(4, 32 - 2 * n, 32 - 2 * n, n, n)
        self.walls = room(rng, n, n, 3 * n + 4 * level)
        self.at, self.treasure = rng.sample(free(self.grid, self.walls), 2)
        self.near = True

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            self.near = not self.near
        elif (there := plus(self.at, STEPS[action])) not in self.walls:
            self.at = there
        if self.at == self.treasure:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(9)
        for cell in free(self.grid, self.walls):
            if self.near:
                dx, dy = cell[0] - self.at[0], cell[1] - self.at[1]
                if max(abs(dx), abs(dy)) <= 2:
                    canvas.box(27 + 11 * dx, 27 + 11 * dy, 11, 11, 11)
                    if cell == self.treasure:
                        canvas.stamp(29 + 11 * dx, 29 + 11 * dy, "#....#/.#..#./..##../..##../.#..#./#....#", 8)
            else:
                canvas.cell(self.grid, cell, 11)
                if cell == self.treasure:
                    canvas.cell(self.grid, cell, 8, 1)
        if self.near:
            canvas.disc(32, 32, 3, 6)
        else:
            canvas.cell(self.grid, self.at, 6, 1)
        return canvas.done()


class Pulse(Puzzle):
    """Spikes come out in every third action. All lamps on the way have to be lit by touch; spikes lose."""

    actions = (1, 2, 3, 4, USE)
    looks: ClassVar[tuple[str, ...]] = (
        "......./......./......./#.#.#.#",
        "......./.#.#.#./.#.#.#./#######",
        "#..#..#/##.#.##/#######/#######",
    )

    def setup(self, level: int, rng: Random) -> None:
        n = 7 + level // 2
        self.grid = Grid(7, 4, 4, n, n)
        self.walls = room(rng, n, n, 3 + level)
        picks = rng.sample(free(self.grid, self.walls), 2 + level // 2 + 6 + 2 * level)
        self.at, self.dark = picks[0], frozenset(picks[1 : 2 + level // 2])
        self.lamps = self.dark
        self.spikes = frozenset(picks[2 + level // 2 :])
        self.clock = 0

    def act(self, action: int, x: int, y: int) -> None:
        self.clock = (self.clock + 1) % 3
        if action != USE and (there := plus(self.at, STEPS[action])) not in self.walls:
            self.at = there
            self.dark -= {there}
        if self.clock == 2 and self.at in self.spikes:
            self.lose()
        elif not self.dark:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(2)
        for cell in self.walls:
            canvas.cell(self.grid, cell, 5)
        for cell in self.spikes:
            x, y = self.grid.corner(cell)
            looks = (
                "......./......./......./#.#.#.#",
                "......./.#.#.#./.#.#.#./#######",
                "#..#..#/##.#.##/#######/#######",
            )
            canvas.stamp(x, y + 2, looks[self.clock], 8)
        for cell in self.lamps:
            canvas.disc(*self.grid.middle(cell), 2, 4 if cell in self.dark else 11)
        x, y = self.grid.corner(self.at)
        canvas.stamp(x + 1, y + 1, ".aaa./aaaaa/a.a.a/aaaaa/a.a.a")
        return canvas.done()


class Tail(Puzzle):
    """The worm grows by every apple and may not run into itself. It has to eat all of them."""

    actions = (1, 2, 3, 4)
    shortest = 4

    def setup(self, level: int, rng: Random) -> None:
        n = 7 + level // 2
        self.grid = Grid(6, 5, 10, n, n)
        self.walls = room(rng, n, n, level)
        start, *apples = rng.sample(free(self.grid, self.walls), 3 + level)
        self.worm: tuple[Cell, ...] = (start,)
        self.apples = frozenset(apples)

    def estimate(self) -> float:
        return 4.0 * len(self.apples)

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.worm[0], STEPS[action])
        if there in self.walls:
            return
        if there in self.worm:
            self.lose()
            return
        if there in self.apples:
            self.apples -= {there}
            self.worm = (there, *self.worm)
        else:
            self.worm = (there, *self.worm[:-1])
        if not self.apples:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(10)
        for cell in self.walls:
            canvas.cell(self.grid, cell, 9)
        for cell in self.apples:
            x, y = self.grid.corner(cell)
            canvas.stamp(x, y, "...e../.8e8../888888/888888/.8888.")
        for k, cell in enumerate(self.worm):
            canvas.cell(self.grid, cell, 13 if k else 14)
        return canvas.done()


class Arrows(Puzzle):
    """A rover goes forward by the first key and turns by the next two, as seen from itself. Undo is offered."""

    actions = (1, 3, 4, UNDO)
    shortest = 4

    def setup(self, level: int, rng: Random) -> None:
        n = 6 + level
        self.grid = Grid(60 // n, 1, 3, n, n)
        self.walls = room(rng, n, n, 3 + 3 * level)
        self.at, *flags = rng.sample(free(self.grid, self.walls), 2 + level // 2)
        self.flags, self.heading = frozenset(flags), 0

    def act(self, action: int, x: int, y: int) -> None:
        if action == 1:
            there = plus(self.at, ((0, -1), (1, 0), (0, 1), (-1, 0))[self.heading])
            if there not in self.walls:
                self.at = there
                self.flags -= {there}
        else:
            self.heading = (self.heading + (1 if action == 4 else 3)) % 4
        if not self.flags:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(8)
        for cell in free(self.grid, self.walls):
            canvas.cell(self.grid, cell, 7)
        for cell in self.flags:
            canvas.cell(self.grid, cell, 14, 1)
        x, y = self.grid.middle(self.at)
        dx, dy = ((0, -1), (1, 0), (0, 1), (-1, 0))[self.heading]
        canvas.box(x - 1, y - 1, 3, 3, 0)
        canvas.box(x + dx, y + dy, 1, 1, 5)
        canvas.box(x + 2 * dx, y + 2 * dy, 1, 1, 5)
        return canvas.done()
