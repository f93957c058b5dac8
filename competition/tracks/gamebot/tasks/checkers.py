"""Checkers as GAMEBoT plays it (specification, 4.4): OpenSpiel's game rotated by 180 degrees, with repetition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from vgdl.competition.tracks.gamebot.grammars import STEP, MoveGrammar, items, numbers
from vgdl.competition.tracks.gamebot.task import Subproblem, Task, written_set
from vgdl.competition.tracks.gamebot.verdicts import Metric
from vgdl.tabletop.protocols import TERMINAL

SIZE = 8
WHITE, BLACK = "w", "b"
SIDES = (WHITE, BLACK)
REPETITIONS = 3
"""Occurrences of a position with which the game is drawn."""

Square = tuple[int, int]
Move = tuple[int, int, int, int]  #: row and column, to row and column: a step or a single jump
Board = Mapping[Square, str]  #: pieces: ``w`` and ``b``, kings ``W`` and ``B``

_SYMBOLS = {"o": "w", "8": "W", "+": "b", "*": "B"}  # OpenSpiel's


# ------------------------------------------------------------------------------------------------ rules, for the truths


def _ways(piece: str) -> Iterator[Square]:
    """The directions in which a piece moves; White goes down the rows."""
    for down in (1, -1):
        if piece.isupper() or down == (1 if piece == WHITE else -1):
            yield from ((down, -1), (down, 1))


def _inside(at: Square) -> bool:
    return 0 <= at[0] < SIZE and 0 <= at[1] < SIZE


def _pieces(board: Board, side: str) -> list[Square]:
    return sorted(at for at, piece in board.items() if piece.lower() == side)


def _steps(board: Board, at: Square) -> Iterator[Move]:
    for down, right in _ways(board[at]):
        target = (at[0] + down, at[1] + right)
        if _inside(target) and target not in board:
            yield (*at, *target)


def _jumps(board: Board, at: Square) -> Iterator[Move]:
    for down, right in _ways(board[at]):
        over, target = (at[0] + down, at[1] + right), (at[0] + 2 * down, at[1] + 2 * right)
        if _inside(target) and target not in board and board.get(over, board[at]).lower() != board[at].lower():
            yield (*at, *target)


def jumps(board: Board, side: str) -> list[Move]:
    """All jumps of a side."""
    return [move for at in _pieces(board, side) for move in _jumps(board, at)]


def legal(board: Board, side: str) -> list[Move]:
    """The moves of a side at the beginning of its turn: its jumps, or its steps if it has none."""
    return jumps(board, side) or [move for at in _pieces(board, side) for move in _steps(board, at)]


def crowns(board: Board, move: Move) -> bool:
    """Whether a move brings a man to its last row."""
    piece = board[move[:2]]
    return piece in SIDES and move[2] == (SIZE - 1 if piece == WHITE else 0)


def after(board: Board, move: Move) -> dict[Square, str]:
    """The position after a step or a single jump."""
    result = dict(board)
    piece = result.pop(move[:2])
    result[move[2:]] = piece.upper() if crowns(board, move) else piece
    if abs(move[2] - move[0]) == 2:
        del result[(move[0] + move[2]) // 2, (move[1] + move[3]) // 2]
    return result


@dataclass(frozen=True, slots=True)
class Sequence:
    """A maximal chain of jumps of one piece: the squares of the captured pieces, and the position after it."""

    captured: tuple[Square, ...]
    board: Mapping[Square, str]


def sequences(board: Board, side: str) -> Iterator[Sequence]:
    """All sequences of a side. A man that becomes a king ends its sequence."""
    for at in _pieces(board, side):
        yield from _sequences(board, at, ())


def _sequences(board: Board, at: Square, captured: tuple[Square, ...]) -> Iterator[Sequence]:
    further = list(_jumps(board, at))
    for move in further:
        over = ((move[0] + move[2]) // 2, (move[1] + move[3]) // 2)
        if crowns(board, move):
            yield Sequence((*captured, over), after(board, move))
        else:
            yield from _sequences(after(board, move), move[2:], (*captured, over))
    if not further and captured:
        yield Sequence(captured, board)


# ------------------------------------------------------------------------------------------------------------ truths


def new_kings(board: Board, moves: Iterable[Move]) -> frozenset[Move]:
    """The moves that bring a man to its last row."""
    return frozenset(move for move in moves if crowns(board, move))


def worthless_dies(board: Board, side: str) -> frozenset[Move]:
    """Steps after which the opponent can take the moved piece so that the mover has no jump at all."""
    return frozenset(move for move in _free_steps(board, side) if _dies_for_nothing(after(board, move), move[2:], side))


def _dies_for_nothing(board: Board, moved: Square, side: str) -> bool:
    return any(
        moved in sequence.captured and not jumps(sequence.board, side) for sequence in sequences(board, _other(side))
    )


def two_for_ones(board: Board, side: str) -> frozenset[Move]:
    """Steps after which the opponent has to capture, and the mover takes more back, at least two."""
    return frozenset(move for move in _free_steps(board, side) if _pays(after(board, move), side))


def _pays(board: Board, side: str) -> bool:
    replies = list(sequences(board, _other(side)))
    return bool(replies) and all(
        any(len(answer.captured) >= max(2, len(reply.captured) + 1) for answer in sequences(reply.board, side))
        for reply in replies
    )


def _free_steps(board: Board, side: str) -> list[Move]:
    return [] if jumps(board, side) else legal(board, side)


def _other(side: str) -> str:
    return BLACK if side == WHITE else WHITE


# ------------------------------------------------------------------------------------------------------------ the game


class RepetitionState:
    """A state of OpenSpiel's checkers that is also over when a position has occurred for the third time."""

    def __init__(self, state: Any) -> None:
        self._state = state
        self._positions = Counter([self._position()])
        self._mover = -1  # of the last move

    def __getattr__(self, name: str) -> Any:
        return getattr(self._state, name)

    def clone(self) -> Self:
        other = object.__new__(type(self))
        other._state, other._positions, other._mover = self._state.clone(), self._positions.copy(), self._mover
        return other

    def apply_action(self, action: int) -> None:
        self._mover = self._state.current_player()
        self._state.apply_action(action)
        self._positions[self._position()] += 1

    def child(self, action: int) -> Self:
        child = self.clone()
        child.apply_action(action)
        return child

    @property
    def unwrapped(self) -> Any:
        """OpenSpiel's own state, without repetitions."""
        return self._state

    @property
    def is_repeated(self) -> bool:
        """Whether the position has occurred often enough for a draw."""
        return self._positions[self._position()] >= REPETITIONS

    @property
    def in_turn(self) -> bool:
        """Whether the player to move has already jumped in this turn."""
        return bool(self._mover == self._state.current_player())

    def is_terminal(self) -> bool:
        return self.is_repeated or self._state.is_terminal()

    def current_player(self) -> int:
        return TERMINAL if self.is_repeated else self._state.current_player()

    def legal_actions(self, *player: int) -> list[int]:
        return [] if self.is_repeated else self._state.legal_actions(*player)

    def returns(self) -> list[float]:
        return [0.0, 0.0] if self.is_repeated else self._state.returns()

    def rewards(self) -> list[float]:
        return self.returns()

    def _position(self) -> str:
        return f"{self._state.current_player()} {self._state}"

    def __str__(self) -> str:
        return str(self._state)


