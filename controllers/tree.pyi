"""Search trees in compiled code: the nodes they share, UCT with states in its nodes, and UCT without."""

from typing_extensions import disjoint_base

from vgdl import Action, StateObservation
from vgdl.controllers.base import Timer
from vgdl.controllers.generator import Generator

@disjoint_base
class Memory:
    """Memory that is given out piece by piece and taken back all at once."""

@disjoint_base
class Tree:
    @property
    def iterations(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def visits(self) -> dict[Action, int]: ...
    def __init__(self, player: int, generator: Generator) -> None: ...
    def search(self, state: StateObservation, timer: Timer, calls: int) -> Action: ...

@disjoint_base
class UCT(Tree):
    def __init__(self, player: int, generator: Generator, depth: int, exploration: float) -> None: ...

class ClosedLoopUCT(UCT): ...
class OpenLoopUCT(UCT): ...
