"""SampleMCTS: closed-loop and open-loop UCT (The 2014 General Video Game Playing Competition, section V)."""

from __future__ import annotations

from typing import ClassVar, Unpack

from vgdl import StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import TreeController, TreeOptions
from vgdl.controllers.search.tree import UCT, ClosedLoopUCT, OpenLoopUCT


class SampleMCTS(TreeController):
    """Monte Carlo tree search with UCB1 in the tree and random rollouts from its leaves.

    As in 2014, the tree is closed-loop: a node stores the state reached when it was created, even if chance would lead
    elsewhere later. Every simulation has a future of its own. A rollout is ``depth`` ticks long, and ``state_value``
    evaluates its last state. The answer is the most visited action of the root.

    Our choices where the paper says nothing: the ticks of a rollout count from the new node, so that a deeper tree
    looks further ahead. Unbounded values are normalised for UCB1 by the lowest and the highest value seen so far in the
    simulations of the same decision. Ties between equally visited actions go to the higher mean.

    With two players, the opponent is modelled as drawing its actions at random.
    """

    tree: ClassVar[type[UCT]] = ClosedLoopUCT

    def __init__(self, state: StateObservation, timer: Timer, player: int = 0, **options: Unpack[TreeOptions]) -> None:
        """Set the search up with the options of `TreeController`."""
        super().__init__(state, timer, player, **options)
        self._tree = self.tree(*self._uct)


class OpenLoopMCTS(SampleMCTS):
    """SampleMCTS without states in its tree: a node represents an action sequence, which each simulation replays.

    A single random outcome therefore decides nothing: a node's mean is over all states that its actions lead to.
    """

    tree = OpenLoopUCT
