"""An agent that learns the rules of the game from its own plays, and plans with them.

The rules come from the search of the world-models track, the plans from `champion` on states of the learnt game. Until
the first rules are there, and where they predict badly, the actions are random; rules are amended during plays.
"""

from __future__ import annotations

import random
import signal
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from vgdl import Action
from vgdl.competition.tracks.learning.learner import Avatar as ShownAvatar
from vgdl.competition.tracks.learning.learner import Learner, Mode, Observation, Spaces
from vgdl.competition.tracks.worldmodels.search.author import Learnt, learn
from vgdl.competition.tracks.worldmodels.search.play import TRUST, LearntGame
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play
from vgdl.competition.tracks.worldmodels.search.thinking import make_controller
from vgdl.controllers import Controller, Timer
from vgdl.core.observation import VISIBLE, Avatar
from vgdl.language.errors import VGDLError, VGDLRuntimeError

PLAYER = "champion"  #: plans with the learnt rules
LEAST = 300  #: new ticks after which rules are learnt again
MOST = 2_000  #: ticks that are learnt from, the latest
SHARE = 0.4  #: of the time of ``result`` for the search, which may take longer
FOLLOWING = 0.005  #: seconds of CPU time per tick for following the game
MARGIN_MS = 14.0  #: of the time of ``act``, not used by the planner
GETTING_READY_MS = 300.0  #: for the planner's construction

FAILURES = (VGDLError, VGDLRuntimeError, ValueError, LookupError, ArithmeticError)
"""What the search and learnt games raise for what they have never seen, such as a new type."""


class Inducer(Learner):
    """Learns rules in ``result``, and plans with them in ``act``."""

    observation = Mode.SPRITES

    def __init__(self, actions: Sequence[Action], spaces: Spaces, timer: Timer, *, seed: int) -> None:
        """See `Learner`."""
        super().__init__(actions, spaces, timer, seed=seed)
        self._draws = random.Random(seed)
        self._recorded: list[Play] = []
        self._new = 0
        self._frames: list[Frame] = []
        self._level = 0
        self._validation = False
        self._learnt: Learnt | None = None
        self._game: LearntGame | None = None
        self._planner: Controller | None = None
        self._last = Action.NIL

    def init(self, observation: Observation, timer: Timer, *, level: int, validation: bool) -> None:
        """Begin a play: place the learnt game at its start."""
        self._frames, self._level, self._validation = [], level, validation
        self._game = self._planner = None
        self._last = Action.NIL
        if self._learnt is None or observation.avatar is None:
            return
        is_daring = not validation and len(self._recorded) % 2 == 1
        rules = self._learnt.daring if is_daring else self._learnt.hypothesis
        seed = self._draws.getrandbits(31)
        try:
            shown: Any = _Shown.of(observation)
            self._game = LearntGame(rules, shown, seed, FOLLOWING, self._learnt.evidence)
            self._planner = make_controller(PLAYER, self._game.state(), Timer(GETTING_READY_MS), seed, waiting=False)
        except FAILURES:
            self._game = None

    def act(self, observation: Observation, timer: Timer) -> Action:
        """Plan with the rules where they are trusted; otherwise draw an action."""
        action = self._planned(observation, timer)
        if action is None or action not in observation.actions:
            action = self._draws.choice(observation.actions)
        self._frames.append(_frame(observation, action))
        self._last = action
        return action

    def result(self, observation: Observation, timer: Timer) -> int | None:
        """Learn again, if there is enough that is new."""
        if not self._validation and self._frames:
            frames = (*self._frames, _frame(observation, Action.NIL))
            self._recorded.append(Play(self._level, "inducer", frames))
            self._new += len(self._frames)
            if self._new >= LEAST or self._learnt is None:
                self._learn(timer)
        return super().result(observation, timer)

    def _learn(self, timer: Timer) -> None:
        """Search for rules of the latest plays; keep the former ones if that takes too long or fails."""
        plays, ticks = [], 0
        for play in reversed(self._recorded):
            if ticks and ticks + play.ticks > MOST:
                break
            plays.append(play)
            ticks += play.ticks
        seconds = timer.remaining_ms / 1000
        try:
            with _Limit(0.9 * seconds):
                self._learnt = learn(tuple(reversed(plays)), seconds=SHARE * seconds)
        except (TimeUp, *FAILURES):
            pass
        self._new = 0

    def _planned(self, observation: Observation, timer: Timer) -> Action | None:
        game = self._game
        if game is None or self._planner is None:
            return None
        try:
            if self._frames:
                shown: Any = _Shown.of(observation)
                game.follow(self._last, shown)
            if game.trust < TRUST:
                return None
            action = Action(self._planner.act(game.state(), Timer(timer.remaining_ms - MARGIN_MS)))
            if game.is_vain(action) or game.is_deadly(action):
                others = self._draws.sample(observation.actions, len(observation.actions))
                safe = (each for each in others if not game.is_vain(each) and not game.is_deadly(each))
                return next(safe, action)
            return action
        except FAILURES:
            self._game = None
            return None


@dataclass(frozen=True)
class _Shown:
    """An observation in the form of a state, as far as the search looks at states."""

    arrays: Any
    avatar: Avatar | None
    score: float
    winner: int
    is_over: bool
    tick: int
    available_actions: tuple[Action, ...]
    block_size: int
    world_dimension: tuple[int, int]

    @classmethod
    def of(cls, observation: Observation) -> _Shown:
        """Convert an observation of the mode ``sprites``."""
        rows = np.ascontiguousarray(observation.data, np.int32)
        own = observation.avatar
        return cls(
            arrays=rows.view(VISIBLE).reshape(-1),
            avatar=_avatar(observation, own) if own is not None else None,
            score=observation.score,
            winner=int(observation.winner),
            is_over=observation.is_over,
            tick=observation.tick,
            available_actions=tuple(action for action in observation.actions if action is not Action.NIL),
            block_size=observation.block_size,
            world_dimension=observation.world_dimension,
        )


def _avatar(observation: Observation, own: ShownAvatar) -> Avatar:
    return Avatar(
        own.type,
        own.id,
        own.position,
        own.orientation,
        own.speed,
        dict(observation.resources),
        observation.health,
        observation.max_health,
        own.limit_health,
        own.last_action,
        own.is_alive,
    )


def _frame(observation: Observation, action: Action) -> Frame:
    shown = _Shown.of(observation)
    return Frame(
        arrays=shown.arrays,
        avatar=shown.avatar,
        score=shown.score,
        winner=shown.winner,
        is_over=shown.is_over,
        tick=shown.tick,
        actions=shown.available_actions,
        block_size=shown.block_size,
        world_dimension=shown.world_dimension,
        action=action,
    )


class TimeUp(BaseException):
    """The search has used its time."""


class _Limit:
    """Raises `TimeUp` after some CPU time of this process; without effect outside of the main thread."""

    def __init__(self, seconds: float) -> None:
        self._seconds = max(0.1, seconds)
        self._is_main = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        if self._is_main:
            self._before = signal.signal(signal.SIGPROF, self._raise)
            signal.setitimer(signal.ITIMER_PROF, self._seconds)

    def __exit__(self, *_: object) -> None:
        if self._is_main:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, self._before)

    @staticmethod
    def _raise(number: int, frame: FrameType | None) -> None:
        raise TimeUp
