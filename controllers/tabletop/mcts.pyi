"""Monte Carlo tree search for games in which players move in turn, chance nodes and general sums included."""

from collections.abc import Callable
from typing import Any

from typing_extensions import disjoint_base

from vgdl.controllers.tabletop.answers import Candidate
from vgdl.controllers.tabletop.budget import Budget

@disjoint_base
class MCTS:
    @property
    def budget(self) -> Budget: ...
    @property
    def rollouts(self) -> int: ...
    @property
    def exploration(self) -> float: ...
    @property
    def max_rollout(self) -> int: ...
    @property
    def solve(self) -> bool: ...
    @property
    def simulations(self) -> int: ...
    def __init__(
        self,
        *,
        simulations: int | None = None,
        milliseconds: float | None = None,
        rollouts: int = 10,
        exploration: float = ...,
        max_rollout: int = 1000,
        value: Callable[[Any, int], float] | None = None,
        solve: bool = True,
        seed: int | None = None,
        most_nodes: int = 4_000_000,
        c: float | None = None,
    ) -> None: ...
    def step(self, state: Any) -> int: ...
    def search(self, state: Any) -> list[Candidate]: ...
