"""The results store: one SQLite file per competition, to which every finished play is saved at once.

Each play is one transaction, synced to disk before the next result is accepted (WAL, ``synchronous=FULL``): if the
runner is killed, the file still contains all finished plays completely. Only one runner at a time writes; any number of
readers may read, and submissions may be added meanwhile (``submissions.queue``). The file must be on a local disk, as
SQLite's WAL requires.

Files are untrusted and may be damaged: all data read are checked, and any fault is a ``StoreError``.

New tables of later versions are created by a script of their own at the end of ``SCHEMA``.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Self

from vgdl import Action
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.closing import Closing
from vgdl.competition.contest.plan import Boards, Plan, controller_hashes
from vgdl.competition.contest.runner import PlayRecord
from vgdl.competition.errors import CompetitionError
from vgdl.competition.results import typed
from vgdl.competition.results.records import PlayerResult, PlayResult
from vgdl.competition.results.summary import machine, versions

try:
    import fcntl
except ImportError:  # only SQLite's own locks are available
    fcntl = None  # type: ignore[assignment]

APPLICATION = 0x5647444C
"""Marks a file as one of ours: "VGDL"."""

SCHEMA = (
    """
    CREATE TABLE competition (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        began TEXT NOT NULL,              -- UTC, ISO 8601, like all times here
        plan TEXT NOT NULL,               -- JSON: controllers, games, levels, repeats, rules, restrictions, seed
        games TEXT NOT NULL,              -- JSON: names and SHA-256 of games and levels
        controllers TEXT NOT NULL,        -- JSON: SHA-256 of controllers that are files
        plays INTEGER NOT NULL            -- how many there are to be
    );
    CREATE TABLE sessions (               -- a row for each run of the command
        id INTEGER PRIMARY KEY,
        began TEXT NOT NULL,
        facts TEXT NOT NULL               -- JSON: machine, versions, isolation, jobs, backend
    );
    CREATE TABLE plays (
        fixture INTEGER PRIMARY KEY,      -- its number in the plan
        session INTEGER NOT NULL REFERENCES sessions,
        finished TEXT NOT NULL,
        game TEXT NOT NULL,
        level INTEGER NOT NULL,
        repeat INTEGER NOT NULL,
        seed INTEGER NOT NULL,            -- of the real game
        stirring TEXT NOT NULL,           -- key of the chance of each tick, hexadecimal digits, empty for none
        ticks INTEGER NOT NULL,
        game_error TEXT NOT NULL,
        actions BLOB NOT NULL,            -- zlib of JSON: names per tick and player
        isolation TEXT NOT NULL,          -- JSON: level, source of CPU times, core, times void
        seconds REAL NOT NULL,            -- on the wall
        waited_ms REAL NOT NULL           -- that controllers were ready to answer and had no core
    );
    CREATE TABLE players (
        fixture INTEGER NOT NULL REFERENCES plays,
        player INTEGER NOT NULL,
        controller TEXT NOT NULL,
        outcome TEXT NOT NULL,
        score REAL NOT NULL,
        cause TEXT NOT NULL,
        details TEXT NOT NULL,            -- the traceback
        late_answers INTEGER NOT NULL,
        construction_used REAL NOT NULL,  -- in the unit of the rules, like all that is used
        action_used_mean REAL NOT NULL,
        action_used_max REAL NOT NULL,
        used BLOB NOT NULL,               -- zlib of JSON: what each answer used
        PRIMARY KEY (fixture, player)
    ) WITHOUT ROWID;
    CREATE TABLE submissions (
        id INTEGER PRIMARY KEY,
        submitted TEXT NOT NULL,
        changed TEXT NOT NULL,            -- when it came to its state
        name TEXT NOT NULL,               -- in rankings
        file TEXT NOT NULL,               -- of the controller, in the archive
        class_name TEXT NOT NULL,
        sha256 TEXT NOT NULL,             -- of the archive
        state TEXT NOT NULL,              -- waiting, being evaluated, or the kind of its outcome
        message TEXT NOT NULL,            -- the outcome in words, for the sender
        details TEXT NOT NULL,            -- a traceback, or results per game
        secret TEXT NOT NULL,             -- that the chance of its evaluation derives from
        attempts INTEGER NOT NULL,        -- evaluations that were begun and failed unexpectedly
        archive BLOB NOT NULL             -- the zip
    );
    """,
)
"""Migration scripts from each format to the next, starting from an empty file."""

OLDEST_FORMAT = 3
"""The format that the first script creates, and the oldest that can be read."""

_DAMAGED = (ValueError, TypeError, LookupError, OverflowError, RecursionError, MemoryError, zlib.error)
"""Errors that reading a damaged file can cause, besides those of SQLite."""

LOCK_S = 1.0
"""Seconds to wait for another runner to release a store: a process that a killed one had just started may have it."""

MAX_PACKED = 1 << 26
"""Maximum size of a compressed column in bytes, after decompression."""

_RESULT_FIELDS = [field.name for field in fields(PlayResult) if field.name != "players"]
_PLAYER_FIELDS = [field.name for field in fields(PlayerResult)]


class StoreError(CompetitionError):
    """A store cannot be created, read or written; the message says why."""


class Store(Closing):
    """An open results store; leaving the ``with`` block closes it."""

    def __init__(self, path: Path | None, connection: sqlite3.Connection, lock: IO[bytes] | None) -> None:
        """Use ``create`` or ``open`` instead."""
        self.path = path
        self.connection = connection  #: for the tables of a track; read with ``reading``, written with ``writing``
        self._lock = lock  # closed after the connection: closing any handle of a file drops SQLite's own locks on it

    @classmethod
    def create(cls, path: Path | None, plan: Plan, boards: Boards, plays: int) -> Self:
        """Create a store of a planning competition, in memory if there is no path.

        Raises:
            StoreError: there is such a file already, or it cannot be written.
        """
        return cls.create_for(path, plan.facts(), boards.facts(), controller_hashes(plan), plays)

    @classmethod
    def create_for(
        cls,
        path: Path | None,
        plan: Mapping[str, Any],
        games: Sequence[Mapping[str, Any]],
        hashes: Mapping[str, str],
        plays: int,
        tables: Sequence[str] = (),
    ) -> Self:
        """Create a store of any track, in memory if there is no path.

        Args:
            path: of the file.
            plan: the plan, as JSON-compatible values.
            games: names and other facts of the games.
            hashes: SHA-256 of entries given as files, by name.
            plays: total number of plays.
            tables: statements that create the track's own tables.

        Raises:
            StoreError: there is such a file already, or it cannot be written.
        """
        if path is not None and path.exists() and path.stat().st_size:
            raise StoreError(f"{path} exists already: continue it by --resume {path}, or name another file")
        store = cls._connect(path, create=True)
        try:
            with store.writing() as connection:
                store._migrate(connection)
                facts = [now(), json.dumps(plan), json.dumps(games), json.dumps(hashes), plays]
                connection.execute("INSERT INTO competition VALUES (1, ?, ?, ?, ?, ?)", facts)
                for statement in tables:
                    connection.execute(statement)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> Self:
        """Open an existing store.

        Args:
            path: its file.
            read_only: do not write; allowed during a competition.

        Raises:
            StoreError: it is not a store, has a later format, is in use by another runner, or cannot be written.
        """
        if not path.exists():
            raise StoreError(f"there is no file {path}")
        store = cls._connect(path, create=False, read_only=read_only)
        try:
            store._check_kind()
            if not read_only:
                with store.writing() as connection:
                    store._migrate(connection)
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Close the file; everything added has already been saved."""
        self.connection.close()
        if self._lock is not None:
            self._lock.close()

    @property
    def plan(self) -> Plan:
        """The plan of a competition of the planning track.

        Raises:
            StoreError: the store is damaged, or belongs to another track.
        """
        self._check_planning()
        facts = self.plan_facts
        with self.reading("its plan"):
            return Plan.from_facts(facts)

    @property
    def plan_facts(self) -> dict[str, Any]:
        """The plan as JSON-compatible values, for any track."""
        with self.reading("its plan"):
            return dict(json.loads(self._one("plan")))

    def facts_of(self, track: str, what: str) -> dict[str, Any]:
        """Return `plan_facts`, for a store that must belong to a track.

        Args:
            track: name of the track.
            what: a description of such stores, for the message.

        Raises:
            StoreError: the store belongs to another track.
        """
        facts = self.plan_facts
        if facts.get("track") != track:
            raise StoreError(f"{self.path} is not {what}")
        return facts

    @property
    def games(self) -> list[dict[str, Any]]:
        """Names and hashes of the games and levels that were played."""
        with self.reading("its games"):
            games: list[dict[str, Any]] = json.loads(self._one("games"))
            if not all(isinstance(game["name"], str) for game in games):
                raise ValueError("a game without a name")
        return games

    @property
    def total(self) -> int:
        """The total number of plays in the plan."""
        with self.reading("the number of plays"):
            total = typed.read(int, self._one("plays"), "plays")
            if total < 0:
                raise ValueError(f"{total} plays")
        return total

    def check_unchanged(self, boards: Boards) -> None:
        """Check that games and controllers have not changed since the first play.

        Raises:
            StoreError: one of them has changed.
        """
        before = {game["name"]: game for game in self.games}
        changed = [game["name"] for game in boards.facts() if before.get(game["name"]) != game]
        if changed or len(before) != len(boards.games):
            which = ", ".join(changed) or "some are missing"
            raise StoreError(f"the games are no longer those of {self.path}: {which}")
        with self.reading("the hashes of controllers"):
            old = dict(json.loads(self._one("controllers")))
        new = controller_hashes(self.plan)
        for name in new:
            if old.get(name) != new[name]:
                raise StoreError(f"the file of the controller {name} has changed since {self.path} was begun")

    def begin_session(self, facts: dict[str, Any]) -> int:
        """Record the start of a session and its circumstances; returns the session's number."""
        circumstances = {"machine": machine(), "versions": versions(), "process": os.getpid(), **facts}
        with self.writing() as connection:
            cursor = connection.execute(
                "INSERT INTO sessions (began, facts) VALUES (?, ?)", [now(), json.dumps(circumstances)]
            )
        return int(cursor.lastrowid or 0)

    def sessions(self) -> list[dict[str, Any]]:
        """The circumstances of each session, the first one first."""
        with self.reading("its sessions"):
            rows = self.connection.execute("SELECT began, facts FROM sessions ORDER BY id").fetchall()
            return [{"began": typed.read(str, began), **json.loads(facts)} for began, facts in rows]

    def add(self, record: PlayRecord, session: int) -> None:
        """Save a finished play.

        Raises:
            StoreError: that failed; the store is unchanged.
        """
        result = record.result
        play: dict[str, Any] = {
            "fixture": record.fixture,
            "session": session,
            "finished": now(),
            **{name: getattr(result, name) for name in _RESULT_FIELDS},
            "actions": _pack(record.actions),
            "isolation": json.dumps(record.isolation),
            "seconds": record.seconds,
            "waited_ms": record.waited_ms,
        }
        with self.writing() as connection:
            insert(connection, "plays", play)
            for number, player in enumerate(result.players):
                used = _pack([round(used, 4) for used in record.used[number]])
                row = {"fixture": record.fixture, "player": number, **asdict(player), "used": used}
                insert(connection, "players", row)

    def played(self) -> set[int]:
        """Numbers of the finished fixtures."""
        with self.reading("its plays"):
            return {number for (number,) in self.connection.execute("SELECT fixture FROM plays")}

    def results(self) -> list[PlayResult]:
        """The finished plays, in the order of the plan."""
        return [result for _, result in self.numbered_results()]

    def numbered_results(self) -> list[tuple[int, PlayResult]]:
        """The finished plays with the numbers of their fixtures, in the order of the plan."""
        with self.reading("its plays"):
            players: dict[int, list[dict[str, Any]]] = {}
            query = f"SELECT fixture, {', '.join(_PLAYER_FIELDS)} FROM players ORDER BY fixture, player"
            for number, *values in self.connection.execute(query):
                players.setdefault(number, []).append(dict(zip(_PLAYER_FIELDS, values, strict=True)))
            query = f"SELECT fixture, {', '.join(_RESULT_FIELDS)} FROM plays ORDER BY fixture"
            return [
                (number, _result(dict(zip(_RESULT_FIELDS, values, strict=True)), players[number]))
                for number, *values in self.connection.execute(query)
            ]

    def actions(self, fixture: int) -> list[list[str | None]]:
        """The actions of a play, as names by tick and player; together with the seed, enough for a replay."""
        unpacked = self._unpacked("SELECT actions FROM plays WHERE fixture = ?", fixture)
        with self.reading(f"the actions of play {fixture}"):
            ticks = [list(typed.read(tuple[str | None, ...], tick, "actions")) for tick in unpacked]
            if unknown := {name for tick in ticks for name in tick} - {*Action.__members__, None}:
                raise ValueError(f"there is no action {unknown.pop()!r:.60}")
        return ticks

    def used(self, fixture: int, player: int = 0) -> list[float]:
        """The budget used by each answer of a player in a play, in the unit of the rules."""
        unpacked = self._unpacked("SELECT used FROM players WHERE fixture = ? AND player = ?", fixture, player)
        with self.reading(f"the times of play {fixture}"):
            return list(typed.read(tuple[float, ...], unpacked, "used"))

    def isolation(self) -> dict[str, int]:
        """The number of plays for each combination of level of isolation and source of CPU times."""
        counts: dict[str, int] = {}
        with self.reading("the isolation of its plays"):
            for (text,) in self.connection.execute("SELECT isolation FROM plays"):
                facts = json.loads(text)
                name = printable(f"{facts['level']}, CPU times by {facts['cpu times']}")
                counts[name] = counts.get(name, 0) + 1
        return counts

    def void_plays(self) -> int:
        """The number of plays that were repeated because the machine was too busy to judge them."""
        with self.reading("the isolation of its plays"):
            texts = self.connection.execute("SELECT isolation FROM plays").fetchall()
            return sum(json.loads(text).get("void", 0) > 0 for (text,) in texts)

    @classmethod
    def _connect(cls, path: Path | None, *, create: bool, read_only: bool = False, shared: bool = False) -> Self:
        if path is None:
            return cls(None, sqlite3.connect(":memory:", isolation_level=None), None)
        if path.is_dir():
            raise StoreError(f"{path} is a folder")
        lock = None if read_only or shared else _lock(path, create=create)
        mode = "rwc" if create else "rw"
        try:
            connection = reader(path) if read_only else _opened(path, mode)
            connection.execute("PRAGMA foreign_keys = ON")
            if not read_only:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
        except (sqlite3.Error, *_DAMAGED) as error:
            if lock is not None:
                lock.close()
            if isinstance(error, sqlite3.Error):
                raise _explained(error, path) from None
            raise StoreError(f"cannot use the store {path}: {_sentence(error)}") from None
        return cls(path, connection, lock)

    def _check_kind(self) -> None:
        with self.reading("its header"):
            (application,) = self.connection.execute("PRAGMA application_id").fetchone()
            (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        newest = OLDEST_FORMAT + len(SCHEMA) - 1
        if application != APPLICATION:
            raise StoreError(f"{self.path} is not a results store of vgdl-compete")
        if not OLDEST_FORMAT <= version <= newest:
            when = "a later" if version > newest else "an earlier"
            raise StoreError(f"{self.path} was written by {when} version of vgdl (format {version}, not {newest})")

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Create the missing tables."""
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        newest = OLDEST_FORMAT + len(SCHEMA) - 1
        for script in SCHEMA[max(version - OLDEST_FORMAT + 1, 0) :]:
            for statement in script.split(";"):
                connection.execute(statement)
        if version != newest:
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {newest}")

    @contextlib.contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Convert any error caused by a damaged file to a ``StoreError``."""
        try:
            yield
        except sqlite3.Error as error:
            raise _explained(error, self.path) from None
        except _DAMAGED as error:
            details = _sentence(error)
            raise StoreError(f"the store {self.path} is damaged: {what} cannot be read: {details}") from None

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, which is committed as a whole or not at all."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException as error:
            with contextlib.suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise _explained(error, self.path) from None
            raise

    def _check_planning(self) -> None:
        """Check that the store has a competition of the planning track, or none.

        Raises:
            StoreError: it is damaged, or belongs to another track.
        """
        with self.reading("its plan"):
            row = self.connection.execute("SELECT plan FROM competition").fetchone()
            facts = dict(json.loads(row[0])) if row else {}
        if "track" in facts:
            raise StoreError(f"{self.path} is a store of another track ({facts['track']})")

    def _one(self, column: str) -> Any:
        with self.reading("its plan"):
            row = self.connection.execute(f"SELECT {column} FROM competition").fetchone()
        if row is None:
            raise StoreError(f"{self.path} contains no competition, only submissions; each has a store of its own")
        return row[0]

    def _unpacked(self, query: str, *values: int) -> Any:
        with self.reading(f"play {values[0]}"):
            row = self.connection.execute(query, values).fetchone()
            if row is not None:
                return _unpack(row[0])
        raise StoreError(f"{self.path} contains no play {values[0]}")


def insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> None:
    """Insert a row, given as values by column name."""
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))


