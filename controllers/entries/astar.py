"""A* over the forward model: the fewest ticks from a state to one that meets a goal.

Two states are the same place of the search if their keys are (``StateObservation.key``): tick and random generator do
not tell them apart. Every step draws a future of its own; where chance matters, a path is a sample of what may happen.

Places are rows of a few lists, and their states bytes: tens of thousands of objects would make the garbage collector
pause for longer than a search has left when it stops.
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
"""The most actions that an avatar offers, hence the most calls that one expansion makes."""

Estimate = Callable[[StateObservation], float]
"""Guess of the ticks from a state to the goal; paths are shortest if it never guesses too many."""

Goal = Callable[[StateObservation], bool]


Place = int
"""Number of a place of the search, counted in the order in which they were found; 0 is the root."""


class AStar:
    """A search that can be continued for as long as there is budget.

    Lost states are left out. Once ``goal`` is set, or nothing is left to expand, continuing changes nothing.
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
        """Begin a search.

        Args:
            root: where paths begin; left as it is.
            is_goal: whether a state is what is looked for; asked of every state but the root.
            estimate: ticks to go, not negative.
            generator: of the seeds of futures.
            player: who must not lose.
            max_nodes: places after which the search stops, which bounds its memory.
        """
        self.goal: Place | None = None  #: the first place found that meets the goal
        self.closest: Place = 0  #: the place with the lowest estimate, the nearest to the root among equals
        self._is_goal = is_goal
        self._estimate = estimate
        self._random = generator
        self._player = player
        self._max_nodes = max_nodes
        self._tables = root.tables
        self._meter = root.meter
        self._parents = array("q", [0])
        self._actions = bytearray([Action.NIL])  # that led to each place from its parent
        self._ticks = array("q", [0])  # from the root
        self._states: list[bytes] = [root.to_bytes()]  # empty once its successors have been made
        self._shortest = {root.key(): 0}
        self._lowest = estimate(root)
        self._open: list[tuple[float, Place]] = [(self._lowest, 0)]

    @property
    def is_finished(self) -> bool:
        """Whether continuing would change nothing."""
        return self.goal is not None or not self._open or len(self._shortest) >= self._max_nodes

    def path(self) -> list[Action]:
        """Actions from the root to the goal, or if none was found to the closest place."""
        actions = []
        place = self.closest if self.goal is None else self.goal
        while place:
            actions.append(Action(self._actions[place]))
            place = self._parents[place]
        return actions[::-1]

    def run(self, timer: Timer) -> None:
        """Expand places until the search is finished or the budget is used up."""
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
        """Open a place, unless a way that is as short leads there already."""
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
        heapq.heappush(self._open, (ticks + remaining, place))  # of two that look alike the older is expanded first
