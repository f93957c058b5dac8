"""Cells in rows and columns, numbered row by row."""

from __future__ import annotations

Cell = int  #: row times columns plus column


class Grid:
    """What grids of cells have in common; subclasses are dataclasses with the two sizes as fields."""

    __slots__ = ()

    columns: int
    rows: int

    @property
    def n_cells(self) -> int:
        """The number of cells."""
        return self.rows * self.columns

    def step(self, cell: Cell, direction: tuple[int, int]) -> Cell | None:
        """The neighbour in a direction (dx, dy); None beyond the edge."""
        row, column = divmod(cell, self.columns)
        column, row = column + direction[0], row + direction[1]
        return row * self.columns + column if 0 <= column < self.columns and 0 <= row < self.rows else None

    def distance(self, one: Cell, other: Cell) -> int:
        """The number of steps between two cells without obstacles."""
        row, column = divmod(one, self.columns)
        there_row, there_column = divmod(other, self.columns)
        return abs(row - there_row) + abs(column - there_column)