def _pack(facts: Sequence[Any]) -> bytes:
    return zlib.compress(json.dumps(facts, separators=(",", ":")).encode())


def _unpack(data: bytes) -> Any:
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(data, MAX_PACKED)
    if not unpacking.eof:
        raise ValueError("cut off, or larger than it can be")
    return json.loads(text)


def _result(play: dict[str, Any], players: list[dict[str, Any]]) -> PlayResult:
    """A play and its players, from rows of two tables; all text is made printable."""
    facts = {**play, "players": players}
    return typed.read(PlayResult, _printable(facts))


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {name: _printable(item) for name, item in value.items()}
    return [_printable(item) for item in value] if isinstance(value, list) else value


def now() -> str:
    """The current time in the format of all tables."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _lock(path: Path, *, create: bool) -> IO[bytes] | None:
    """The lock that excludes other runners; the system releases it when its owner ends, however that happens."""
    if fcntl is None:
        return None
    try:
        file = path.open("ab" if create else "r+b")
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}") from None
    deadline = time.monotonic() + LOCK_S
    while not try_lock(file):
        if time.monotonic() > deadline:
            file.close()
            raise StoreError(f"another vgdl-compete is writing {path}; wait for it, or stop it")
        time.sleep(0.05)
    return file


def reader(path: Path) -> sqlite3.Connection:
    """Open an SQLite file for reading, also where its folder is read-only.

    SQLite keeps the index of a WAL beside the file. Where that is impossible, and no process has the file open, a copy
    in memory is read instead.
    """
    is_writable = os.access(path.absolute().parent, os.W_OK)
    if is_writable or path.with_name(f"{path.name}-wal").exists() or not os.access(path, os.R_OK):
        return _opened(path, "ro")
    content = bytearray(path.read_bytes())
    if content[:16] != b"SQLite format 3\0":
        return _opened(path, "ro")
    content[18:20] = b"\1\1"  # the versions of the format without a WAL
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(bytes(content))
    return connection


def _opened(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None)


def try_lock(file: IO[bytes]) -> bool:
    """Lock an open file until it is closed; returns false if another process holds the lock."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _explained(error: sqlite3.Error, path: Path | None) -> StoreError:
    """Explain an SQLite error to the user."""
    code = getattr(error, "sqlite_errorcode", None)  # not there for errors of the module itself, as on text not UTF-8
    primary = code & 0xFF if code is not None else None
    reasons = {
        sqlite3.SQLITE_FULL: "the disk is full",
        sqlite3.SQLITE_IOERR: "the disk is full, failing, or a limit on the size of files is reached",
        sqlite3.SQLITE_READONLY: "its folder or file is read-only",
        sqlite3.SQLITE_CANTOPEN: "its folder is read-only, or not there",
        sqlite3.SQLITE_NOTADB: "it is not a results store",
        sqlite3.SQLITE_CORRUPT: "it is damaged",
        sqlite3.SQLITE_BUSY: "another program is writing it",
    }
    details = _sentence(error)
    reason = reasons.get(primary, "it is damaged") if primary is not None else "it is damaged"
    kept = ". What was finished before is in it" if primary in _HARMLESS else ""
    return StoreError(f"cannot use the store {path}: {reason} ({details}){kept}")


def _sentence(error: Exception) -> str:
    """An error as one line."""
    return printable(" ".join(str(error).split()) or type(error).__name__, 200)


_HARMLESS = {
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED),
}
"""Errors that do not mean that the file itself is faulty."""
