"""The interface of systems: analyse a stage and return a strategy (specification 6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from vgdl.competition.tracks.othello.board import Board, Cell
from vgdl.competition.tracks.othello.stages import PublicStage
from vgdl.tabletop.othello_answers import Evaluation, MoveResult


class Api(Protocol):
    """What may be asked about a stage's rules; any board of 4 to 12 rows may be given, and nothing is changed.

    Raises ``ValueError`` for a board that is not square, codes other than 0 ... 3, or a player other than 1 and 2.
    """

    def get_valid_moves(self, board: Sequence[Sequence[int]], player: int) -> list[Cell]:
        """The legal moves, in row-major order."""

    def simulate_move(self, board: Sequence[Sequence[int]], player: int, row: int, col: int) -> MoveResult:
        """The board after a move."""

    def evaluate_board(self, board: Sequence[Sequence[int]], player: int) -> Evaluation:
        """The published evaluation of a board; it does not know the goal."""

    def simulate_moves(
        self, boards: Sequence[Board], players: Sequence[int], rows: Sequence[int], cols: Sequence[int]
    ) -> list[MoveResult]:
        """Many moves at once."""


class ObservableApi(Api, Protocol):
    """The calls, further, that tell turn order and result; absent under ``--api paper``."""

    def next_player(self, board: Sequence[Sequence[int]], mover: int) -> int:
        """Who moves after ``mover``'s move led to a board, passes included: 1, 2, or 0 once the game is over."""

    def winner(self, board: Sequence[Sequence[int]]) -> int | None:
        """1, 2, 0 for a tie, None while the game runs."""


class Timer(Protocol):
    """The time left."""

    @property
    def remaining_ms(self) -> float:
        """Milliseconds left of the analysis, in the competition's clock."""

    @property
    def game_ms(self) -> float:
        """Milliseconds that a game will allow for all moves of a strategy."""

    @property
    def clock(self) -> Callable[[], float]:
        """Seconds of the clock that the limits are counted in: ``time.process_time``, or that of the wall."""


class Strategy(Protocol):
    """What plays: called for each turn of either colour that has a legal move."""

    def __call__(self, board: Board, player: int, valid_moves: list[Cell]) -> Cell:
        """One of the valid moves."""


class System(Protocol):
    """What is entered into a tournament; a constructor with a keyword ``seed`` is given one."""

    def analyze_stage(
        self, stage: PublicStage, initial_board: Board, valid_moves: list[Cell], api: Api, timer: Timer
    ) -> Strategy:
        """Study a stage and return a strategy for it."""
