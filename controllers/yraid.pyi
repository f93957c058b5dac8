"""Yraid: SampleGA that learns which sprites are harmful or helpful (The 2014 GVGP Competition, section V)."""

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer

class Yraid(Controller):
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
        company: float = ...,
        rate: float = ...,
        seed: int | None = ...,
    ) -> None: ...
    def act(self, state: StateObservation, timer: Timer) -> Action: ...
    def draw(self) -> dict[Action, float]: ...
