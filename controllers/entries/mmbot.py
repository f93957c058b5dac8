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
    """Open-loop UCT in which each action is played several ticks long, after the rest of the one that is under way."""

    def __init__(
        self,
        player: int,
        generator: Generator,
        depth: int,
        exploration: float,
        company: float,
        type_values: TypeValues,
    ) -> None:
        super().__init__(player, generator, depth, exploration)
        self.company = company
        self.type_values = type_values
        self.length = 1
        self.rest = 0
        self.under_way = 0
        self.goes_on = False

    def prepare(self, length: int, rest: int, under_way: int) -> None:
        """Set what the next search is about.

        Args:
            length: ticks of the macro-actions to be found.
            rest: ticks of the macro-action under way that come before them.
            under_way: its action.
        """
        self.goes_on = self.root != cython.NULL and length == self.length and rest == self.rest - 1
        self.length = length
        self.rest = rest
        self.under_way = under_way

    def clear(self) -> cython.int:
        """Begin a new tree, unless the same decision is merely a tick nearer."""
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
        """Play an action several ticks long, or until the end of the game, and learn from each."""
        for _ in range(ticks):
            if not self.step(action):
                break
            self.type_values.learn(self.scratch)
        return 0

    def worth(self) -> cython.double:
        """The state's value and, unless the game is decided, the company that the avatar is in."""
        value: cython.double = state_value(self.scratch, self.player)
        if is_over(self.scratch):
            return value
        self.type_values.begin(self.scratch, self.player)
        return value + self.company * self.type_values.outlook()


class MMbot(TreeController):
    """MCTS whose actions are macro-actions, one action for 1 to 5 ticks, and which tells friends from foes.

    What the paper leaves open, and what was chosen: the length cycles from one macro-action to the next, and all of a
    tree's are equally long. While a macro-action is being played, each simulation plays the rest of it first and
    searches for the one to follow; so a macro-action is decided upon in the tick before it begins. Play-outs end
    ``depth`` ticks after that, in the tree at the earliest. Whether a type is friend or foe is learnt over the whole
    game from the simulated ticks in which the avatar meets it (see ``TypeValues``). Where a simulation ends, friends
    nearby raise its value and foes lower it, by at most ``company`` points for each type.
    """

    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = 0,
        *,
        longest: int = 5,
        company: float = 0.5,
        rate: float = 0.1,
        **options: Unpack[TreeOptions],
    ) -> None:
        """Set the search up.

        Args:
            state: the first state; what is learnt is by its types.
            timer: the budget; not used.
            player: whose value is sought.
            longest: ticks of the longest macro-action; lengths cycle from 1 to this.
            company: score points that a friend or foe beside the avatar counts.
            rate: how much a meeting changes the estimated value of a type.
            **options: those of `TreeController`.
        """
        super().__init__(state, timer, player, **options)
        self._longest = longest
        self._tree = MacroUCT(*self._uct, company, TypeValues(state, rate))
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
        """Begin a macro-action."""
        self._under_way, self._planned = action, None
        self._rest = self._length
        self._length = self._length % self._longest + 1

    def _plan(self, state: StateObservation, timer: Timer) -> Action:
        """Find the macro-action that follows the one under way."""
        self._tree.prepare(self._length, self._rest, self._under_way)
        return self._tree.search(state, timer, calls=self._rest + self._depth + self._longest)
