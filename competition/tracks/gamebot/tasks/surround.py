"""Surround as GAMEBoT plays it (specification, 4.3)."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from typing import Any

from vgdl.competition.tracks.gamebot.grammars import Grammar, MoveGrammar, Unreadable, items
from vgdl.competition.tracks.gamebot.task import Subproblem, Task, written_set
from vgdl.competition.tracks.gamebot.verdicts import Metric
from vgdl.tabletop.surround import CURRENT, DIRECTIONS, EMPTY, LAST, NAMES

SAFE_CELLS = 10
"""Least number of cells of a safe region."""

Cell = tuple[int, int]
Look = Callable[[int, int], int]
"""The value of a cell by row and column; -1 outside of the grid."""

_WORDS = {"up": 0, "down": 1, "left": 2, "right": 3, "stay": -1}
_TOKEN = re.compile(r"\bmove[\s_-]+(?P<way>up|down|left|right)\b|\b(?P<none>stay)\b")
_ALONE = re.compile(r"(?:(?:go|turn|move)[\s_-]*)?(?P<way>up|down|left|right)\b|(?P<none>stay)\b")
_WAY = re.compile(r"(?:move[\s_-]*)?(up|down|left|right)\b")
_SAFETY = re.compile(
    r"(?:move[\s_-]*)?(up|down|left|right)\s*(?:[:=(-]|->)?\s*(?:is\s+)?(safe|unsafe|not[\s-]safe)\b\s*\)?"
)
_NEIGHBOUR = re.compile(
    r"(?:move[\s_-]*)?(up|down|left|right)\s*(?:\(\d{1,2},\s*\d{1,2}\))?\s*(?:[:=(]|->|is\b)?\s*(-?\d{1,2})(?!\d)\s*\)?"
)


def neighbours(look: Look, at: Cell) -> dict[int, int]:
    """The values of the four neighbouring cells, by direction."""
    return {direction: look(at[0] + down, at[1] + right) for direction, (down, right) in DIRECTIONS.items()}


def valid(look: Look, at: Cell) -> frozenset[int]:
    """The directions whose cell is empty."""
    return frozenset(direction for direction, value in neighbours(look, at).items() if value == EMPTY)


def region(look: Look, start: Cell) -> frozenset[Cell]:
    """The empty cells that are connected to an empty one."""
    found, open_cells = {start}, [start]
    while open_cells:
        row, column = open_cells.pop()
        for down, right in DIRECTIONS.values():
            cell = (row + down, column + right)
            if cell not in found and look(*cell) == EMPTY:
                found.add(cell)
                open_cells.append(cell)
    return frozenset(found)


def safety(look: Look, at: Cell) -> frozenset[tuple[int, bool]]:
    """The valid directions, each with whether its region is safe."""
    sizes = {direction: len(region(look, _moved(at, direction))) for direction in valid(look, at)}
    return frozenset((direction, size >= SAFE_CELLS) for direction, size in sizes.items())


def _moved(at: Cell, direction: int) -> Cell:
    down, right = DIRECTIONS[direction]
    return at[0] + down, at[1] + right


_VALUES = items(_NEIGHBOUR, lambda match: (_WORDS[match[1]], int(match[2])))


def _all_values(payload: str) -> frozenset[tuple[int, int]]:
    found: frozenset[tuple[int, int]] = _VALUES.strict(payload)
    if len(found) != 4 or len({direction for direction, _ in found}) != 4:
        raise Unreadable(payload)
    return found


four_values = Grammar(_all_values, _VALUES.forms)
"""The values of all four neighbours; each direction once."""


class Surround(Task):
    name = "surround"
    title = "Surround"
    letter = "Su"
    game_name = "surround"
    seats = ("agent 1", "agent 2")
    move_marker = r"chosen[\s_-]+action"
    shown_marker = "Chosen Action: "
    illegal_move = "Stay"
    move_grammar = MoveGrammar(_TOKEN, lambda match: _WORDS[match["way"] or match["none"]], _ALONE)

    def text(self, state: Any, player: int) -> str:
        trace = ", ".join(f"({row},{column})" for row, column in state.trace(player))
        grid = [
            " ".join(f"({row},{column}):{value}" for column, value in enumerate(values))
            for row, values in enumerate(state.grid())
        ]
        own, other = (CURRENT[player], LAST[player]), (CURRENT[1 - player], LAST[1 - player])
        return "\n".join(
            [
                f"You are {self.seats[player]}. Your current position has the value {own[0]}, your last one {own[1]}; "
                f"the opponent's have {other[0]} and {other[1]}.",
                f"Your positions so far: {trace}",
                "The grid:",
                *grid,
            ]
        )

    def moves(self, state: Any, player: int) -> list[int]:
        return list(state.legal_actions(player))

    def action(self, state: Any, player: int, move: int) -> int | None:
        return move if move in state.legal_actions(player) else None

    def written(self, move: int) -> str:
        return NAMES[move] if move >= 0 else self.illegal_move

    def replacement(self, state: Any, player: int, generator: random.Random) -> int:
        return int(state.facing(player))

    @property
    def subproblems(self) -> tuple[Subproblem, ...]:
        ways = items(_WAY, lambda match: _WORDS[match[1]])
        safe = items(_SAFETY, lambda match: (_WORDS[match[1]], match[2] == "safe"))
        return (
            Subproblem(1, "neighbours", Metric.ACCURACY, four_values, _neighbours, _four, falsified=_other_values),
            Subproblem(2, "valid moves", Metric.ACCURACY, ways, _valid, _ways),
            Subproblem(3, "safe moves", Metric.ACCURACY, safe, _safe, _safeties, falsified=_other_safety),
        )


def _neighbours(state: Any, player: int, move: Any) -> frozenset[tuple[int, int]]:
    values: Mapping[int, int] = neighbours(state.cell, state.trace(player)[-1])
    return frozenset(values.items())


def _valid(state: Any, player: int, move: Any) -> frozenset[int]:
    return valid(state.cell, state.trace(player)[-1])


def _safe(state: Any, player: int, move: Any) -> frozenset[tuple[int, bool]]:
    return safety(state.cell, state.trace(player)[-1])


def _four(truth: frozenset[tuple[int, int]]) -> str:
    return ", ".join(f"{NAMES[direction][5:]} {value}" for direction, value in sorted(truth))


def _other_values(truth: frozenset[tuple[int, int]]) -> str:
    (direction, value), *others = sorted(truth)
    return _four(frozenset([(direction, value + 1), *others]))


def _other_safety(truth: frozenset[tuple[int, bool]]) -> str:
    return _safeties(frozenset(sorted(truth)[1:])) if truth else f"{NAMES[0]} Safe"


def _ways(truth: frozenset[int]) -> str:
    return written_set([NAMES[direction] for direction in sorted(truth)])


def _safeties(truth: frozenset[tuple[int, bool]]) -> str:
    return written_set([f"{NAMES[direction]} {'Safe' if safe else 'Unsafe'}" for direction, safe in sorted(truth)])
