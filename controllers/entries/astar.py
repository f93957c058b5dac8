"""A* over the forward model: the fewest ticks from a state to one that meets a goal.

Two states are the same node if their keys are equal (``StateObservation.key``); keys ignore the tick and the random
generator. Every step has random numbers of its own; in games with chance, a path is one sample of what may happen.

Nodes are rows of a few lists, and their states are bytes: with tens of thousands of objects, the garbage collector
would pause for longer than the margin of the search.
"""

from __future__ import annotations

import heapq
import math
import random
from array import array
from collections.abc import Callable

from vgdl import Action, StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.search.budget import iterations
from vgdl.controllers.search.futures import another_future
from vgdl.controllers.search.value import LOST

MOST_ACTIONS = 5
"""Maximum actions of an avatar, and so the maximum calls of one expansion."""

Estimate = Callable[[StateObservation], float]
"""Estimated ticks from a state to the goal; paths are shortest if it is admissible."""

Goal = Callable[[StateObservation], bool]


Place = int
"""Number of a node, in the order of discovery; 0 is the root."""


class AStar:
    """A search that can be resumed while there is budget.

    Lost states are pruned. Once ``goal`` is set, or nothing is left to expand, resuming has no effect.
    """

    def __init__(
        self,
        root: StateObservation,
        *,
        is_goal: Goal,
        estimate: Estimate,
        generator: random.Random,
        player: int = 0,
        max_nodes: float = math.inf,
    ) -> None:
        """Start a search.

        Args:
            root: where paths start; not modified.
            is_goal: whether a state meets the goal; called for every state but the root.
            estimate: estimated ticks to the goal, not negative.
            generator: source of the seeds of futures.
            player: the player who must not lose.
            max_nodes: nodes after which the search stops; bounds its memory.
        """
        self.goal: Place | None = None  #: the first node found that meets the goal
        self.closest: Place = 0  #: the node with the lowest estimate; ties go to the first found
        self._is_goal = is_goal
        self._estimate = estimate
        self._random = generator
        self._player = player
        self._max_nodes = max_nodes
        self._tables = root.tables
        self._meter = root.meter
        self._parents = array("q", [0])
        self._actions = bytearray([Action.NIL])  # that led to each node from its parent
        self._ticks = array("q", [0])  # from the root
        self._states: list[bytes] = [root.to_bytes()]  # empty once expanded
        self._shortest = {root.key(): 0}
        self._lowest = estimate(root)
        self._open: list[tuple[float, Place]] = [(self._lowest, 0)]

    @property
    def is_finished(self) -> bool:
        """Whether resuming has no effect."""
        return self.goal is not None or not self._open or len(self._shortest) >= self._max_nodes

    def path(self) -> list[Action]:
        """Actions from the root to the goal, or to the closest node if no goal was found."""
        actions = []
        place = self.closest if self.goal is None else self.goal
        while place:
            actions.append(Action(self._actions[place]))
            place = self._parents[place]
        return actions[::-1]

    def run(self, timer: Timer) -> None:
        """Expand nodes until the search is finished or the budget is used."""
        for _ in iterations(timer, calls=MOST_ACTIONS):
            if self.is_finished:
                break
            self._expand(heapq.heappop(self._open)[1])

    def _expand(self, place: Place) -> None:
        state = StateObservation.from_bytes(self._tables, self._states[place])
        state.meter = self._meter
        self._states[place] = b""
        for action in state.available_actions:
            future = another_future(state, self._random)
            future.advance(action)
            if future.winners[self._player] != LOST:
                self._visit(place, action, future)

    def _visit(self, parent: Place, action: Action, state: StateObservation) -> None:
        """Open a node, unless a path at least as short leads there already."""
        key = state.key()
        ticks = self._ticks[parent] + 1
        if self._shortest.get(key, math.inf) <= ticks:
            return
        self._shortest[key] = ticks
        place = len(self._parents)
        self._parents.append(parent)
        self._actions.append(action)
        self._ticks.append(ticks)
        self._states.append(state.to_bytes())
        remaining = self._estimate(state)
        if self.goal is None and self._is_goal(state):
            self.goal = place
        if remaining < self._lowest:
            self.closest, self._lowest = place, remaining
        heapq.heappush(self._open, (ticks + remaining, place))  # ties: the older node is expanded first
