"""Yraid: SampleGA that learns which sprites are harmful or helpful (The 2014 GVGP Competition, section V)."""

from typing_extensions import disjoint_base

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.population import Population
from vgdl.controllers.search.sprite_distances import TypeValues

@disjoint_base
class LearningPopulation(Population):
    """Plans that are fitter near sprites that did good."""

    def __init__(
        self,
        player: int,
        generator: Generator,
        depth: int,
        individuals: int,
        mutation: float,
        recombination: float,
        company: float,
        type_values: TypeValues,
    ) -> None: ...

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
