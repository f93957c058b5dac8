"""The interface of systems: analyse a stage and return a strategy (specification 6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from vgdl.competition.tracks.othello.board import Board, Cell
from vgdl.competition.tracks.othello.stages import PublicStage
from vgdl.tabletop.othello_answers import Evaluation, MoveResult


class Api(Protocol):
    """Queries about a stage's rules; they take any board of 4 to 12 rows and change nothing.

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
    """Further calls for turn order and result; absent under ``--api paper``."""

    def next_player(self, board: Sequence[Sequence[int]], mover: int) -> int:
        """The player to move on a board after ``mover``'s move, passes included: 1, 2, or 0 if the game is over."""

    def winner(self, board: Sequence[Sequence[int]]) -> int | None:
        """1, 2, 0 for a tie, None while the game goes on."""


class Timer(Protocol):
    """The time left."""

    @property
    def remaining_ms(self) -> float:
        """Milliseconds left of the analysis, by the competition's clock."""

    @property
    def game_ms(self) -> float:
        """Limit in milliseconds for all moves of a strategy in a game."""

    @property
    def clock(self) -> Callable[[], float]:
        """The clock of the limits, in seconds: ``time.process_time``, or a wall clock."""


class Strategy(Protocol):
    """A player: called for each turn of its colour, either one, that has a legal move."""

    def __call__(self, board: Board, player: int, valid_moves: list[Cell]) -> Cell:
        """One of the valid moves."""


class System(Protocol):
    """An entry of a tournament; if its constructor has a keyword ``seed``, it gets one."""

    def analyze_stage(
        self, stage: PublicStage, initial_board: Board, valid_moves: list[Cell], api: Api, timer: Timer
    ) -> Strategy:
        """Study a stage and return a strategy for it."""
