"""Othello stages as data: the public ones and the named examples of each kind (Othello arena, 4 and 5.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vgdl.language import suggestion

SMALLEST, LARGEST = 4, 12  #: rows and columns of a board

Cell = tuple[int, int]  #: row and column, from 0


@dataclass(frozen=True, slots=True)
class Stage:
    """A board, its start and its rules (Othello arena, 3.1). Players have to find out the three flags.

    Raises:
        ValueError: the size is not supported, or a cell is off the board.
    """

    id: str
    name: str
    board_size: int = 8
    initial_blocked: tuple[Cell, ...] = ()
    initial_black: tuple[Cell, ...] = ()
    initial_white: tuple[Cell, ...] = ()
    ignore_occlusion: bool = False
    fewer_pieces_continue: bool = False
    fewest_wins: bool = False

    def __post_init__(self) -> None:
        n = self.board_size
        if not SMALLEST <= n <= LARGEST:
            raise ValueError(f"a board has {SMALLEST} to {LARGEST} rows, not {n}")
        cells = self.initial_blocked + self.initial_black + self.initial_white
        for row, column in cells:
            if not (0 <= row < n and 0 <= column < n):
                raise ValueError(f"cell ({row}, {column}) is off a board of {n} rows")

    def board(self) -> tuple[tuple[int, ...], ...]:
        """The start as rows of codes: 0 empty, 1 black, 2 white, 3 blocked. Blocked cells and then black prevail."""
        codes = dict.fromkeys(self.initial_white, 2)
        codes |= dict.fromkeys(self.initial_black, 1)
        codes |= dict.fromkeys(self.initial_blocked, 3)
        size = range(self.board_size)
        return tuple(tuple(codes.get((row, column), 0) for column in size) for row in size)


def usual(id: str, name: str, size: int = 8) -> Stage:
    """A stage that starts with the usual four pieces in the middle."""
    low, high = size // 2 - 1, size // 2
    return Stage(id, name, size, (), ((low, high), (high, low)), ((low, low), (high, high)))


_STANDARD = usual("stage-0", "Standard 8x8")
_SMALL = usual("stage-1", "Small Board (6x6)", 6)
_PARTIAL = replace(
    _STANDARD, id="stage-2", name="8x8 (Partial C-Squares-cw)", initial_blocked=((0, 1), (1, 7), (7, 6), (6, 0))
)
_C_SQUARES = ((0, 1), (0, 6), (1, 0), (1, 7), (6, 0), (6, 7), (7, 1), (7, 6))
_CSQUARES = replace(_STANDARD, id="csquares", name="8x8 (C-Squares)", initial_blocked=_C_SQUARES)

PUBLIC = (_STANDARD, _SMALL, _PARTIAL)  #: shown to everyone before a tournament

EXTENDED = (  #: one or two of each kind of hidden stage
    replace(_PARTIAL, id="occlusion-cw", name="8x8 (C-Squares Occlusion Agnostic)", ignore_occlusion=True),
    replace(_STANDARD, id="fewer-8", name="8x8 (Fewer Pieces Continue)", fewer_pieces_continue=True),
    replace(_SMALL, id="fewer-6", name="6x6 (Fewer Pieces Continue)", fewer_pieces_continue=True),
    replace(_STANDARD, id="reverse-8", name="8x8 (Reverse)", fewest_wins=True),
    replace(_SMALL, id="reverse-6", name="6x6 (Reverse)", fewest_wins=True),
    usual("large-10", "Large Board (10x10)", 10),
    _CSQUARES,
    replace(_CSQUARES, id="csquares-occ", name="8x8 (C-Squares, Occlusion Agnostic)", ignore_occlusion=True),
    Stage("parallel-8", "8x8 (Parallel Start)", 8, (), ((3, 3), (3, 4)), ((4, 3), (4, 4))),
    Stage("pairs-8", "8x8 (Pairs)", 8, (), ((2, 2), (2, 3), (4, 4), (4, 5)), ((3, 2), (3, 3), (5, 4), (5, 5))),
)

STAGES = {stage.id: stage for stage in PUBLIC + EXTENDED}  #: by id


def find(id: str) -> Stage:
    """The stage of this id.

    Raises:
        LookupError: there is none; the message suggests the nearest id.
    """
    if id in STAGES:
        return STAGES[id]
    hint = suggestion(id, STAGES)
    raise LookupError(f"there is no Othello stage {id!r}{hint}. There are {', '.join(STAGES)}")
