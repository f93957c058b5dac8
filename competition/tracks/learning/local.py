"""A learner in this process: for developing and measuring agents that are trusted. No isolation, no limits of time.

With a budget of steps, an agent that is never late plays exactly as in a process of its own.
"""

from __future__ import annotations

import copy
from typing import Self

from vgdl import Action, Meter, StateObservation
from vgdl.competition.agents.failure import AgentFailed, Cause
from vgdl.competition.agents.worker import describe
from vgdl.competition.closing import Closing
from vgdl.competition.tracks.learning.adapter import LearnerAdapter
from vgdl.competition.tracks.learning.players import Choice, Wish
from vgdl.competition.tracks.learning.rules import LearningRules
from vgdl.competition.tracks.learning.views import Course, Views, chosen_form
from vgdl.controllers import Timer
from vgdl.registry import Entry


class LocalPlayer(Closing):
    """A player of a run whose learner is an object in this process; an exception of the learner disqualifies it."""

    can_fork = True

    def __init__(self, entry: Entry, rules: LearningRules, lot: int, *, seed: int) -> None:
        """Locate the learner without importing it.

        Args:
            entry: locates its class.
            rules: the limits, which the learner sees but is not held to.
            lot: seed of the numbers of types.
            seed: of the learner, and of the global random number generators.
        """
        self._entry, self._rules, self._lot, self._seed = entry, rules, lot, seed
        self._adapter: LearnerAdapter | None = None
        self._views: Views | None = None

    def close(self) -> None:
        """Drop the learner."""
        self._adapter = None

    def construct(self, course: Course) -> None:
        """Import and construct the learner."""
        try:
            self._adapter = LearnerAdapter(self._entry, Meter(), seed=self._seed)
            mode, view = chosen_form(self._adapter.form(timer=Timer()))
            self._views = Views(course, self._rules, mode, view, self._lot)
            timer = Timer(self._rules.construction_ms)
            actions = [int(action) for action in course.actions]
            self._adapter.construct(actions=actions, spaces=self._views.facts(), timer=timer)
        except Exception as error:
            raise AgentFailed(Cause.EXCEPTION, describe(error)) from error

    def init(self, state: StateObservation, level: int, *, validation: bool) -> float:
        """Begin a play."""
        adapter, views = self._ready
        shown, timer = views.show(state, level, "INIT", validation=validation), Timer(self._rules.init_ms)
        try:
            adapter.init(**shown, level=level, validation=validation, timer=timer)  # type: ignore[arg-type]
        except Exception as error:
            raise AgentFailed(Cause.EXCEPTION, describe(error)) from error
        return timer.elapsed_ms

    def act(self, state: StateObservation, level: int, *, validation: bool) -> Choice:
        """Choose the action of a tick."""
        adapter, views = self._ready
        shown, timer = views.show(state, level, "ACT", validation=validation), Timer(self._rules.action_ms)
        try:
            answer = adapter.act(**shown, timer=timer)  # type: ignore[arg-type]
        except Exception as error:
            raise AgentFailed(Cause.EXCEPTION, describe(error)) from error
        action = Action.NIL if answer is None or answer == Action.ESCAPE else Action(answer)
        return Choice(action, timer.elapsed_ms)

    def result(self, state: StateObservation, level: int, limit_ms: float, *, validation: bool) -> Wish:
        """End a play."""
        adapter, views = self._ready
        shown, timer = views.show(state, level, "END", validation=validation), Timer(limit_ms)
        try:
            answer = adapter.result(**shown, timer=timer)  # type: ignore[arg-type]
        except Exception as error:
            raise AgentFailed(Cause.EXCEPTION, describe(error)) from error
        return Wish(answer, timer.elapsed_ms)

    def fork(self) -> Self:
        """A player with a deep copy of the learner."""
        twin = copy.copy(self)
        try:
            twin._adapter = copy.deepcopy(self._adapter)
        except Exception as error:
            raise AgentFailed(Cause.EXCEPTION, describe(error)) from error
        return twin

    @property
    def _ready(self) -> tuple[LearnerAdapter, Views]:
        if self._adapter is None or self._views is None:
            raise RuntimeError("asked before it was constructed")
        return self._adapter, self._views
