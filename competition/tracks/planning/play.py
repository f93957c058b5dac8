"""One play: the real game on one side, the agents on the other, and the rules between them (engine, 11.2 to 11.5).

The paper and the reference define time limits, but not what happens when a controller raises an exception or exits; in
the reference, it ends the whole program. Here it is disqualified like one that is too slow: the play ends, is not won,
and has the score -1000. A disqualification ends the play for all; the others keep their score, and have won unless the
game itself ended in that tick with another result (the reference leaves them without one, so a player about to lose
could deny the other's victory). An answer that is no action, or one that the avatar lacks, is counted and replaced by
NIL, as a late answer is, unless the rules are strict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from vgdl import Action, StateObservation
from vgdl.competition.agents.failure import AgentFailed
from vgdl.competition.agents.plain_data import Plain
from vgdl.competition.agents.service import Reply
from vgdl.competition.agents.voids import Voids
from vgdl.competition.seeds import derive
from vgdl.competition.tracks.planning import observation
from vgdl.competition.tracks.planning.controller_adapter import InvalidAnswer
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult
from vgdl.competition.tracks.planning.rules import Overtime, Rules, Verdict
from vgdl.replay import stir

INVALID_ANSWER = "an answer was invalid"
"""Why a controller was disqualified by strict rules."""

_OUTCOMES = {-1: Outcome.NO_WINNER, 0: Outcome.LOST, 1: Outcome.WON}


class Agent(Protocol):
    """An ``AgentProcess`` with the methods of ``controller_adapter.service``, or a test double."""

    def prepare(self) -> None:
        """Import the controller; raises ``AgentFailed`` if that fails."""

    def call(self, method: str, budget: float | None = None, /, **arguments: Plain | bytes) -> Reply:
        """Call a method; raises ``AgentFailed`` if there is no answer."""


@dataclass(slots=True)
class _Player:
    """An agent and the record of its play so far."""

    agent: Agent
    name: str
    number: int
    construction_used: float = 0.0
    actions_used: list[float] = field(default_factory=list)
    late_answers: int = 0
    invalid_answers: int = 0
    first_invalid: str = ""  #: the first invalid answer in words
    failure: AgentFailed | None = None


class Referee:
    """Runs one play, from the import of the controllers to the result.

    The controllers get copies of the real state whose random events are derived from ``secret`` and ``labels``, anew in
    every tick.
    """

    def __init__(
        self,
        state: StateObservation,
        agents: Sequence[tuple[str, Agent]],
        rules: Rules,
        secret: int,
        labels: Sequence[str | int],
        stirring: str = "",
        voids: Voids | None = None,
    ) -> None:
        """Set up a play.

        Args:
            state: the real game before its first tick; it is advanced in place.
            agents: for each player, the controller's name in rankings and the agent.
            rules: the limits and other rules.
            secret: the competition's secret.
            labels: identify this play in the competition.
            stirring: the key for ``vgdl.replay.stir``; empty for the game's plain generator.
            voids: how often this play was void before.
        """
        self.state = state
        self._players = [_Player(agent, name, number) for number, (name, agent) in enumerate(agents)]
        self._rules = rules
        self._limits = rules.limits
        self._secret = secret
        self._labels = tuple(labels)
        self._board = observation.shown_board(state, derive(secret, "board", *labels))
        self._stirring = stirring
        self._voids = voids or Voids()
        self._actions: list[tuple[Action | None, ...]] = []

    def run(self) -> None:
        """Play to the end.

        Raises:
            MachineBusy: an answer cannot be judged, so the play is void.
        """
        for player in self._players:
            self._prepare(player)
        if self._someone_failed():
            return
        for player in self._players:
            self._construct(player)
        while not (self._someone_failed() or self.state.is_over):
            self._tick()
        if not self._someone_failed():
            for player in self._players:
                self._tell_result(player)

    @property
    def actions(self) -> tuple[tuple[Action | None, ...], ...]:
        """The actions by tick and player; None for a player who was not asked."""
        return tuple(self._actions)

    @property
    def results(self) -> tuple[PlayerResult, ...]:
        """The result of each player."""
        return tuple(self._result(player) for player in self._players)

    @property
    def used(self) -> tuple[tuple[float, ...], ...]:
        """The budget used by each answer, per player, in the unit of the rules."""
        return tuple(tuple(player.actions_used) for player in self._players)

    def _tick(self) -> None:
        """Ask all players and advance the real game, even if one has just been disqualified (engine, 11.4)."""
        actions = tuple(self._ask(player) for player in self._players)
        self._actions.append(actions)
        stir(self.state, self._stirring)
        self.state.advance(actions)

    def _prepare(self, player: _Player) -> None:
        try:
            with self._voids.judging(player.number):
                player.agent.prepare()
        except AgentFailed as failure:
            player.failure = failure

    def _construct(self, player: _Player) -> None:
        try:
            player.construction_used = self._call(player, "construct", board=observation.encode_board(self._board)).used
        except AgentFailed as failure:
            player.failure = failure
            return
        used, limit = player.construction_used, self._limits.construction
        if used > limit:
            player.failure = self._too_slow(Overtime.CONSTRUCTION, used, limit)

    def _ask(self, player: _Player) -> Action | None:
        """The action of a player for this tick, after applying the time limits; the game replaces unavailable actions.

        A player whose avatar is dead is not asked.
        """
        avatar = self.state.avatars[player.number]
        if avatar is None or not avatar.is_alive:
            return None
        try:
            answer = self._call(player, "act")
        except AgentFailed as failure:
            player.failure = failure
            return Action.NIL
        player.actions_used.append(answer.used)
        return self._allowed(player, answer)

    def _allowed(self, player: _Player, answer: Reply) -> Action:
        match self._limits.judge(answer.used):
            case Verdict.DISQUALIFIED:
                player.failure = self._too_slow(Overtime.ACTION, answer.used, self._limits.disqualification)
                return Action.NIL
            case Verdict.LATE:
                player.late_answers += 1
                return Action.NIL
            case Verdict.IN_TIME:
                return self._valid(player, answer.value)

    def _valid(self, player: _Player, answer: Action | InvalidAnswer | None) -> Action:
        """The action, or NIL for an answer that is none; such answers, and actions that the game lacks, are counted."""
        if isinstance(answer, Action):
            if answer in (Action.NIL, Action.ESCAPE, *self.state.actions_of(player.number)):
                return answer
            shown = f"Action.{answer.name}, which this avatar does not have"
        else:
            shown = f"{answer.text if answer else None}, which is not an Action"
        shown = f"at tick {self.state.tick} it answered {shown}"
        player.invalid_answers += 1
        player.first_invalid = player.first_invalid or shown
        if self._rules.strict:
            player.failure = AgentFailed(INVALID_ANSWER, shown)
        return answer if isinstance(answer, Action) else Action.NIL  # the game replaces actions that the avatar lacks

    def _tell_result(self, player: _Player) -> None:
        """Call the controller with the final state; exceeding the limit disqualifies it afterwards (engine, 11.3)."""
        try:
            used = self._call(player, "result").used
        except AgentFailed as failure:
            player.failure = failure
            return
        if used > self._limits.result:
            player.failure = self._too_slow(Overtime.RESULT, used, self._limits.result)

    def _call(self, player: _Player, method: str, **arguments: Plain | bytes) -> Reply:
        seed = derive(self._secret, f"observation to {method}", *self._labels, player.number, self.state.tick)
        shown = observation.encode(self.state, self._board, seed)
        with self._voids.judging(player.number):
            return player.agent.call(method, observation=shown, **arguments)

    def _too_slow(self, cause: Overtime, used: float, limit: float) -> AgentFailed:
        return AgentFailed(cause, f"{used:.3f} {self._rules.unit}, {limit:g} allowed")

    def _someone_failed(self) -> bool:
        return any(player.failure is not None for player in self._players)

    def _result(self, player: _Player) -> PlayerResult:
        used = player.actions_used
        failure = player.failure
        outcome = Outcome.DISQUALIFIED if failure else self._final_outcome(player)
        score = self._rules.disqualified_score if failure else self._final_score(player, outcome)
        return PlayerResult(
            controller=player.name,
            outcome=outcome,
            score=score,
            cause=failure.cause if failure else "",
            details=failure.details if failure else player.first_invalid,
            late_answers=player.late_answers,
            construction_used=player.construction_used,
            action_used_mean=sum(used) / len(used) if used else 0.0,
            action_used_max=max(used, default=0.0),
            invalid_answers=player.invalid_answers,
        )

    def _final_outcome(self, player: _Player) -> Outcome:
        """The outcome of a player who was not disqualified; it has won if only others were, in an unfinished game."""
        if self._someone_failed() and not self.state.is_over:
            return Outcome.WON
        return _OUTCOMES[self.state.winners[player.number]]

    def _final_score(self, player: _Player, outcome: Outcome) -> float:
        """The score of a player who was not disqualified: a winner has at least 1 (engine, 7.10)."""
        score: float = self.state.scores[player.number]
        return 1.0 if outcome is Outcome.WON and score <= 0 else score
