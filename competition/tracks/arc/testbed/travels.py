"""Families of walkers whose way depends on colours, weights, ice, order, guards or lifts."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from vgdl.competition.tracks.arc.frame import UNDO, Layer
from vgdl.competition.tracks.arc.testbed.puzzle import (
    STEPS,
    USE,
    Canvas,
    Cell,
    Grid,
    Puzzle,
    far,
    free,
    plus,
    room,
)


def to_and_fro(line: tuple[Cell, ...], clock: int) -> Cell:
    """Where something is that goes along a line and back again."""
    phase = clock % (2 * len(line) - 2)
    return line[phase if phase < len(line) else 2 * len(line) - 2 - phase]


def beats(cells: Iterable[Cell], length: int) -> list[tuple[Cell, ...]]:
    """The straight lines of a length within cells, for those who go to and fro."""
    lines = [tuple(plus(cell, step, k) for k in range(length)) for cell in cells for step in ((1, 0), (0, 1))]
    return [line for line in lines if set(cells).issuperset(line)]


def paint(canvas: Canvas, grid: Grid, cells: Iterable[Cell], look: int | str) -> None:
    """Draw cells in a colour, or with a bitmap."""
    for cell in cells:
        if isinstance(look, int):
            canvas.cell(grid, cell, look)
        else:
            canvas.stamp(*grid.corner(cell), look)


class Tint(Puzzle):
    """Discs dye the walker, and it goes only through curtains of its own colour. Drops mix with the colour it has."""

    actions = (1, 2, 3, 4)
    shortest = 9
    aside = frozenset({"steps"})
    colours = (0, 8, 9, 15, 11, 12, 14, 13)  #: by the sum of red 1, blue 2 and yellow 4

    def setup(self, level: int, rng: Random) -> None:
        down = 2 + (level > 1)
        self.grid = Grid(4, 8, 10 if down == 2 else 8, 13, 4 * down + 1)
        dyes = ((1, 2), (1, 2, 4), (1, 2, 3), (1, 2, 4, 3, 6), (1, 2, 4, 3, 5, 6))[level]
        curtains: dict[Cell, int] = {}
        for across, below in ((x, y) for x in range(3) for y in range(down)):
            for step in ((1, 0), (0, 1)):
                if across + step[0] < 3 and below + step[1] < down and rng.random() < 0.85:
                    last = level > 1 and plus((across, below), step) == (2, down - 1)  # asks for a mixture
                    dye = rng.choice([dye for dye in dyes if dye in (3, 5, 6)] if last else dyes)
                    middle = 4 * across + 2 + 2 * step[0], 4 * below + 2 + 2 * step[1]
                    for k in (-1, 0, 1):
                        curtains[plus(middle, (step[1], step[0]), k)] = dye
        self.curtains = tuple(curtains.items())
        self.walls = frozenset(
            cell for cell in self.grid.cells if (cell[0] % 4 == 0 or cell[1] % 4 == 0) and cell not in curtains
        )
        self.at, self.exit = (2, 2), (10, 4 * down - 2)
        spare = [cell for cell in self.grid.cells if cell[0] % 4 and cell[1] % 4]
        places = rng.sample([cell for cell in spare if cell not in (self.at, self.exit)], 8)
        first = rng.choice([(1, 1), (1, 3), (3, 1), (3, 3)])
        plain = [dye for dye in dyes if dye in (1, 2, 4)]
        pads = [(first, rng.choice(plain), False)]
        pads += [(cell, dye, False) for cell, dye in zip(places, plain, strict=False) if cell != first]
        if level > 1:
            pads += [(cell, rng.choice(plain), True) for cell in places[4 : 4 + level] if cell != first]
        self.pads = tuple(pads)
        self.dye, self.steps = 0, 56

    def act(self, action: int, x: int, y: int) -> None:
        self.steps -= 1
        there = plus(self.at, STEPS[action])
        if there not in self.walls and dict(self.curtains).get(there, self.dye) == self.dye:
            self.at = there
            for cell, dye, mixes in self.pads:
                if cell == there:
                    self.dye = (self.dye | dye) if mixes else dye
        if self.at == self.exit:
            self.win()
        elif not self.steps:
            self.lose()

    def draw(self) -> Layer:
        canvas = Canvas(3)
        canvas.box(*self.grid.corner((0, 0)), 52, 4 * self.grid.rows, 1)
        paint(canvas, self.grid, self.walls, 4)
        for cell, dye in self.curtains:
            canvas.stamp(*self.grid.corner(cell), "####/#1##/####/###1", self.colours[dye])
        for cell, dye, mixes in self.pads:
            look = "..#./..#./.###/..#." if mixes else ".##./####/####/.##."
            canvas.stamp(*self.grid.corner(cell), look, self.colours[dye])
        canvas.stamp(*self.grid.corner(self.exit), "5555/5..5/5..5/5555")
        canvas.stamp(*self.grid.corner(self.at), "5##5/####/####/5##5", self.colours[self.dye])
        canvas.stamp(1, 8, "555555/5####5/5####5/5####5/5####5/555555", self.colours[self.dye])
        canvas.box(4, 2, 56, 3, 5)
        canvas.box(4, 2, self.steps, 3, 10)
        return canvas.done()


class Ballast(Puzzle):
    """A gate is open while something heavy lies on each plate of its colour; striped ones are open otherwise."""

    actions = (1, 2, 3, 4, UNDO)
    shortest = 12
    longest = 80
    colours = (9, 6, 12)

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(5, 2, 12, 12, 9)
        fences = (6,) if level == 0 else (4, 8)
        walls = set(room(rng, 12, 9, level)) | {(column, row) for column in fences for row in range(9)}
        self.flag = 10, rng.randrange(1, 8)
        self.gates = tuple(((column, rng.randrange(2, 7)), k, k == 1 and level > 2) for k, column in enumerate(fences))
        walls -= {plus(gate, (dx, 0)) for gate, _, _ in self.gates for dx in (-1, 0, 1)} | {self.flag}
        plates: dict[Cell, int] = {}
        crates: set[Cell] = set()
        edges = (0, *fences)
        for k in ((0,), (0, 1), (0, 0, 1), (0, 1), (0, 0, 1))[level]:
            inner = [(x, y) for x in range(edges[k] + 1, edges[k + 1]) for y in range(1, 8)]
            inner = [cell for cell in inner if cell not in walls and cell not in crates and cell not in plates]
            loose = [cell for cell in inner if not walls & set(self.grid.around(cell))]
            crate = rng.choice(loose or inner)
            crates.add(crate)
            striped = k == 1 and level > 2  # its plate is pressed at first
            plates[crate if striped else rng.choice([cell for cell in inner if cell != crate])] = k
        self.walls, self.plates, self.crates = frozenset(walls), tuple(plates.items()), frozenset(crates)
        left = [(x, y) for x in range(1, fences[0]) for y in range(1, 8)]
        self.at = rng.choice([cell for cell in left if cell not in walls and cell not in crates])

    def shut(self) -> set[Cell]:
        heavy = self.crates | {self.at}
        lifted = {colour for cell, colour in self.plates if cell not in heavy}
        return {cell for cell, colour, other in self.gates if (colour in lifted) is not other}

    def act(self, action: int, x: int, y: int) -> None:
        step = STEPS[action]
        there, beyond = plus(self.at, step), plus(self.at, step, 2)
        blocked = self.walls | self.shut()
        if there in blocked:
            return
        if there in self.crates:
            if beyond in blocked or beyond in self.crates or beyond == self.flag:
                return
            self.crates = self.crates - {there} | {beyond}
        self.at = there
        if there == self.flag:
            self.win()

    def estimate(self) -> float:
        ahead = [cell for cell, _ in self.plates if cell[0] >= self.at[0]]
        return far(self.at, self.flag) + 0.4 * sum(min(far(cell, crate) for crate in self.crates) for cell in ahead)

    def draw(self) -> Layer:
        canvas = Canvas(13)
        canvas.box(2, 12, 60, 45, 11)
        paint(canvas, self.grid, self.walls, "ccccc/ddddd/ddddd/ddddd/ddddd")
        shut = self.shut()
        for cell, colour, other in self.gates:
            x, y = self.grid.corner(cell)
            for k in range(5) if cell in shut else (0, 4):
                canvas.box(x, y + k, 5, 1, 0 if other and k % 2 else self.colours[colour])
        for cell, colour in self.plates:
            canvas.frame(*self.grid.corner(cell), 5, 5, self.colours[colour])
        canvas.stamp(*self.grid.corner(self.flag), "5ee../5eee./5ee../5..../5....")
        paint(canvas, self.grid, self.crates, "...../.444./.434./.444./.....")
        canvas.stamp(*self.grid.corner(self.at), "..0../.000./..8../.888./.8.8.")
        for k in range(6):
            canvas.stamp(3 + 10 * k, 3, "..##../.#..#./#....#", 4)
        return canvas.done()


class Thaw(Puzzle):
    """Ice breaks behind the walker, thick ice at the second time. Home opens after enough of it; no way on loses."""

    actions = (1, 2, 3, 4)
    shortest = 13

    def setup(self, level: int, rng: Random) -> None:
        n = 6 + level // 2
        self.grid = Grid(7, (64 - 7 * n) // 2, 10, n, min(n, 7))
        springs: set[Cell] = set()
        self.at = here = rng.choice(self.grid.cells)
        ice = {here: 1}
        for _ in range(15 + 5 * level):
            ways: list[tuple[Cell, ...]] = []
            for step in STEPS.values():
                there = plus(here, step)
                if self.grid.has(there) and ice.get(there, 0) < 1 + (level > 1) and there not in springs:
                    ways.append((there,))
                    land = plus(there, step, 2)
                    if level > 2 and there not in ice and self.grid.has(land) and land not in ice:
                        ways.append((there, land))
            fresh = [way for way in ways if way[0] not in ice]
            if not ways:
                break
            way = rng.choice(fresh if fresh and rng.random() < 0.75 else ways)
            for cell in way:
                ice[cell] = ice.get(cell, 0) + 1
            springs |= set(way[:-1])
            here = way[-1]
        doors = [cell for cell in self.grid.around(here) if cell not in ice]
        self.home = rng.choice(doors) if doors else here
        total = sum(ice.values())
        waste = rng.sample([cell for cell in self.grid.cells if cell not in ice and cell != self.home], level)
        ice |= dict.fromkeys(waste, 1)
        self.ice, self.springs = tuple(sorted(ice.items())), frozenset(springs)
        self.left = total - 1 - (2 if level else 1)
        sides = sum(there in ice for cell in ice for there in self.grid.around(cell))
        if not doors or total < 14 + 4 * level or sides < 2.4 * len(ice):
            self.lose()

    def act(self, action: int, x: int, y: int) -> None:
        step, ice = STEPS[action], dict(self.ice)
        there = plus(self.at, step)
        if there not in ice and not (there == self.home and self.left <= 0):
            return
        self._leave(ice)
        self.at = there
        if there in self.springs and there in ice:
            self.show()
            self._leave(ice)
            self.at = plus(there, step, 2)
        if self.at == self.home and self.left <= 0:
            self.win()
        elif self.at not in ice or not any(cell in ice or cell == self.home for cell in self.grid.around(self.at)):
            self.show()
            self.lose()

    def _leave(self, ice: dict[Cell, int]) -> None:
        ice[self.at] -= 1
        if not ice[self.at]:
            del ice[self.at]
        self.ice = tuple(sorted(ice.items()))
        self.left = max(self.left - 1, 0)

    def estimate(self) -> float:
        ice = dict(self.ice)
        lonely = sum(1 for cell in ice if not any(there in ice for there in self.grid.around(cell)))
        return self.left + 0.5 * lonely + 0.1 * far(self.at, self.home)

    def draw(self) -> Layer:
        canvas = Canvas(9)
        for k in range(7):
            canvas.box(3 + 9 * k, 61 - k % 2, 4, 1, 10)
        thin = "aaaaaa/a00aaa/aaaaaa/aaaaaa/aaaaaa/aaaaaa"
        for cell, times in self.ice:
            canvas.stamp(*self.grid.corner(cell), thin if times == 1 else "000000/0aa000/000000/000000/000000/000000")
        paint(canvas, self.grid, self.springs & dict(self.ice).keys(), "....../.6..6./..66../..66../.6..6./......")
        home = "..##../.####./######/.#..#./.#..#./.#..#."
        canvas.stamp(*self.grid.corner(self.home), home, 14 if self.left <= 0 else 4)
        x, y = self.grid.corner(self.at)
        canvas.stamp(x + 1, y + 1, ".55./5885/.55./5..5")
        for k in range(self.left):
            canvas.box(2 + 3 * (k % 20), 2 + 3 * (k // 20), 2, 2, 12)
        return canvas.done()


class Bouquet(Puzzle):
    """Flowers are picked in the order of the legend at the edge. Wrong ones and bees cost a heart."""

    actions = (1, 2, 3, 4)
    shortest = 10
    longest = 80
    looks = (".8.8./88588/.888./..e../..e..", ".b.b./bb5bb/.bbb./..e../..e..", ".f.f./ff5ff/.fff./..e../..e..")

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(5, 1, 8, 11, 11)
        self.walls = room(rng, 11, 11, 8 + 2 * level)
        spare = free(self.grid, self.walls)
        rng.shuffle(spare)
        self.at, *beds = spare[: 5 + level]
        kinds = (0, 1, 2, *(rng.randrange(3) for _ in beds[3:]))
        self.flowers = frozenset(zip(beds, kinds, strict=True))
        self.order = tuple(rng.sample(kinds, 3 + level))
        self.shows = 3 if level == 4 else 8
        self.bees = tuple(beats(spare[5 + level :], 4)[: max(0, level - 1)])
        self.done, self.hearts, self.clock = 0, 3, 0

    def _stung(self) -> bool:
        return any(to_and_fro(line, self.clock) == self.at for line in self.bees)

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.at, STEPS[action])
        here = [flower for flower in self.flowers if flower[0] == there]
        hurt = bool(here) and here[0][1] != self.order[self.done]
        if there not in self.walls and not hurt:
            self.at = there
            if here:
                self.flowers -= {here[0]}
                self.done += 1
        self.clock = (self.clock + 1) % 6
        if hurt or self._stung():
            self.hearts -= 1
            self.show()
        if self.done == len(self.order):
            self.win()
        elif not self.hearts:
            self.lose()

    def estimate(self) -> float:
        rest = 9.0 * (len(self.order) - self.done) + 40 * (3 - self.hearts)
        if self.done < len(self.order):
            wanted = [cell for cell, kind in self.flowers if kind == self.order[self.done]]
            rest += min((far(self.at, cell) for cell in wanted), default=99)
        return rest

    def draw(self) -> Layer:
        canvas = Canvas(14)
        paint(canvas, self.grid, self.walls, "33333/33433/34443/33333/33333")
        paint(canvas, self.grid, free(self.grid, self.walls), 1)
        for cell, kind in self.flowers:
            canvas.stamp(*self.grid.corner(cell), self.looks[kind])
        for line in self.bees:
            canvas.stamp(*self.grid.corner(to_and_fro(line, self.clock)), ".0.0./..0../bb5b5/.b5b./.....")
        canvas.stamp(*self.grid.corner(self.at), ".ccc./.c0c./..9../.999./.9.9.")
        canvas.box(57, 0, 7, 64, 5)
        for k, kind in enumerate(self.order[self.done : self.done + self.shows]):
            canvas.box(58, 1 + 7 * k, 5, 6, 1)
            canvas.stamp(58, 1 + 7 * k, self.looks[kind])
        for k in range(self.hearts):
            canvas.stamp(2 + 7 * k, 1, ".8.8./88888/.888./..8..")
        return canvas.done()


class Curfew(Puzzle):
    """Guards walk to and fro and catch whoever is in the light of their lanterns, except in bushes. Out in time."""

    actions = (1, 2, 3, 4, USE)
    shortest = 12
    aside = frozenset({"steps"})

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(4, 4, 3, 14, 13)
        self.walls = room(rng, 14, 13, 30)
        spare = free(self.grid, self.walls)
        rng.shuffle(spare)
        self.at = next(cell for cell in spare if cell[0] < 4)
        self.exit = next(cell for cell in spare if cell[0] > 9)
        chosen: list[tuple[Cell, ...]] = []
        for line in beats([cell for cell in spare if cell[0] > 3 and cell != self.exit], 5):
            if len(chosen) < (2, 2, 3, 4, 5)[level] and not any(set(line) & set(other) for other in chosen):
                chosen.append(line)
        self.guards = tuple((line, rng.randrange(8)) for line in chosen)
        taken = {self.at, self.exit}.union(*chosen)
        rest = [cell for cell in spare if cell not in taken]
        self.bushes = frozenset(rest[: 7 + level])
        self.loot = frozenset(rest[20 : 20 + (level + 1) // 2])
        self.clock, self.steps = 0, 60
        if self.at in self._lit():
            self.lose()

    def _lit(self) -> set[Cell]:
        """The cells of guards and of their light."""
        found = set()
        for line, start in self.guards:
            here, after = to_and_fro(line, self.clock + start), to_and_fro(line, self.clock + start + 1)
            step = after[0] - here[0], after[1] - here[1]
            while here not in self.walls:
                found.add(here)
                here = plus(here, step)
        return found

    def act(self, action: int, x: int, y: int) -> None:
        there = plus(self.at, STEPS[action]) if action != USE else self.at
        if there not in self.walls and not (there == self.exit and self.loot):
            self.at = there
            self.loot -= {there}
        self.clock = (self.clock + 1) % 8
        self.steps -= 1
        if self.at in self._lit() and self.at not in self.bushes:
            self.show()
            self.lose()
        elif self.at == self.exit:
            self.win()
        elif not self.steps:
            self.lose()

    def estimate(self) -> float:
        return 12.0 * len(self.loot) + 0.5 * min(far(self.at, cell) for cell in self.loot or {self.exit})

    def draw(self) -> Layer:
        canvas = Canvas(5)
        paint(canvas, self.grid, free(self.grid, self.walls), 4)
        paint(canvas, self.grid, self._lit(), 11)
        paint(canvas, self.grid, self.walls, 15)
        paint(canvas, self.grid, self.bushes, ".ee./eeee/eeee/.ee.")
        paint(canvas, self.grid, self.loot, ".00./0aa0/.00./....")
        canvas.stamp(*self.grid.corner(self.exit), "####/#55#/#55#/#55#", 2 if self.loot else 14)
        for line, start in self.guards:
            canvas.stamp(*self.grid.corner(to_and_fro(line, self.clock + start)), ".88./8888/8888/8..8")
        canvas.stamp(*self.grid.corner(self.at), ".77./7777/.77./7..7")
        canvas.box(2, 58, self.steps, 4, 12)
        return canvas.done()


class Lodger(Puzzle):
    """A house seen from the side. The special key presses a button, which sends all lifts of its colour to a floor."""

    actions = (3, 4, USE)
    shortest = 12
    aside = frozenset({"power"})
    colours = (8, 9, 11)

    def setup(self, level: int, rng: Random) -> None:
        self.storeys = 4 + level // 2
        shafts = rng.sample(range(1, 11), 2 + (level > 0) + (level > 2))
        kinds = (0, 1, 2, rng.randrange(3)) if level > 1 else (0, 1, 1)
        ends = [0, *sorted(rng.sample(range(1, self.storeys - 1), len(shafts) - 1)), self.storeys - 1]
        rides = []
        for k in range(len(shafts)):
            others = [storey for storey in range(self.storeys) if storey not in ends[k : k + 2]]
            stops = sorted((*ends[k : k + 2], rng.choice(others)))
            rides.append((*stops, stops[1]))
        self.shafts, self.kinds, self.rides = tuple(shafts), kinds[: len(shafts)], tuple(rides)
        self.phases = tuple(rng.randrange(len(ride)) for ride in rides)
        self.floors = tuple(ride[phase] for ride, phase in zip(self.rides, self.phases, strict=True))
        spare = [(column, storey) for column in range(12) for storey in range(self.storeys) if column not in shafts]
        rng.shuffle(spare)
        self.at = next(cell for cell in spare if cell[1] == self.storeys - 1)
        self.home = next(cell for cell in spare if cell[1] == 0)
        rest = [cell for cell in spare if cell not in (self.at, self.home)]
        self.walls = frozenset(rest[: 6 + 2 * level])
        rest = rest[6 + 2 * level :]
        self.mail = frozenset(rest[: (level + 1) // 2])
        self.buttons = tuple((cell, rng.choice(self.kinds)) for cell in rest[3 : 10 + level])
        self.power = 14 + 2 * level

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            self._press()
            return
        there = plus(self.at, STEPS[action])
        if there in self.walls or not 0 <= there[0] < 12:
            return
        self.at = there
        self.mail -= {there}
        if there == self.home and not self.mail:
            self.win()

    def _press(self) -> None:
        cabins = list(zip(self.shafts, self.floors, strict=True))
        rides_in = cabins.index(self.at) if self.at in cabins else None
        colour = dict(self.buttons).get(self.at) if rides_in is None else self.kinds[rides_in]
        if colour is None:
            return
        self.phases = tuple(
            (phase + (kind == colour)) % len(ride)
            for phase, kind, ride in zip(self.phases, self.kinds, self.rides, strict=True)
        )
        goals = tuple(ride[phase] for ride, phase in zip(self.rides, self.phases, strict=True))
        while self.floors != goals:
            self.floors = tuple(f + (goal > f) - (goal < f) for f, goal in zip(self.floors, goals, strict=True))
            if rides_in is not None:
                self.at = self.at[0], self.floors[rides_in]
            if self.floors != goals:
                self.show()
        self.power -= 1
        if not self.power:
            self.lose()

    def draw(self) -> Layer:
        canvas = Canvas(10)
        height, top = 9, 63 - 9 * self.storeys
        canvas.box(1, top - 1, 62, 64 - top, 0)
        for storey in range(self.storeys):
            canvas.box(1, top + height * storey + 8, 62, 1, 5)
        for column, ride in zip(self.shafts, self.rides, strict=True):
            canvas.box(3 + 5 * column, top + height * ride[0], 3, height * (max(ride) - ride[0] + 1), 2)
            for stop in ride:
                canvas.box(2 + 5 * column, top + height * stop + 7, 5, 1, 3)
        for column, floor, kind in zip(self.shafts, self.floors, self.kinds, strict=True):
            canvas.box(2 + 5 * column, top + height * floor, 5, 9, self.colours[kind])
            canvas.box(3 + 5 * column, top + height * floor + 2, 3, 6, 1)
        for column, storey in self.walls:
            canvas.box(2 + 5 * column, top + height * storey, 5, 8, 13)
        for (column, storey), kind in self.buttons:
            canvas.stamp(3 + 5 * column, top + height * storey + 1, "###/###/.5.", self.colours[kind])
        for column, storey in self.mail:
            canvas.stamp(2 + 5 * column, top + height * storey + 5, "77777/67676/77677")
        canvas.stamp(2 + 5 * self.home[0], top + 2, ".eee./eeeee/eeeee/eee5e/eeeee/eeeee")
        canvas.stamp(2 + 5 * self.at[0], top + height * self.at[1] + 4, ".666./.6f6./.fff./.f.f.")
        for k in range(self.power):
            canvas.box(1 + 4 * (k % 15), 1 + 3 * (k // 15), 3, 2, 14 if k > 2 else 8)
        return canvas.done()
