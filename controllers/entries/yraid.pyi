"""Yraid: SampleGA that learns which sprites are harmful or helpful (The 2014 GVGP Competition, section V)."""

from typing import Unpack

from typing_extensions import disjoint_base

from vgdl import StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.search.families import GeneticController, GeneticOptions
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.population import Population
from vgdl.controllers.search.sprite_distances import TypeValues

@disjoint_base
class LearningPopulation(Population):
    """Plans whose fitness increases near helpful sprites and decreases near harmful ones."""

    def __init__(
        self,
        player: int,
        generator: Generator,
        depth: int,
        individuals: int,
        mutation: float,
        recombination: float,
        proximity_weight: float,
        type_values: TypeValues,
    ) -> None: ...

class Yraid(GeneticController):
    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = ...,
        *,
        proximity_weight: float = ...,
        rate: float = ...,
        **options: Unpack[GeneticOptions],
    ) -> None: ...
