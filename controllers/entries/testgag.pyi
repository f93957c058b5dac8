"""TESTGAG: SampleGA with distances in its fitness (The 2014 General Video Game Playing Competition, section V)."""

from typing_extensions import disjoint_base

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.population import Population
from vgdl.controllers.search.sprite_distances import SpriteDistances

@disjoint_base
class NearnessPopulation(Population):
    """Plans that are fitter the nearer they bring the avatar to what matters."""

    def __init__(
        self,
        player: int,
        generator: Generator,
        depth: int,
        individuals: int,
        mutation: float,
        recombination: float,
        sprite_distances: SpriteDistances,
        resource_weight: float,
        npc_weight: float,
        movable_weight: float,
    ) -> None: ...

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
