"""Normal_MCTS: SampleMCTS with a third term in UCB1 (The 2014 GVGP Competition, section V)."""

from typing import Unpack

from typing_extensions import disjoint_base

from vgdl import StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import TreeController, TreeOptions
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.tree import ClosedLoopUCT

@disjoint_base
class RewardUCT(ClosedLoopUCT):
    """UCT that prefers nodes with a larger sum of rewards."""

    def __init__(
        self,
        player: int,
        generator: Generator,
        depth: int,
        exploration: float,
        weight: float,
    ) -> None: ...

class NormalMCTS(TreeController):
    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = ...,
        *,
        weight: float = ...,
        **options: Unpack[TreeOptions],
    ) -> None: ...
