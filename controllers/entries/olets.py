"""adrienctx: Open Loop Expectimax Tree Search (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

from collections import deque

import cython
from cython.cimports.libc.math import INFINITY
from cython.cimports.vgdl.controllers.search.generator import Generator
from cython.cimports.vgdl.controllers.search.tree import Node, Tree, untried, visit
from cython.cimports.vgdl.controllers.search.value import state_value
from cython.cimports.vgdl.core.api import block_of, cell, is_over, restart
from cython.cimports.vgdl.core.state import StateObservation

from vgdl import Action
from vgdl.controllers.base import Controller, Timer


class ExpectimaxTree(Tree):
    """The tree of OLETS: of a node, ``visits`` is n_s, ``exits`` n_e, ``total`` R_e and ``estimate`` r_M."""

    def __init__(self, player: int, generator: Generator, epsilon: float, taboo_penalty: float) -> None:
        super().__init__(player, generator)
        self.epsilon = epsilon
        self.taboo_penalty = taboo_penalty
        self.taboo = frozenset()

    def forbid(self, cells: frozenset[int]) -> None:
        """Set the taboo cells, in which new nodes are penalised."""
        self.taboo = cells

    def simulate(self) -> cython.int:
        """Descend the tree to a new node or the end of the game, and exit there."""
        node: cython.pointer(Node) = self.root
        new: cython.pointer(Node) = cython.NULL
        depth: cython.int = 0
        restart(self.scratch, block_of(self.start), self.generator.seed())
        while new == cython.NULL and not is_over(self.scratch) and self.branch(node) > 0:
            new = untried(node)
            node = new if new != cython.NULL else self.select(node)
            self.step(node.action)
            depth += 1
        reward: cython.double = state_value(self.scratch, self.player)
        if new != cython.NULL and cell(self.scratch, self.player) in self.taboo:
            reward -= self.taboo_penalty
        self.leave(node, reward)
        if self.reached(depth):
            self.budget.need(depth + 1)
        return 0

    def select(self, node: cython.pointer(Node)) -> cython.pointer(Node):
        """The child with the highest OLE = r_M(a) + sqrt(ln n_s(n) / n_s(a)); with probability epsilon, any child."""
        best: cython.pointer(Node) = node.first
        highest: cython.double = -INFINITY
        exploration: cython.double = self.root_of_logarithm(node.visits)
        child: cython.pointer(Node)
        k: cython.int
        if self.generator.uniform() < self.epsilon:
            return node.first + self.generator.below(node.n_children)
        for k in range(node.n_children):
            child = node.first + k
            ole: cython.double = child.estimate + exploration * child.spread
            if ole > highest:  # ties go to the first: children are in random order
                highest = ole
                best = child
        return best

    def leave(self, node: cython.pointer(Node), reward: cython.double) -> cython.int:
        """Count an exit at a node and a visit at each node up to the root, and update their estimates."""
        before: cython.double
        node.exits += 1
        node.total += reward
        while node != cython.NULL:
            before = node.estimate
            share: cython.double = visit(node)
            node.estimate = node.total * share
            if node.exits < node.visits:
                node.estimate += (1.0 - node.exits * share) * node.mean
            if node.parent != cython.NULL:
                self.renew_best(node, before)
            node = node.parent
        return 0

    def renew_best(self, node: cython.pointer(Node), before: cython.double) -> cython.int:
        """Update the parent's ``mean``, the highest estimate of its visited children; ``before`` is the old one."""
        parent: cython.pointer(Node) = node.parent
        k: cython.int
        if node.estimate >= parent.mean or parent.n_tried == 1:
            parent.mean = node.estimate
        elif before == parent.mean:
            parent.mean = node.estimate
            for k in range(parent.n_tried):
                parent.mean = max(parent.mean, parent.first[k].estimate)
        return 0

    def merit(self, node: cython.pointer(Node)) -> cython.double:
        return node.estimate


class OLETS(Controller):
    """The winner of 2014: an open-loop tree over actions, without rollouts from its leaves.

    A simulation plays actions from the root until it creates a new node or the game ends, and exits there with the
    value of the state reached. A node stores n_s, its visits; n_e, the simulations that exited there; R_e, the
    sum of their rewards; and the estimate r_M = R_e / n_s + (1 - n_e / n_s) · max over its children of r_M. Children
    are chosen by OLE = r_M(a) + sqrt(ln n_s(n) / n_s(a)), with probability ``epsilon`` at random. The answer is
    the most visited action.

    Our choices where the paper says nothing:

    - Its listing never counts visits to the root, which OLE needs: here they are counted as at any node.
    - The reward is ``state_value``, not normalised. Only differences matter, since r_M is a weighted mean.
    - The penalty is only said to be of an order below 1: here 0.1. It is subtracted once, from the reward of the
      simulation that created the node. The last ``taboo_ticks`` ticks include the current one.
    - Ties between equally visited actions go to the best estimate.

    With two players, the opponent is modelled as drawing its actions at random.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        epsilon: float = 0.05,
        taboo_ticks: int = 20,
        taboo_penalty: float = 0.1,
        seed: int | None = None,
    ) -> None:
        """Set the search up.

        Args:
            state: the first state; not used.
            timer: the budget; not used.
            player: whose value is sought.
            epsilon: probability of a random child instead of the one with the highest OLE.
            taboo_ticks: T, the ticks for which a visited cell is taboo; the paper says between 10 and 30.
            taboo_penalty: score points subtracted for a new node in a taboo cell.
            seed: of the controller's random numbers.
        """
        super().__init__(state, timer, player)
        self._tree = ExpectimaxTree(player, Generator(seed), epsilon, taboo_penalty)
        self._visited: deque[int] = deque(maxlen=taboo_ticks)

    def act(self, state: StateObservation, timer: Timer) -> Action:
        self._visited.append(cell(state, self.player))
        self._tree.forbid(frozenset(self._visited))
        return self._tree.search(state, timer, calls=1)

    def draw(self) -> dict[Action, float]:
        """The value of each action in the last search, for display."""
        return self._tree.values
