"""A model of the other player in games for two."""

from typing_extensions import disjoint_base

from vgdl import StateObservation
from vgdl.controllers.search.budget import Budget
from vgdl.controllers.search.generator import Generator

@disjoint_base
class Opponent:
    learns: bool
    def __init__(self, state: StateObservation, player: int) -> None: ...
    def observe(self, state: StateObservation) -> int: ...
    def look_ahead(self, state: StateObservation, generator: Generator, budget: Budget) -> int: ...
    def prediction(self) -> dict[int, float]: ...
    @property
    def trusted(self) -> tuple[float, float, float, float]: ...
