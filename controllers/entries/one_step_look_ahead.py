"""OneStepLookAhead: the action whose next state is the best (The 2014 GVGP Competition, section V)."""

from __future__ import annotations

import random

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.budget import iterations
from vgdl.controllers.search.futures import another_future
from vgdl.controllers.search.value import LOST, state_value


class OneStepLookAhead(Controller):
    """Advances a copy by each available action once and takes the one that leads to the most valuable state.

    The value is SampleMCTS's. The paper leaves open what happens among equals: here one of them is drawn.

    With another player in the game the other's move is not known: a move is drawn for it, the same for all the actions
    that are compared, among those with which it does not lose at once.
    """

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0, *, seed: int | None = None) -> None:
        super().__init__(state, timer, player)
        self._random = random.Random(seed)
        self._values: dict[Action, float] = {}

    def act(self, state: StateObservation, timer: Timer) -> Action:
        actions = list(state.actions_of(self.player))
        self._random.shuffle(actions)  # so that max, which keeps the first among equals, draws one of them
        other = self._others_move(state, timer) if state.n_players > 1 else None
        self._values = {
            action: state_value(self._next_state(state, action, other), self.player)
            for action, _ in zip(actions, iterations(timer, calls=1), strict=False)
        }
        return max(self._values, key=self._values.__getitem__, default=Action.NIL)

    def draw(self) -> dict[Action, float]:
        """What the last answer held the actions to be worth, for those who watch."""
        return self._values

    def _others_move(self, state: StateObservation, timer: Timer) -> Action:
        """A move of the other player, if possible one that does not lose against a move drawn for this one.

        Calls for this player's own actions are left.
        """
        other = 1 - self.player
        own = state.actions_of(self.player) or (Action.NIL,)
        offered = state.actions_of(other) or (Action.NIL,)
        moves = self._random.sample(offered, len(offered))
        for move, _ in zip(moves, iterations(timer, calls=1 + len(own)), strict=False):
            future = self._next_state(state, self._random.choice(own), move)
            if future.winners[other] != LOST:
                return move
        return moves[0]

    def _next_state(self, state: StateObservation, own: Action, others: Action | None) -> StateObservation:
        """The state after a tick; ``others`` is None in a game for one."""
        future = another_future(state, self._random)
        if others is None:
            future.advance(own)
        else:
            future.advance((own, others) if self.player == 0 else (others, own))
        return future