def board_of(state: Any) -> dict[Square, str]:
    """The pieces of a state, White on top."""
    rows = [line[1:] for line in str(state).splitlines()[:SIZE]]
    return {
        (SIZE - 1 - row, SIZE - 1 - column): _SYMBOLS[symbol]
        for row, line in enumerate(rows)
        for column, symbol in enumerate(line)
        if symbol in _SYMBOLS
    }


def move_of(text: str) -> Move:
    """Parse a move in OpenSpiel's notation, such as ``a3b4``."""
    columns = [SIZE - 1 - (ord(file) - ord("a")) for file in (text[0], text[2])]
    return int(text[1]) - 1, columns[0], int(text[3]) - 1, columns[1]


class Checkers(Task):
    name = "checkers"
    title = "Checkers"
    letter = "C"
    game_name = "checkers"
    seats = ("White", "Black")
    move_marker = r"chosen[\s_-]+move"
    shown_marker = "Chosen Move: "
    illegal_move = "(0,0)->(7,7)"
    move_grammar = MoveGrammar(STEP, numbers)

    def start(self) -> RepetitionState:
        return RepetitionState(self.game.new_initial_state())

    def text(self, state: Any, player: int) -> str:
        board = board_of(state)
        rows = [[f"({row},{column}):{board.get((row, column), '_')}" for column in range(SIZE)] for row in range(SIZE)]
        lines = [" ".join(row) for row in rows]
        legal_moves = ", ".join(map(written, self.moves(state, player)))
        return "\n".join([f"You play {self.seats[player]} ({SIDES[player]}).", *lines, f"Legal moves: {legal_moves}"])

    def moves(self, state: Any, player: int) -> list[Move]:
        return sorted(self._actions(state, player))

    def action(self, state: Any, player: int, move: Move) -> int | None:
        return self._actions(state, player).get(move)

    def written(self, move: Move) -> str:
        return written(move)

    def _actions(self, state: Any, player: int) -> dict[Move, int]:
        return {move_of(state.action_to_string(player, action)): action for action in state.legal_actions(player)}

    def _new_kings(self, state: Any, player: int, move: Any) -> frozenset[Move]:
        return new_kings(board_of(state), self.moves(state, player))

    @property
    def subproblems(self) -> tuple[Subproblem, ...]:
        grammar = items(STEP, numbers)
        return tuple(
            Subproblem(number, title, Metric.F1, grammar, truth, lambda truth: written_set(_written(truth)))
            for number, title, truth in (
                (1, "new king", self._new_kings),
                (2, "worthless die", _worthless_dies),
                (3, "two for one", _two_for_ones),
            )
        )


def written(move: Move) -> str:
    return f"({move[0]},{move[1]})->({move[2]},{move[3]})"


def _written(moves: Iterable[Move]) -> list[str]:
    return [written(move) for move in sorted(moves)]


def _worthless_dies(state: Any, player: int, move: Any) -> frozenset[Move] | None:
    return None if state.in_turn else worthless_dies(board_of(state), SIDES[player])


def _two_for_ones(state: Any, player: int, move: Any) -> frozenset[Move] | None:
    return None if state.in_turn else two_for_ones(board_of(state), SIDES[player])
