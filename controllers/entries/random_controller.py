"""Random: a random available action (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

import random

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer


class Random(Controller):
    """Takes any of the available actions with equal chance, in games for one player or two.

    A player alone is never offered NIL, and takes it only if there is nothing else.
    """

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0, *, seed: int | None = None) -> None:
        super().__init__(state, timer, player)
        self._random = random.Random(seed)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return self._random.choice(state.actions_of(self.player) or (Action.NIL,))
