"""Alpha-beta with iterative deepening and a transposition table, for two players, no chance, nothing hidden."""

from collections.abc import Callable
from typing import Any

from typing_extensions import disjoint_base

from vgdl.controllers.tabletop.answers import Candidate
from vgdl.controllers.tabletop.budget import Budget

@disjoint_base
class AlphaBeta:
    @property
    def budget(self) -> Budget: ...
    @property
    def depth(self) -> int: ...
    @property
    def solved(self) -> bool: ...
    @property
    def nodes(self) -> int: ...
    def __init__(
        self,
        *,
        nodes: int | None = None,
        milliseconds: float | None = None,
        max_depth: int = ...,
        value: Callable[[Any, int], float] | None = None,
        table_bits: int = 18,
    ) -> None: ...
    def step(self, state: Any) -> int: ...
    def search(self, state: Any) -> list[Candidate]: ...
