"""Normal_MCTS: SampleMCTS with a third term in UCB1 (The 2014 GVGP Competition, section V)."""

from typing_extensions import disjoint_base

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.tree import ClosedLoopUCT

@disjoint_base
class RewardUCT(ClosedLoopUCT):
    """UCT that prefers states whose simulations have earned more in sum."""

    def __init__(
        self,
        player: int,
        generator: Generator,
        depth: int,
        exploration: float,
        weight: float,
    ) -> None: ...

class NormalMCTS(Controller):
    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = ...,
        *,
        depth: int = ...,
        exploration: float = ...,
        weight: float = ...,
        seed: int | None = ...,
    ) -> None: ...
    def act(self, state: StateObservation, timer: Timer) -> Action: ...
    def draw(self) -> dict[Action, float]: ...
