"""A level file: characters in a grid (language, 11.2)."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .description import Source
from .errors import VGDLError
from .source import read_source, source_of


@dataclass(frozen=True, slots=True)
class Level:
    """The characters of a level; the game's level mapping gives them meaning."""

    source: Source

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines as read, neither padded nor cut."""
        return self.source.lines

    @property
    def width(self) -> int:
        """Cells per row: the length of the first line."""
        return len(self.lines[0])

    @property
    def height(self) -> int:
        """Number of rows; empty lines are rows."""
        return len(self.lines)

    def cell(self, row: int, column: int) -> str:
        """The character at a cell; a space beyond the end of a short line.

        Raises:
            IndexError: the cell is outside the level.
        """
        if not (0 <= row < self.height and 0 <= column < self.width):
            raise IndexError(f"cell ({row}, {column}) is outside a level of {self.height} rows, {self.width} columns")
        line = self.lines[row]
        return line[column] if column < len(line) else " "


def read_level(text: str, name: str = "<text>") -> Level:
    """Parse a level; ``name`` identifies the text in messages.

    Raises:
        VGDLError: the level is empty.
    """
    return _level_of(source_of(text, name))


def read_level_file(path: str | os.PathLike[str]) -> Level:
    """`read_level` for a file.

    Raises:
        VGDLError: the file cannot be read, or the level is empty.
    """
    return _level_of(read_source(path))


def _level_of(source: Source) -> Level:
    if not source.lines:
        raise VGDLError("the level is empty", source, expected=["at least one line"])
    return Level(source)
