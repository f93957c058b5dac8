"""adrienctx: Open Loop Expectimax Tree Search (The 2014 General Video Game Playing Competition, section V)."""

from typing import final

from vgdl import Action, StateObservation
from vgdl.controllers.base import Controller, Timer
from vgdl.controllers.search.generator import Generator
from vgdl.controllers.search.tree import Tree

@final
class ExpectimaxTree(Tree):
    """The tree of OLETS."""

    def __init__(
        self,
        player: int,
        generator: Generator,
        epsilon: float,
        taboo_penalty: float,
    ) -> None: ...
    def forbid(self, cells: frozenset[int]) -> None: ...

class OLETS(Controller):
    def __init__(
        self,
        state: StateObservation,
        timer: Timer,
        player: int = ...,
        *,
        epsilon: float = ...,
        taboo_ticks: int = ...,
        taboo_penalty: float = ...,
        seed: int | None = ...,
    ) -> None: ...
    def act(self, state: StateObservation, timer: Timer) -> Action: ...
    def draw(self) -> dict[Action, float]: ...
