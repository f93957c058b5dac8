"""An agent that learns the rules of the game from its own plays (`vgdl.induction`), and plans with them.

While it trains, it acts to tell its hypotheses about the rules apart. In validation, `champion` plans on states of the
likeliest hypothesis. Its budget is a number of forward model calls, so that one seed has one outcome wherever the time
of an answer suffices for them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from vgdl import Action, Meter, StateObservation, induction
from vgdl.competition.tracks.learning.learner import Learner, Mode, Observation, Spaces
from vgdl.competition.tracks.learning.shadow import Shadow
from vgdl.competition.tracks.worldmodels.search.thinking import make_controller
from vgdl.controllers import Controller, Timer
from vgdl.core.observation import VISIBLE, Avatar
from vgdl.induction.observations import Frame
from vgdl.language.errors import VGDLError, VGDLRuntimeError

PLAYER = "champion"  #: plans with the learnt rules
BUDGET = induction.Budget(hypotheses=3_000, ticks=80_000)  #: about 15 s of CPU time, a quarter of the time of a result
MOST = 2_000  #: ticks that are learnt from; then it ends its training
PLANNED = 50  #: ticks that are simulated for a plan while it trains: some 10 ms
CALLS = 400  #: forward model calls of the planner per tick: some 10 ms; ten times as many for its construction
MARGIN_MS = 14.0  #: of the time of ``act``, not used by the planner
GETTING_READY_MS = 300.0  #: for the planner's construction, at most

FAILURES = (VGDLError, VGDLRuntimeError, ValueError, LookupError, ArithmeticError)
"""What learnt rules and plans on them raise for what has never been seen, such as a new type."""


class Inducer(Learner):
    """Learns rules in ``result``, and plans with them in ``act``."""

    observation = Mode.SPRITES

    def __init__(self, actions: Sequence[Action], spaces: Spaces, timer: Timer, *, seed: int) -> None:
        """See `Learner`."""
        super().__init__(actions, spaces, timer, seed=seed)
        self._seed = seed
        self._draws = random.Random(seed)
        self._mind = induction.Learner(seed, BUDGET, planned=PLANNED, is_quick=True)
        self._shadow: Shadow | None = None
        self._planner: Controller | None = None
        self._meter = Meter()
        self._last: Action | None = None
        self._validates = False
        self._next = 0

    def init(self, observation: Observation, timer: Timer, *, level: int, validation: bool) -> None:
        """Begin a play; in validation, place the learnt game at its start."""
        self._validates = validation
        self._shadow = self._planner = self._last = None
        if not validation:
            self._mind.observe(_frame(observation), starts=True)
            return
        try:
            self._shadow = Shadow(self._mind, _frame(observation), self._draws)
            self._planner = self._new_planner(self._shadow, timer)
        except FAILURES:
            self._shadow = None

    def act(self, observation: Observation, timer: Timer) -> Action:
        """Try what tells hypotheses apart; in validation, what wins under the best one."""
        action = self._planned(observation, timer) if self._validates else self._tried(observation)
        if action is None or action not in observation.actions:
            action = self._draws.choice(observation.actions)
        self._last = action
        return action

    def result(self, observation: Observation, timer: Timer) -> int | None:
        """Search for rules where there is enough that is new; end the training after enough ticks."""
        following = super().result(observation, timer)
        if self._validates:
            return following
        if self._last is not None:
            self._mind.observe(_frame(observation))
        ticks = self._mind.evidence.ticks
        limit = MOST if self.spaces.is_timed else min(MOST, self.spaces.budget)
        is_last = ticks + observation.tick > limit  # another play like this one would not fit in
        if is_last or ticks >= self._next:
            self._mind.learn(is_last=is_last)
            self._next = 2 * ticks
        return None if ticks >= MOST else following

    def _tried(self, observation: Observation) -> Action:
        if self._last is not None:  # else ``init`` has shown this state
            self._mind.observe(_frame(observation))
        return self._mind.act()

    def _planned(self, observation: Observation, timer: Timer) -> Action | None:
        """The planner's action; None where the learnt rules fail."""
        if self._shadow is None or self._planner is None:
            return None
        try:
            if self._last is not None and self._shadow.follow(self._last, _frame(observation)):
                self._planner = self._new_planner(self._shadow, timer)
            view = self._view(self._shadow)
            limit = Timer(timer.remaining_ms - MARGIN_MS, budget_calls=CALLS, meter=self._meter)
            return Action(self._planner.act(view, limit))
        except FAILURES:
            self._shadow = None
            return None

    def _new_planner(self, shadow: Shadow, timer: Timer) -> Controller:
        """A planner for the board of the learnt game; it takes at most half of the time left."""
        view = self._view(shadow)
        most_ms = min(GETTING_READY_MS, timer.remaining_ms / 2)
        ready = Timer(most_ms, budget_calls=10 * CALLS, meter=self._meter)
        return make_controller(PLAYER, view, ready, self._seed, waiting=False)

    def _view(self, shadow: Shadow) -> StateObservation:
        """A state of the learnt game whose ticks are counted."""
        view = shadow.view()
        view.meter = self._meter
        return view


def _frame(observation: Observation) -> Frame:
    """An observation of the mode ``sprites`` as a frame, whose sprites are in order of id."""
    rows = np.ascontiguousarray(observation.data, np.int32).view(VISIBLE).reshape(-1)
    own = observation.avatar
    avatar = None
    if own is not None:
        avatar = Avatar(
            own.type, own.id, own.position, own.orientation, own.speed, dict(observation.resources),
            observation.health, observation.max_health, own.limit_health, own.last_action, own.is_alive,
        )  # fmt: skip
    return Frame(
        arrays=rows[np.argsort(rows["id"], kind="stable")],
        avatar=avatar,
        score=observation.score,
        winner=int(observation.winner),
        is_over=observation.is_over,
        tick=observation.tick,
        actions=tuple(action for action in observation.actions if action is not Action.NIL),
        block_size=observation.block_size,
        world_dimension=observation.world_dimension,
    )
