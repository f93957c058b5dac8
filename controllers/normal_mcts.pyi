"""Normal_MCTS: SampleMCTS with a third term in UCB1 (The 2014 GVGP Competition, section V)."""

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer

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
