"""Families of panels: valves, gears, networks, shifted rows and levers, which are worked mostly by clicks."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from random import Random

from vgdl.competition.tracks.arc.frame import CLICK, UNDO, Layer
from vgdl.competition.tracks.arc.testbed.puzzle import USE, Canvas, Cell, Grid, Puzzle


def near(x: int, y: int, places: Iterable[Cell], radius: int) -> int:
    """The number of the first place that a click hits; -1 if there is none."""
    hits = (k for k, (left, top) in enumerate(places) if max(abs(x - left), abs(y - top)) <= radius)
    return next(hits, -1)


def line(canvas: Canvas, start: Cell, end: Cell, colour: int, dash: int = 1) -> None:
    """A thin line between two pixels, of which each ``dash``-th pair of pixels is drawn."""
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
    for k in range(0, steps + 1):
        if k // 2 % dash == 0:
            x, y = (round(a + (b - a) * k / steps) for a, b in zip(start, end, strict=True))
            canvas.box(x, y, 1, 1, colour)


class Cistern(Puzzle):
    """Clicks open and shut valves between vessels, whose water then settles. All of it has to stand at the marks."""

    actions = (CLICK,)
    shortest = 3
    aside = frozenset({"left"})
    full = 16

    def setup(self, level: int, rng: Random) -> None:
        n = (4, 4, 4, 4, 5)[level]
        self.water = tuple(rng.choice((0, 2, 5, 9, 13, 16)) for _ in range(n))
        self.pipes = tuple(pairwise(range(n))) + (((0, n - 1),) if level > 1 else ())
        self.one_way = frozenset(rng.sample(range(n - 1), 2) if level > 2 else ())
        self.open: frozenset[int] = frozenset()
        self.pump = 3 if level > 3 else 0
        self.left = 30 + 4 * level
        self.marks: tuple[int, ...] = ()
        self.silent = True
        trial = self.copy()
        for _ in range(6 + 4 * level):
            trial._turn(rng.randrange(len(self.pipes) + (level > 3)))
        self.marks, self.silent = trial.water, False

    def _valves(self) -> list[Cell]:
        places = [(14 + 12 * a, 46) for a, b in self.pipes if b == a + 1]
        return places + [(32, 56)] * (len(self.pipes) > len(places))

    def targets(self) -> list[Cell]:
        return [*self._valves(), *([(8, 8)] if self.pump else [])]

    def act(self, action: int, x: int, y: int) -> None:
        self.left -= 1
        hit = near(x, y, self.targets(), 3)
        if hit >= 0:
            self._turn(hit)
        if self.water == self.marks:
            self.win()
        elif not self.left:
            self.lose()

    def _turn(self, hit: int) -> None:
        if hit < len(self.pipes):
            self.open ^= {hit}
        elif self.pump and self.water[0] <= self.full - 4:
            self.water = (self.water[0] + 4, *self.water[1:])
            self.pump -= 1
        while True:
            water = list(self.water)
            for k in sorted(self.open):
                a, b = self.pipes[k]
                if water[a] < water[b] - 1 and k not in self.one_way:
                    a, b = b, a
                if water[a] > water[b] + 1:
                    water[a] -= 1
                    water[b] += 1
            if tuple(water) == self.water:
                return
            self.show()
            self.water = tuple(water)

    def draw(self) -> Layer:
        canvas = Canvas(1)
        if len(self.pipes) == len(self.water):
            end = 8 + 12 * (len(self.water) - 1)
            for part in ((7, 48, 2, 9), (7, 55, end - 7, 2), (end - 1, 48, 2, 9)):
                canvas.box(*part, 3)
        for k, (water, mark) in enumerate(zip(self.water, self.marks, strict=True)):
            x = 4 + 12 * k
            canvas.box(x - 1, 14, 10, 35, 4)
            canvas.box(x, 14, 8, 34, 0)
            canvas.box(x, 48 - 2 * water, 8, 2 * water, 10 if water != mark else 9)
            canvas.box(x - 1, 47 - 2 * mark, 10, 1, 8)
            canvas.box(x + 1, 47 - 2 * mark, 6, 1, 12)
        for k, (x, y) in enumerate(self._valves()):
            canvas.box(x - 2, y - 2, 5, 5, 14 if k in self.open else 13)
            across, upright = "...../...../#####/...../.....", "..#../..#../..#../..#../..#.."
            canvas.stamp(x - 2, y - 2, across if k in self.open else upright, 0)
            if k in self.one_way:
                canvas.stamp(x - 1, y - 6, "#../##./#..", 5)
        for k in range(self.pump):
            canvas.box(4, 11 - 3 * k, 8, 2, 9)
        canvas.box(0, 61, 64, 3, 5)
        canvas.box(0, 61, self.left, 3, 11)
        return canvas.done()


ARROWS = {
    (1, 1): "#..../###../#####/###../#....",
    (1, -1): "....#/..###/#####/..###/....#",
    (0, 1): "#####/.###./.###./..#../..#..",
    (0, -1): "..#../..#../.###./.###./#####",
}
PEGS = [(7 + 12 * column + 6 * (row % 2), 8 + 10 * row) for row in range(5) for column in range(5 - row % 2)]
MESHED = {(x, y): {(p, q) for p, q in PEGS if 0 < (p - x) ** 2 + (q - y) ** 2 < 150} for x, y in PEGS}


class Cogs(Puzzle):
    """Clicks put gears onto pegs, the special key runs them. Framed ones turn as their hubs say, red ones must not."""

    actions = (USE, CLICK)
    shortest = 4
    aside = frozenset({"fuses", "phase"})

    def setup(self, level: int, rng: Random) -> None:
        self.motor = rng.choice([peg for peg in PEGS if peg[0] < 14])
        ends = rng.sample([peg for peg in PEGS if peg[0] > 48 - 6 * (level > 2)], 1 + (level > 1))
        self.ends = tuple((peg, rng.choice((1, -1))) for peg in ends)
        spare = [peg for peg in PEGS if peg not in (self.motor, *ends)]
        rng.shuffle(spare)
        inner = [peg for peg in spare if 14 < peg[0] < 48]
        self.brakes = frozenset(inner[: (0, 0, 0, 1, 1)[level]])
        self.rusty = frozenset(inner[2 : 2 + (0, 1, 1, 2, 2)[level]])
        self.pegs = tuple(peg for peg in spare[4 - level // 2 :] if peg not in self.brakes | self.rusty)
        self.gears: frozenset[Cell] = frozenset()
        self.fuses, self.phase, self.stock = 4, 0, 20
        need = self.estimate()
        self.stock = int(need) + 2 + level // 2
        if need > 20 or MESHED[self.motor] & self.brakes or MESHED[ends[0]] & set(ends):
            self.lose()  # no level

    def _turning(self) -> dict[Cell, int]:
        """The directions of the gears that the motor drives; 0 for all if they jam."""
        gears = self.gears | self.rusty | self.brakes | {self.motor, *(peg for peg, _ in self.ends)}
        ways, due = {self.motor: 1}, [self.motor]
        jammed = False
        while due:
            here = due.pop()
            for there in gears.intersection(MESHED[here]):
                if there not in ways:
                    ways[there] = -ways[here]
                    due.append(there)
                jammed |= ways[there] == ways[here]
        return dict.fromkeys(ways, 0) if jammed else ways

    def targets(self) -> Iterable[Cell]:
        """Free pegs beside gears that turn, as other gears need not be put yet."""
        ways = self._turning()
        dead = not all(ways.values()) or self.brakes & ways.keys()
        return [] if dead else [peg for peg in self.pegs if peg not in self.gears and ways.keys() & MESHED[peg]]

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            ways = self._turning()
            for self.phase in (1, 2, 1, 2):
                self.show()
            self.fuses -= 1
            if all(ways.get(peg) == way for peg, way in self.ends) and not self.brakes & ways.keys():
                self.win()
            elif not self.fuses:
                self.lose()
        elif (hit := near(x, y, self.pegs, 4)) >= 0:
            peg = self.pegs[hit]
            if peg in self.gears or len(self.gears) < self.stock:
                self.gears, self.phase = self.gears ^ {peg}, 0

    def estimate(self) -> float:
        """The gears that are still missing on the shortest ways with the right direction."""
        free = dict.fromkeys(self.pegs, 1) | dict.fromkeys([*self.gears, *self.rusty, *dict(self.ends)], 0)
        cost: dict[tuple[Cell, int], int] = {(self.motor, 1): 0}
        due = [(0, self.motor, 1)]
        while due:
            due.sort(reverse=True)
            paid, here, way = due.pop()
            for there in MESHED[here]:
                more = free.get(there, 99)
                if paid + more < cost.get((there, -way), 99):
                    cost[there, -way] = paid + more
                    due.append((paid + more, there, -way))
        return float(sum(cost.get(end, 30) for end in self.ends))

    def draw(self) -> Layer:
        canvas = Canvas(4)
        canvas.box(1, 1, 62, 55, 3)
        for x, y in self.pegs:
            canvas.box(x - 1, y - 1, 3, 3, 2)
        ways = self._turning() if self.phase else {}
        gears = dict.fromkeys(self.gears, 0) | dict.fromkeys(self.rusty, 13) | dict.fromkeys(self.brakes, 8)
        gears |= {self.motor: 9} | {peg: 9 if way > 0 else 7 for peg, way in self.ends}
        for (x, y), hub in gears.items():
            way = ways.get((x, y))
            body = 1 if way is None else {1: 9, -1: 7, 0: 5}[way]
            canvas.disc(x, y, 4, body if (x, y) not in self.brakes or way is not None else 8)
            for k in range(8):
                dx, dy = ((0, -5), (3, -4), (5, 0), (4, 3), (0, 5), (-3, 4), (-5, 0), (-4, -3))[k]
                if k % 2 == self.phase % 2:
                    canvas.box(x + dx, y + dy, 1, 1, body)
            canvas.disc(x, y, 2, 4)
            canvas.disc(x, y, 1.5, hub)
        x, y = self.motor
        canvas.stamp(x - 2, y - 2, "..b../.bbb./bbbbb/.bbb./..b..")
        for peg, _ in self.ends:
            canvas.frame(peg[0] - 6, peg[1] - 6, 13, 13, 14)
        for k in range(self.stock - len(self.gears)):
            canvas.stamp(2 + 4 * k, 58, ".0./000/.0.")
        for k in range(self.fuses):
            canvas.box(61 - 3 * k, 58, 2, 4, 12)
        return canvas.done()


class Pilgrims(Puzzle):
    """Two clicks lead a pilgrim along a road to the next inn. All must get home; dashed roads last once."""

    actions = (CLICK, UNDO)
    shortest = 6
    colours = (8, 9, 14, 15, 12)

    def setup(self, level: int, rng: Random) -> None:
        rows = 3 + level // 2 % 2 + (level > 3)
        self.inns = tuple(
            (9 + 15 * k + rng.randrange(-2, 3), 13 + (42 // (rows - 1)) * row + rng.randrange(-2, 3))
            for row in range(rows)
            for k in range(4)
        )
        number = range(len(self.inns))
        pairs = [(a, a + 1) for a in number if a % 4 < 3] + [(a, a + 4) for a in number if a + 4 in number]
        pairs += [(a, a + 5) for a in number if a % 4 < 3 and a + 5 in number and rng.random() < 0.25]
        roads = rng.sample(pairs, int(len(pairs) * 0.68))
        self.one_way = frozenset(rng.sample(roads, (0, 0, 3, 3, 5)[level]))
        self.frail = frozenset(rng.sample([road for road in roads if road not in self.one_way], 3 * (level > 2)))
        self.roads = frozenset(roads)
        n = (2, 3, 3, 4, 4)[level]
        places = rng.sample([a for a in number if any(a in road for road in roads)], 2 * n)
        self.homes, self.places = tuple(places[:n]), tuple(places[n:])
        self.chosen = -1
        self.far = tuple(self._distances(home) for home in self.homes)
        if any(far[place] > 90 for far, place in zip(self.far, self.places, strict=True)):
            self.lose()  # no level

    def _leads(self, a: int, b: int) -> bool:
        return (a, b) in self.roads or ((b, a) in self.roads and (b, a) not in self.one_way)

    def _distances(self, home: int) -> tuple[int, ...]:
        far, due = {home: 0}, [home]
        for here in due:
            for there in range(len(self.inns)):
                if there not in far and self._leads(there, here):
                    far[there] = far[here] + 1
                    due.append(there)
        return tuple(far.get(a, 99) for a in range(len(self.inns)))

    def targets(self) -> Iterable[Cell]:
        return self.inns

    def act(self, action: int, x: int, y: int) -> None:
        hit = near(x, y, self.inns, 4)
        if hit in self.places:
            who = self.places.index(hit)
            self.chosen = who if who != self.chosen else -1
        elif hit >= 0 and self.chosen >= 0 and self._leads(self.places[self.chosen], hit):
            ends = (self.places[self.chosen], hit)
            self.roads -= {ends, ends[::-1]} & self.frail
            self.places = (*self.places[: self.chosen], hit, *self.places[self.chosen + 1 :])
            self.chosen = -1
        if self.places == self.homes:
            self.win()

    def estimate(self) -> float:
        return 2.0 * sum(far[place] for far, place in zip(self.far, self.places, strict=True)) - (self.chosen >= 0)

    def draw(self) -> Layer:
        canvas = Canvas(5)
        for a, b in sorted(self.roads):
            start, end = self.inns[a], self.inns[b]
            line(canvas, start, end, 11 if (a, b) in self.frail else 2, 2 if (a, b) in self.frail else 1)
            if (a, b) in self.one_way:
                for part, size in ((0.5, 1), (0.65, 3)):
                    x, y = (round(p + (q - p) * part) for p, q in zip(start, end, strict=True))
                    canvas.box(x - size // 2, y - size // 2, size, size, 0)
        colour_of = dict(zip(self.homes, self.colours, strict=False))
        for a, (x, y) in enumerate(self.inns):
            canvas.disc(x, y, 4.3, colour_of.get(a, 3))
            canvas.disc(x, y, 3, 5)
        for who, place in enumerate(self.places):
            x, y = self.inns[place]
            canvas.disc(x, y, 2.3, self.colours[who])
            if who == self.chosen:
                canvas.box(x - 1, y - 1, 3, 3, 0)
        canvas.box(0, 0, 64, 4, 4)
        for who, home in enumerate(self.homes):
            canvas.box(2 + 6 * who, 1, 4, 2, self.colours[who] if self.places[who] == home else 3)
        return canvas.done()


class Weave(Puzzle):
    """Arrows at the edge shift a row or a column around by one, and later a second one. It has to equal the picture."""

    actions = (CLICK,)
    shortest = 3
    aside = frozenset({"left"})

    def setup(self, level: int, rng: Random) -> None:
        n = (3, 3, 4, 4, 4)[level]
        size = 10 if n == 3 else 8
        self.grid = Grid(size - 1, 9, 20, n, n, 1)
        self.model = Grid(3, 50, 26, n, n)
        arrows = [(across, k, 1) for across in (0, 1) for k in range(n)]
        arrows += [(across, k, -1) for across in (0, 1) for k in range(n)] if level != 0 else []
        self.arrows = tuple(rng.sample(arrows, (5, 6, 7, 6, 6)[level]))
        self.linked = (0, 0, 0, 1, 2)[level]
        colours = rng.sample((8, 9, 11, 14, 6), 2 + (level > 0) + (level > 3))
        self.tiles = self.goal = tuple(rng.choice(colours) for _ in range(n * n))
        tiles = self.tiles
        for _ in range(4 + level):
            self.goal = self.tiles = self._pressed(rng.randrange(len(self.arrows)))
        self.tiles = tiles
        self.left = 30 + 5 * level

    def _pressed(self, number: int) -> tuple[int, ...]:
        across, k, way = self.arrows[number]
        tiles = self._shifted(self.tiles, across, k, way)
        second = (across, (k + 1) % self.grid.rows, -way) if self.linked == 1 else (1 - across, k, way)
        return self._shifted(tiles, *second) if self.linked else tiles

    def _shifted(self, tiles: tuple[int, ...], across: int, k: int, way: int) -> tuple[int, ...]:
        n = self.grid.rows
        places = [k * n + j if across else j * n + k for j in range(n)]
        after = list(tiles)
        for j, place in enumerate(places):
            after[places[(j + way) % n]] = tiles[place]
        return tuple(after)

    def targets(self) -> list[Cell]:
        end = self.grid.left + self.grid.rows * (self.grid.size + 1) + 2
        ends, found = {1: end, -1: self.grid.left - 4}, []
        for across, k, way in self.arrows:
            x, y = self.grid.middle((k, k))
            found.append((ends[way], y) if across else (x, ends[way] + self.grid.top - self.grid.left))
        return found

    def act(self, action: int, x: int, y: int) -> None:
        self.left -= 1
        hit = near(x, y, self.targets(), 3)
        if hit >= 0:
            self.tiles = self._pressed(hit)
        if self.tiles == self.goal:
            self.win()
        elif not self.left:
            self.lose()

    def estimate(self) -> float:
        return sum(one != other for one, other in zip(self.tiles, self.goal, strict=True)) / 3

    def draw(self) -> Layer:
        canvas = Canvas(10)
        canvas.box(0, 0, 64, 6, 9)
        canvas.box(2, 2, self.left, 2, 0)
        side = self.grid.rows * (self.grid.size + 1)
        canvas.box(self.grid.left - 1, self.grid.top - 1, side + 1, side + 1, 5)
        canvas.frame(48, 24, 3 * self.grid.rows + 4, 3 * self.grid.rows + 4, 5)
        for cell, tile, wanted in zip(self.grid.cells, self.tiles, self.goal, strict=True):
            canvas.cell(self.grid, cell, tile)
            canvas.cell(self.model, cell, wanted)
        for (across, _, way), (x, y) in zip(self.arrows, self.targets(), strict=True):
            canvas.stamp(x - 2, y - 2, ARROWS[across, way], (4, 15, 13)[self.linked])
        return canvas.done()


class Levers(Puzzle):
    """Each lever moves several bars up or down by clicks on its upper or lower half. They have to reach the marks."""

    actions = (CLICK,)
    shortest = 5
    colours = (8, 9, 14, 12, 6)

    def setup(self, level: int, rng: Random) -> None:
        n, m = (4, 4, 5, 5, 6)[level], (4, 4, 4, 5, 5)[level]
        moves = (0, 0, 1, 1, -1) if level < 2 else (0, 0, 1, -1, 2, -2)
        self.pulls = tuple(tuple(rng.choice(moves) for _ in range(n)) for _ in range(m))
        self.marks = tuple(rng.randrange(2, 8) for _ in range(n))
        self.tells, self.stiff = level < 2, level > 2
        self.bars, self.last = self.marks, -1
        for _ in range(7 + 3 * level):
            self._pull(rng.randrange(m), rng.choice((1, -1)))
        self.last = -1
        if self.bars == self.marks:
            self.lose()  # no level

    def _places(self) -> list[Cell]:
        return [(6, 8 + 12 * k) for k in range(len(self.pulls))]

    def targets(self) -> Iterable[Cell]:
        return [(x, y + dy) for x, y in self._places() for dy in (-2, 2)]

    def act(self, action: int, x: int, y: int) -> None:
        hit = near(x, y, self._places(), 4)
        if hit >= 0:
            self._pull(hit, 1 if y <= self._places()[hit][1] else -1)
        if self.bars == self.marks:
            self.win()

    def _pull(self, lever: int, way: int) -> None:
        after = tuple(bar + way * pull for bar, pull in zip(self.bars, self.pulls[lever], strict=True))
        if min(after) >= 0 and max(after) <= 9 and not (self.stiff and lever == self.last):
            self.show()
            self.bars, self.last = after, lever if self.stiff else -1

    def estimate(self) -> float:
        return sum(abs(bar - mark) for bar, mark in zip(self.bars, self.marks, strict=True)) / 2

    def draw(self) -> Layer:
        canvas = Canvas(15)
        canvas.box(14, 0, 50, 64, 0)
        for k, (x, y) in enumerate(self._places()):
            colour = 3 if k == self.last else self.colours[k]
            canvas.box(x - 4, y - 4, 9, 9, colour)
            canvas.stamp(x - 2, y - 3, "..#../.###./#####/...../#####/.###./..#..", 0)
        for k, (bar, mark) in enumerate(zip(self.bars, self.marks, strict=True)):
            x = 17 + 8 * k
            canvas.box(x, 4, 5, 50, 1)
            canvas.box(x, 49 - 5 * bar, 5, 5 * bar + 5, 14 if bar == mark else 10)
            canvas.box(x - 1, 50 - 5 * mark, 7, 1, 5)
            canvas.box(x, 54, 5, 1, 5)
            if self.tells:
                for j, lever in enumerate(lever for lever, pull in enumerate(self.pulls) if pull[k]):
                    canvas.box(x + 2 * j, 57, 1, 3, self.colours[lever])
        return canvas.done()
