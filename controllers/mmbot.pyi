"""MMbot: MCTS over macro-actions, with friends and foes (The 2014 GVGP Competition, section V)."""

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer

class MMbot(Controller):
    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = ...,
        *,
        depth: int = ...,
        exploration: float = ...,
        longest: int = ...,
        company: float = ...,
        rate: float = ...,
        seed: int | None = ...,
    ) -> None: ...
    def act(self, state: StateObservation, timer: Timer) -> Action: ...
    def draw(self) -> dict[Action, float]: ...
