"""Tic-tac-toe and Connect four as GAMEBoT plays them (specification, 4.5 and 4.6)."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from vgdl.competition.tracks.gamebot.grammars import PAIR, SQUARE, MoveGrammar, items, numbers
from vgdl.competition.tracks.gamebot.task import Subproblem, Task, written_set
from vgdl.competition.tracks.gamebot.verdicts import Metric

Square = tuple[int, int]
Board = Sequence[str]  #: a text per row of ``X``, ``O`` and ``_``; row 0 first

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def completes(board: Board, at: Square, symbol: str, length: int) -> bool:
    """Whether a stone on an empty square makes a line of ``length`` or more."""
    return any(
        1 + _reach(board, at, symbol, direction, 1) + _reach(board, at, symbol, direction, -1) >= length
        for direction in DIRECTIONS
    )


def _reach(board: Board, at: Square, symbol: str, direction: Square, sign: int) -> int:
    row, column = at[0] + sign * direction[0], at[1] + sign * direction[1]
    reached = 0
    while 0 <= row < len(board) and 0 <= column < len(board[0]) and board[row][column] == symbol:
        reached += 1
        row, column = row + sign * direction[0], column + sign * direction[1]
    return reached


def wins(board: Board, squares: Iterable[Square], symbol: str, length: int) -> frozenset[Square]:
    """The squares on which a symbol completes a line."""
    return frozenset(at for at in squares if completes(board, at, symbol, length))


def written(square: Square) -> str:
    return f"({square[0]},{square[1]})"


class LineGame(Task):
    """A game in which lines of one's own symbol win; X is player 0."""

    length: int
    seats = ("X", "O")
    move_marker = r"chosen[\s_-]+move"
    shown_marker = "Chosen Move: "
    illegal_move = "(9,9)"
    move_grammar = MoveGrammar(SQUARE, numbers, PAIR)

    @abc.abstractmethod
    def board(self, state: Any) -> Board:
        """The position, row 0 first."""

    @abc.abstractmethod
    def squares(self, board: Board) -> list[Square]:
        """The squares on which the next stone may be put."""

    def moves(self, state: Any, player: int) -> list[Square]:
        return self.squares(self.board(state)) if state.current_player() == player else []

    def written(self, move: Square) -> str:
        return written(move)

    def _winning(self, own: bool) -> Callable[[Any, int, Any], frozenset[Square]]:
        def truth(state: Any, player: int, move: Any) -> frozenset[Square]:
            board = self.board(state)
            return wins(board, self.squares(board), self.seats[player if own else 1 - player], self.length)

        return truth

    @property
    def subproblems(self) -> tuple[Subproblem, ...]:
        grammar = items(SQUARE, numbers)
        return tuple(
            Subproblem(
                number, title, Metric.F1, grammar, self._winning(own), lambda truth: written_set(_written(truth))
            )
            for number, title, own in ((1, "own wins", True), (2, "opponent's wins", False))
        )

    def _in_words(self, state: Any, player: int, rows: Iterable[tuple[int, str]]) -> str:
        lines = [" ".join(f"({row},{column}):{symbol}" for column, symbol in enumerate(line)) for row, line in rows]
        legal = ", ".join(map(written, self.moves(state, player)))
        return "\n".join([f"You play {self.seats[player]}.", *lines, f"Legal moves: {legal}"])


class TicTacToe(LineGame):
    name = "tic_tac_toe"
    title = "Tic-tac-toe"
    letter = "T"
    game_name = "tic_tac_toe"
    length = 3

    def board(self, state: Any) -> Board:
        return _rows(str(state), "xo.", 3)

    def squares(self, board: Board) -> list[Square]:
        return [(row, column) for row in range(3) for column in range(3) if board[row][column] == "_"]

    def text(self, state: Any, player: int) -> str:
        return self._in_words(state, player, enumerate(self.board(state)))

    def action(self, state: Any, player: int, move: Square) -> int | None:
        return move[0] * 3 + move[1] if move in self.moves(state, player) else None


class ConnectFour(LineGame):
    name = "connect_four"
    title = "Connect four"
    letter = "4"
    game_name = "connect_four"
    length = 4

    def board(self, state: Any) -> Board:
        return _rows(str(state), "xo.", 6)[::-1]  # row 0 is the bottom

    def squares(self, board: Board) -> list[Square]:
        drops = ((column, [row[column] for row in board]) for column in range(7))
        return [(column.index("_"), number) for number, column in drops if "_" in column]

    def text(self, state: Any, player: int) -> str:
        return self._in_words(state, player, reversed(list(enumerate(self.board(state)))))

    def action(self, state: Any, player: int, move: Square) -> int | None:
        """The move's column; a wrong row is noted by `is_exact` and has no effect on the move."""
        return move[1] if move[1] in {column for _, column in self.moves(state, player)} else None

    def is_exact(self, state: Any, player: int, move: Square) -> bool:
        return move in self.moves(state, player)


def _rows(text: str, symbols: str, rows: int) -> Board:
    """Convert the first rows of OpenSpiel's text of a position."""
    table = str.maketrans(dict(zip(symbols, "XO_", strict=True)))
    return [line.translate(table) for line in text.splitlines()[:rows]]


def _written(squares: Iterable[Square]) -> list[str]:
    return [written(at) for at in sorted(squares)]
