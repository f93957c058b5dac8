"""Random: a random available action (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

import random

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer


class Random(Controller):
    """Takes any of the available actions with equal chance; NIL, which is never listed, only if there is none."""

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0, *, seed: int | None = None) -> None:
        super().__init__(state, timer, player)
        self._random = random.Random(seed)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return self._random.choice(state.available_actions or (Action.NIL,))
