"""MnMCTS: MCTS with discounted rewards and a linear model of the score (The 2014 GVGP Competition, section V)."""

from typing import Unpack

from typing_extensions import disjoint_base

from vgdl import StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import TreeController, TreeOptions
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.tree import ClosedLoopUCT

@disjoint_base
class ModelUCT(ClosedLoopUCT):
    """UCT over discounted score changes, biased by a linear model."""

    def __init__(
        self,
        state: StateObservation,
        player: int,
        generator: Generator,
        depth: int,
        exploration: float,
        discount: float,
    ) -> None: ...
    @property
    def model(self) -> list[float]:
        """Weight by type."""

class MnMCTS(TreeController):
    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = ...,
        *,
        discount: float = ...,
        bias: float = ...,
        rate: float = ...,
        **options: Unpack[TreeOptions],
    ) -> None: ...
