"""The value of a position as a sum of learnt weights over all straight 2- and 3-tuples (specification 15.3)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from vgdl.competition.tracks.othello.board import Board
from vgdl.tabletop.othello import Rules

_Weights = NDArray[np.float32]

@disjoint_base
class NTuples:
    def __init__(
        self,
        rules: Rules,
        board: Board,
        *,
        over_blocked: bool = False,
        phases: int = 3,
        clock: Callable[[], float] = ...,
    ) -> None: ...
    def value(self, board: Board, player: int) -> float: ...
    def snapshot(self) -> _Weights: ...
    def restore(self, weights: _Weights) -> None: ...
    def train(self, board: Board, player: int, *, seconds: float, games: int, rate: float, seed: int) -> int: ...
    def match(
        self, board: Board, player: int, mine: _Weights, theirs: _Weights, *, seconds: float, games: int, seed: int
    ) -> float: ...
