"""The results store of a world-models run: the common file format of the tracks, with additional tables."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from vgdl.competition.chat.usage_store import UsageStore, usage_table
from vgdl.competition.store import Store, StoreError, insert, now
from vgdl.competition.tracks.worldmodels.plan import Fixture, Plan, Task
from vgdl.competition.tracks.worldmodels.trajectories import Play

EVALUATIONS = """
    CREATE TABLE worldmodels_evaluations (
        key TEXT PRIMARY KEY,             -- of a program and its tests
        facts BLOB NOT NULL               -- zlib of JSON: the verdicts
    ) WITHOUT ROWID
    """


def syntheses_table(name: str) -> str:
    """The SQL statement that creates a table of finished syntheses."""
    return f"""
    CREATE TABLE {name} (
        number INTEGER PRIMARY KEY,       -- in the plan
        session INTEGER NOT NULL REFERENCES sessions,
        finished TEXT NOT NULL,
        game TEXT NOT NULL,
        deck TEXT NOT NULL,               -- open or closed; empty for VGDL games
        position INTEGER NOT NULL,        -- among those of its game and deck
        program TEXT NOT NULL,            -- the best one; empty if there is none
        facts TEXT NOT NULL               -- JSON: see `runs.synthesis_facts`
    )
    """


TABLES = (
    syntheses_table("worldmodels_syntheses"),
    """
    CREATE TABLE worldmodels_values (
        number INTEGER PRIMARY KEY REFERENCES worldmodels_syntheses,
        program TEXT NOT NULL,            -- the value function that won the tournament; empty for none
        facts TEXT NOT NULL               -- JSON: the candidates with their faults, and the tournament
    )
    """,
    """
    CREATE TABLE worldmodels_survivors (
        game TEXT NOT NULL,
        deck TEXT NOT NULL,
        facts TEXT NOT NULL,              -- JSON: numbers of the programs that play, mean payoffs
        PRIMARY KEY (game, deck)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE worldmodels_matches (
        number INTEGER PRIMARY KEY,       -- in the plan
        session INTEGER NOT NULL REFERENCES sessions,
        finished TEXT NOT NULL,
        game TEXT NOT NULL,
        deck TEXT NOT NULL,
        opponent TEXT NOT NULL,
        seat INTEGER NOT NULL,            -- of the learnt model
        synthesis INTEGER NOT NULL,       -- the program that played
        value REAL NOT NULL,              -- return of the learnt model
        other REAL NOT NULL,              -- return of the opponent
        forfeited INTEGER,                -- the seat that forfeited
        record BLOB NOT NULL,             -- zlib of JSON: play, notes, reason, online
        seconds REAL NOT NULL             -- on the wall
    )
    """,
    """
    CREATE TABLE worldmodels_test_plays (
        game TEXT PRIMARY KEY,
        plays BLOB NOT NULL               -- zlib of JSON lines, open deck
    ) WITHOUT ROWID
    """,
    EVALUATIONS,
    usage_table("worldmodels_usage"),
)


@dataclass(frozen=True, slots=True)
class SynthesisRow:
    """A finished synthesis."""

    number: int
    game: str
    deck: str
    position: int
    program: str
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A finished match, without its record."""

    number: int
    game: str
    deck: str
    opponent: str
    seat: int
    synthesis: int
    value: float
    other: float
    forfeited: int | None
    seconds: float


_MATCH_FIELDS = tuple(MatchRow.__dataclass_fields__)


class SynthesisStore(UsageStore):
    """An open store of programs or texts that authors write."""

    USAGE = "worldmodels_usage"
    SYNTHESES: ClassVar[str]
    """The name of the table of finished syntheses."""

    @property
    def evaluations(self) -> MutableMapping[str, str]:
        """Stored evaluations of programs, by key."""
        return Evaluations(self)

    def add_synthesis(self, task: Task, program: str, facts: dict[str, Any], session: int) -> None:
        """Store a finished synthesis durably.

        Raises:
            StoreError: writing failed; the store is unchanged.
        """
        row = {
            "number": task.number,
            "session": session,
            "finished": now(),
            "game": task.game,
            "deck": task.deck,
            "position": task.index,
            "program": program,
            "facts": json.dumps(facts),
        }
        with self.writing() as connection:
            insert(connection, self.SYNTHESES, row)

    def syntheses(self) -> list[SynthesisRow]:
        """The finished syntheses, in the order of the plan."""
        query = f"SELECT number, game, deck, position, program, facts FROM {self.SYNTHESES} ORDER BY number"
        with self.reading("the syntheses"):
            rows = self.connection.execute(query).fetchall()
            return [SynthesisRow(*row[:-1], json.loads(row[-1])) for row in rows]  # type: ignore[call-arg]


class WorldModelsStore(SynthesisStore):
    """An open store of a world-models run."""

    SYNTHESES = "worldmodels_syntheses"

    @classmethod
    def begin(cls, path: Path | None, plan: Plan) -> Self:
        """Make a new store, in memory if there is no path.

        Raises:
            StoreError: the file exists or cannot be written.
        """
        games = [{"name": world.name} for world in plan.worlds()]
        return cls.create_for(path, plan.facts(), games, {}, len(plan.fixtures()), TABLES)

    @property
    def run(self) -> Plan:
        """The plan of the run.

        Raises:
            StoreError: the store belongs to another track.
        """
        facts = self.facts_of("worldmodels", "a store of world models")
        with self.reading("its plan"):
            return Plan.from_facts(facts)

    def add_value(self, number: int, program: str, facts: dict[str, Any]) -> None:
        """Store the value function of a synthesis."""
        with self.writing() as connection:
            insert(
                connection, "worldmodels_values", {"number": number, "program": program, "facts": json.dumps(facts)}
            )

    def add_survivors(self, game: str, deck: str, facts: dict[str, Any]) -> None:
        """Store the selection of programs that play the matches of a game."""
        with self.writing() as connection:
            insert(connection, "worldmodels_survivors", {"game": game, "deck": deck, "facts": json.dumps(facts)})

    def add_test_plays(self, game: str, plays: Sequence[Play]) -> None:
        """Store the test plays of a game, which are slow to record."""
        text = "\n".join(json.dumps(play) for play in plays)
        with self.writing() as connection:
            insert(connection, "worldmodels_test_plays", {"game": game, "plays": zlib.compress(text.encode())})

    def test_plays(self, game: str) -> list[Play] | None:
        """The test plays of a game, None if there are none yet."""
        with self.reading(f"the test plays of {game}"):
            query = "SELECT plays FROM worldmodels_test_plays WHERE game = ?"
            row = self.connection.execute(query, [game]).fetchone()
            return None if row is None else [json.loads(line) for line in zlib.decompress(row[0]).splitlines()]

    def add_match(self, fixture: Fixture, facts: dict[str, Any], record: dict[str, Any], session: int) -> None:
        """Store a finished match durably; ``facts`` has synthesis, value, other, forfeited and seconds."""
        row = {
            "number": fixture.number,
            "session": session,
            "finished": now(),
            "game": fixture.game,
            "deck": fixture.deck,
            "opponent": fixture.opponent,
            "seat": fixture.seat,
            **facts,
            "record": zlib.compress(json.dumps(record).encode()),
        }
        with self.writing() as connection:
            insert(connection, "worldmodels_matches", row)

    def values(self) -> dict[int, tuple[str, dict[str, Any]]]:
        """Value functions, with their tournaments, by the number of their synthesis."""
        with self.reading("the value functions"):
            rows = self.connection.execute("SELECT number, program, facts FROM worldmodels_values ORDER BY number")
            return {number: (program, json.loads(facts)) for number, program, facts in rows}

    def survivors(self) -> dict[tuple[str, str], dict[str, Any]]:
        """The programs that play matches, by game and deck."""
        with self.reading("the choice of programs"):
            rows = self.connection.execute("SELECT game, deck, facts FROM worldmodels_survivors")
            return {(game, deck): json.loads(facts) for game, deck, facts in rows}

    def matches(self) -> list[MatchRow]:
        """The finished matches, in the order of the plan."""
        query = f"SELECT {', '.join(_MATCH_FIELDS)} FROM worldmodels_matches ORDER BY number"
        with self.reading("the matches"):
            return [MatchRow(*row) for row in self.connection.execute(query)]

    def record(self, number: int) -> dict[str, Any]:
        """The record of a match.

        Raises:
            StoreError: it has not been played.
        """
        query = "SELECT record FROM worldmodels_matches WHERE number = ?"
        with self.reading(f"match {number}"):
            row = self.connection.execute(query, [number]).fetchone()
            if row is not None:
                found: dict[str, Any] = json.loads(zlib.decompress(row[0]))
                return found
        raise StoreError(f"match {number} has not been played")


class Evaluations(MutableMapping[str, str]):
    """The evaluations in a store, as a mapping."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getitem__(self, key: str) -> str:
        with self._store.reading("an evaluation"):
            query = "SELECT facts FROM worldmodels_evaluations WHERE key = ?"
            row = self._store.connection.execute(query, [key]).fetchone()
            if row is not None:
                return zlib.decompress(row[0]).decode()
        raise KeyError(key)

    def __setitem__(self, key: str, value: str) -> None:
        with self._store.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO worldmodels_evaluations VALUES (?, ?)", [key, zlib.compress(value.encode())]
            )

    def __delitem__(self, key: str) -> None:
        with self._store.writing() as connection:
            connection.execute("DELETE FROM worldmodels_evaluations WHERE key = ?", [key])

    def __iter__(self) -> Iterator[str]:
        with self._store.reading("the evaluations"):
            rows = self._store.connection.execute("SELECT key FROM worldmodels_evaluations").fetchall()
        return iter([key for (key,) in rows])

    def __len__(self) -> int:
        with self._store.reading("the evaluations"):
            return int(self._store.connection.execute("SELECT COUNT(*) FROM worldmodels_evaluations").fetchone()[0])
