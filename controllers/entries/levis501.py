"""levis501: stochastic two-ply search (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

import random

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.budget import iterations
from vgdl.controllers.search.futures import another_future
from vgdl.controllers.search.value import LOST, state_value


class Ply:
    """A first action: the values of its second actions, and whether it can lose immediately."""

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
    """Plays the best move of a two-ply search or, with a probability that grows every turn, a random safe one.

    The paper does not say how the search handles chance or how fast the probability grows. Here every simulation takes
    a first action in turn, a future and a random second action. The value of a first action is the highest mean value
    among its second actions; ties are broken at random. A first action is safe unless it alone lost the game in a
    simulation. The probability of a random move grows by ``growth`` every turn, reaching 1 in the longest game.
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
            growth: increase of the probability of a random move per turn, from 0 in the first.
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
        self._random.shuffle(actions)  # max returns the first of equals, so ties are broken at random
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
