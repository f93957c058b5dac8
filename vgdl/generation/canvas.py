"""A level under construction: pieces on a grid, and the repairs that make it meet the constraints without plays.

A *piece* is a level character that places something. What a generator draws, mutates and joins are pieces; `repair`
then sees to one avatar, a piece of every type, the cover, and terminations that do not hold at the start.
"""

from __future__ import annotations

import math
import random
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from vgdl.judging.cells import Cell, Grid
from vgdl.judging.description import Ending, GameDescription
from vgdl.judging.feasibility import COVER, holds

_LINE_CLASSES = {"HorizontalAvatar", "FlakAvatar"}  #: avatars that cannot leave their row


@dataclass(frozen=True)
class Pieces:
    """The level characters of a game, by what they are for."""

    description: GameDescription

    @cached_property
    def empty(self) -> str:
        return self.description.empty

    @cached_property
    def all(self) -> tuple[str, ...]:
        """All pieces but avatars."""
        return tuple(c for c, types in self.description.characters.items() if types and not self._is_avatar(types))

    @cached_property
    def avatars(self) -> tuple[str, ...]:
        """The pieces that place one avatar, those without other types first."""
        found = [c for c, types in self.description.characters.items() if self._is_avatar(types)]
        fewest = min((len(self.types(c)) for c in found), default=0)
        return tuple(c for c in found if len(self.types(c)) == fewest)

    @cached_property
    def wall(self) -> str | None:
        """The piece that places a wall and nothing else; None if the game has no walls."""
        alone = [c for c in self.all if set(self.types(c)) <= self.description.walls]
        return max(alone, key=lambda character: self._weight(character), default=None)

    @cached_property
    def others(self) -> tuple[str, ...]:
        """The pieces but walls and avatars."""
        return tuple(c for c in self.all if not set(self.types(c)) <= self.description.walls)

    @cached_property
    def harmful(self) -> frozenset[str]:
        """The pieces that may kill the avatar."""
        return frozenset(c for c in self.all if not self.description.harmful.isdisjoint(self.types(c)))

    @cached_property
    def goals(self) -> frozenset[str]:
        """The pieces that a termination counts."""
        return frozenset(c for c in self.all if not self.description.goals.isdisjoint(self.types(c)))

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """How often each of `others` should stand, by the priorities of its types."""
        return tuple(self._weight(c) for c in self.others)

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """Types that a level must place, as no rule creates them."""
        description = self.description
        found = {name for c in (*self.all,) for name in self.types(c)} - description.created - description.avatars
        return tuple(sorted(found))

    def types(self, piece: str) -> tuple[str, ...]:
        """The types of a character, without background."""
        return self.description.characters.get(piece, ())

    def with_type(self, name: str) -> list[str]:
        """The pieces that place a type, those with the fewest other types first."""
        found = [c for c in self.all if name in self.types(c)]
        return sorted(found, key=lambda character: (len(self.types(character)), character))

    def _is_avatar(self, types: Collection[str]) -> bool:
        return not self.description.avatars.isdisjoint(types)

    def _weight(self, piece: str) -> float:
        return float(max((self.description.priority[name] for name in self.types(piece)), default=0) or 1)


