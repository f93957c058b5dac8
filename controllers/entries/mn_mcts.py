"""MnMCTS: MCTS with discounted rewards and a linear model of the score (The 2014 GVGP Competition, section V)."""
# ruff: noqa: F821 (structs and constants are declared in the .pxd; arrays are declared without a value)

from __future__ import annotations

from typing import Unpack

import cython
from cython.cimports.libc.stdint import int32_t
from cython.cimports.libc.stdlib import calloc, free
from cython.cimports.vgdl.controllers.search.generator import Generator
from cython.cimports.vgdl.controllers.search.sprite_distances import SpriteDistances
from cython.cimports.vgdl.controllers.search.tree import ClosedLoopUCT, Node, visit
from cython.cimports.vgdl.controllers.search.value import state_value
from cython.cimports.vgdl.core.api import MAX_ACTIONS, actions, restart
from cython.cimports.vgdl.core.state import StateObservation

from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import TreeController, TreeOptions


class ModelUCT(ClosedLoopUCT):
    """UCT over discounted score changes, biased by a linear model that learns from each new node.

    The model has one feature per sprite type: by how many cells the avatar approached the nearest one within a tick,
    measured to the positions before the tick, since a touched sprite may be gone after it. The model predicts the
    change of the score, -1 ... 1, where winning counts 1 and losing -1. A node stores the prediction as ``estimate``.
    """

    def __cinit__(self, state: StateObservation, *_: object) -> None:
        self.weights = cython.cast(
            cython.p_double, calloc(state.tables.rules.rules.n_types, cython.sizeof(cython.double))
        )
        if self.weights == cython.NULL:
            raise MemoryError

    def __init__(
        self,
        state: StateObservation,
        player: int,
        generator: Generator,
        depth: int,
        exploration: float,
        discount: float,
        bias: float,
        rate: float,
    ) -> None:
        super().__init__(player, generator, depth, exploration)
        self.discount = discount
        self.bias = bias
        self.rate = rate
        self.before = SpriteDistances(state)
        self.after = SpriteDistances(state)

    def __dealloc__(self) -> None:
        free(self.weights)

    @property
    def model(self) -> list[float]:
        """Weight by type: the predicted change of the score per cell that a sprite comes nearer."""
        return [self.weights[kind] for kind in range(self.before.n_types)]

    def bonus(self, node: cython.pointer(Node)) -> cython.double:
        """The weighted prediction of the model for the node's action."""
        return self.bias * node.estimate

    def expand(self, node: cython.pointer(Node)) -> cython.int:
        """Add the state and its immediate reward, and train the model."""
        restart(self.scratch, node.parent.state, self.generator.seed())
        value: cython.double = state_value(self.scratch, self.player)
        self.before.look(self.scratch, self.player)
        self.after.look(self.scratch, self.player)
        ClosedLoopUCT.expand(self, node)
        self.after.follow(self.scratch, self.player)
        change: cython.double = self.gain(value)
        node.reward = change
        node.estimate = self.predict()
        self.learn(max(-1.0, min(1.0, change)))
        return 0

    def predict(self) -> cython.double:
        """The predicted change of the score in the tick from ``before`` to ``after``."""
        total: cython.double = 0.0
        kind: cython.int
        for kind in range(self.before.n_types):
            total += self.weights[kind] * (self.before.distance(kind) - self.after.distance(kind))
        return max(-1.0, min(1.0, total))

    def learn(self, change: cython.double) -> cython.int:
        """Update the model by normalised least mean squares."""
        error: cython.double = change - self.predict()
        square: cython.double = 1.0
        nearer: cython.double
        kind: cython.int
        for kind in range(self.before.n_types):
            nearer = self.before.distance(kind) - self.after.distance(kind)
            square += nearer * nearer
        for kind in range(self.before.n_types):
            nearer = self.before.distance(kind) - self.after.distance(kind)
            self.weights[kind] += self.rate * error * nearer / square
        return 0

    def gain(self, before: cython.double) -> cython.double:
        """The change of the state's value since it was ``before``."""
        return state_value(self.scratch, self.player) - before

    def play_out(self, ticks: cython.int) -> cython.double:
        """The discounted value changes of a random rollout."""
        choices: int32_t[MAX_ACTIONS]
        total: cython.double = 0.0
        weight: cython.double = 1.0
        value: cython.double = state_value(self.scratch, self.player)
        for _ in range(ticks):
            n: cython.int = actions(self.scratch, self.player, choices)
            if not self.step(choices[self.generator.below(n)] if n > 0 else 0):
                break
            total += weight * self.gain(value)
            value = state_value(self.scratch, self.player)
            weight *= self.discount
        return total

    def credit(self, node: cython.pointer(Node), value: cython.double) -> cython.int:
        """Back up the rewards from each node's own tick on, discounted."""
        while node != cython.NULL:
            value = node.reward + self.discount * value
            self.low = min(self.low, value)
            self.high = max(self.high, value)
            share: cython.double = visit(node)
            node.total += value
            node.mean = node.total * share
            node = node.parent
        return 0


class MnMCTS(TreeController):
    """SampleMCTS with discounted rewards and a tree policy biased by a linear model, learned online.

    The model predicts how distances to the sprites of each type change the score. Our choices where the paper says
    nothing: the features are, per type, the cells by which the avatar approached the nearest sprite in a tick. Every
    new node trains the model by normalised least mean squares, over the whole game. Its prediction for a node's own
    tick, within -1 ... 1 score points, is added to UCB1 with the weight ``bias``. Rewards are changes of
    ``state_value`` per tick, including the rollout, each discounted to the node that receives it.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        discount: float = 0.9,
        bias: float = 0.5,
        rate: float = 0.05,
        **options: Unpack[TreeOptions],
    ) -> None:
        """Set the search up.

        Args:
            state: the first state; the model is prepared for its types.
            timer: the budget; not used.
            player: whose value is sought.
            discount: discount of rewards, per tick.
            bias: weight of the model's prediction in the tree policy.
            rate: learning rate of the model.
            **options: options of `TreeController`.
        """
        super().__init__(state, timer, player, **options)
        self._tree = ModelUCT(state, *self._uct, discount, bias, rate)
