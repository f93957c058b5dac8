"""Alpha-beta with iterative deepening, for any rules of Othello (specification 15)."""

from collections.abc import Callable, Sequence

from typing_extensions import disjoint_base

from vgdl.competition.tracks.othello.board import Board, Cell
from vgdl.competition.tracks.othello.players.evaluation import NTuples
from vgdl.tabletop.othello import Rules

@disjoint_base
class AlphaBeta:
    @property
    def nodes(self) -> int: ...
    def __init__(
        self,
        rules: Rules,
        *,
        values: NTuples | None = None,
        cell_values: Sequence[Sequence[int]] | None = None,
        mobility_weight: int = 0,
        clock: Callable[[], float] = ...,
    ) -> None: ...
    def search(self, board: Board, player: int, *, seconds: float, max_depth: int = 144) -> tuple[Cell | None, int]: ...
    def solve(self, board: Board, player: int, *, seconds: float) -> tuple[Cell, int] | None: ...
    def margin(self, board: Board, player: int, *, seconds: float = 1e9) -> int | None: ...
