"""The compiled search of the genetic controllers: a microbial genetic algorithm over action plans."""

from typing_extensions import disjoint_base

from vgdl import Action, StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.search.generator import Generator

@disjoint_base
class Population:
    @property
    def iterations(self) -> int: ...
    @property
    def values(self) -> dict[Action, float]: ...
    def __init__(
        self, player: int, generator: Generator, depth: int, individuals: int, mutation: float, recombination: float
    ) -> None: ...
    def search(self, state: StateObservation, timer: Timer) -> Action: ...
