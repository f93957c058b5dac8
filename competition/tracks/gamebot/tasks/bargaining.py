"""Bargaining as GAMEBoT plays it (specification, 4.8)."""

from __future__ import annotations

import random
import re
from typing import Any

from vgdl.competition.tracks.gamebot.grammars import MoveGrammar, integer
from vgdl.competition.tracks.gamebot.task import Outcomes, Subproblem, Task
from vgdl.competition.tracks.gamebot.verdicts import Metric
from vgdl.tabletop.bargaining import AGREE, MOST, Triple, numbered

_TRIPLE = r"[(\[{]?\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})(?!\s*,?\s*\d)\s*[)\]}]?"
_SHARE = r"\bp(?:layer)?[\s_-]*%d\s*(?:[:=]|->|gets\b|receives\b|takes\b|keeps\b)?\s*" + _TRIPLE
_BETWEEN = r"[\s\])}]*[,;|-]?\s*(?:and\s+)?\[?"
_TOKEN = re.compile(
    r"(?P<agree>(?<![\w-])agree(?![\w-])(?!\s+(?:that|if|when|once|unless|only|on|in principle|to disagree)\b))"
    rf"|(?P<first>{_SHARE % 1}{_BETWEEN}{_SHARE % 2})|(?P<second>{_SHARE % 2}{_BETWEEN}{_SHARE % 1})"
)
_AGREED = re.compile(r"(?P<agree>agreed)")


class Agreement:
    """The move that accepts the last proposal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Agreement)

    def __hash__(self) -> int:
        return hash(Agreement)

    def __repr__(self) -> str:
        return "agree"


def _chosen(match: re.Match[str]) -> Any:
    if match["agree"]:
        return Agreement()
    a, b, c, d, e, f = (int(group) for group in match.groups() if group and group.isdecimal())
    return ((a, b, c), (d, e, f)) if match["first"] else ((d, e, f), (a, b, c))


class Bargaining(Task):
    name = "bargaining"
    title = "Bargaining"
    letter = "B"
    game_name = "bargaining_rounds"
    outcomes = Outcomes.VALUES
    forfeit = (0.0, 0.0)
    seats = ("Player 1", "Player 2")
    move_marker = r"proposal(?: #?\d{1,2})?"
    shown_marker = "Proposal: "
    illegal_move = "[P1: (0,0,0), P2: (0,0,0)]"
    move_grammar = MoveGrammar(_TOKEN, _chosen, _AGREED, lines=2)

    def text(self, state: Any, player: int) -> str:
        history = [
            f"Round {number} {self.seats[(number - 1) % 2]} proposes: "
            f"P1 {_in_words(state.share(proposal, 0))}, P2 {_in_words(state.share(proposal, 1))}"
            for number, proposal in enumerate(state.proposals, 1)
        ]
        return "\n".join(
            [
                f"You are {self.seats[player]}. It is round {state.round}.",
                f"Pool: {_in_words(state.pool)}",
                f"Your values per item: {_in_words(state.values[player])}",
                *(history or ["No proposals yet."]),
            ]
        )

    def moves(self, state: Any, player: int) -> list[Any]:
        return [self._move(state, action) for action in state.legal_actions(player)]

    def action(self, state: Any, player: int, move: Any) -> int | None:
        action = _numbered(state.pool, move)
        return action if action is not None and action in state.legal_actions(player) else None

    def written(self, move: Any) -> str:
        return "[Agree]" if move == Agreement() else f"[P1: {_in_words(move[0])}, P2: {_in_words(move[1])}]"

    def replacement(self, state: Any, player: int, generator: random.Random) -> Any:
        return self._move(state, generator.choice(state.legal_actions(player)))

    def values(self, state: Any) -> tuple[float, float]:
        """Each player's points minus the opponent's."""
        first, second = state.returns()
        return first - second, second - first

    def _move(self, state: Any, action: int) -> Any:
        if action == AGREE:
            return Agreement()
        rest, c = divmod(action - 1, MOST)
        a, b = divmod(rest, MOST)
        return (a, b, c), state.share((a, b, c), 1)

    @property
    def subproblems(self) -> tuple[Subproblem, ...]:
        return (
            Subproblem(1, "offered", Metric.ACCURACY, integer, _offered, str),
            Subproblem(2, "proposed", Metric.ACCURACY, integer, _proposed, str, is_about_move=True),
        )


def _numbered(pool: Triple, move: Any) -> int | None:
    """The action of a move; None if it does not divide the pool."""
    if move == Agreement():
        return AGREE
    first, second = move
    if any(one + other != whole for one, other, whole in zip(first, second, pool, strict=True)):
        return None
    return numbered(first)


def _offered(state: Any, player: int, move: Any) -> int | None:
    return int(state.worth(state.proposals[-1], player)) if state.proposals else None


def _proposed(state: Any, player: int, move: Any) -> int | None:
    """Only asked for a valid proposal."""
    if move is None or move == Agreement() or _numbered(state.pool, move) is None:
        return None
    return int(state.worth(move[0], player))


def _in_words(triple: Triple) -> str:
    return f"({triple[0]},{triple[1]},{triple[2]})"
