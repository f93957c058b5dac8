"""Records of games, as saved by the referee, and written to and read from logs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from vgdl.competition.tracks.othello.board import BLACK, WHITE, Board, Cell

TIME_FORFEIT = "time"
"""The cause of a forfeit by time, for which the text log has its own wording."""


@dataclass(frozen=True, slots=True)
class Move:
    """One move; passes are not recorded."""

    player: int
    cell: Cell
    captured: int
    board_after: Board
    time_ms: float = 0.0
    fallback: bool = False  #: chosen at random by the referee, since the strategy gave no legal answer


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a strategy."""

    player: int
    move: int  #: number of the move it was asked for
    cause: str
    details: str


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game from start to result."""

    stage_id: str
    stage_name: str
    black: str  #: name of the strategy
    white: str
    initial_board: Board
    moves: tuple[Move, ...]
    black_score: int
    white_score: int
    winner: int  #: 1, 2, or 0 for a tie
    forfeit: int | None = None  #: the side that forfeited
    forfeit_cause: str = ""
    timestamp: str = ""  #: ISO 8601, UTC
    analysis: dict[str, Any] = field(default_factory=dict)  #: analyses of both systems, as in the JSON log
    used_ms: tuple[float, float] = (0.0, 0.0)  #: time used by black and by white, including moves without an answer
    faults: tuple[Fault, ...] = ()

    @property
    def names(self) -> dict[int, str]:
        """The strategies by player."""
        return {BLACK: self.black, WHITE: self.white}

    @property
    def scores(self) -> dict[int, int]:
        """Final pieces by player."""
        return {BLACK: self.black_score, WHITE: self.white_score}
