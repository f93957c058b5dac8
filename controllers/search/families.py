"""Two families of controllers with shared options: tree searches and genetic ones."""

from __future__ import annotations

import math
from typing import TypedDict

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.population import Population
from vgdl.controllers.search.tree import UCT


class TreeOptions(TypedDict, total=False):
    """Options of every tree search; documented in `TreeController`."""

    depth: int
    exploration: float
    seed: int | None


class TreeController(Controller):
    """A controller that searches with UCT. Subclasses build ``_tree`` from ``*self._uct`` and their own options."""

    _tree: UCT

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        depth: int = 10,
        exploration: float = math.sqrt(2),
        seed: int | None = None,
    ) -> None:
        """Set the options shared by all subclasses.

        Args:
            state: the first state.
            timer: the budget; not used.
            player: whose value is sought.
            depth: ticks of a rollout.
            exploration: the constant C of UCB1.
            seed: of the controller's random numbers; None for an unpredictable one.
        """
        super().__init__(state, timer, player)
        self._depth = depth
        self._uct = (player, Generator(seed), depth, exploration)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return self._tree.search(state, timer, calls=self._depth + 1)

    def draw(self) -> dict[Action, float]:
        """The value of each action in the last search."""
        return self._tree.values


class GeneticOptions(TypedDict, total=False):
    """Options of every genetic controller; documented in `GeneticController`."""

    depth: int
    individuals: int
    mutation: float
    recombination: float
    seed: int | None


class GeneticController(Controller):
    """A controller that evolves plans. Subclasses build ``_search`` from ``*self._breeding`` and their own options."""

    _search: Population

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        depth: int = 7,
        individuals: int = 5,
        mutation: float = 1.0 / 7.0,
        recombination: float = 0.1,
        seed: int | None = None,
    ) -> None:
        """Set the options shared by all subclasses.

        Args:
            state: the first state.
            timer: the budget; not used.
            player: whose value is sought.
            depth: actions of a plan after its first one.
            individuals: plans for each first action.
            mutation: probability that a gene of a loser is drawn anew.
            recombination: probability that a gene of a loser becomes the winner's.
            seed: of the controller's random numbers; None for an unpredictable one.
        """
        super().__init__(state, timer, player)
        self._breeding = (player, Generator(seed), depth, individuals, mutation, recombination)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        return self._search.search(state, timer)

    def draw(self) -> dict[Action, float]:
        """The value of each action in the last search."""
        return self._search.values
