"""The results store of a tournament: the common file format of the tracks, with additional tables."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from vgdl.competition.store import Store, StoreError, insert, now
from vgdl.competition.tracks.othello.games import Fault, GameRecord
from vgdl.competition.tracks.othello.logs import record_of, to_json
from vgdl.competition.tracks.othello.plan import Fixture, Plan

TABLES = (
    """
    CREATE TABLE othello_analyses (
        stage INTEGER NOT NULL,           -- its number in the plan
        budget INTEGER NOT NULL,          -- number of the budget in the plan
        system TEXT NOT NULL,
        session INTEGER NOT NULL REFERENCES sessions,
        finished TEXT NOT NULL,
        used_ms REAL NOT NULL,            -- in the plan's clock
        cause TEXT NOT NULL,              -- why there is no strategy; empty if there is one
        details TEXT NOT NULL,            -- the traceback
        told TEXT NOT NULL,               -- JSON: what the system wants to have in logs
        isolation TEXT NOT NULL,          -- JSON: level, source of CPU times, core
        PRIMARY KEY (stage, budget, system)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE othello_games (
        number INTEGER PRIMARY KEY,       -- in the plan
        session INTEGER NOT NULL REFERENCES sessions,
        finished TEXT NOT NULL,
        stage INTEGER NOT NULL,
        budget INTEGER NOT NULL,
        repeat INTEGER NOT NULL,
        black TEXT NOT NULL,
        white TEXT NOT NULL,
        winner INTEGER NOT NULL,          -- 1, 2, or 0 for a tie
        black_score INTEGER NOT NULL,
        white_score INTEGER NOT NULL,
        forfeit INTEGER,
        forfeit_cause TEXT NOT NULL,
        black_ms REAL NOT NULL,           -- for all moves, in the plan's clock
        white_ms REAL NOT NULL,
        faults TEXT NOT NULL,             -- JSON: what strategies did wrong
        log BLOB NOT NULL,                -- zlib of JSON: the game's entry in the JSON log
        seconds REAL NOT NULL,            -- on the wall
        waited_ms REAL NOT NULL           -- that systems were ready to answer and had no core
    )
    """,
)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of one analysis."""

    stage: int
    budget: int
    system: str
    used_ms: float
    cause: str = ""  #: why there is no strategy; empty if there is one
    details: str = ""
    told: dict[str, Any] | None = None

    @property
    def has_strategy(self) -> bool:
        """Whether the system returned a strategy in time."""
        return not self.cause


@dataclass(frozen=True, slots=True)
class GameRow:
    """A finished game, without its moves."""

    number: int
    stage: int
    budget: int
    repeat: int
    black: str
    white: str
    winner: int
    black_score: int
    white_score: int
    forfeit: int | None
    forfeit_cause: str
    black_ms: float
    white_ms: float


_GAME_FIELDS = tuple(GameRow.__dataclass_fields__)


class OthelloStore(Store):
    """An open store of a tournament."""

    @classmethod
    def begin(cls, path: Path | None, plan: Plan) -> Self:
        """Make a new store, in memory if there is no path.

        Raises:
            StoreError: the file exists or cannot be written.
        """
        facts = plan.facts()
        return cls.create_for(path, facts, facts["stages"], plan.hashes(), len(plan.fixtures()), TABLES)

    @property
    def tournament(self) -> Plan:
        """The plan of the tournament.

        Raises:
            StoreError: the store belongs to another track.
        """
        return Plan.from_facts(self.facts_of("othello", "a store of an Othello tournament"))

    def check_systems(self) -> None:
        """Check that the systems have not changed since the tournament began.

        Raises:
            StoreError: one of them has changed.
        """
        before = json.loads(self._one("controllers"))
        for name, digest in self.tournament.hashes().items():
            if before.get(name) != digest:
                raise StoreError(f"the file of the system {name} has changed since {self.path} was begun")

    def add_analysis(self, analysis: Analysis, session: int, isolation: dict[str, Any]) -> None:
        """Store a finished analysis durably; one that was repeated after an interruption is not stored twice."""
        place = (analysis.stage, analysis.budget, analysis.system)
        if place in {(row.stage, row.budget, row.system) for row in self.analyses()}:
            return
        row = {**asdict(analysis), "told": json.dumps(analysis.told or {}), "isolation": json.dumps(isolation)}
        with self.writing() as connection:
            insert(connection, "othello_analyses", {**row, "session": session, "finished": now()})

    def add_game(
        self, fixture: Fixture, record: GameRecord, session: int, *, seconds: float, waited_ms: float
    ) -> None:
        """Store a finished game durably.

        Raises:
            StoreError: writing failed; the store is unchanged.
        """
        (log,) = to_json([record])
        row = {
            **asdict(fixture),
            "session": session,
            "finished": now(),
            "winner": record.winner,
            "black_score": record.black_score,
            "white_score": record.white_score,
            "forfeit": record.forfeit,
            "forfeit_cause": record.forfeit_cause,
            "black_ms": record.used_ms[0],
            "white_ms": record.used_ms[1],
            "faults": json.dumps([asdict(fault) for fault in record.faults]),
            "log": zlib.compress(json.dumps(log, separators=(",", ":")).encode()),
            "seconds": seconds,
            "waited_ms": waited_ms,
        }
        with self.writing() as connection:
            insert(connection, "othello_games", row)

    def analyses(self) -> list[Analysis]:
        """The finished analyses."""
        columns = "stage, budget, system, used_ms, cause, details, told"
        rows = self.connection.execute(f"SELECT {columns} FROM othello_analyses ORDER BY stage, budget")
        return [
            Analysis(stage, budget, system, used, cause, details, json.loads(told))
            for stage, budget, system, used, cause, details, told in rows
        ]

    def rows(self) -> list[GameRow]:
        """The finished games, in the order of the plan."""
        query = f"SELECT {', '.join(_GAME_FIELDS)} FROM othello_games ORDER BY number"
        return [GameRow(*values) for values in self.connection.execute(query)]

    def row(self, number: int) -> GameRow:
        """One of the finished games."""
        query = f"SELECT {', '.join(_GAME_FIELDS)} FROM othello_games WHERE number = ?"
        return GameRow(*self.connection.execute(query, [number]).fetchone())

    def record(self, number: int) -> GameRecord:
        """A game with its moves."""
        row = self.connection.execute("SELECT log FROM othello_games WHERE number = ?", [number]).fetchone()
        if row is None:
            raise StoreError(f"{self.path} contains no game {number}")
        return record_of(json.loads(zlib.decompress(row[0])))

    def faults(self) -> Iterator[tuple[GameRow, Fault]]:
        """Faults of strategies, game by game."""
        query = f"SELECT faults, {', '.join(_GAME_FIELDS)} FROM othello_games WHERE faults != '[]' ORDER BY number"
        for faults, *values in self.connection.execute(query):
            for fault in json.loads(faults):
                yield GameRow(*values), Fault(**fault)

    def isolation_levels(self) -> dict[str, int]:
        """The number of analyses by level of isolation and source of CPU times."""
        counts: dict[str, int] = {}
        for (text,) in self.connection.execute("SELECT isolation FROM othello_analyses"):
            facts = json.loads(text)
            name = f"{facts['level']}, CPU times by {facts['cpu times']}"
            counts[name] = counts.get(name, 0) + 1
        return counts
