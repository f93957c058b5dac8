"""MMbot: MCTS over macro-actions, with friends and foes (The 2014 GVGP Competition, section V)."""

from __future__ import annotations

from typing import Unpack

import cython
from cython.cimports.vgdl.controllers.search.generator import Generator
from cython.cimports.vgdl.controllers.search.sprite_distances import TypeValues
from cython.cimports.vgdl.controllers.search.tree import Node, OpenLoopUCT, untried
from cython.cimports.vgdl.controllers.search.value import state_value
from cython.cimports.vgdl.core.api import block_of, is_over, restart
from cython.cimports.vgdl.core.state import StateObservation

from vgdl import Action
from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import TreeController, TreeOptions


class MacroUCT(OpenLoopUCT):
    """Open-loop UCT over actions held for several ticks, after the rest of the current macro-action."""

    def __init__(
        self,
        player: int,
        generator: Generator,
        depth: int,
        exploration: float,
        proximity_weight: float,
        type_values: TypeValues,
    ) -> None:
        super().__init__(player, generator, depth, exploration)
        self.proximity_weight = proximity_weight
        self.type_values = type_values
        self.length = 1
        self.rest = 0
        self.under_way = 0
        self.goes_on = False

    def prepare(self, length: int, rest: int, under_way: int) -> None:
        """Configure the next search.

        Args:
            length: ticks of the macro-actions to search.
            rest: remaining ticks of the current macro-action, played first.
            under_way: its action.
        """
        self.goes_on = self.root != cython.NULL and length == self.length and rest == self.rest - 1
        self.length = length
        self.rest = rest
        self.under_way = under_way

    def clear(self) -> cython.int:
        """Start a new tree, unless the current one is for the same decision."""
        return 0 if self.goes_on else OpenLoopUCT.clear(self)

    def simulate(self) -> cython.int:
        node: cython.pointer(Node) = self.root
        child: cython.pointer(Node) = cython.NULL
        restart(self.scratch, block_of(self.start), self.generator.seed())
        self.type_values.begin(self.scratch, self.player)
        self.perform_for(self.under_way, self.rest)
        ticks: cython.int = 0
        while ticks < self.depth and child == cython.NULL and not is_over(self.scratch) and self.branch(node) > 0:
            child = untried(node)
            node = child if child != cython.NULL else self.select(node)
            self.perform(node)
            ticks += self.length
        self.credit(node, self.play_out(self.depth - ticks))
        return 0

    def perform(self, node: cython.pointer(Node)) -> cython.int:
        """Play the macro-action that leads to a node, and learn from it."""
        return self.perform_for(node.action, self.length)

    def perform_for(self, action: cython.int, ticks: cython.int) -> cython.int:
        """Play an action for several ticks, or until the end of the game, and learn from each tick."""
        for _ in range(ticks):
            if not self.step(action):
                break
            self.type_values.learn(self.scratch)
        return 0

    def worth(self) -> cython.double:
        """The state's value plus, unless the game is over, the weighted outlook."""
        value: cython.double = state_value(self.scratch, self.player)
        if is_over(self.scratch):
            return value
        self.type_values.begin(self.scratch, self.player)
        return value + self.proximity_weight * self.type_values.outlook()


class MMbot(TreeController):
    """MCTS over macro-actions, one action for 1 to 5 ticks, that distinguishes friends from foes.

    Our choices where the paper says nothing: the length cycles from one macro-action to the next and is the same within
    a tree. While a macro-action is being played, each simulation first plays the rest of it, then searches for the next
    one; so a macro-action is chosen in the tick before it starts. A simulation ends ``depth`` ticks after that, or
    when it leaves the tree, if that is later. Types are learned as friends or foes over the whole game, from simulated
    ticks in which the avatar touches them (see ``TypeValues``). At the end of a simulation, nearby friends raise its
    value and foes lower it, by at most ``proximity_weight`` points per type.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        longest: int = 5,
        proximity_weight: float = 0.5,
        rate: float = 0.1,
        **options: Unpack[TreeOptions],
    ) -> None:
        """Set the search up.

        Args:
            state: the first state; determines the types.
            timer: the budget; not used.
            player: whose value is sought.
            longest: ticks of the longest macro-action; lengths cycle from 1 to this.
            proximity_weight: score points for a friend or foe beside the avatar.
            rate: learning rate of the type values.
            **options: options of `TreeController`.
        """
        super().__init__(state, timer, player, **options)
        self._longest = longest
        self._tree = MacroUCT(*self._uct, proximity_weight, TypeValues(state, rate))
        self._under_way = Action.NIL
        self._rest = 0
        self._length = 1
        self._planned: Action | None = None

    def act(self, state: StateObservation, timer: Timer) -> Action:
        if self._rest == 0 and self._planned is None:
            self._begin(self._plan(state, timer))
        else:
            if self._rest == 0:
                self._begin(self._planned)
            self._planned = self._plan(state, timer)
        self._rest -= 1
        return self._under_way

    def _begin(self, action: Action) -> None:
        """Start a macro-action."""
        self._under_way, self._planned = action, None
        self._rest = self._length
        self._length = self._length % self._longest + 1

    def _plan(self, state: StateObservation, timer: Timer) -> Action:
        """Search for the macro-action that follows the current one."""
        self._tree.prepare(self._length, self._rest, self._under_way)
        return self._tree.search(state, timer, calls=self._rest + self._depth + self._longest)
