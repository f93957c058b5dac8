"""Pong as GAMEBoT plays it (specification, 4.2)."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from vgdl.competition.tracks.gamebot.grammars import MoveGrammar, Unreadable, choice, number
from vgdl.competition.tracks.gamebot.task import Subproblem, Task
from vgdl.competition.tracks.gamebot.verdicts import Metric
from vgdl.tabletop.pong import HIGH_WALL, LENGTH, LOW_WALL, NAMES, RIGHT_X, STAY, Frame

TOLERANCE = 0.5
"""Accepted distance from the true arrival, in units of the coordinates."""

Point = tuple[int, int]

_TOKEN = re.compile(
    r"\b(?P<number>\d)\s*(?:[-:)=,]|\.(?!\d)|->)?\s*\(?(?:move[\s_-]*)?(?P<named>stay|up|down)\b"
    r"|\b(?:move[\s_-]*)?(?P<word>stay|up|down)\b(?:\s*[-(:=]\s*(?P<numbered>\d)\b)?"
    r"|(?<![\d.])\b(?P<bare>\d)\b(?!\.?\d|\s*(?:units?|pixels?|px|frames?|steps?|times|points?)\b)"
)
_WORDS = {"stay": 0, "up": 1, "down": 2}


def direction(before: Point, now: Point) -> str | None:
    """The direction of the ball, such as ``Right Up``; None unless it moves in both coordinates."""
    dx, dy = now[0] - before[0], now[1] - before[1]
    if dx == 0 or dy == 0:
        return None
    return f"{'Right' if dx > 0 else 'Left'} {'Up' if dy > 0 else 'Down'}"


def arrival(before: Point, now: Point) -> float | None:
    """The height at which the ball reaches the right paddle's line; None unless it moves right."""
    dx, dy = now[0] - before[0], now[1] - before[1]
    if dx <= 0:
        return None
    straight = now[1] + Fraction(dy, dx) * (RIGHT_X - now[0])
    height = HIGH_WALL - LOW_WALL
    folded = (straight - LOW_WALL) % (2 * height)
    return float(LOW_WALL + (folded if folded <= height else 2 * height - folded))


def _chosen(match: re.Match[str]) -> int:
    """The number of a move, which its words, if there are any, must not contradict."""
    word, digit = match["named"] or match["word"], match["number"] or match["numbered"] or match["bare"]
    if word and digit and _WORDS[word] != int(digit):
        raise Unreadable(match[0])
    return _WORDS[word] if word else int(digit)


class Pong(Task):
    name = "pong"
    title = "Pong"
    letter = "P"
    game_name = "pong"
    seats = ("right paddle", "left paddle")
    move_marker = r"(?:chosen[\s_-]+)?action"
    shown_marker = "[Action]\n"
    illegal_move = "7 - Move Sideways"
    move_grammar = MoveGrammar(_TOKEN, _chosen)

    def text(self, state: Any, player: int) -> str:
        return "\n".join(_in_words(frame) for frame in state.frames(player))

    def moves(self, state: Any, player: int) -> list[int]:
        return list(state.legal_actions(player))

    def action(self, state: Any, player: int, move: int) -> int | None:
        return move if move in state.legal_actions(player) else None

    def written(self, move: int) -> str:
        return f"{move} - {NAMES[move]}" if move < len(NAMES) else str(move)

    def replacement(self, state: Any, player: int, generator: random.Random) -> int:
        return STAY

    @property
    def subproblems(self) -> tuple[Subproblem, ...]:
        ways = choice("left down", "left up", "right down", "right up")
        return (
            Subproblem(1, "direction", Metric.ACCURACY, ways, _direction, str, _same_words),
            Subproblem(2, "arrival", Metric.ACCURACY, number, _arrival, _decimal, _is_near),
        )


def _in_words(frame: Frame) -> str:
    own, other = frame.lows
    return (
        f"frame {frame.number}: ball_x={frame.x}, ball_y={frame.y}, "
        f"player_x=140, player_y=[{own}, {own + LENGTH}], opponent_x=20, opponent_y=[{other}, {other + LENGTH}]"
    )


def _points(state: Any, player: int) -> tuple[Point, Point] | None:
    """The ball in the last two frames, unless it was reflected or hit between them."""
    frames: Sequence[Frame] = state.frames(player)
    before, now = frames[-2:]
    return None if now.disturbed else ((before.x, before.y), (now.x, now.y))


def _direction(state: Any, player: int, move: Any) -> str | None:
    points = _points(state, player)
    return direction(*points) if points else None


def _arrival(state: Any, player: int, move: Any) -> float | None:
    points = _points(state, player)
    return arrival(*points) if points else None


def _same_words(truth: str, answer: str) -> bool:
    return truth.lower() == answer


def _is_near(truth: float, answer: float) -> bool:
    return abs(truth - answer) <= TOLERANCE


def _decimal(value: float) -> str:
    return f"{value:g}"
