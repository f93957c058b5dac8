"""Random: a random available action (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

import random

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer


class Random(Controller):
    """Takes any available action with equal probability, in games for one or two players.

    NIL is not among the available actions of a single player; it is taken only if there are none.
    """

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0, *, seed: int | None = None) -> None:
        super().__init__(state, timer, player)
        self._random = random.Random(seed)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return self._random.choice(state.actions_of(self.player) or (Action.NIL,))
