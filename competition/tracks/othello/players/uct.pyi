"""Monte Carlo tree search (UCT) with uniform playouts, for any rules of Othello (specification 15.2)."""

from collections.abc import Callable

from typing_extensions import disjoint_base

from vgdl.competition.tracks.othello.board import Board, Cell
from vgdl.tabletop.othello import Rules

@disjoint_base
class UCT:
    def __init__(
        self, rules: Rules, *, exploration: float = 0.7, seed: int = 0, clock: Callable[[], float] = ...
    ) -> None: ...
    def search(
        self, board: Board, player: int, *, seconds: float, playouts: int = 1 << 30
    ) -> tuple[Cell | None, int]: ...
