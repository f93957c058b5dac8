"""The built-in strategies of the paper, as systems that analyse nothing (specification 9)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from vgdl.competition.tracks.othello.board import Board, Cell, opponent
from vgdl.competition.tracks.othello.stages import PublicStage
from vgdl.competition.tracks.othello.systems import Api, Strategy, Timer

_QUADRANT_8 = ((120, -20, 20, 5), (-20, -40, -5, -5), (20, -5, 15, 3), (5, -5, 3, 3))
_QUADRANT_6 = ((50, -10, 10), (-10, -20, -5), (10, -5, 5))


def cell_values(size: int) -> tuple[tuple[int, ...], ...]:
    """The published values of cells for 6 and 8 rows; for other sizes those of the 8x8 cell that is as far from the
    two nearest edges, with distances capped at 3."""
    quadrant = _QUADRANT_6 if size == 6 else _QUADRANT_8
    last = len(quadrant) - 1
    near = [min(place, size - 1 - place, last) for place in range(size)]
    return tuple(tuple(quadrant[row][column] for column in near) for row in near)


def most_captures(captured: Callable[[Cell], int], valid_moves: Sequence[Cell]) -> Cell:
    """The move with most captures, the first one if several are equal."""
    return max(valid_moves, key=captured)


def standard_captures(board: Board, player: int, cell: Cell) -> int:
    """Pieces that a move would capture if blocked cells always stopped a capture."""
    total = 0
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            total += _captures_along(board, player, cell, down, right)
    return total


def _captures_along(board: Board, player: int, cell: Cell, down: int, right: int) -> int:
    row, column = cell[0] + down, cell[1] + right
    length = 0
    while 0 <= row < len(board) and 0 <= column < len(board) and (down or right):
        code = board[row][column]
        if code != opponent(player):
            return length if code == player else 0
        length, row, column = length + 1, row + down, column + right
    return 0


class Random:
    """Moves uniformly at random."""

    def analyze_stage(
        self, stage: PublicStage, initial_board: Board, valid_moves: list[Cell], api: Api, timer: Timer
    ) -> Strategy:
        """Return the strategy; nothing is analysed."""

        def play(board: Board, player: int, valid_moves: list[Cell]) -> Cell:
            return random.choice(valid_moves)

        return play


class FirstLegal:
    """Plays the first legal move, row by row: the baseline of strength."""

    def analyze_stage(
        self, stage: PublicStage, initial_board: Board, valid_moves: list[Cell], api: Api, timer: Timer
    ) -> Strategy:
        """Return the strategy; nothing is analysed."""

        def play(board: Board, player: int, valid_moves: list[Cell]) -> Cell:
            return valid_moves[0]

        return play


class Greedy:
    """Captures as many pieces as it can, under the true rules."""

    def analyze_stage(
        self, stage: PublicStage, initial_board: Board, valid_moves: list[Cell], api: Api, timer: Timer
    ) -> Strategy:
        """Return the strategy; nothing is analysed."""

        def play(board: Board, player: int, valid_moves: list[Cell]) -> Cell:
            return most_captures(lambda cell: api.simulate_move(board, player, *cell).captured_count, valid_moves)

        return play


class GreedyStandard:
    """Captures as many pieces as it could if blocked cells always stopped a capture, as the published code counts."""

    def analyze_stage(
        self, stage: PublicStage, initial_board: Board, valid_moves: list[Cell], api: Api, timer: Timer
    ) -> Strategy:
        """Return the strategy; nothing is analysed."""

        def play(board: Board, player: int, valid_moves: list[Cell]) -> Cell:
            return most_captures(lambda cell: standard_captures(board, player, cell), valid_moves)

        return play


class Corners:
    """Takes the first corner, else a random cell of the edge, else plays as ``Greedy``."""

    def analyze_stage(
        self, stage: PublicStage, initial_board: Board, valid_moves: list[Cell], api: Api, timer: Timer
    ) -> Strategy:
        """Return the strategy; nothing is analysed."""
        ends = {0, stage.board_size - 1}
        greedy = Greedy().analyze_stage(stage, initial_board, valid_moves, api, timer)

        def play(board: Board, player: int, valid_moves: list[Cell]) -> Cell:
            corners = [cell for cell in valid_moves if set(cell) <= ends]
            edges = [cell for cell in valid_moves if ends & set(cell)]
            if corners:
                return corners[0]
            return random.choice(edges) if edges else greedy(board, player, valid_moves)

        return play


class Positional:
    """Takes the cell of the highest published value on 8x8, and plays as ``Greedy`` on other sizes."""

    def analyze_stage(
        self, stage: PublicStage, initial_board: Board, valid_moves: list[Cell], api: Api, timer: Timer
    ) -> Strategy:
        """Return the strategy; nothing is analysed."""
        if stage.board_size != 8:
            return Greedy().analyze_stage(stage, initial_board, valid_moves, api, timer)
        values = cell_values(8)

        def play(board: Board, player: int, valid_moves: list[Cell]) -> Cell:
            return max(valid_moves, key=lambda cell: values[cell[0]][cell[1]])

        return play
