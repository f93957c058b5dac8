"""Families of weighing, counting and pouring."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from vgdl.competition.tracks.arc.frame import CLICK, Layer
from vgdl.competition.tracks.arc.testbed.puzzle import Canvas, Cell, Puzzle


class Scales(Puzzle):
    """A click takes a weight from the shelf to the left pan, to the right pan, and back. The beam has to be level."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        n = 3 + level
        self.weights = tuple(rng.randint(1, 3 + level) for _ in range(n))
        self.fixed = rng.randint(2, 5 + 2 * level)
        self.places = (0,) * n  # 0: shelf, 1: left pan, 2: right pan

    def _x(self, number: int) -> int:
        return 4 + number * 56 // len(self.weights)

    def targets(self) -> Iterable[Cell]:
        return [(self._x(k) + 2, 58) for k in range(len(self.weights))]

    def _balance(self) -> int:
        sides = {1: self.fixed, 2: 0, 0: 0}
        for weight, place in zip(self.weights, self.places, strict=True):
            sides[place] += weight
        return sides[1] - sides[2]

    def act(self, action: int, x: int, y: int) -> None:
        for k in range(len(self.weights)):
            if self._x(k) <= x < self._x(k) + 6 and y >= 50:
                self.places = (*self.places[:k], (self.places[k] + 1) % 3, *self.places[k + 1 :])
        if self._balance() == 0:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(1)
        tilt = max(-6, min(6, self._balance()))
        for x in range(8, 57):
            canvas.box(x, 18 - tilt * (x - 32) // 24, 1, 2, 5)
        canvas.box(31, 18, 3, 22, 13)
        loads = {1: self.fixed, 2: 0}
        for weight, place in zip(self.weights, self.places, strict=True):
            if place:
                loads[place] += weight
        for side, x, down in ((1, 4, tilt), (2, 48, -tilt)):
            canvas.box(x, 32 + down, 12, 2, 3)
            for k in range(min(loads[side], 24)):
                canvas.box(x + 2 * (k % 6), 30 + down - 2 * (k // 6), 1, 1, 8)
        canvas.box(0, 49, 64, 1, 3)
        for k, (weight, place) in enumerate(zip(self.weights, self.places, strict=True)):
            canvas.box(self._x(k), 63 - weight, 6, weight, (9, 2, 2)[place])
            canvas.box(self._x(k), 51, 6, 2, (1, 8, 14)[place])
        return canvas.done()


class Count(Puzzle):
    """Plus and minus change a number of beads. A click on the bell with as many as there are birds wins, else loses."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        self.n = 2 + level + rng.randint(0, 1)
        spots = [(x, y) for x in range(3, 58, 7) for y in range(3, 26, 6)]
        picks = rng.sample(spots, self.n + 3)
        self.birds, self.bees = tuple(picks[: self.n]), tuple(picks[self.n :])
        self.beads = 0

    def targets(self) -> Iterable[Cell]:
        return [(8, 54), (24, 54), (52, 54)]

    def act(self, action: int, x: int, y: int) -> None:
        if not 49 <= y < 60:
            return
        if 3 <= x < 14:
            self.beads = max(self.beads - 1, 0)
        elif 19 <= x < 30:
            self.beads = min(self.beads + 1, 12)
        elif 46 <= x < 59:
            if self.beads == self.n:
                self.win()
            else:
                self.lose()

    def draw(self) -> Layer:
        canvas = Canvas(10)
        for x, y in self.birds:
            canvas.stamp(x, y, "#...#/.#.#./..#..", 5)
        for x, y in self.bees:
            canvas.stamp(x, y, ".00./bbbb/5555/bbbb")
        canvas.box(0, 44, 64, 20, 15)
        for k in range(self.beads):
            canvas.disc(5 + 5 * k, 38, 2, 8)
        for x, rows in ((3, "...../...../#####"), (19, "..#../..#../#####/..#../..#..")):
            canvas.box(x, 49, 11, 11, 0)
            canvas.stamp(x + 3, 52, rows, 5)
        canvas.disc(52, 54, 5, 11)
        canvas.box(51, 59, 3, 2, 13)
        return canvas.done()


class Jugs(Puzzle):
    """Two clicks pour one jug into another until one is full or empty. One jug has to be filled to its mark."""

    actions = (CLICK,)
    longest = 30

    def setup(self, level: int, rng: Random) -> None:
        n = 2 + (level > 1)
        sizes = sorted(rng.sample(range(3, 9 + level), n), reverse=True)
        self.sizes = (*sizes, 12)  # the last one is the well, which is never empty
        self.water = (0,) * n
        self.jug, self.mark, self.held = 0, rng.randint(1, sizes[0] - 1), -1

    def _x(self, number: int) -> int:
        return 3 + number * 60 // len(self.sizes)

    def targets(self) -> Iterable[Cell]:
        return [(self._x(k) + 4, 52) for k in range(len(self.sizes))]

    def act(self, action: int, x: int, y: int) -> None:
        hit = next((k for k in range(len(self.sizes)) if self._x(k) <= x < self._x(k) + 11 and 8 <= y < 57), -1)
        if hit < 0:
            return
        if self.held < 0:
            self.held = hit
            return
        source, self.held = self.held, -1
        well = len(self.water)
        if source == hit:
            return
        water = [*self.water, 99]
        room = 99 if hit == well else self.sizes[hit] - water[hit]
        poured = min(water[source], room)
        water[source] -= poured
        water[hit] += poured
        self.water = tuple(water[:well])
        if self.water[self.jug] == self.mark:
            self.win()

    def draw(self) -> Layer:
        canvas = Canvas(0)
        canvas.box(0, 57, 64, 7, 13)
        for k, size in enumerate(self.sizes):
            x, well = self._x(k), k == len(self.water)
            canvas.box(x, 56 - 4 * size, 11, 4 * size + 1, 2 if k != self.held else 12)
            canvas.box(x + 1, 56 - 4 * size, 9, 4 * size, 1)
            level = size if well else self.water[k]
            canvas.box(x + 1, 56 - 4 * level, 9, 4 * level, 9 if well else 10)
            if k == self.jug:
                canvas.box(x - 1, 56 - 4 * self.mark, 13, 1, 8)
        return canvas.done()
