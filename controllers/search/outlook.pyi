"""Values of states to the play so far."""

from typing_extensions import disjoint_base

from vgdl import StateObservation
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.opponent import Opponent

@disjoint_base
class Outlook:
    patience: float
    news: float
    curiosity: float
    protection: bool
    @property
    def opponent(self) -> Opponent: ...
    @property
    def player(self) -> int: ...
    @property
    def unit(self) -> float: ...
    def __init__(self, state: StateObservation, player: int) -> None: ...
    def live_through(self, state: StateObservation) -> int: ...
    def expect(self, state: StateObservation, generator: Generator, ticks: int) -> int: ...
