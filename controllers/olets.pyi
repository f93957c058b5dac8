"""adrienctx: Open Loop Expectimax Tree Search (The 2014 General Video Game Playing Competition, section V)."""

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer

class OLETS(Controller):
    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = ...,
        *,
        epsilon: float = ...,
        taboo_ticks: int = ...,
        taboo_penalty: float = ...,
        seed: int | None = ...,
    ) -> None: ...
    def act(self, state: StateObservation, timer: Timer) -> Action: ...
    def draw(self) -> dict[Action, float]: ...
