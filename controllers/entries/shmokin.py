"""Shmokin: A* with SampleMCTS as fallback (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

import random
from itertools import chain

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.entries.astar import AStar
from vgdl.controllers.entries.sample_mcts import SampleMCTS
from vgdl.controllers.search.distances import avatar_position, nearest_distance
from vgdl.controllers.search.futures import SEED_BITS
from vgdl.controllers.search.value import WON


class Shmokin(Controller):
    """Searches for a goal with A* and walks there; after ``patience`` steps without finding one SampleMCTS takes over.

    Our choices where the paper says nothing: a goal is a won game or a higher score. The estimate is the Manhattan
    distance to the nearest portal, or else to the nearest resource, or else 0. While no goal is found, every tick
    starts a new search in the current state and takes the first step to the node with the lowest estimate, or a random
    step if the avatar is there already. A* is tried again as soon as the score changes.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        patience: int = 10,
        max_nodes: int = 10_000,
        seed: int | None = None,
    ) -> None:
        """Set the search up.

        Args:
            state: the first state.
            timer: the budget.
            player: the player who must not lose.
            patience: steps without finding a goal after which SampleMCTS takes over.
            max_nodes: maximum nodes of one search.
            seed: of all random choices.
        """
        super().__init__(state, timer, player)
        self._patience = patience
        self._max_nodes = max_nodes
        self._random = random.Random(seed)
        self._fallback = SampleMCTS(state, timer, player, seed=self._random.getrandbits(SEED_BITS))
        self._search: AStar | None = None
        self._failures = 0
        self._score = state.scores[player]

    def act(self, state: StateObservation, timer: Timer) -> Action:
        if not state.available_actions:
            return Action.NIL
        score = state.scores[self.player]
        if score != self._score:
            self._score = score
            self._failures = 0
        if self._failures >= self._patience:
            self._search = None
            return self._fallback.act(state, timer)
        return self._step_by_search(state, timer)

    def _step_by_search(self, state: StateObservation, timer: Timer) -> Action:
        """The first action towards a goal, or towards the node with the lowest estimate."""
        # Replacing the previous search frees it before this one reads the clock, so the cost is within the budget.
        self._search = search = AStar(
            state,
            is_goal=self._is_goal,
            estimate=estimate,
            generator=self._random,
            player=self.player,
            max_nodes=self._max_nodes,
        )
        search.run(timer)
        if search.goal is None:
            self._failures += 1
        else:
            self._failures = 0
        path = search.path()
        return path[0] if path else self._random.choice(state.available_actions)

    def _is_goal(self, state: StateObservation) -> bool:
        return state.winners[self.player] == WON or state.scores[self.player] > self._score


def estimate(state: StateObservation) -> float:
    """Cells to the nearest portal, or if there is none, to the nearest resource."""
    if state.is_over:
        return 0.0
    sprites = chain(*(state.portals or state.resources))
    return nearest_distance(sprites, avatar_position(state), state.block_size)
