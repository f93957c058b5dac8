"""Whoever plays in a run: an agent in an isolated process, or a client at the other end of a network connection."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, Self

from vgdl import Action, StateObservation
from vgdl.competition.agents.failure import AgentFailed
from vgdl.competition.agents.plain_data import Plain
from vgdl.competition.agents.process import AgentProcess
from vgdl.competition.agents.service import Reply
from vgdl.competition.agents.voids import Voids
from vgdl.competition.closing import Closing
from vgdl.competition.tracks.learning.rules import LearningRules
from vgdl.competition.tracks.learning.views import Course, Views
from vgdl.competition.tracks.planning.rules import Overtime

LEARNER = "learner"
"""The one agent of a run, against which voids are counted."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The answer to ``act``."""

    action: Action  #: NIL in place of an answer that came too late
    used_ms: float
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """The answer to ``result``."""

    level: int | None  #: the training level to play next; None ends the training
    used_ms: float


class Player(Protocol):
    """A player of a run. Every method but ``close`` raises ``AgentFailed`` if the player is disqualified."""

    def construct(self, course: Course) -> None:
        """Prepare for a game."""

    def init(self, state: StateObservation, level: int, *, validation: bool) -> float:
        """Begin a play; returns the milliseconds used."""

    def act(self, state: StateObservation, level: int, *, validation: bool) -> Choice:
        """Choose the action of a tick; `Action.ESCAPE` gives the play up."""

    def result(self, state: StateObservation, level: int, limit_ms: float, *, validation: bool) -> Wish:
        """End a play."""

    def fork(self) -> AbstractContextManager[Player]:
        """A copy that can play on its own, and ends with the ``with`` block."""

    @property
    def can_fork(self) -> bool:
        """Whether there can be copies."""


class ProcessPlayer(Closing):
    """A learner in an isolated process, held to the limits of the rules."""

    can_fork = True

    def __init__(self, agent: AgentProcess, rules: LearningRules, lot: int, voids: Voids | None = None) -> None:
        """Use a process that has just been started.

        Args:
            agent: the process; closed with the player.
            rules: the limits.
            lot: seed of the numbers of types.
            voids: how often the run was void before.
        """
        self._agent = agent
        self._voids = voids or Voids("run")
        self._rules = rules
        self._lot = lot
        self._views: Views | None = None

    def close(self) -> None:
        """End the process."""
        self._agent.close()

    def construct(self, course: Course) -> None:
        """Import the learner, ask it for the form of its observations, and construct it."""
        with self._voids.judging(LEARNER):
            self._agent.prepare()
        mode, view = self._call("form").value
        self._views = Views(course, self._rules, mode, view, self._lot)
        actions: list[int] = [int(action) for action in course.actions]
        used = self._call("construct", actions=list(actions), spaces=self._views.facts()).used
        _check(Overtime.CONSTRUCTION, used, self._rules.construction_ms)

    def init(self, state: StateObservation, level: int, *, validation: bool) -> float:
        """Begin a play."""
        shown = self._shown.show(state, level, "INIT", validation=validation)
        used = self._call("init", **shown, level=level, validation=validation).used
        _check("the beginning of a play took too long", used, self._rules.init_ms)
        return used

    def act(self, state: StateObservation, level: int, *, validation: bool) -> Choice:
        """Choose the action of a tick."""
        answer = self._call("act", **self._shown.show(state, level, "ACT", validation=validation))
        _check(Overtime.ACTION, answer.used, self._rules.disqualification_ms)
        if answer.used > self._rules.action_ms:
            return Choice(Action.NIL, answer.used, is_late=True)
        action = Action.NIL if answer.value is None else Action(answer.value)
        return Choice(Action.NIL if action is Action.ESCAPE else action, answer.used)

    def result(self, state: StateObservation, level: int, limit_ms: float, *, validation: bool) -> Wish:
        """End a play."""
        answer = self._call("result", limit_ms, **self._shown.show(state, level, "END", validation=validation))
        _check(Overtime.RESULT, answer.used, limit_ms)
        return Wish(answer.value, answer.used)

    def fork(self) -> Self:
        """A copy of the process."""
        copy = object.__new__(type(self))
        with self._voids.judging(LEARNER):
            copy._agent, copy._rules, copy._voids = self._agent.fork(), self._rules, self._voids
        copy._lot, copy._views = self._lot, self._views
        return copy

    def _call(self, method: str, budget: float | None = None, /, **arguments: Plain | bytes) -> Reply:
        with self._voids.judging(LEARNER):
            return self._agent.call(method, budget, **arguments)

    @property
    def _shown(self) -> Views:
        if self._views is None:
            raise RuntimeError("asked before it was constructed")
        return self._views


def _check(cause: str, used_ms: float, limit_ms: float) -> None:
    if used_ms > limit_ms:
        raise AgentFailed(cause, f"{used_ms:.3f} ms, {limit_ms:g} allowed", used_ms)
