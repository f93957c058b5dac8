"""A level file: characters in a grid (language, 11.2)."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .description import Source
from .errors import VGDLError
from .source import read_source, source_of

_LEAST_INDENTATION = 4  # blanks of a last line that are taken for those before closing quotes


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

    @property
    def margin(self) -> int:
        """Columns of blanks that all rows begin with; 0 if a row is empty or holds nothing but blanks."""
        margins = [len(line) - len(line.lstrip(" ")) if line.strip() else 0 for line in self.lines]
        return min(margins)

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


def read_indented_level(text: str, name: str = "<text>") -> Level:
    """`read_level` for a text in the source of a program, between quotes that stand on lines of their own.

    An empty line before the rows is left out, and so is the indentation that the rows then have in common, and a last
    line of nothing but indentation. A text without such lines is read as it is: blanks before its rows are cells.

    Raises:
        VGDLError: the level is empty.
    """
    lines = list(source_of(text, name).lines)
    empty = next((number for number, line in enumerate(lines) if line), len(lines))
    margin = _common_margin(lines)
    is_closed = (
        (empty > 0 or len(margin) >= _LEAST_INDENTATION)
        and 0 < len(lines[-1]) <= len(margin)
        and not lines[-1].strip()
        and not text.endswith(("\n", "\r"))
    )
    if not (empty or is_closed):
        return read_level(text, name)
    return read_level("".join(f"{row[len(margin) :]}\n" for row in lines[empty : -1 if is_closed else None]), name)


def _common_margin(lines: list[str]) -> str:
    """The blanks and tabs that all lines begin with, apart from lines of nothing else."""
    margins = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip()]
    shortest = min(margins, key=len, default="")
    while any(not margin.startswith(shortest) for margin in margins):
        shortest = shortest[:-1]
    return shortest


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
