"""JinJerry: a tree of one level and a rich state value (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

import random
from collections import Counter
from itertools import chain

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.budget import iterations
from vgdl.controllers.search.distances import (
    Cell,
    ObservationLists,
    Position,
    avatar_position,
    cell_of,
    grid_size,
    nearest_distance,
)
from vgdl.controllers.search.experience import Experience
from vgdl.controllers.search.futures import SEED_BITS, witnessed_future
from vgdl.controllers.search.value import LOST, WIN_VALUE, WON


class JinJerry(Controller):
    """Takes the action with the highest mean value of its simulations.

    A simulation plays an action for one tick and evaluates the state. A random rollout follows, and the value of its
    final state replaces the first one if it is higher and the game is not lost. The value is

        win + score + resources held + 5 Explore + 2 Resource + Portal + NPC + Movable

    with distances relative to the size of the grid (X·Y cells): Explore = 1 - visits/(X·Y), counting visits to the
    avatar's cell during the play; Resource = 1 - collectDist/(X·Y); Portal = 1 - portalDist/(X·Y);
    Movable = movableDist/(X·Y); NPC = (3 awayDist - chaseDist)/(X·Y).

    Our choices where the paper says nothing: a rollout has ``depth`` ticks. Simulations repeat within the budget, each
    action in turn. Distances are Manhattan distances in cells to the nearest sprite; a category without sprites counts
    as reached, so that collecting the last one does not lower the value. Dangerous NPCs are those whose type is fatal
    in simulations (see ``Experience``); all others are chased.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        depth: int = 10,
        explore: float = 5.0,
        resource: float = 2.0,
        away: float = 3.0,
        seed: int | None = None,
    ) -> None:
        """Set the search up.

        Args:
            state: the first state; not used.
            timer: the budget; not used.
            player: whose value is sought.
            depth: ticks of a rollout.
            explore: weight of the Explore term.
            resource: weight of the Resource term.
            away: weight of the distance to dangerous NPCs, relative to that of the distance to others.
            seed: of all random choices.
        """
        super().__init__(state, timer, player)
        self._depth = depth
        self._explore = explore
        self._resource = resource
        self._away = away
        self._random = random.Random(seed)
        self._visits: Counter[Cell] = Counter()
        self._experience = Experience()

    def act(self, state: StateObservation, timer: Timer) -> Action:
        self._visits[cell_of(avatar_position(state), state.block_size)] += 1
        actions = list(state.available_actions)
        if not actions:
            return Action.NIL
        self._random.shuffle(actions)
        totals = dict.fromkeys(actions, 0.0)
        simulations = dict.fromkeys(actions, 0)
        for number in iterations(timer, calls=1 + self._depth):
            action = actions[number % len(actions)]
            totals[action] += self._simulate(state, action)
            simulations[action] += 1
        tried = [action for action in actions if simulations[action]]
        return max(tried, key=lambda action: totals[action] / simulations[action], default=actions[0])

    def _simulate(self, state: StateObservation, action: Action) -> float:
        future = witnessed_future(state, self._random)
        future.advance(action)
        self._experience.learn(state.scores[self.player], future, self.player)
        position = avatar_position(state)
        immediate = self.value(future, position)
        if future.is_over:
            return immediate
        final = future.copy(history=False)
        final.random_rollout(self._depth, seed=self._random.getrandbits(SEED_BITS))
        if final.winners[self.player] == LOST:
            return immediate
        return max(immediate, self.value(final, position))

    def value(self, state: StateObservation, position: Position) -> float:
        """The value of a state.

        Args:
            state: the state to evaluate.
            position: the avatar's assumed position if the game is over, since such states do not show it.
        """
        if not state.is_over:
            position = avatar_position(state)
        block = state.block_size
        columns, rows = grid_size(state)
        cells = columns * rows

        def reach(lists: ObservationLists) -> float:
            return nearest_distance(chain(*lists), position, block) / cells

        npcs = state.npcs
        dangerous = tuple(sprites for sprites in npcs if self._experience.is_fatal(sprites[0].type))
        others = tuple(sprites for sprites in npcs if not self._experience.is_fatal(sprites[0].type))
        return (
            self._outcome(state)
            + state.scores[self.player]
            + self._held(state)
            + self._explore * (1 - self._visits[cell_of(position, block)] / cells)
            + self._resource * (1 - reach(state.resources))
            + (1 - reach(state.portals))
            + (self._away * reach(dangerous) - reach(others))
            + reach(state.movables)
        )

    def _outcome(self, state: StateObservation) -> float:
        winner = state.winners[self.player]
        return WIN_VALUE if winner == WON else -WIN_VALUE if winner == LOST else 0.0

    def _held(self, state: StateObservation) -> int:
        """Number of resources that the avatar carries, over all types."""
        avatar = state.avatars[self.player]
        return 0 if avatar is None else sum(avatar.resources.values())
