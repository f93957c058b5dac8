"""SampleMCTS: closed-loop UCT (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

import math
import random

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.pace import iterations
from vgdl.controllers.value import state_value

SEED_BITS = 48
TIE_BREAK = 1e-6
"""Size of the random number that decides among children of equal worth."""


class Node:
    """A state of the tree, reached once and kept, with what the simulations through it have earned."""

    __slots__ = ("children", "state", "total", "untried", "visits")

    def __init__(self, state: StateObservation, generator: random.Random) -> None:
        self.state = state
        self.visits = 0
        self.total = 0.0
        self.children: dict[Action, Node] = {}
        self.untried = list(state.available_actions)  # an ended state has none
        generator.shuffle(self.untried)


class SampleMCTS(Controller):
    """Monte Carlo tree search with UCB1 in the tree and random play-outs from its leaves.

    As in 2014 the loop is closed: a node keeps the one state that was reached when it was made, whatever chance may do
    along the same actions later. Every simulation draws a future of its own. A play-out ends ``depth`` ticks from the
    root. The answer is the most visited action of the root.

    The paper leaves open how values, which have no bounds, are brought to the scale of UCB1: here by the lowest and the
    highest value that the simulations of the same decision have seen so far. Equally visited actions go by their mean.
    """

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
        """Set the search up.

        Args:
            state: the first state; not used.
            timer: the budget; not used.
            player: whose value is sought.
            depth: ticks from the root to the end of a play-out.
            exploration: the constant C of UCB1.
            seed: of all random choices.
        """
        super().__init__(state, timer, player)
        self._depth = depth
        self._exploration = exploration
        self._random = random.Random(seed)
        self._low = math.inf
        self._high = -math.inf
        self._root: Node | None = None

    def act(self, state: StateObservation, timer: Timer) -> Action:
        # Replacing the root here frees the last tree at the start of the measured time, where the search can see it,
        # and not when this method returns.
        self._root = root = Node(state, self._random)
        self._low, self._high = math.inf, -math.inf
        for _ in iterations(timer, calls=self._depth):
            self._simulate(root)
        if root.children:
            return max(root.children, key=lambda action: self._merit(root.children[action]))
        return self._random.choice(state.available_actions or (Action.NIL,))

    def _simulate(self, root: Node) -> None:
        """Walk down the tree, add a node, play it out, and credit all nodes on the way."""
        path = self._descend(root)
        value = self._play_out(path[-1].state, ticks=self._depth - (len(path) - 1))
        self._low = min(self._low, value)
        self._high = max(self._high, value)
        for node in path:
            node.visits += 1
            node.total += value

    def _descend(self, node: Node) -> list[Node]:
        """Nodes from the root to a new child, or to a node that ends the game or lies as deep as play-outs go."""
        path = [node]
        while len(path) <= self._depth:
            if node.untried:
                path.append(self._expand(node, node.untried.pop()))
                break
            if not node.children:
                break
            node = self._select(node)
            path.append(node)
        return path

    def _expand(self, node: Node, action: Action) -> Node:
        state = node.state.copy(seed=self._random.getrandbits(SEED_BITS), history=False)
        state.advance(action)
        child = node.children[action] = Node(state, self._random)
        return child

    def _select(self, node: Node) -> Node:
        """The child with the highest UCB1, its mean brought to 0 ... 1."""
        low, scale = self._low, 1.0 / ((self._high - self._low) or 1.0)
        log_visits = math.log(node.visits)
        exploration, draw = self._exploration, self._random.random

        def ucb(child: Node) -> float:
            mean = (child.total / child.visits - low) * scale
            return mean + exploration * math.sqrt(log_visits / child.visits) + TIE_BREAK * draw()

        return max(node.children.values(), key=ucb)

    def _play_out(self, state: StateObservation, ticks: int) -> float:
        """Value of the state that random play reaches after so many ticks, or at the end of the game."""
        if ticks == 0 or state.is_over:
            return state_value(state, self.player)
        future = state.copy(seed=self._random.getrandbits(SEED_BITS), history=False)
        future.random_rollout(ticks, seed=self._random.getrandbits(SEED_BITS))
        return state_value(future, self.player)

    def _merit(self, child: Node) -> tuple[int, float, float]:
        return child.visits, child.total / child.visits, self._random.random()
