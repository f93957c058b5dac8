"""A* over the forward model: the fewest ticks from a state to one that meets a goal.

Two states are the same place of the search if their keys are (``StateObservation.key``): tick and random generator do
not tell them apart. Every step draws a future of its own; where chance matters, a path is a sample of what may happen.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from vgdl import Action, StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.futures import another_future
from vgdl.controllers.pace import iterations
from vgdl.controllers.value import LOST

MOST_ACTIONS = 5
"""The most actions that an avatar offers, hence the most calls that one expansion makes."""

Estimate = Callable[[StateObservation], float]
"""Guess of the ticks from a state to the goal; paths are shortest if it never guesses too many."""

Goal = Callable[[StateObservation], bool]


@dataclass(slots=True, eq=False)
class Node:
    """A place of the search and the shortest way to it found so far."""

    parent: Node | None
    action: Action  #: that led here from the parent
    ticks: int  #: from the root
    remaining: float  #: what the estimate says
    state: StateObservation | None  #: dropped once its successors have been made

    def path(self) -> list[Action]:
        """Actions from the root to here."""
        actions = []
        node = self
        while node.parent is not None:
            actions.append(node.action)
            node = node.parent
        return actions[::-1]


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
        self.goal: Node | None = None  #: the first place found that meets the goal
        self._is_goal = is_goal
        self._estimate = estimate
        self._random = generator
        self._player = player
        self._max_nodes = max_nodes
        self._entries = 0
        start = Node(None, Action.NIL, 0, estimate(root), root)
        self.closest = start  #: the place with the lowest estimate, the nearest to the root among equals
        self._shortest = {root.key(): 0}
        self._open: list[tuple[float, int, Node]] = [(start.remaining, 0, start)]

    @property
    def is_finished(self) -> bool:
        """Whether continuing would change nothing."""
        return self.goal is not None or not self._open or len(self._shortest) >= self._max_nodes

    def run(self, timer: Timer) -> None:
        """Expand places until the search is finished or the budget is used up."""
        for _ in iterations(timer, calls=MOST_ACTIONS):
            if self.is_finished:
                break
            self._expand(heapq.heappop(self._open)[2])

    def _expand(self, node: Node) -> None:
        state = node.state
        assert state is not None  # only open places are expanded, and those have their states
        node.state = None
        for action in state.available_actions:
            future = another_future(state, self._random)
            future.advance(action)
            if future.winners[self._player] != LOST:
                self._visit(node, action, future)

    def _visit(self, parent: Node, action: Action, state: StateObservation) -> None:
        """Open a place, unless a way that is as short leads there already."""
        key = state.key()
        ticks = parent.ticks + 1
        if self._shortest.get(key, math.inf) <= ticks:
            return
        self._shortest[key] = ticks
        node = Node(parent, action, ticks, self._estimate(state), state)
        if self.goal is None and self._is_goal(state):
            self.goal = node
        if node.remaining < self.closest.remaining:
            self.closest = node
        self._entries += 1  # of two places that look alike the one found first is expanded first
        heapq.heappush(self._open, (ticks + node.remaining, self._entries, node))
