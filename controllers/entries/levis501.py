"""levis501: stochastic two-ply search (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

import random

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.budget import iterations
from vgdl.controllers.search.futures import another_future
from vgdl.controllers.search.value import LOST, state_value


class Ply:
    """A first action: what its second actions were worth, and whether it can lose at once."""

    def __init__(self) -> None:
        self.totals: dict[Action, float] = {}
        self.visits: dict[Action, int] = {}
        self.loses = False

    def add(self, reply: Action, value: float) -> None:
        """Credit a second action."""
        self.totals[reply] = self.totals.get(reply, 0.0) + value
        self.visits[reply] = self.visits.get(reply, 0) + 1

    @property
    def value(self) -> float:
        """Mean value of the best second action."""
        return max(self.totals[reply] / self.visits[reply] for reply in self.totals)


class Levis501(Controller):
    """Plays the best move of a two-ply search or, with a chance that grows every turn, a random one that does not lose.

    The paper leaves open how the search deals with chance and how fast the other chance grows. Here every simulation
    draws a first action, a future and a second action; a first action is worth the highest mean value among its second
    ones, and equals are drawn. It loses if it lost the game in any of its simulations by itself. The chance of a random
    move grows by ``growth`` every turn, so that it would be certain at the end of the longest game.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        growth: float = 1 / 2000,
        seed: int | None = None,
    ) -> None:
        """Set the search up.

        Args:
            state: the first state; not used.
            timer: the budget; not used.
            player: whose value is sought.
            growth: by how much the chance of a random move grows every turn, from 0 in the first.
            seed: of all random choices.
        """
        super().__init__(state, timer, player)
        self._growth = growth
        self._turn = 0
        self._random = random.Random(seed)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        actions = list(state.available_actions)
        if not actions:
            return Action.NIL
        self._random.shuffle(actions)  # so that max, which keeps the first among equals, draws one of them
        plies = {action: Ply() for action in actions}
        for number in iterations(timer, calls=2):
            action = actions[number % len(actions)]
            self._simulate(state, action, plies[action])
        wants_random = self._random.random() < self._growth * self._turn
        self._turn += 1
        safe = [action for action in actions if not plies[action].loses]
        if wants_random and safe:
            return self._random.choice(safe)
        searched = [action for action in actions if plies[action].totals]
        return max(searched, key=lambda action: plies[action].value, default=actions[0])

    def _simulate(self, state: StateObservation, action: Action, ply: Ply) -> None:
        future = another_future(state, self._random)
        future.advance(action)
        ply.loses = ply.loses or future.winners[self.player] == LOST
        reply = self._random.choice(future.available_actions or (Action.NIL,))
        future.advance(reply)
        ply.add(reply, state_value(future, self.player))
