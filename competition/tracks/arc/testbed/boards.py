"""Families of boards: pieces, beads, colours and channels that are put in order."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from vgdl.competition.tracks.arc.frame import CLICK, Layer
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
    plus,
)


class Shunt(Puzzle):
    """The special key grips the block below the cursor and lets it go. The striped one has to get into the corner."""

    actions = (UP, DOWN, LEFT, RIGHT, USE)
    shortest = 5

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(10, 2, 6, 5, 5)
        cells = self.grid.cells
        rng.shuffle(cells)
        blocks: list[frozenset[Cell]] = []
        for k in range(3 + level):
            for cell in cells:
                step = (1, 0) if (cell[0] + k) % 2 else (0, 1)
                block = frozenset({cell, plus(cell, step)})
                if all(self.grid.has(part) for part in block) and not any(block & other for other in blocks):
                    blocks.append(block)
                    break
        self.blocks = tuple(blocks)
        first = min(blocks[0])
        wide = plus(first, (1, 0)) in blocks[0]
        self.goal = frozenset({(4, 4), (3, 4) if wide else (4, 3)})
        self.cursor, self.grip = rng.choice(self.grid.cells), -1

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            under = [k for k, block in enumerate(self.blocks) if self.cursor in block]
            self.grip = under[0] if self.grip < 0 and under else -1
        elif self.grid.has(there := plus(self.cursor, STEPS[action])):
            if self.grip >= 0:
                moved = frozenset(plus(part, STEPS[action]) for part in self.blocks[self.grip])
                others = [block for k, block in enumerate(self.blocks) if k != self.grip]
                if not all(self.grid.has(part) for part in moved) or any(moved & other for other in others):
                    return
                self.blocks = tuple(moved if k == self.grip else block for k, block in enumerate(self.blocks))
            self.cursor = there
        if self.blocks[0] == self.goal:
            self.win()

    def estimate(self) -> float:
        return float(2 * (8 - sum(max(part) for part in self.blocks[0])) + (self.grip != 0))

    def draw(self) -> Layer:
        canvas = Canvas(5)
        canvas.box(2, 6, 50, 50, 4)
        for cell in self.goal:
            canvas.cell(self.grid, cell, 14)
        for k, block in enumerate(self.blocks):
            left, top = min(cell[0] for cell in block), min(cell[1] for cell in block)
            wide = len({cell[1] for cell in block}) == 1
            x, y = self.grid.corner((left, top))
            width, height = (19, 9) if wide else (9, 19)
            canvas.box(x, y, width, height, 13 if k else 12)
            if not k:
                for part in range(1, 4):
                    canvas.box(x + (5 * part if wide else 2), y + (2 if wide else 5 * part), 2, 2, 8)
            if k == self.grip:
                canvas.frame(x, y, width, height, 0)
        x, y = self.grid.middle(self.cursor)
        canvas.stamp(x - 2, y - 2, "#...#/...../..#../...../#...#", 0)
        return canvas.done()


class Rings(Puzzle):
    """Rings of beads that share some. Buttons turn one of them; the beads have to lie as in the picture."""

    actions = (CLICK,)

    def setup(self, level: int, rng: Random) -> None:
        self.n_rings = 2 + level // 3
        self.grid = Grid(6, 3, 26, 2 * self.n_rings + 1, 3, 2)
        self.picture = Grid(3, 3, 4, 2 * self.n_rings + 1, 3)
        self.goal = tuple(rng.choice((8, 9, 11)) for _ in self.grid.cells)
        self.beads = self.goal
        for _ in range(2 + level):
            self.beads = self._turned(rng.randrange(self.n_rings), rng.choice((1, -1)))

    def _ring(self, ring: int) -> list[int]:
        """The numbers of a ring's beads, clockwise."""
        around = ((0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1))
        return [y * self.grid.columns + x + 2 * ring for x, y in around]

    def _turned(self, ring: int, way: int) -> tuple[int, ...]:
        beads = list(self.beads)
        places = self._ring(ring)
        for k, place in enumerate(places):
            beads[places[(k + way) % 8]] = self.beads[place]
        return tuple(beads)

    def targets(self) -> Iterable[Cell]:
        return [(7 + 16 * ring + 8 * side, 56) for ring in range(self.n_rings) for side in range(2)]

    def act(self, action: int, x: int, y: int) -> None:
        for k, (left, top) in enumerate(self.targets()):
            if abs(x - left) < 3 and abs(y - top) < 3:
                for _ in range(2):
                    self.beads = self._turned(k // 2, 1 if k % 2 else -1)
                    self.show()
        if self._shown() == self._shown(self.goal):
            self.win()

    def _shown(self, beads: tuple[int, ...] | None = None) -> list[int]:
        """The colours of the places on rings."""
        of = beads or self.beads
        return [of[place] for ring in range(self.n_rings) for place in self._ring(ring)]

    def estimate(self) -> float:
        pairs = zip(self._shown(), self._shown(self.goal), strict=True)
        return sum(one != other for one, other in pairs) / 8

    def draw(self) -> Layer:
        canvas = Canvas(4)
        for ring in range(self.n_rings):
            for place in self._ring(ring):
                row, column = divmod(place, self.grid.columns)
                canvas.disc(*self.grid.middle((column, row)), 3, self.beads[place])
                canvas.cell(self.picture, (column, row), self.goal[place])
        for k, (x, y) in enumerate(self.targets()):
            canvas.box(x - 2, y - 2, 5, 5, 2)
            canvas.stamp(x - 2, y - 2, "..0../...0./00000/...0./..0.." if k % 2 else "..0../.0.../00000/.0.../..0..")
        return canvas.done()


class Mixer(Puzzle):
    """Pots fill the bowl, where colours mix; a click on it pours it away. Each jar wants the colour of its label."""

    actions = (CLICK,)
    shortest = 3
    pots = (8, 11, 9)
    mixed = (5, 8, 11, 12, 9, 15, 14, 13)  #: by the sum of 1, 2 and 4 for the colours of the pots

    def setup(self, level: int, rng: Random) -> None:
        wanted = rng.sample((3, 5, 6, 7, 1, 2, 4), 2 + level // 2)
        self.jars = tuple((mix, False) for mix in wanted)
        self.bowl = 0
        self.errors = 0

    def targets(self) -> Iterable[Cell]:
        jars = [(9 + 13 * k, 14) for k in range(len(self.jars))]
        return [*((10 + 18 * k, 56) for k in range(3)), (30, 36), *jars]

    def act(self, action: int, x: int, y: int) -> None:
        hit = [k for k, (left, top) in enumerate(self.targets()) if abs(x - left) < 5 and abs(y - top) < 6]
        if not hit:
            return
        if hit[0] < 3:
            self.bowl |= 1 << hit[0]
        elif hit[0] == 3:
            self.bowl = 0
        elif self.bowl:
            mix, full = self.jars[hit[0] - 4]
            if mix == self.bowl and not full:
                self.jars = tuple((mix, full or k == hit[0] - 4) for k, (mix, full) in enumerate(self.jars))
            else:
                self.errors += 1
            self.bowl = 0
        if self.errors > 3:
            self.lose()
        elif all(full for _, full in self.jars):
            self.win()

    def estimate(self) -> float:
        return 2.0 * sum(not full for _, full in self.jars) + self.errors

    def draw(self) -> Layer:
        canvas = Canvas(0)
        places = list(self.targets())
        for k, (x, y) in enumerate(places[:3]):
            canvas.box(x - 5, y - 4, 10, 9, self.pots[k])
            canvas.box(x - 5, y - 4, 10, 2, 3)
        canvas.disc(*places[3], 7, 3)
        canvas.disc(*places[3], 5, self.mixed[self.bowl])
        for (mix, full), (x, y) in zip(self.jars, places[4:], strict=True):
            canvas.frame(x - 5, y - 6, 10, 12, 4)
            canvas.box(x - 2, y - 10, 4, 3, self.mixed[mix])
            if full:
                canvas.box(x - 4, y - 3, 8, 8, self.mixed[mix])
        for k in range(4 - self.errors):
            canvas.box(52 + 3 * k, 1, 2, 2, 8)
        return canvas.done()


class Router(Puzzle):
    """Clicks put mirrors onto free cells, and the special key starts the cart, which has to reach the depot."""

    actions = (USE, CLICK)
    shortest = 2
    aside = frozenset({"corners"})

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(7, 4, 4, 8, 8)
        self.mirrors: tuple[tuple[Cell, int], ...] = ()
        at, way = (0, rng.randrange(8)), (1, 0)
        self.start = self.cart = at
        path, corners = [at], []
        for _ in range(1 + (level + 1) // 2):
            for _ in range(rng.randrange(2, 5)):
                at = plus(at, way)
                path.append(at)
            corners.append(at)
            way = rng.choice(((way[1], way[0]), (-way[1], -way[0])))
        for _ in range(2):
            at = plus(at, way)
            path.append(at)
        self.depot, self.corners = at, tuple(corners)
        self.stock = len(corners) + 1
        spare = [cell for cell in self.grid.cells if cell not in path]
        self.blocks = frozenset(rng.sample(spare, min(6 + 2 * level, len(spare))))
        if len(set(path)) < len(path) or not all(self.grid.has(cell) for cell in path):
            self.lose()  # no level

    def targets(self) -> Iterable[Cell]:
        return [self.grid.middle(cell) for cell in self.corners]

    def act(self, action: int, x: int, y: int) -> None:
        placed = dict(self.mirrors)
        if action == USE:
            self._run(placed)
            return
        cell = self.grid.at(x, y)
        if cell is None or cell in self.blocks or cell in (self.start, self.depot):
            return
        if cell in placed or len(placed) < self.stock:
            turn = (placed.pop(cell, 0) + 1) % 3
            if turn:
                placed[cell] = turn
        self.mirrors = tuple(sorted(placed.items()))

    def _run(self, placed: dict[Cell, int]) -> None:
        self.cart, way = self.start, (1, 0)
        for _ in range(64):
            self.show()
            self.cart = plus(self.cart, way)
            if self.cart == self.depot:
                self.win()
            if not self.grid.has(self.cart) or self.cart in self.blocks or self.cart == self.depot:
                break
            if turn := placed.get(self.cart, 0):
                way = (way[1], way[0]) if turn == 1 else (-way[1], -way[0])
        self.cart = self.start

    def draw(self) -> Layer:
        canvas = Canvas(1)
        canvas.box(4, 4, 56, 56, 3)
        for cell in self.grid.cells:
            canvas.cell(self.grid, cell, 2 if cell not in self.blocks else 13, 0 if cell in self.blocks else 1)
        canvas.stamp(*self.grid.corner(self.depot), "#######/#.....#/#.###.#/#.#.#.#/#.###.#/#.....#/#######", 14)
        for cell, turn in self.mirrors:
            x, y = self.grid.corner(cell)
            for k in range(1, 6):
                canvas.box(x + k, y + (k if turn == 1 else 6 - k), 1, 1, 9)
        x, y = self.grid.corner(self.cart)
        canvas.stamp(x + 1, y + 1, "##.../#####/##0##/#####/##...", 8)
        for k in range(self.stock - len(self.mirrors)):
            canvas.box(5 + 4 * k, 61, 3, 2, 9)
        return canvas.done()


class Sluice(Puzzle):
    """Buttons let water from one basin into the next. It has to stand at the marks; every click costs a drop."""

    actions = (CLICK,)
    shortest = 3
    aside = frozenset({"drops"})

    def setup(self, level: int, rng: Random) -> None:
        n = 3 + level // 2
        self.water = tuple(rng.randrange(1, 7) for _ in range(n))
        goal = list(self.water)
        for _ in range(3 + 2 * level):
            one = rng.randrange(n - 1)
            source, sink = rng.choice(((one, one + 1), (one + 1, one)))
            if goal[source] and goal[sink] < 8:
                goal[source] -= 1
                goal[sink] += 1
        marked = rng.sample(range(n), 1 + level // 2)
        self.marks = tuple(goal[k] if k in marked else -1 for k in range(n))
        self.drops = 10 + 3 * level
        if self._is_level():
            self.lose()  # no level

    def _is_level(self) -> bool:
        return all(mark in (-1, water) for mark, water in zip(self.marks, self.water, strict=True))

    def _x(self, basin: int) -> int:
        return 3 + 12 * basin

    def targets(self) -> Iterable[Cell]:
        gaps = range(len(self.water) - 1)
        return [(self._x(k) + 9 + dx, 57) for k in gaps for dx in (0, 4)]

    def act(self, action: int, x: int, y: int) -> None:
        for k, (left, top) in enumerate(self.targets()):
            if 0 <= x - left + 1 < 3 and abs(y - top) < 3:
                source, sink = (k // 2 + 1, k // 2) if k % 2 == 0 else (k // 2, k // 2 + 1)
                self.drops -= 1
                if self.water[source] and self.water[sink] < 8:
                    change = {source: -1, sink: 1}
                    self.water = tuple(water + change.get(basin, 0) for basin, water in enumerate(self.water))
        if self._is_level():
            self.win()
        elif self.drops <= 0:
            self.lose()

    def draw(self) -> Layer:
        canvas = Canvas(3)
        for k, water in enumerate(self.water):
            x = self._x(k)
            canvas.box(x, 8, 8, 44, 5)
            canvas.box(x, 52 - 5 * water, 8, 5 * water, 10)
            if self.marks[k] >= 0:
                canvas.box(x - 1, 52 - 5 * self.marks[k], 10, 1, 8)
        for k, (x, y) in enumerate(self.targets()):
            canvas.box(x - 1, y - 2, 3, 5, 11 if k % 2 else 14)
        canvas.box(2, 2, min(self.drops, 22) * 2, 2, 6)
        return canvas.done()


class Clues(Puzzle):
    """A click changes a tile's colour. Around each clue, white corners want its colour, and black ones another one."""

    actions = (CLICK,)
    shortest = 3

    def setup(self, level: int, rng: Random) -> None:
        self.colours = (8, 9, 11)[: 2 + level // 3]
        columns, rows = (3, 3) if level < 1 else (5, 3) if level < 3 else (5, 5)
        self.grid = Grid(9, 32 - 5 * columns, 32 - 5 * rows, columns, rows, 1)
        self.clues = tuple(cell for cell in self.grid.cells if cell[0] % 2 and cell[1] % 2)
        tiles = [cell for cell in self.grid.cells if cell not in self.clues]
        goal = {cell: rng.randrange(len(self.colours)) for cell in tiles}
        self.wanted = tuple((clue, rng.randrange(len(self.colours)), self._around(clue)) for clue in self.clues)
        self.asked = tuple(
            (clue, colour, tuple((cell, goal[cell] == colour) for cell in around))
            for clue, colour, around in self.wanted
        )
        self.tiles = tuple((cell, 0) for cell in tiles)
        if not self.estimate():
            self.lose()  # no level

    def _around(self, clue: Cell) -> tuple[Cell, ...]:
        return tuple(
            plus(clue, (dx, dy)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if plus(clue, (dx, dy)) not in self.clues
        )

    def targets(self) -> Iterable[Cell]:
        return [self.grid.middle(cell) for cell, _ in self.tiles]

    def act(self, action: int, x: int, y: int) -> None:
        there = self.grid.at(x, y)
        n = len(self.colours)
        self.tiles = tuple((cell, (colour + (cell == there)) % n) for cell, colour in self.tiles)
        if not self.estimate():
            self.win()

    def estimate(self) -> float:
        now = dict(self.tiles)
        return float(sum((now[cell] == colour) != same for _, colour, around in self.asked for cell, same in around))

    def draw(self) -> Layer:
        canvas = Canvas(5)
        for cell, colour in self.tiles:
            canvas.cell(self.grid, cell, self.colours[colour])
        for clue, colour, around in self.asked:
            x, y = self.grid.corner(clue)
            canvas.box(x + 3, y + 3, 3, 3, self.colours[colour])
            for cell, same in around:
                dx, dy = cell[0] - clue[0], cell[1] - clue[1]
                canvas.box(x + 3 + 3 * dx, y + 3 + 3 * dy, 3, 3, 0 if same else 3)
        return canvas.done()


class Merge(Puzzle):
    """All tiles slide as far as they can. Two of one colour become one of the next; the last colour is to be made."""

    actions = (UP, DOWN, LEFT, RIGHT)
    shortest = 3
    colours = (10, 9, 15, 6, 8)

    def setup(self, level: int, rng: Random) -> None:
        n = 4 + level // 3
        self.last = 2 + (level + 1) // 2 if level < 4 else 3
        self.grid = Grid(10, 12, 12 - 5 * (n - 4), n, n)
        spots = rng.sample(self.grid.cells, 2**self.last + level)
        self.blocks = frozenset(spots[: level % 3 + level // 3])
        start = spots[len(self.blocks) :][: 2**self.last]
        self.tiles = tuple(sorted((cell, 0) for cell in start))

    def act(self, action: int, x: int, y: int) -> None:
        step = STEPS[action]
        tiles = dict(self.tiles)
        merged: set[Cell] = set()
        for cell in sorted(tiles, key=lambda cell: -cell[0] * step[0] - cell[1] * step[1]):
            rank, at = tiles.pop(cell), cell
            while self.grid.has(there := plus(at, step)) and there not in self.blocks and there not in tiles:
                at = there
            if tiles.get(there) == rank and there not in merged:
                merged.add(there)
                tiles[there] = rank + 1
            else:
                tiles[at] = rank
        self.tiles = tuple(sorted(tiles.items()))
        if self.last in tiles.values():
            self.win()

    def estimate(self) -> float:
        return len(self.tiles) / 2

    def draw(self) -> Layer:
        canvas = Canvas(2)
        canvas.box(1, 1, 8, 8, 5)
        canvas.box(2, 2, 6, 6, self.colours[self.last])
        for cell in self.grid.cells:
            canvas.cell(self.grid, cell, 5 if cell in self.blocks else 1, 0 if cell in self.blocks else 1)
        for cell, rank in self.tiles:
            canvas.cell(self.grid, cell, self.colours[rank], 1)
            canvas.cell(self.grid, cell, 0, 4)
        return canvas.done()


class Packing(Puzzle):
    """A click on a piece chooses it, one on the board puts its first square there. The outline has to be filled."""

    actions = (CLICK,)
    shortest = 4
    forms = (
        ((0, 0), (1, 0)),
        ((0, 0), (0, 1)),
        ((0, 0), (1, 0), (0, 1)),
        ((0, 0), (1, 0), (2, 0)),
        ((0, 0), (0, 1), (1, 1)),
        ((0, 0), (1, 0), (1, 1)),
        ((0, 0), (1, 0), (0, 1), (1, 1)),
    )
    colours = (8, 14, 9, 11, 15)

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(6, 8, 4, 8, 5)
        n = 2 + (level + 1) // 2
        self.pieces = tuple(rng.choice(self.forms) for _ in range(n))
        area: set[Cell] = set()
        for piece in self.pieces:
            spots = [self._parts(piece, cell) for cell in self.grid.cells]
            fits = [spot for spot in spots if all(map(self.grid.has, spot)) and not area & set(spot)]
            area |= set(rng.choice([spot for spot in fits if not area or self._touches(spot, area)]))
        self.area = frozenset(area)
        self.placed: tuple[Cell | None, ...] = (None,) * n
        self.chosen = -1

    @staticmethod
    def _parts(piece: tuple[Cell, ...], cell: Cell) -> list[Cell]:
        return [plus(cell, part) for part in piece]

    def _touches(self, spot: list[Cell], area: set[Cell]) -> bool:
        return any(there in area for part in spot for there in self.grid.around(part))

    def _taken(self) -> set[Cell]:
        pairs = zip(self.pieces, self.placed, strict=True)
        return {part for piece, cell in pairs if cell is not None for part in self._parts(piece, cell)}

    def _tray(self, piece: int) -> Cell:
        return 2 + 12 * piece, 48

    def targets(self) -> Iterable[Cell]:
        tray = [(x + 1, y + 1) for x, y in map(self._tray, range(len(self.pieces)))]
        return [*tray, *(self.grid.middle(cell) for cell in sorted(self.area))]

    def act(self, action: int, x: int, y: int) -> None:
        for k in range(len(self.pieces)):
            left, top = self._tray(k)
            if 0 <= x - left < 11 and 0 <= y - top < 11 and self.placed[k] is None:
                self.chosen = k
        cell = self.grid.at(x, y)
        if cell is None:
            return
        under = [
            k
            for k, at in enumerate(self.placed)
            if at is not None and cell in self._parts(self.pieces[k], at)
        ]  # fmt: skip
        if under:
            self._put(under[0], None)
        elif self.chosen >= 0:
            parts = self._parts(self.pieces[self.chosen], cell)
            if all(part in self.area for part in parts) and not self._taken() & set(parts):
                self._put(self.chosen, cell)
                self.chosen = -1
        if self._taken() == self.area:
            self.win()

    def _put(self, piece: int, cell: Cell | None) -> None:
        self.placed = (*self.placed[:piece], cell, *self.placed[piece + 1 :])

    def estimate(self) -> float:
        return float(len(self.area) - len(self._taken()) - (self.chosen >= 0))

    def draw(self) -> Layer:
        canvas = Canvas(13)
        for cell in self.area:
            canvas.cell(self.grid, cell, 0)
            x, y = self.grid.corner(cell)
            canvas.frame(x, y, 6, 6, 2)
        for k, (piece, at) in enumerate(zip(self.pieces, self.placed, strict=True)):
            if at is not None:
                for part in self._parts(piece, at):
                    canvas.cell(self.grid, part, self.colours[k])
                continue
            x, y = self._tray(k)
            for dx, dy in piece:
                canvas.box(x + 4 * dx, y + 4 * dy, 3, 3, self.colours[k])
            if k == self.chosen:
                canvas.box(x, y + 10, 11, 1, 0)
        return canvas.done()
