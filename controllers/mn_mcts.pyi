"""MnMCTS: MCTS with discounted rewards and a linear model of the score (The 2014 GVGP Competition, section V)."""

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer

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
