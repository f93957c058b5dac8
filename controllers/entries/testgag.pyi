"""TESTGAG: SampleGA with distances in its fitness (The 2014 General Video Game Playing Competition, section V)."""

from typing import Unpack

from typing_extensions import disjoint_base

from vgdl import StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import GeneticController, GeneticOptions
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.population import Population
from vgdl.controllers.search.sprite_distances import SpriteDistances

@disjoint_base
class NearnessPopulation(Population):
    """Plans whose fitness increases with nearness to resources, NPCs and other movable sprites."""

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

class TESTGAG(GeneticController):
    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = ...,
        *,
        resource_weight: float = ...,
        npc_weight: float = ...,
        movable_weight: float = ...,
        **options: Unpack[GeneticOptions],
    ) -> None: ...
