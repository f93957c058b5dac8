"""The parts of a GAMEBoT game: its text for a model, the notation of its moves, and its subproblems."""

from __future__ import annotations

import abc
import enum
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from vgdl.competition.errors import CompetitionError
from vgdl.competition.tracks.gamebot.answers import Reading, read
from vgdl.competition.tracks.gamebot.grammars import Grammar, Mode, MoveGrammar
from vgdl.competition.tracks.gamebot.verdicts import Metric, Verdict, judge_f1
from vgdl.extras import needs
from vgdl.tabletop import UnknownGame, load
from vgdl.tabletop.protocols import State, TurnBasedGame


class Outcomes(enum.StrEnum):
    """The unit of a match's value."""

    RESULTS = "results"  #: wins, draws and losses
    VALUES = "values"  #: chips or points won


def _exactly(truth: Any, answer: Any) -> bool:
    return bool(truth == answer)


@dataclass(frozen=True, slots=True)
class Subproblem:
    """A question about the position that a program can answer.

    ``truth`` gets the state, the player, and the move that the player chose (None if it chose none); it returns None if
    the question is not asked in this turn.
    """

    number: int  #: number in the game, from 1, as in the answer's markers
    title: str
    metric: Metric
    grammar: Grammar
    truth: Callable[[Any, int, Any], Any]
    written: Callable[[Any], str]  #: the truth as a correct answer
    matches: Callable[[Any, Any], bool] = _exactly  #: whether an answer (second) is correct
    falsified: Callable[[Any], str] | None = None  #: makes a wrong answer, if the usual rule does not apply
    is_about_move: bool = False  #: whether the truth depends on the move that the player chose

    def judge(self, truth: Any, answer: Any, *, readable: bool) -> Verdict:
        """The verdict on an answer; ``readable`` says whether there is one."""
        if self.metric is Metric.F1:
            return judge_f1(truth, answer, readable=readable)
        return Verdict.CORRECT if readable and self.matches(truth, answer) else Verdict.WRONG


class Task(abc.ABC):
    """A game of GAMEBoT. Moves are plain values, as returned by `move_grammar`."""

    name: ClassVar[str]
    title: ClassVar[str]
    letter: ClassVar[str]  #: letter in tables
    game_name: ClassVar[str]  #: name for `vgdl.tabletop.load`
    outcomes: ClassVar[Outcomes] = Outcomes.RESULTS
    seats: ClassVar[tuple[str, str]]  #: the names of the players' roles
    move_marker: ClassVar[str]  #: a regular expression for the words before the move in an answer
    shown_marker: ClassVar[str]  #: the marker as shown in prompts
    illegal_move: ClassVar[str]  #: a readable move that is never legal
    move_grammar: ClassVar[MoveGrammar]
    forfeit: ClassVar[tuple[float, float]] = (-1.0, 1.0)  #: values of a forfeited match for the loser and for the other

    @property
    @abc.abstractmethod
    def subproblems(self) -> tuple[Subproblem, ...]:
        """The questions about positions of this game."""

    def __init__(self) -> None:
        """Load the game.

        Raises:
            CompetitionError: OpenSpiel has the game and is missing.
        """
        try:
            self.game: TurnBasedGame = load(self.game_name)
        except UnknownGame:
            raise CompetitionError(needs(f"GAMEBoT's {self.title}", "OpenSpiel", "tabletop")) from None

    def start(self) -> Any:
        """Start a new match."""
        return self.game.new_initial_state()

    def read(self, text: str, mode: Mode = Mode.PAPER) -> Reading:
        """Parse a model's answer: the results of the subproblems, and the move."""
        grammars = {each.number: each.grammar for each in self.subproblems}
        return read(text, grammars, self.move_marker, self.move_grammar, mode)

    def prompt_facts(self) -> Mapping[str, str]:
        """What the game's prompt refers to besides the names of the players."""
        return {}

    @abc.abstractmethod
    def text(self, state: Any, player: int) -> str:
        """The text of a position for a player."""

    @abc.abstractmethod
    def moves(self, state: Any, player: int) -> list[Any]:
        """The legal moves of a player, in a fixed order."""

    @abc.abstractmethod
    def action(self, state: Any, player: int, move: Any) -> int | None:
        """The game's action for a move; None if it is illegal."""

    @abc.abstractmethod
    def written(self, move: Any) -> str:
        """A move in a model's notation, without the marker."""

    def is_exact(self, state: Any, player: int, move: Any) -> bool:
        """Whether a playable move was also written correctly."""
        return True

    def is_asked(self, state: State, player: int) -> bool:
        """Whether a player is asked for a move now; a turn with a single forced pass is played for it."""
        return state.is_simultaneous_node() or state.current_player() == player

    def replacement(self, state: Any, player: int, generator: random.Random) -> Any:
        """The replacement of a missing or illegal move."""
        return generator.choice(self.moves(state, player))

    def values(self, state: Any) -> tuple[float, float]:
        """The value of the match to each player: 1, 0 or -1, or the net value in games of value."""
        first, second = state.returns()
        return float(first), float(second)

    def truths(self, state: Any, player: int, move: Any) -> dict[int, Any]:
        """The answers to the subproblems that are asked in this turn, by number."""
        found = ((each.number, each.truth(state, player, move)) for each in self.subproblems)
        return {number: truth for number, truth in found if truth is not None}


def written_set(items: Sequence[str]) -> str:
    """A set in a model's notation."""
    return ", ".join(items) or "None"
