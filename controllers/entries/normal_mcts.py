"""Normal_MCTS: SampleMCTS with a third term in UCB1 (The 2014 GVGP Competition, section V)."""

from __future__ import annotations

from typing import Unpack

import cython
from cython.cimports.libc.math import INFINITY
from cython.cimports.vgdl.controllers.search.generator import Generator
from cython.cimports.vgdl.controllers.search.tree import ClosedLoopUCT, Node

from vgdl import StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import TreeController, TreeOptions


class RewardUCT(ClosedLoopUCT):
    """UCT that prefers nodes with a larger sum of rewards."""

    def __init__(self, player: int, generator: Generator, depth: int, exploration: float, weight: float) -> None:
        super().__init__(player, generator, depth, exploration)
        self.weight = weight

    def select(self, node: cython.pointer(Node)) -> cython.pointer(Node):
        most: cython.double = -INFINITY
        self.least = INFINITY
        k: cython.int
        for k in range(node.n_children):
            self.least = min(self.least, node.first[k].total)
            most = max(most, node.first[k].total)
        self.span = most - self.least
        return ClosedLoopUCT.select(self, node)

    def bonus(self, node: cython.pointer(Node)) -> cython.double:
        """The sum of the node's rewards, normalised to 0 ... 1 among its siblings, times the weight."""
        return self.weight * (node.total - self.least) / self.span if self.span > 0.0 else 0.0

    def merit(self, node: cython.pointer(Node)) -> cython.double:
        return node.total


class NormalMCTS(TreeController):
    """SampleMCTS with a third term in UCB1: the sum of the rewards of a state.

    The sum also breaks ties between equally visited actions of the root. It grows with the visits, and the paper does
    not say how it is scaled: here the lowest sum among siblings counts 0 and the highest ``weight``.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        weight: float = 1.0,
        **options: Unpack[TreeOptions],
    ) -> None:
        """Set the search up.

        Args:
            state: the first state; not used.
            timer: the budget; not used.
            player: whose value is sought.
            weight: size of the third term.
            **options: options of `TreeController`.
        """
        super().__init__(state, timer, player, **options)
        self._tree = RewardUCT(*self._uct, weight)
