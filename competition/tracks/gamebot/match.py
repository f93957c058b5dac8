"""One match: two players, their questions and moves, and the record of every turn (GAMEBoT specification, 2)."""

from __future__ import annotations

import enum
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from vgdl.competition.chat.model import Fault
from vgdl.competition.tracks.gamebot.answers import Reading
from vgdl.competition.tracks.gamebot.task import Task
from vgdl.competition.tracks.gamebot.verdicts import Verdict
from vgdl.tabletop import sample_chance

MAX_ANSWER = 1000
"""Number of characters kept of an answer as it was understood."""


class Replaced(enum.StrEnum):
    """The reason why a legal move was played in place of the player's."""

    FORMAT = "action_format_error"  #: no move was understood
    INVALID = "invalid_action"  #: the rules do not allow it


@dataclass(frozen=True, slots=True)
class Response:
    """A player's reply in a turn."""

    reading: Reading
    text: str = ""  #: a model's text
    prompt_version: str = ""
    answers_questions: bool = False  #: whether its subproblems are judged
    truncated: bool = False
    cached: bool = False
    fault: Fault | None = None  #: what is wrong with a model's reply as a whole
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Player(Protocol):
    """A player of matches. It is asked for one turn at a time and keeps no state."""

    name: str

    def respond(self, task: Task, state: Any, player: int, turn: int, attempt: int, fault: str) -> Response:
        """Answer the questions of a turn and choose a move.

        Args:
            task: the game.
            state: the position; not to be changed.
            player: 0 or 1.
            turn: number of the turn in the match, from 0.
            attempt: 0, or more if the player is asked again after a move that could not be played.
            fault: what was wrong with the previous attempt.
        """


@dataclass(frozen=True, slots=True)
class Judged:
    """A subproblem of a turn: the truth, the answer, and the verdict."""

    number: int
    truth: str
    answer: str  #: empty if there is no readable one
    verdict: Verdict
    readable: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """The result of asking a player."""

    number: int
    player: int
    position: str
    response: Response
    judged: tuple[Judged, ...]
    move: str  #: the move that was played
    replaced: Replaced | None = None
    chosen: str = ""  #: the move as it was read in the first answer; empty if none was
    read: tuple[tuple[int, str], ...] = ()  #: all results as they were read in the first answer, by subproblem
    prompt_tokens: int = 0  #: of all attempts
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A finished match."""

    values: tuple[float, float]  #: per player: 1, 0, -1, or the net value in games of value
    turns: tuple[Turn, ...] = field(repr=False)
    forfeited: int | None = None  #: the player that lost by a move that could not be played


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """The treatment of a move that cannot be played."""

    reask: int = 0  #: how often the player is asked again, with a description of the fault
    forfeit: bool = False  #: whether it then loses, instead of a legal move being played for it


class Match:
    """A match of one game. Chance and replaced moves come from the match's own generators."""

    def __init__(
        self, task: Task, players: Sequence[Player], chance: random.Random, options: MatchOptions | None = None
    ) -> None:
        self._task = task
        self._players = players
        self._chance = chance
        self._replacing = random.Random(chance.getrandbits(64))  # separate, so that bad moves do not change the deal
        self._options = options or MatchOptions()
        self._state = task.start()
        self._turns: list[Turn] = []

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns so far."""
        return tuple(self._turns)

    @property
    def state(self) -> Any:
        """The position; not to be changed."""
        return self._state

    def play(self) -> MatchResult:
        """Play to the end.

        Raises:
            ChatError: a model could not be asked; the match has no result.
        """
        task, state = self._task, self._state
        while not state.is_terminal():
            if state.is_chance_node():
                sample_chance(state, self._chance.random)
                continue
            asked = [player for player in (0, 1) if task.is_asked(state, player)]
            actions = [self._turn(player) for player in asked]
            if None in actions:
                return self._forfeited(asked[actions.index(None)])
            if not asked:  # only passing is possible
                state.apply_action(state.legal_actions()[0])
            elif state.is_simultaneous_node():
                state.apply_actions(actions)
            else:
                state.apply_action(actions[0])
        return MatchResult(task.values(state), tuple(self._turns))

    def _forfeited(self, player: int) -> MatchResult:
        lost, won = self._task.forfeit
        return MatchResult((lost, won) if player == 0 else (won, lost), tuple(self._turns), player)

    def _turn(self, player: int) -> int | None:
        """Ask a player; returns the action to play, or None if the player forfeits."""
        task, state = self._task, self._state
        number = len(self._turns)
        position = task.text(state, player)
        first = response = self._ask(player, number, 0, "")
        prompt_tokens, completion_tokens = first.prompt_tokens, first.completion_tokens
        replaced = self._fault(response.reading.move, player)
        attempt = 0
        while replaced and attempt < self._options.reask:
            attempt += 1
            response = self._ask(player, number, attempt, self._explained(replaced, response))
            prompt_tokens += response.prompt_tokens
            completion_tokens += response.completion_tokens
            replaced = self._fault(response.reading.move, player)
        move = response.reading.move
        judged = self._judged(first, player)
        forfeits = False
        if replaced and not self._is_playable(move, player):
            forfeits = self._options.forfeit
            move = None if forfeits else task.replacement(state, player, self._replacing)
        played = "" if forfeits else task.written(move)
        questions = {each.number: each for each in task.subproblems}
        read = tuple(
            (each, questions[each].written(value)[:MAX_ANSWER]) for each, value in first.reading.results.items()
        )
        chosen = "" if first.reading.move is None else task.written(first.reading.move)
        self._turns.append(
            Turn(
                number, player, position, first, judged, played, replaced, chosen, read, prompt_tokens,
                completion_tokens,
            )
        )  # fmt: skip
        return None if forfeits else task.action(state, player, move)

    def _ask(self, player: int, number: int, attempt: int, fault: str) -> Response:
        return self._players[player].respond(self._task, self._state, player, number, attempt, fault)

    def _is_playable(self, move: Any, player: int) -> bool:
        return move is not None and self._task.action(self._state, player, move) is not None

    def _fault(self, move: Any, player: int) -> Replaced | None:
        if move is None:
            return Replaced.FORMAT
        if not self._is_playable(move, player) or not self._task.is_exact(self._state, player, move):
            return Replaced.INVALID
        return None

    def _explained(self, replaced: Replaced, response: Response) -> str:
        if replaced is Replaced.FORMAT:
            return "Your last answer contained no move that could be read."
        return f"Your last answer chose {self._task.written(response.reading.move)}, which is not legal here."

    def _judged(self, response: Response, player: int) -> tuple[Judged, ...]:
        if not response.answers_questions:
            return ()
        reading, task = response.reading, self._task
        truths = task.truths(self._state, player, reading.move)
        questions = {each.number: each for each in task.subproblems}
        found = []
        for number, truth in truths.items():
            readable = number in reading.results
            answer = reading.results.get(number)
            verdict = questions[number].judge(truth, answer, readable=readable)
            text = questions[number].written(answer)[:MAX_ANSWER] if readable else ""
            found.append(Judged(number, questions[number].written(truth), text, verdict, readable))
        return tuple(found)
