"""Results of a search."""

from __future__ import annotations

from typing import NamedTuple


class Candidate(NamedTuple):
    """An action at the root of a search.

    >>> from vgdl import tabletop
    >>> from vgdl.controllers.tabletop import MCTS
    >>> state = tabletop.load("othello(size=4)").new_initial_state()
    >>> best = MCTS(simulations=50, rollouts=1, seed=1).search(state)[0]
    >>> best.action, best.visits
    (4, 18)
    """

    action: int
    visits: int  #: simulations that began with it; for alpha-beta, nodes
    value: float  #: mean return to the player to move; for alpha-beta, what it is worth
