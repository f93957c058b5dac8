"""TESTGAG: SampleGA with distances in its fitness (The 2014 General Video Game Playing Competition, section V)."""

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer

class TESTGAG(Controller):
    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = ...,
        *,
        depth: int = ...,
        individuals: int = ...,
        mutation: float = ...,
        recombination: float = ...,
        resource_weight: float = ...,
        npc_weight: float = ...,
        movable_weight: float = ...,
        seed: int | None = ...,
    ) -> None: ...
    def act(self, state: StateObservation, timer: Timer) -> Action: ...
    def draw(self) -> dict[Action, float]: ...
