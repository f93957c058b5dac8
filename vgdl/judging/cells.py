"""Levels as grids of characters: what stands where, the border, reachable cells, and windows for novelty."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from vgdl.judging.description import GameDescription

Cell = tuple[int, int]
"""Row and column."""


@dataclass(frozen=True)
class Grid:
    """A level as equally long rows of characters; missing characters are blanks (language, 11.2)."""

    rows: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Grid:
        """The grid of a level text; its width is that of the first line."""
        lines = text.removesuffix("\n").split("\n")
        width = len(lines[0])
        return cls(tuple(line[:width].ljust(width) for line in lines))

    @property
    def text(self) -> str:
        """The level as a text that ends with a line break."""
        return "\n".join(self.rows) + "\n"

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All cells, row by row."""
        return tuple((row, column) for row in range(self.height) for column in range(self.width))

    def __getitem__(self, cell: Cell) -> str:
        return self.rows[cell[0]][cell[1]]

    def beside(self, cell: Cell) -> Iterator[Cell]:
        """The cells above, below, left and right of a cell."""
        row, column = cell
        for other in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= other[0] < self.height and 0 <= other[1] < self.width:
                yield other

    def is_border(self, cell: Cell) -> bool:
        """Whether a cell is in the outermost ring."""
        return cell[0] in (0, self.height - 1) or cell[1] in (0, self.width - 1)

    def counts(self, description: GameDescription) -> Counter[str]:
        """How many sprites of each leaf type the level places; background types are left out."""
        characters = Counter("".join(self.rows))
        found: Counter[str] = Counter()
        for character, number in characters.items():
            for name in description.characters.get(character, ()):
                found[name] += number
        return found

    def reachable(self, description: GameDescription, extra: Iterable[str] = ()) -> frozenset[Cell]:
        """The cells that an avatar can come to if nothing but walls stops it.

        Args:
            description: of the game.
            extra: types that stop it besides the game's walls.
        """
        stopping = description.walls | frozenset(extra)
        start = [cell for cell in self.cells if self._has(cell, description.avatars, description)]
        exits = {
            entry: frozenset(description.sprite(entry).needs)
            for (first, entry), rules in description.pairs.items()
            if first in description.avatars and any(rule.effect == "teleportToExit" for rule in rules)
        }
        found, queue = set(start), deque(start)
        while queue:
            cell = queue.popleft()
            near = list(self.beside(cell))
            for name in description.characters.get(self[cell], ()):
                leads = exits.pop(name, None)
                if leads is not None:
                    near += [other for other in self.cells if self._has(other, leads, description)]
            for other in near:
                if other not in found and not self._has(other, stopping, description):
                    found.add(other)
                    queue.append(other)
        return frozenset(found)

    def unreachable(self, description: GameDescription) -> tuple[Cell, ...]:
        """The cells without a wall that an avatar cannot come to."""
        reachable = self.reachable(description)
        return tuple(
            cell for cell in self.cells if cell not in reachable and not self._has(cell, description.walls, description)
        )

    def _has(self, cell: Cell, types: frozenset[str], description: GameDescription) -> bool:
        return not types.isdisjoint(description.characters.get(self[cell], ()))

    def cover(self, description: GameDescription) -> float:
        """The share of cells with an object; a solid border counts neither as cells nor as objects."""
        counted = [
            cell
            for cell in self.cells
            if not (self.is_border(cell) and self._has(cell, description.walls, description))
        ]
        covered = sum(bool(description.characters.get(self[cell])) for cell in counted)
        return covered / len(counted) if counted else 0.0

    def windows(self, description: GameDescription, size: int = 3) -> Counter[tuple[tuple[str, ...], ...]]:
        """How often each window of ``size`` by ``size`` cells occurs, by the types in its cells; without empty ones."""
        content = [[description.characters.get(character, ()) for character in row] for row in self.rows]
        found: Counter[tuple[tuple[str, ...], ...]] = Counter()
        for row in range(self.height - size + 1):
            for column in range(self.width - size + 1):
                window = tuple(content[row + down][column + right] for down in range(size) for right in range(size))
                if any(window):
                    found[window] += 1
        return found


def likeness(one: Counter[tuple[tuple[str, ...], ...]], other: Counter[tuple[tuple[str, ...], ...]]) -> float:
    """The share of the windows of ``one`` that ``other`` has too."""
    return sum((one & other).values()) / one.total() if one else 1.0


def novelty(grid: Grid, others: Sequence[Grid], description: GameDescription) -> float:
    """1 minus the greatest share of equal windows with any other level; 1 without others (generation, 3)."""
    own = grid.windows(description)
    return 1.0 - max((likeness(own, other.windows(description)) for other in others), default=0.0)


def diversity(grids: Sequence[Grid], description: GameDescription) -> float:
    """The mean novelty of each level of a set among the others; 1 for a set of one."""
    windows = [grid.windows(description) for grid in grids]
    values = [
        1.0 - max(likeness(own, other) for other in windows[:place] + windows[place + 1 :])
        for place, own in enumerate(windows)
        if len(windows) > 1
    ]
    return sum(values) / len(values) if values else 1.0
