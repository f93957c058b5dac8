"""Othello as GAMEBoT plays it (specification, 4.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from vgdl.competition.tracks.gamebot.grammars import MoveGrammar, boolean, items
from vgdl.competition.tracks.gamebot.task import Subproblem, Task, written_set
from vgdl.competition.tracks.gamebot.verdicts import Metric

SIZE = 8
EMPTY, BLACK, WHITE = 0, 1, 2
SYMBOLS = "_BW"
CORNERS = frozenset({(0, 0), (0, 7), (7, 0), (7, 7)})

Square = tuple[int, int]
Board = Sequence[Sequence[int]]

_TOKEN = re.compile(r"\(\s*([a-h])\s*,?\s*([1-8])\s*\)|\b([a-h])\s?([1-8])\b")
_MOVE = re.compile(r"\(\s*([a-h])\s*,?\s*([1-8])\s*\)|\b([a-h])([1-8])\b")  # in prose, "a 3" is no square
_ALONE = re.compile(r"(?:column )?([a-h])[\s,-]*(?:row )?([1-8])\b")


def square(match: re.Match[str]) -> Square:
    """Row and column of a square such as ``(d,3)`` or ``d3``."""
    column, row = (group for group in match.groups() if group)
    return int(row) - 1, ord(column) - ord("a")


def name(at: Square) -> str:
    return f"({chr(ord('A') + at[1])},{at[0] + 1})"


def wedges(board: Board, side: int, legal: Iterable[Square], gaps: Sequence[int] = (1,)) -> frozenset[Square]:
    """Legal edge squares, corners left out, in a run of empty squares between two opponent discs along that edge.

    Args:
        board: codes by row and column.
        side: the player to move.
        legal: its legal moves.
        gaps: lengths of runs that count; ``(1, 3, 5)`` for the wider definition.
    """
    found = set()
    for at in legal:
        if at in CORNERS:
            continue
        if at[0] in (0, SIZE - 1):
            line, place = list(board[at[0]]), at[1]
        elif at[1] in (0, SIZE - 1):
            line, place = [row[at[1]] for row in board], at[0]
        else:
            continue
        if _run_between(line, place, 3 - side) in gaps:
            found.add(at)
    return frozenset(found)


def _run_between(line: Sequence[int], place: int, other: int) -> int:
    """The length of the run of empty squares around a place, if both its ends are discs of ``other``; else 0."""
    low, high = place, place
    while low > 0 and line[low - 1] == EMPTY:
        low -= 1
    while high < SIZE - 1 and line[high + 1] == EMPTY:
        high += 1
    if low == 0 or high == SIZE - 1 or line[low - 1] != other or line[high + 1] != other:
        return 0
    return high - low + 1


class Othello(Task):
    name = "othello"
    title = "Othello"
    letter = "O"
    game_name = "othello(black=d4;e5,white=d5;e4)"
    seats = ("Black", "White")
    move_marker = r"chosen[\s_-]+move"
    shown_marker = "Chosen Move: "
    illegal_move = "(D,4)"  # occupied from the start
    move_grammar = MoveGrammar(_MOVE, square, _ALONE)

    def text(self, state: Any, player: int) -> str:
        board = state.rows()
        lines = ["   " + " ".join("ABCDEFGH")]
        lines += [f"{row + 1}  " + " ".join(SYMBOLS[code] for code in codes) for row, codes in enumerate(board)]
        legal = ", ".join(name(move) for move in self.moves(state, player))
        return "\n".join([f"You play {self.seats[player]} ({SYMBOLS[player + 1]}).", *lines, f"Legal moves: {legal}"])

    def moves(self, state: Any, player: int) -> list[Square]:
        return [divmod(action, SIZE) for action in state.legal_actions(player) if action < SIZE * SIZE]

    def action(self, state: Any, player: int, move: Square) -> int | None:
        action = move[0] * SIZE + move[1]
        return action if action in state.legal_actions(player) else None

    def written(self, move: Square) -> str:
        return name(move)

    def is_asked(self, state: Any, player: int) -> bool:
        return super().is_asked(state, player) and bool(self.moves(state, player))

    def _corner(self, state: Any, player: int, move: Any) -> bool:
        return not CORNERS.isdisjoint(self.moves(state, player))

    def _wedge(self, state: Any, player: int, move: Any) -> frozenset[Square]:
        return wedges(state.rows(), player + 1, self.moves(state, player))

    @property
    def subproblems(self) -> tuple[Subproblem, ...]:
        return (
            Subproblem(1, "corner", Metric.F1, boolean, self._corner, str),
            Subproblem(
                2, "wedge", Metric.F1, items(_TOKEN, square), self._wedge, lambda truth: written_set(_names(truth))
            ),
        )


def _names(squares: Iterable[Square]) -> list[str]:
    return [name(at) for at in sorted(squares)]
