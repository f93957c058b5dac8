"""OneStepLookAhead: the action whose next state is the best (The 2014 GVGP Competition, section V)."""

from __future__ import annotations

import random

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.pace import iterations
from vgdl.controllers.value import state_value

SEED_BITS = 48


class OneStepLookAhead(Controller):
    """Advances a copy by each available action once and takes the one that leads to the most valuable state.

    The value is SampleMCTS's. The paper leaves open what happens among equals: here one of them is drawn.
    """

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0, *, seed: int | None = None) -> None:
        super().__init__(state, timer, player)
        self._random = random.Random(seed)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        actions = list(state.available_actions)
        self._random.shuffle(actions)  # so that max, which keeps the first among equals, draws one of them
        values = {
            action: self._value_after(state, action)
            for action, _ in zip(actions, iterations(timer, calls=1), strict=False)
        }
        return max(values, key=values.__getitem__, default=Action.NIL)

    def _value_after(self, state: StateObservation, action: Action) -> float:
        future = state.copy(seed=self._random.getrandbits(SEED_BITS), history=False)
        future.advance(action)
        return state_value(future, self.player)
