"""Bundled agents play hostile games: whatever they raise, or do to the process, is a fault of ours."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import vgdl
from vgdl import Meter, induction
from vgdl.competition.tracks.learning.agents import inducer
from vgdl.competition.tracks.learning.learners import LEARNERS
from vgdl.competition.tracks.learning.lesson import Lesson
from vgdl.competition.tracks.learning.local import LocalPlayer
from vgdl.competition.tracks.learning.rows import RunKey
from vgdl.competition.tracks.learning.rules import LearningRules
from vgdl.competition.tracks.learning.views import Course
from vgdl.controllers import Timer, load
from vgdl.language import VGDLError

PLANNERS = ("champion", "olets", "mmbot", "mn_mcts", "testgag", "yraid", "openloopmcts", "normal_mcts", "samplega")
"""The controllers that are compiled: a mistake of theirs ends the process, or is not noticed at all."""

TICKS, CALLS, CONSTRUCTION_CALLS = 12, 150, 300
PATIENCE = 3.0  #: seconds of CPU time after which a play is stopped: where sprites multiply, a call takes long
LESSON = LearningRules(steps=100, training=(0,), validation=(1,), rounds=1, longest=60, probes=0)
SEARCH = induction.Budget(hypotheses=60, ticks=1_500)


def _controller(name: str) -> Any:  # with options that not every controller has
    return load(name)


def planned(game: str, level: str, rng: random.Random) -> str:
    """A controller plays; in games for two, two of them."""
    try:
        state = vgdl.loads(game).start(level, seed=5)
    except VGDLError:
        return "fatal"
    state.meter = Meter()
    end = time.process_time() + PATIENCE
    players = [
        _controller(rng.choice(PLANNERS))(
            state.copy(), Timer(budget_calls=CONSTRUCTION_CALLS, meter=state.meter), player, seed=1
        )
        for player in range(state.n_players)
    ]
    for _ in range(TICKS):
        if state.is_over:
            break
        if time.process_time() > end:
            return "slow"
        timers = [Timer(budget_calls=CALLS, meter=state.meter) for _ in players]
        state.advance(tuple(each.act(state.copy(), timer) for each, timer in zip(players, timers, strict=True)))
    return "error" if state.error else "played"


def learnt(game: str, level: str, rng: random.Random) -> str:
    """The agent that learns rules trains on a level and is judged on it."""
    try:
        loaded = vgdl.loads(game)
        if loaded.n_players != 1 or loaded.drawn(0) is not loaded:
            return "fatal"
        course = Course(loaded, {number: loaded.board(level) for number in (0, 1)})
        loaded.start(level, seed=5)
    except VGDLError:
        return "fatal"
    with patch.object(inducer, "BUDGET", SEARCH), LocalPlayer(LEARNERS.find("inducer"), LESSON, 5, seed=3) as player:
        lesson = Lesson(RunKey("inducer", "game", 0), course, LESSON, player, rng.getrandbits(30))
        for _ in lesson.plays():
            pass
        assert lesson.failure is None, str(lesson.failure)
    return "played"


AGENTS: dict[str, Callable[[str, str, random.Random], str]] = {"planned": planned, "learnt": learnt}
