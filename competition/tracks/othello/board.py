"""Boards of codes, cells and their notation (specification 2)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vgdl.tabletop.othello_answers import Board
from vgdl.tabletop.othello_stages import LARGEST, SMALLEST, Cell

__all__ = [
    "BLACK",
    "BLOCKED",
    "COLOURS",
    "EMPTY",
    "WHITE",
    "Board",
    "Cell",
    "as_board",
    "cell_of",
    "count",
    "notation",
    "opponent",
    "playable",
    "with_fewer_pieces",
]

EMPTY, BLACK, WHITE, BLOCKED = range(4)
"""Codes of a cell; 1 and 2 are also the numbers of the players."""

COLOURS = {BLACK: "Black", WHITE: "White"}

_NOTATION = re.compile(r"([a-l])([1-9][0-9]?)")


def opponent(player: int) -> int:
    """The other player."""
    return 3 - player


def notation(cell: Sequence[int]) -> str:
    """A cell as text: the column's letter, then the row's number from 1, so that (2, 3) is ``d3``."""
    row, column = cell
    return f"{chr(ord('a') + column)}{row + 1}"


def cell_of(text: str) -> Cell:
    """Parse the notation of a cell.

    Raises:
        ValueError: it is not a cell of a board of the largest size.
    """
    match = _NOTATION.fullmatch(text)
    if match is None or int(match[2]) > LARGEST:
        raise ValueError(f"{text!r} is not a cell: write a column's letter and a row's number, like d3")
    return int(match[2]) - 1, ord(match[1]) - ord("a")


def as_board(rows: object) -> Board:
    """A board from any sequence of sequences of codes.

    Raises:
        ValueError: it is not square, not 4 to 12 cells wide, or contains something other than codes.
    """
    if not isinstance(rows, Sequence) or isinstance(rows, str) or not SMALLEST <= len(rows) <= LARGEST:
        raise ValueError(f"a board is a sequence of {SMALLEST} to {LARGEST} rows")
    for row in rows:
        if not isinstance(row, Sequence) or len(row) != len(rows):
            raise ValueError(f"a board is square: every row of this one needs {len(rows)} cells")
        for code in row:
            if type(code) is not int or not EMPTY <= code <= BLOCKED:
                raise ValueError(f"{code!r:.50} is not a code of a cell: 0 empty, 1 black, 2 white, 3 blocked")
    return tuple(tuple(row) for row in rows)


def count(board: Board, code: int) -> int:
    """The number of cells with a code."""
    return sum(row.count(code) for row in board)


def with_fewer_pieces(board: Board) -> int:
    """The player with fewer pieces; 0 if both have the same number."""
    black, white = count(board, BLACK), count(board, WHITE)
    return 0 if black == white else BLACK if black < white else WHITE


def playable(board: Board) -> int:
    """The number of cells that are not blocked."""
    return len(board) ** 2 - count(board, BLOCKED)
