"""SampleMCTS: UCT with states in the tree, and without (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

from typing import ClassVar, Unpack

from vgdl import StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import TreeController, TreeOptions
from vgdl.controllers.search.tree import UCT, ClosedLoopUCT, OpenLoopUCT


class SampleMCTS(TreeController):
    """Monte Carlo tree search with UCB1 in the tree and random play-outs from its leaves.

    As in 2014 the loop is closed: a node keeps the one state that was reached when it was made, whatever chance may do
    along the same actions later. Every simulation draws a future of its own. A play-out is ``depth`` ticks long, and
    its last state is worth ``state_value``. The answer is the most visited action of the root.

    The paper leaves open the following. Where the ticks of a play-out are counted from: here from the new node, so that
    what the tree has gained in depth is not lost. How values, which have no bounds, are brought to the scale of UCB1:
    here by the lowest and the highest value that the simulations of the same decision have seen so far. Which of two
    actions that were visited equally often is better: the one of the higher mean.

    With two players, the other one is taken to draw its actions.
    """

    tree: ClassVar[type[UCT]] = ClosedLoopUCT

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0, **options: Unpack[TreeOptions]) -> None:
        """Set the search up with the options of `TreeController`."""
        super().__init__(state, timer, player, **options)
        self._tree = self.tree(*self._uct)


class OpenLoopMCTS(SampleMCTS):
    """SampleMCTS without states in its tree: a node stands for a sequence of actions, which each simulation plays anew.

    What chance did once therefore decides nothing: a node's mean is over all the states that its actions lead to.
    """

    tree = OpenLoopUCT
