"""Answers of the rules of an Othello stage."""

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

    piece_score: int  #: own pieces minus the other's
    mobility_score: int  #: own legal moves minus the other's
    corner_score: int  #: 100 for each own corner
    edge_score: int  #: 20 for each own cell of the edge that is not a corner
    total_score: float  #: pieces + 2 mobility + corners + edges / 2


class Playouts(NamedTuple):
    """How uniformly random games ended."""

    black: int  #: games won by black
    white: int
    ties: int
    boards: tuple[Board, ...]  #: at the end of each game, if asked for
