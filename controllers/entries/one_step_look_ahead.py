"""OneStepLookAhead: the action with the best next state (The 2014 GVGP Competition, section V)."""

from __future__ import annotations

import random

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.budget import iterations
from vgdl.controllers.search.futures import another_future
from vgdl.controllers.search.value import LOST, state_value


class OneStepLookAhead(Controller):
    """Advances one copy per available action and takes the action that leads to the state with the highest value.

    The value is that of SampleMCTS. The paper does not say how ties are broken: here, at random.

    With two players, the opponent's move is unknown: it is drawn from the moves with which the opponent does not lose
    immediately, and is the same for all compared actions.
    """

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0, *, seed: int | None = None) -> None:
        super().__init__(state, timer, player)
        self._random = random.Random(seed)
        self._values: dict[Action, float] = {}

    def act(self, state: StateObservation, timer: Timer) -> Action:
        actions = list(state.actions_of(self.player))
        self._random.shuffle(actions)  # max returns the first of equals, so ties are broken at random
        other = self._others_move(state, timer) if state.n_players > 1 else None
        self._values = {
            action: state_value(self._next_state(state, action, other), self.player)
            for action, _ in zip(actions, iterations(timer, calls=1), strict=False)
        }
        return max(self._values, key=self._values.__getitem__, default=Action.NIL)

    def draw(self) -> dict[Action, float]:
        """The value of each action in the last search, for display."""
        return self._values

    def _others_move(self, state: StateObservation, timer: Timer) -> Action:
        """A move of the opponent, if possible one that does not lose against a random move of this player.

        Leaves enough calls to simulate this player's own actions.
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
        """The state after a tick; ``others`` is None in a single-player game."""
        future = another_future(state, self._random)
        if others is None:
            future.advance(own)
        else:
            future.advance((own, others) if self.player == 0 else (others, own))
        return future
