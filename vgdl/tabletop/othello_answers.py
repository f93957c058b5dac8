"""Results of functions of the Othello rules."""

from __future__ import annotations

from typing import NamedTuple

Board = tuple[tuple[int, ...], ...]  #: rows of codes: 0 empty, 1 black, 2 white, 3 blocked


class MoveResult(NamedTuple):
    """The effect of a move (Othello arena, 6.1)."""

    valid: bool
    resulting_board: Board | None  #: None after an illegal move
    captured_count: int


class Evaluation(NamedTuple):
    """A simple value of a board for one player (Othello arena, 6.1); only own corners and edges count."""

    piece_score: int  #: own pieces minus the opponent's
    mobility_score: int  #: own legal moves minus the opponent's
    corner_score: int  #: 100 for each own corner
    edge_score: int  #: 20 for each own edge cell that is not a corner
    total_score: float  #: pieces + 2 mobility + corners + edges / 2


class Playouts(NamedTuple):
    """The results of uniformly random games."""

    black: int  #: games won by black
    white: int
    ties: int
    boards: tuple[Board, ...]  #: at the end of each game, if requested
