"""MnMCTS: MCTS with discounted rewards and a linear model of the score (The 2014 GVGP Competition, section V)."""

from typing_extensions import disjoint_base

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
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

class MnMCTS(Controller):
    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = ...,
        *,
        depth: int = ...,
        exploration: float = ...,
        discount: float = ...,
        bias: float = ...,
        rate: float = ...,
        seed: int | None = ...,
    ) -> None: ...
    def act(self, state: StateObservation, timer: Timer) -> Action: ...
    def draw(self) -> dict[Action, float]: ...
