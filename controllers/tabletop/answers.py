"""Results of a search."""

from __future__ import annotations

from typing import NamedTuple


class Candidate(NamedTuple):
    """An action at the root of a search."""

    action: int
    visits: int  #: simulations that began with it; for alpha-beta, nodes
    value: float  #: mean return to the player to move; for alpha-beta, what it is worth
