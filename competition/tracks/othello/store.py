"""The rows of a tournament in a results store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from vgdl.competition.store import Reader
from vgdl.competition.table import COLUMN, Packed, Sealed, Table
from vgdl.competition.tracks.othello.board import BLACK, WHITE
from vgdl.competition.tracks.othello.games import Fault, GameRecord
from vgdl.competition.tracks.othello.logs import record_of, to_json
from vgdl.competition.tracks.othello.plan import Fixture


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of one analysis."""

    stage: int  #: its number in the plan
    budget: int  #: number of the budget in the plan
    system: str
    used_ms: float  #: in the plan's clock
    cause: str = ""  #: why there is no strategy; empty if there is one
    details: str = ""  #: the traceback
    log_facts: dict[str, Any] | None = field(default=None, metadata={COLUMN: "told"})  #: what the system wants in logs
    isolation: dict[str, Any] = field(default_factory=dict)  #: level, source of CPU times, core

    @property
    def has_strategy(self) -> bool:
        """Whether the system returned a strategy in time."""
        return not self.cause


@dataclass(frozen=True, slots=True)
class GameRow:
    """A finished game."""

    number: int  #: in the plan
    stage: int
    budget: int
    repeat: int
    black: str
    white: str
    winner: int  #: 1, 2, or 0 for a tie
    black_score: int
    white_score: int
    forfeit: int | None
    forfeit_cause: str
    black_ms: float  #: for all moves, in the plan's clock
    white_ms: float
    faults: tuple[Fault, ...]  #: what strategies did wrong
    seconds: float  #: wall time
    waited_ms: float  #: how long systems were ready to answer and had no core
    black_moves: int = 0  #: moves played for black, those chosen by the referee too; 0 in files of version 0.2
    white_moves: int = 0
    log: Sealed[Packed[dict[str, Any] | None]] = None  #: the game's entry in the JSON log, which names its stage

    @classmethod
    def of(cls, fixture: Fixture, record: GameRecord, seconds: float, waited_ms: float) -> GameRow:
        """The row of a game that has been played."""
        (log,) = to_json([record])
        return cls(
            **asdict(fixture),
            winner=record.winner,
            black_score=record.black_score,
            white_score=record.white_score,
            forfeit=record.forfeit,
            forfeit_cause=record.forfeit_cause,
            black_ms=record.used_ms[0],
            white_ms=record.used_ms[1],
            faults=tuple(record.faults),
            seconds=seconds,
            waited_ms=waited_ms,
            black_moves=sum(move.player == BLACK for move in record.moves),
            white_moves=sum(move.player == WHITE for move in record.moves),
            log=log,
        )


TABLES = (
    Table("othello_analyses", Analysis, "stage", "budget", "system"),
    Table("othello_games", GameRow, "number"),
)
"""The tables of the track."""


def record(store: Reader, number: int) -> GameRecord:
    """A game with its moves.

    Raises:
        StoreError: there is no such game, or the store is damaged.
    """
    log = store.one(GameRow, number=number).log
    with store.reading(f"game {number}"):
        return record_of(log or {})


def faults(games: list[GameRow]) -> Iterator[tuple[GameRow, Fault]]:
    """Faults of strategies, game by game."""
    return ((game, fault) for game in games for fault in game.faults)


def isolation_levels(store: Reader, analyses: list[Analysis]) -> dict[str, int]:
    """The number of analyses by level of isolation and source of CPU times."""
    with store.reading("the isolation of its analyses"):
        facts = [analysis.isolation for analysis in analyses]
        return dict(Counter(f"{each['level']}, CPU times by {each['cpu times']}" for each in facts))