class Canvas:
    """A grid of pieces that can be changed."""

    def __init__(self, pieces: Pieces, rows: Iterable[Iterable[str]]) -> None:
        """Start from rows of characters."""
        self.pieces = pieces
        self.cells = [list(row) for row in rows]

    @classmethod
    def blank(cls, pieces: Pieces, columns: int, rows: int) -> Canvas:
        """An empty level with a border of walls, if the game has any."""
        canvas = cls(pieces, [[pieces.empty] * columns for _ in range(rows)])
        if pieces.wall is not None:
            for cell in canvas.border():
                canvas[cell] = pieces.wall
        return canvas

    @property
    def height(self) -> int:
        return len(self.cells)

    @property
    def width(self) -> int:
        return len(self.cells[0])

    def __getitem__(self, cell: Cell) -> str:
        return self.cells[cell[0]][cell[1]]

    def __setitem__(self, cell: Cell, piece: str) -> None:
        self.cells[cell[0]][cell[1]] = piece

    @property
    def grid(self) -> Grid:
        """The level as it is now."""
        return Grid(tuple("".join(row) for row in self.cells))

    def copy(self) -> Canvas:
        """An independent copy."""
        return Canvas(self.pieces, self.cells)

    def border(self) -> Iterator[Cell]:
        """The cells of the outermost ring."""
        for row in range(self.height):
            for column in range(self.width):
                if row in (0, self.height - 1) or column in (0, self.width - 1):
                    yield row, column

    def inside(self) -> list[Cell]:
        """The cells where pieces may stand: all but a border of walls."""
        edge = int(self.pieces.wall is not None)
        return [(row, column) for row in range(edge, self.height - edge) for column in range(edge, self.width - edge)]

    def free(self) -> list[Cell]:
        """The cells inside without a piece."""
        return [cell for cell in self.inside() if not self.pieces.types(self[cell])]

    def where(self, pieces: Collection[str]) -> list[Cell]:
        """The cells inside with one of some pieces."""
        return [cell for cell in self.inside() if self[cell] in pieces]

    def is_open(self, cell: Cell) -> bool:
        """Whether an avatar could stand in a cell, as far as walls are concerned."""
        return self.pieces.description.walls.isdisjoint(self.pieces.types(self[cell]))

    def near(self, cell: Cell) -> Iterator[Cell]:
        """The cells above, below, left and right of a cell."""
        row, column = cell
        for other in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= other[0] < self.height and 0 <= other[1] < self.width:
                yield other

    def distances(self, start: Cell) -> dict[Cell, int]:
        """Steps from a cell to all that can be reached around walls."""
        found, queue = {start: 0}, deque([start])
        while queue:
            cell = queue.popleft()
            for other in self.near(cell):
                if other not in found and self.is_open(other):
                    found[other] = found[cell] + 1
                    queue.append(other)
        return found

    def is_connected(self) -> bool:
        """Whether all open cells inside can be reached from each other."""
        cells = [cell for cell in self.inside() if self.is_open(cell)]
        return not cells or len(self.distances(cells[0]).keys() & set(cells)) == len(cells)

    # ---------------------------------------------------------------------------------------------- repairs

    def repair(self, generator: random.Random) -> None:
        """Change the level until it meets the constraints that need no plays, as far as possible."""
        self._one_avatar(generator)
        self._every_type(generator)
        self._fit_goals(generator)
        self._fit_cover(generator)
        self._one_avatar(generator)

    def _one_avatar(self, generator: random.Random) -> None:
        pieces = self.pieces
        places = self.where(pieces.avatars)
        if not pieces.avatars:
            return
        generator.shuffle(places)
        for cell in places[1:]:
            self[cell] = pieces.empty
        if not places:
            place = self.place_for_avatar(generator)
            if place is not None:
                self[place] = generator.choice(pieces.avatars)

    def place_for_avatar(self, generator: random.Random) -> Cell | None:
        """A free cell for the avatar, in the lowest row for one that cannot leave its row; None without one."""
        free = self.free() or [cell for cell in self.inside() if self[cell] not in self.pieces.goals]
        if not free:
            return None
        classes = {self.pieces.description.sprite(name).class_name for name in self.pieces.description.avatars}
        if classes <= _LINE_CLASSES:
            lowest = max(row for row, _ in free)
            free = [cell for cell in free if cell[0] == lowest]
        return generator.choice(free)

    def _every_type(self, generator: random.Random) -> None:
        counts = self.grid.counts(self.pieces.description)
        for name in self.pieces.needed:
            if not counts[name]:
                found = self.pieces.with_type(name)
                self.put(found[0], generator)
                counts.update(self.pieces.types(found[0]))

        for name, number in self.pieces.description.stock.items():
            found = self.pieces.with_type(name)
            while found and counts[name] < number and self.put(found[0], generator):
                counts.update(self.pieces.types(found[0]))

    def put(self, piece: str, generator: random.Random) -> bool:
        """Put a piece in a free cell at random, harmful ones and goals away from the avatar; False without a place."""
        free = self.free()
        avatars = self.where(self.pieces.avatars)
        if avatars and (piece in self.pieces.harmful or piece in self.pieces.goals):
            steps = self.distances(avatars[0])
            farthest = max((steps.get(cell, 0) for cell in free), default=0)
            share = 3 if piece in self.pieces.harmful else 2
            free = [cell for cell in free if share * steps.get(cell, farthest) >= farthest]
        if not free:
            return False
        self[generator.choice(free)] = piece
        return True

    def _fit_goals(self, generator: random.Random) -> None:
        """Add or remove sprites until no termination holds, as far as they can be placed."""
        description = self.pieces.description
        for ending in description.endings:
            for _ in range(ending.limit + 3):
                counts = self.grid.counts(description)
                if not holds(ending, counts, description):
                    break
                self._against(ending, counts, generator)

    def _against(self, ending: Ending, counts: Counter[str], generator: random.Random) -> None:
        description = self.pieces.description
        leaves = description.leaves(ending.types)
        number = sum(counts[name] for name in leaves)
        counted = [c for c in self.pieces.all if not leaves.isdisjoint(self.pieces.types(c))]
        if ending.class_name == "SpriteCounterMore" or (ending.minimum and number >= ending.limit > 0):
            places = self.where(counted)
            if places:
                self[generator.choice(places)] = self.pieces.empty
        elif counted:
            self.put(generator.choice(counted), generator)

    def _fit_cover(self, generator: random.Random) -> None:
        """Add or remove pieces until the cover is right; the last piece of a type stays."""
        description = self.pieces.description
        low, high = COVER
        for _ in range(self.height * self.width):
            cover = self.grid.cover(description)
            if cover > high:
                if not self._remove_one(generator):
                    return
            elif cover < low and self.pieces.all:
                choices = [c for c in self.pieces.others if c not in self.pieces.goals] or list(self.pieces.all)
                wall = [self.pieces.wall] if self.pieces.wall is not None else []
                if not self.put(generator.choice([*wall, *choices]), generator):
                    return
            else:
                return

    def _remove_one(self, generator: random.Random) -> bool:
        description = self.pieces.description
        counts = self.grid.counts(description)
        places = [
            cell
            for cell in self.where(self.pieces.all)
            if all(counts[name] > 1 for name in self.pieces.types(self[cell]))
            and all(counts[name] > description.stock.get(name, 0) for name in self.pieces.types(self[cell]))
            and not self._would_hold(cell, counts)
        ]
        walls = [cell for cell in places if self[cell] == self.pieces.wall]
        if not places:
            return False
        self[generator.choice(walls if walls and generator.random() < 0.5 else places)] = self.pieces.empty
        return True

    def _would_hold(self, cell: Cell, counts: Counter[str]) -> bool:
        """Whether a termination would hold without the piece in a cell."""
        description = self.pieces.description
        types = self.pieces.types(self[cell])
        if description.goals.isdisjoint(types):
            return False
        without = counts.copy()
        without.subtract(types)
        return any(holds(ending, without, description) for ending in description.endings)

    # ---------------------------------------------------------------------------------------------- drawing

    def draw_walls(self, number: int, generator: random.Random) -> None:
        """Lay walls in straight lines that begin at a wall and keep the open cells connected."""
        wall = self.pieces.wall
        if wall is None:
            return
        laid = 0
        for _ in range(8 * number):
            if laid >= number:
                return
            starts = [
                cell for cell in self.free()
                if any(not self.is_open(other) for other in self.near(cell)) or not laid
            ]  # fmt: skip
            if not starts:
                return
            row, column = generator.choice(starts)
            down, right = generator.choice(((0, 1), (1, 0), (0, -1), (-1, 0)))
            for step in range(generator.randint(2, max(self.width, self.height) // 2)):
                cell = row + step * down, column + step * right
                if laid >= number or cell not in set(self.free()):
                    break
                before = self[cell]
                self[cell] = wall
                if not self.is_connected():
                    self[cell] = before
                    break
                laid += 1


def mutate(canvas: Canvas, generator: random.Random) -> None:
    """Insert, delete or move a piece (0.3, 0.3, 0.4), in place (generation, 5)."""
    pieces = canvas.pieces
    chance = generator.random()
    occupied = canvas.where((*pieces.all, *pieces.avatars))
    if chance < 0.3 or not occupied:
        choices = [*pieces.others, *([pieces.wall] if pieces.wall is not None else [])]
        cells = canvas.inside()
        if choices and cells:
            canvas[generator.choice(cells)] = generator.choice(choices)
    elif chance < 0.6:
        canvas[generator.choice(occupied)] = pieces.empty
    else:
        cell = generator.choice(occupied)
        free = canvas.free()
        if free:
            canvas[generator.choice(free)], canvas[cell] = canvas[cell], pieces.empty


def join(one: Canvas, other: Canvas, generator: random.Random) -> Canvas:
    """A level with a room, a rectangle of at least two by two cells, of another one, at the same or another place."""
    child = one.copy()
    rows = generator.randint(2, max(2, min(one.height, other.height) - 2))
    columns = generator.randint(2, max(2, min(one.width, other.width) - 2))
    from_row, from_column = _corner(other, rows, columns, generator)
    to_row, to_column = _corner(child, rows, columns, generator)
    if generator.random() < 0.5 and (one.height, one.width) == (other.height, other.width):
        to_row, to_column = from_row, from_column
    inside = set(child.inside())
    for row in range(rows):
        for column in range(columns):
            cell = to_row + row, to_column + column
            source = from_row + row, from_column + column
            if cell in inside and source[0] < other.height and source[1] < other.width:
                child[cell] = other[source]
    return child


def _corner(canvas: Canvas, rows: int, columns: int, generator: random.Random) -> Cell:
    edge = int(canvas.pieces.wall is not None)
    return (
        generator.randint(edge, max(edge, canvas.height - edge - rows)),
        generator.randint(edge, max(edge, canvas.width - edge - columns)),
    )


def one_point(one: Canvas, other: Canvas, generator: random.Random) -> Canvas:
    """The cells of ``one`` up to a point, row by row, and those of ``other`` from there on; of the size of ``one``."""
    child = one.copy()
    point = generator.randrange(one.height * one.width)
    for row in range(min(one.height, other.height)):
        for column in range(min(one.width, other.width)):
            if row * one.width + column >= point:
                child[row, column] = other[row, column]
    return child


def share_of(cells: Sequence[Cell], share: float) -> int:
    """A number of cells, rounded up, for a share of some."""
    return math.ceil(len(cells) * share)
