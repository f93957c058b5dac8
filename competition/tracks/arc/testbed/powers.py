"""Families of walkers whose special key does something, or whose body changes."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from vgdl.competition.tracks.arc.frame import Layer
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
from vgdl.competition.tracks.arc.testbed.travels import paint


class Twilight(Puzzle):
    """The special key changes between day and night, whose walls differ, for four units of light; a step takes one."""

    actions = (1, 2, 3, 4, USE)
    shortest = 12
    aside = frozenset({"light"})
    lights = (".bbb./bbbbb/bbbbb/bbbbb/.bbb.", "..00./.00../.00../.000./..000")

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(5, 2, 9, 12, 10)
        inner = [(x, y) for x in range(1, 11) for y in range(1, 9)]
        kinds = {cell: rng.choices((0, 1, 2, 3), (24, 35, 35, 6))[0] for cell in inner}  # 1: day, 2: night, 3: both
        rock = {cell for cell in self.grid.cells if kinds.get(cell, 3) == 3}
        self.walls = tuple(frozenset(rock | {cell for cell in inner if kinds[cell] == k}) for k in (1, 2))
        spare = [cell for cell in inner if not kinds[cell]]
        rng.shuffle(spare)
        self.at, *spare, self.exit = sorted(spare)[:1] + spare[1:-1] + sorted(spare)[-1:]
        self.orbs = frozenset((cell, k % 2) for k, cell in enumerate(spare[: (0, 0, 1, 2, 3)[level]]))
        self.clocks = frozenset(spare[4 : 4 + 3 * (level > 2)])
        self.night = 0
        self.light = 60

    def act(self, action: int, x: int, y: int) -> None:
        self.light -= 4 if action == USE else 1
        if action == USE:
            self._turn()
        else:
            there = plus(self.at, STEPS[action])
            if there not in self.walls[self.night]:
                self.at = there
                if there in self.clocks:
                    self.show()
                    self._turn()
        self.orbs -= {(self.at, self.night)}
        if self.at == self.exit and not self.orbs:
            self.win()
        elif self.light <= 0:
            self.lose()

    def _turn(self) -> None:
        if self.at not in self.walls[1 - self.night]:
            self.night = 1 - self.night

    def estimate(self) -> float:
        return 10.0 * len(self.orbs) + far(self.at, self.exit) * 0.5

    def draw(self) -> Layer:
        floor, wall, other = ((1, 12, 2), (4, 9, 3))[self.night]
        canvas = Canvas((10, 5)[self.night])
        canvas.box(2, 9, 60, 50, floor)
        paint(canvas, self.grid, self.walls[1 - self.night], f"...../...../..{other}..")
        paint(canvas, self.grid, self.walls[self.night], wall)
        paint(canvas, self.grid, self.walls[0] & self.walls[1], 13)
        paint(canvas, self.grid, self.clocks, "66666/.6.6./..6../.6.6./66666")
        for cell, k in self.orbs:
            canvas.stamp(*self.grid.corner(cell), self.lights[k])
        canvas.stamp(*self.grid.corner(self.exit), "#####/#555#/#555#/#555#/#555#", 8 if self.orbs else 14)
        canvas.stamp(*self.grid.corner(self.at), ".fff./f0f0f/fffff/.fff./.f.f.")
        canvas.stamp(2, 2, self.lights[self.night])
        for k in range(0, self.light, 4):
            canvas.box(10 + 3 * (k // 4), 3, 2, 3, 11)
        return canvas.done()


class Shade(Puzzle):
    """The special key leaves a shade, and takes it back. It holds plates down; later ones move against the walker."""

    actions = (1, 2, 3, 4, USE)
    shortest = 12

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(6, 2, 8, 10, 8)
        fences = (4,) if level in (0, 2) else (3, 6)
        walls = set(room(rng, 10, 8, 3 + level)) | {(column, row) for column in fences for row in range(8)}
        self.gates = tuple((column, rng.randrange(1, 7)) for column in fences)
        walls -= {plus(gate, (dx, 0)) for gate in self.gates for dx in (-1, 0, 1)}
        self.walls = frozenset(walls)
        spare = free(self.grid, self.walls)
        rng.shuffle(spare)
        edges = (0, *fences, 9)
        rooms = [[cell for cell in spare if low < cell[0] < high] for low, high in pairwise(edges)]
        self.plates = tuple(rooms[k].pop() for k in range(len(fences)))
        self.at, self.exit = rooms[0].pop(), rooms[-1].pop()
        self.mark = rooms[-1].pop() if level == 4 else None
        self.moves_contrary = level > 1
        self.shade: Cell | None = None
        self.left = 4 + (level > 2)

    def shut(self) -> set[Cell]:
        bodies = (self.at, self.shade)
        return {gate for gate, plate in zip(self.gates, self.plates, strict=True) if plate not in bodies}

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            self.left -= self.shade is None
            self.shade = self.at if self.shade is None else None
            if not self.left and self.shade is None:
                self.lose()
            return
        shut = self.shut() | self.walls
        dx, dy = STEPS[action]
        there = plus(self.at, (dx, dy))
        if there not in shut:
            self.at = there
        if self.shade and self.moves_contrary and plus(self.shade, (-dx, -dy)) not in shut:
            self.shade = plus(self.shade, (-dx, -dy))
        if self.at == self.exit and self.mark in (None, self.shade):
            self.win()

    def estimate(self) -> float:
        return 0.5 * far(self.at, self.exit) + (0.5 * far(self.shade or self.at, self.mark) if self.mark else 0)

    def draw(self) -> Layer:
        canvas = Canvas(2)
        canvas.box(2, 8, 60, 48, 4)
        paint(canvas, self.grid, self.walls, "222222/233332/233332/233332/233332/222222")
        shut = self.shut()
        for gate, plate, colour in zip(self.gates, self.plates, (8, 9), strict=False):
            canvas.stamp(*self.grid.corner(gate), "/".join(["..##.."] * (6 if gate in shut else 1)), colour)
            canvas.stamp(*self.grid.corner(plate), "....../....../....../.####./######/######", colour)
        ghost = 7 if self.moves_contrary else 1
        canvas.stamp(*self.grid.corner(self.exit), "bbbbbb/b....b/b....b/b....b/b....b/bbbbbb")
        body = "..##../.####./.#55#./.####./.####./.#..#."
        if self.mark:
            canvas.frame(*self.grid.corner(self.mark), 6, 6, ghost)
        if self.shade:
            canvas.stamp(*self.grid.corner(self.shade), body, ghost)
        canvas.stamp(*self.grid.corner(self.at), body, 12)
        for k in range(self.left):
            canvas.stamp(3 + 8 * k, 1, body, ghost)
        return canvas.done()


class Angler(Puzzle):
    """The special key throws a hook ahead. It pulls the walker to a post, or a crate to the walker or into a pit."""

    actions = (1, 2, 3, 4, USE)
    shortest = 14
    aside = frozenset({"steps", "rope"})

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(5, 2, 3, 12, 11)
        column = rng.randrange(4, 8)
        pits = {(column + k, row) for k in (0, 1) for row in range(1, 10)}
        if level:
            row = rng.randrange(4, 7)
            pits |= {(x, row + k) for x in range(1, 11) for k in range(1 + level % 2)}
        self.edge = room(rng, 12, 11, 0)
        dry = [cell for cell in free(self.grid, self.edge) if cell not in pits]
        rng.shuffle(dry)
        n_posts = 7 + level
        self.at, self.exit = dry.pop(), dry.pop()
        self.posts = frozenset(dry[:n_posts])
        self.crates = frozenset(dry[n_posts : n_posts + (0, 0, 3, 4, 5)[level]])
        self.fish = frozenset(dry[20 : 20 + (0, 1, 0, 1, 2)[level]])
        self.pits = frozenset(pits)
        self.facing = rng.choice((1, 2, 3, 4))
        self.rope: tuple[Cell, ...] = ()
        self.steps = 60

    def act(self, action: int, x: int, y: int) -> None:
        if action == USE:
            self._throw(STEPS[self.facing])
        else:
            self.facing = action
            there = plus(self.at, STEPS[action])
            if there not in self.edge | self.posts | self.crates | self.pits:
                self._go(there)
        self.steps -= 1
        if self.at == self.exit and not self.fish:
            self.win()
        elif not self.steps:
            self.lose()

    def _go(self, there: Cell) -> None:
        self.at = there
        self.fish -= {there}

    def _throw(self, step: Cell) -> None:
        end = plus(self.at, step)
        while end not in self.edge and end not in self.posts and end not in self.crates:
            self.rope = (*self.rope, end)
            end = plus(end, step)
        self.show()
        self.rope = ()
        if end in self.posts:
            while (there := plus(self.at, step)) != end:
                self._go(there)
                self.show()
        elif end in self.crates:
            back = -step[0], -step[1]
            while (there := plus(end, back)) != self.at:
                self.crates = self.crates - {end} | {there}
                end = there
                self.show()
                if end in self.pits:
                    self.crates -= {end}
                    self.pits -= {end}
                    break
        if self.at in self.pits:
            self.lose()

    def estimate(self) -> float:
        return 8.0 * len(self.fish) + 0.5 * min(far(self.at, cell) for cell in self.fish or {self.exit})

    def draw(self) -> Layer:
        canvas = Canvas(15)
        paint(canvas, self.grid, free(self.grid, self.edge), 7)
        paint(canvas, self.grid, self.pits, 5)
        paint(canvas, self.grid, self.edge, 3)
        paint(canvas, self.grid, self.posts, ".ddd./dcccd/dcdcd/dcccd/.ddd.")
        paint(canvas, self.grid, self.crates, "ccccc/cb.bc/c.b.c/cb.bc/ccccc")
        paint(canvas, self.grid, self.fish, "...../a.aa./.aaaa/a.aa./.....")
        canvas.stamp(*self.grid.corner(self.exit), "#####/#####/##.##/#####/#####", 0 if self.fish else 14)
        paint(canvas, self.grid, self.rope, "...../..0../.0.0./..0..")
        canvas.stamp(*self.grid.corner(self.at), ".999./99999/99999/99999/.999.")
        for k in (1, 2):
            canvas.box(*plus(self.grid.middle(self.at), STEPS[self.facing], k), 1, 1, 0)
        canvas.box(2, 60, 60, 3, 4)
        canvas.box(2, 60, self.steps, 3, 8)
        return canvas.done()


class Puff(Puzzle):
    """Pads blow the body up to four cells and let the air out. A large one breaks bricks and steps over ditches."""

    actions = (1, 2, 3, 4)
    shortest = 17
    aside = frozenset({"steps"})

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(4, 2, 6, 13 if level < 2 else 14, 13)
        columns = (0, 6, 12) if level < 2 else (0, 4, 9, 13)
        walls = {cell for cell in self.grid.cells if cell[0] in columns or cell[1] % 6 == 0}
        gaps = [((rng.randrange(left + 1, right - 1), 6), (1, 0)) for left, right in pairwise(columns)]
        gaps += [((column, rng.randrange(top, top + 4)), (0, 1)) for column in columns[1:-1] for top in (1, 7)]
        bricks: set[Cell] = set()
        for start, step in gaps:
            width = rng.choice((1, 2))
            gap = {plus(start, step, k) for k in range(width)}
            walls -= gap
            bricks |= gap if level and width == 2 and rng.random() < 0.6 else set()
        row = rng.choice((3, 9))
        ditch = {(column, row) for column in range(columns[1] + 1, columns[2])} if level > 2 else set[Cell]()
        self.walls, self.bricks, self.ditch = frozenset(walls), frozenset(bricks), frozenset(ditch)
        spare = [cell for cell in free(self.grid, self.walls) if cell not in ditch | bricks]
        rng.shuffle(spare)
        self.pads = tuple((spare.pop(), 1 + k % 2) for k in range(3 + level // 2))
        self.size, self.aim = (1, 2) if level % 2 == 0 else (2, 1)
        fits = [cell for cell in spare if not self._cells(cell, 2) & (walls | ditch | bricks)]
        self.at = next(cell for cell in fits if cell[0] < columns[1])
        self.goal = next(cell for cell in fits if cell[0] > columns[-2])
        self.steps = 62

    def _cells(self, at: Cell, size: int) -> set[Cell]:
        return {(at[0] + dx, at[1] + dy) for dx in range(size) for dy in range(size)}

    def act(self, action: int, x: int, y: int) -> None:
        self.steps -= 1
        there = plus(self.at, STEPS[action])
        body = self._cells(there, self.size)
        if not body & self.walls and not body <= self.ditch and (self.size == 2 or not body & self.bricks):
            before = self._cells(self.at, self.size)
            self.at = there
            self.bricks -= body
            for pad, size in self.pads:
                if pad in body - before and size != self.size:
                    self._become(pad, size)
        if self.size == self.aim and self.at == self.goal:
            self.win()
        elif not self.steps:
            self.lose()

    def _become(self, pad: Cell, size: int) -> None:
        for step in ((0, 0), (-1, 0), (0, -1), (-1, -1))[: size * size]:
            if not self._cells(plus(pad, step), size) & (self.walls | self.bricks):
                self.show()
                self.at, self.size = plus(pad, step), size
                return

    def estimate(self) -> float:
        return 0.5 * far(self.at, self.goal)

    def draw(self) -> Layer:
        canvas = Canvas(0)
        canvas.box(2, 6, 4 * self.grid.columns, 52, 10)
        paint(canvas, self.grid, self.walls, 14)
        paint(canvas, self.grid, self.ditch, 9)
        paint(canvas, self.grid, self.bricks, "8828/2222/2888/2222")
        for pad, size in self.pads:
            canvas.stamp(*self.grid.corner(pad), ".bb./bbbb/bbbb/.bb." if size == 2 else "..../.bb./.bb./....")
        canvas.frame(*self.grid.corner(self.goal), 4 * self.aim, 4 * self.aim, 5)
        x, y = self.grid.corner(self.at)
        big = 4 * self.size
        canvas.box(x + 1, y, big - 2, big, 6)
        canvas.box(x, y + 1, big, big - 2, 6)
        canvas.box(x + self.size, y + self.size, self.size, self.size, 0)
        canvas.box(61, 1, 2, 62, 1)
        canvas.box(61, 63 - self.steps, 2, self.steps, 13)
        return canvas.done()


class Quarry(Puzzle):
    """The special key lays a charge, which can be pushed. After four actions it breaks cracked rock, or the walker."""

    actions = (1, 2, 3, 4, USE)
    shortest = 12
    aside = frozenset({"steps", "blast"})

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(6, 2, 5, 10, 9)
        hard = set(room(rng, 10, 9, 5 + level))
        fences = (5,) if level == 0 else (3, 6)
        hard |= {(column, row) for column in fences for row in range(9)}
        cracked = {(column, row) for column in fences for row in rng.sample(range(1, 8), 2)}
        hard -= cracked
        inner = [cell for cell in free(self.grid, frozenset(hard)) if cell not in cracked]
        rng.shuffle(inner)
        self.at = next(cell for cell in inner if cell[0] < fences[0])
        self.gem = next(cell for cell in inner if cell[0] > fences[-1])
        spare = [cell for cell in inner if cell not in (self.at, self.gem)]
        around = {cell for cell in self.grid.around(self.gem) if cell in spare} if level > 1 else set[Cell]()
        cracked |= around | set(spare[: 2 * level])
        spare = [cell for cell in spare if cell not in cracked]
        self.barrels = frozenset(spare[: (0, 0, 0, 2, 3)[level]])
        self.finds = frozenset(spare[3 : 3 + (level > 0) + (level > 2)])
        self.hard, self.cracked = frozenset(hard), frozenset(cracked)
        self.charges = (3, 2, 3, 2, 2)[level]
        self.laid: tuple[tuple[Cell, int], ...] = ()
        self.blast: frozenset[Cell] = frozenset()
        self.steps = 60

    def act(self, action: int, x: int, y: int) -> None:
        self.steps -= 1
        laid = dict(self.laid)
        if action == USE:
            if self.charges and self.at not in laid:
                self.charges -= 1
                laid[self.at] = 5
        else:
            there, beyond = plus(self.at, STEPS[action]), plus(self.at, STEPS[action], 2)
            solid = self.hard | self.cracked | self.barrels
            if there in laid and beyond not in solid and beyond not in laid:
                laid[beyond] = laid.pop(there)
            if there not in solid and there not in laid:
                self.at = there
                self.charges += there in self.finds
                self.finds -= {there}
        self.laid = tuple((cell, ticks - 1) for cell, ticks in laid.items())
        if any(ticks == 0 for _, ticks in self.laid):
            self._explode()
        if self.at == self.gem and self.ending is None:
            self.win()
        elif not self.steps:
            self.lose()

    def _explode(self) -> None:
        due, hit = [cell for cell, ticks in self.laid if not ticks], set()
        while due:
            here = due.pop()
            hit.add(here)
            for step in STEPS.values():
                for k in range(1, 3 if here in self.barrels else 2):
                    there = plus(here, step, k)
                    if there in self.hard:
                        break
                    if there not in hit and (there in self.barrels or there in dict(self.laid)):
                        due.append(there)
                    hit.add(there)
        self.blast = frozenset(hit)
        self.show()
        self.blast = frozenset()
        self.cracked -= hit
        self.barrels -= hit
        self.laid = tuple((cell, ticks) for cell, ticks in self.laid if cell not in hit)
        if self.at in hit:
            self.lose()

    def estimate(self) -> float:
        return far(self.at, self.gem) + 0.0

    def draw(self) -> Layer:
        canvas = Canvas(12)
        canvas.box(2, 5, 60, 54, 11)
        paint(canvas, self.grid, self.hard, "222222/233333/233333/233333/233333/233333")
        paint(canvas, self.grid, self.cracked, "222d22/22dd22/2d22d2/d222dd/22d222/22d222")
        paint(canvas, self.grid, self.barrels, ".8888./.8008./.8888./.8008./.8888./......")
        paint(canvas, self.grid, self.finds, "...8../..4.../.444../44444./.444../......")
        for cell, ticks in self.laid:
            x, y = self.grid.corner(cell)
            canvas.disc(x + 3, y + 3, 2.5, 5)
            for k in range(ticks):
                canvas.box(x + 2 + k % 2, y + 2 + k // 2, 1, 1, 8)
        canvas.stamp(*self.grid.corner(self.gem), "..aa../.a0aa./a0aaa9/.aaa9./..a9../......")
        canvas.stamp(*self.grid.corner(self.at), ".ffff./.f0f0./.ffff./ffffff/.ffff./.f..f.")
        paint(canvas, self.grid, self.blast, "8.cc.8/.c00c./c0000c/c0000c/.c00c./8.cc.8")
        canvas.box(0, 0, 64, 4, 13)
        for k in range(self.charges):
            canvas.box(2 + 4 * k, 1, 3, 2, 0)
        canvas.box(2, 61, self.steps, 2, 8)
        return canvas.done()


class Plank(Puzzle):
    """A block of two cubes tips over and has to stand upright in the hole. A fall puts it back to where it began."""

    actions = (1, 2, 3, 4)
    shortest = 13
    aside = frozenset({"steps"})

    def setup(self, level: int, rng: Random) -> None:
        self.grid = Grid(5, 3, 10, 10 + level // 2, 9)
        floor: set[Cell] = set()
        here = 1, rng.randrange(2, 6)
        for _ in range(9 + level):
            across, down = rng.choice(((2, 2), (3, 3), (4, 1), (1, 4), (3, 2), (2, 3)))
            cells = {(here[0] + dx, here[1] + dy) for dx in range(across) for dy in range(down)}
            floor |= {cell for cell in cells if self.grid.has(cell)}
            here = rng.choice(sorted(floor, key=lambda cell: (-cell[0], cell[1]))[:12])
        ordered = sorted(floor)
        self.start, self.hole = rng.choice(ordered[:6]), rng.choice(ordered[-8:])
        self.blocks: tuple[Cell, ...] = (self.start,)
        rest = [cell for cell in ordered if cell not in (self.hole, self.start)]
        rng.shuffle(rest)
        self.thin = frozenset(rest[: 3 * (level - 1)] if level > 1 else ())
        self.switch, self.bridge, self.down = None, frozenset[Cell](), True
        if level > 2:
            column = rng.choice(range(self.start[0] + 2, max(self.hole[0], self.start[0] + 3)))
            self.bridge = frozenset(cell for cell in rest if cell[0] in (column, column + 1))
            near = [cell for cell in rest if cell[0] < column and cell not in self.thin]
            self.switch = near[0] if near else None
            self.thin -= self.bridge
            self.down = False
        self.floor = frozenset(floor) - self.bridge
        self.steps = 60

    def act(self, action: int, x: int, y: int) -> None:
        step = STEPS[action]
        self.steps -= 1
        rest = {plus(cell, step) for cell in self.blocks} - set(self.blocks)
        if len(self.blocks) == 1:
            rest.add(plus(self.blocks[0], step, 2))
        self.blocks = tuple(sorted(rest))
        stands = len(self.blocks) == 1
        if self.switch in self.blocks:
            self.down = not self.down
        held = self.floor | self.bridge if self.down else self.floor
        if not held.issuperset(self.blocks) or (stands and self.blocks[0] in self.thin):
            self.show()
            self.blocks = (self.start,)
        if self.blocks == (self.hole,):
            self.win()
        elif self.steps <= 0:
            self.lose()

    def estimate(self) -> float:
        return 0.6 * min((far(cell, self.hole) for cell in self.blocks), default=0)

    def draw(self) -> Layer:
        canvas = Canvas(5)
        paint(canvas, self.grid, self.floor - self.thin, "11113/11113/11113/11113/33333")
        paint(canvas, self.grid, self.thin, "cccc3/cccc3/cccc3/cccc3/33333")
        bridge = "dddd3/dddd3/dddd3/dddd3/33333" if self.down else "...../.333./.3.3./.333./....."
        paint(canvas, self.grid, self.bridge, bridge)
        canvas.stamp(*self.grid.corner(self.hole), "eeee/e55e/e55e/eeee")
        if self.switch:
            canvas.stamp(*self.grid.corner(self.switch), "6..6/.66./.66./6..6")
        (left, top), (right, bottom) = (self.grid.corner(cell) for cell in (self.blocks[0], self.blocks[-1]))
        canvas.box(left, top, right - left + 4, bottom - top + 4, 9)
        if len(self.blocks) == 1:
            canvas.box(left, top - 3, 4, 3, 10)
        else:
            canvas.frame(left, top, right - left + 4, bottom - top + 4, 10)
        canvas.box(2, 2, 60, 2, 4)
        canvas.box(2, 2, self.steps, 2, 11)
        return canvas.done()
