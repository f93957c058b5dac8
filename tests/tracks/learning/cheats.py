"""Learners that break the rules, for the tests; each is loaded from this file like a submission."""

from __future__ import annotations

import gc
import os
import random
import sys
import time

import vgdl
from vgdl import Action, games
from vgdl.competition.tracks.learning.learner import Learner
from vgdl.core.data.tables import BoardTables


class Honest(Learner):
    """Draws from the global generator."""

    def act(self, observation, timer):
        return random.choice(observation.actions)


class Prober(Honest):
    """Fails with what it has found, if it finds anything of the game."""

    observation = "text"
    LOOT = (vgdl.StateObservation, vgdl.Game, vgdl.Board, BoardTables)

    def act(self, observation, timer):
        frame = sys._getframe()
        while frame is not None:
            for name, value in frame.f_locals.items():
                if isinstance(value, self.LOOT):
                    raise RuntimeError(f"a {type(value).__name__} in {name}")
            frame = frame.f_back
        for each in gc.get_objects():
            if isinstance(each, self.LOOT):
                raise RuntimeError(f"a {type(each).__name__} in memory")
        if "secret" in observation.data:
            raise RuntimeError("names of types")
        for folder in games.__path__:
            for place in games.SETS:
                if os.path.isdir(f"{folder}/{place}") and os.listdir(f"{folder}/{place}"):
                    raise RuntimeError("the folder of games")
        return super().act(observation, timer)


class Raises(Honest):
    """Raises an exception in the third tick."""

    ticks = 0

    def act(self, observation, timer):
        self.ticks += 1
        if self.ticks == 3:
            raise ValueError("oops \x1b[31m")
        return Action.RIGHT


class Exits(Honest):
    """Ends its process."""

    def init(self, observation, timer, *, level, validation):
        os._exit(0)


class Dawdles(Honest):
    """Takes half a second of CPU time."""

    def act(self, observation, timer):
        end = time.process_time() + 0.5
        while time.process_time() < end:
            pass
        return Action.RIGHT


class Nonsense(Honest):
    """Answers with no action."""

    def act(self, observation, timer):
        return "RIGHT"


class WrongForm(Honest):
    """Wants observations that there are not."""

    observation = "grids"


class WideView(Honest):
    """Wants to see farther than is possible."""

    view = 10_000


class Remembers(Learner):
    """Goes right only if it has never finished a validation play: frozen copies always do."""

    seen = False

    def act(self, observation, timer):
        return Action.LEFT if self.seen else Action.RIGHT

    def result(self, observation, timer):
        self.seen = self.seen or self.validation
        return 0

    def init(self, observation, timer, *, level, validation):
        self.validation = validation


class NotALearner:
    def act(self, observation, timer):
        return Action.NIL
