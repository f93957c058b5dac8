"""The results store: one SQLite file per competition, to which every result is saved at once.

Each result is one transaction, synced to disk before the next one is accepted (WAL, ``synchronous=FULL``): if the
runner is killed, the file still contains all finished results completely. Only one runner at a time writes; any number
of readers may read, and submissions may be added meanwhile (``submissions.queue``). The file must be on a local disk,
as SQLite's WAL requires.

A store says which track it belongs to, in ``plan["track"]``. A track declares its rows as dataclasses, one `Table`
each, and reads and writes them by `Store.rows`, `Store.one` and `Store.add`; it never sees the connection. Files are
untrusted and may be damaged: every cell that is read is checked against the type of its field, and any fault is a
`StoreError`.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Protocol, Self, TypeVar

from vgdl.competition import sealing, typed
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.closing import Closing
from vgdl.competition.errors import CompetitionError, FileError
from vgdl.competition.machine import machine, versions
from vgdl.competition.table import STAMPS, Column, Form, Table

try:
    import fcntl
except ImportError:  # only SQLite's own locks are available
    fcntl = None  # type: ignore[assignment]

Row = TypeVar("Row")

APPLICATION = 0x5647444C
"""Marks a file as one of ours: "VGDL"."""

SCHEMA = (
    """
    CREATE TABLE competition (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        began TEXT NOT NULL,              -- UTC, ISO 8601, like all times here
        plan TEXT NOT NULL,               -- JSON: the track, and whatever its results depend on
        games TEXT NOT NULL,              -- JSON: names and other facts of the games
        controllers TEXT NOT NULL,        -- JSON: SHA-256 of entries that are files
        plays INTEGER NOT NULL            -- how many results there are to be
    );
    CREATE TABLE sessions (               -- a row for each run of the command
        id INTEGER PRIMARY KEY,
        began TEXT NOT NULL,
        facts TEXT NOT NULL               -- JSON: machine, versions, isolation, jobs
    );
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

OLDEST_TRACK = "planning"
"""The track of a store that does not name one, as planning stores did not up to version 0.2."""

_DAMAGED = (
    ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError, MemoryError, zlib.error,
)  # fmt: skip
"""Errors that reading a damaged file can cause, besides those of SQLite."""

LOCK_S = 1.0
"""Seconds to wait for another runner to release a store: a process that a killed one had just started may have it."""


class StoreError(CompetitionError):
    """A store cannot be created, read or written; the message says why."""


class StoreDamaged(StoreError):
    """What is in a store cannot be read, now or later."""


def is_store(path: Path) -> bool:
    """Whether a file calls itself a results store; what is in it may still be damaged."""
    try:
        with path.open("rb") as file:
            head = file.read(72)
    except OSError:
        return False
    return head.startswith(b"SQLite format 3\0") and head[68:] == APPLICATION.to_bytes(4, "big")


class Reader(Protocol):
    """What results are computed from: the rows of a store."""

    def rows(self, row: type[Row], /, *, newest: str = "", most: int = -1, **equal: Any) -> list[Row]:
        """The rows of a type; see `Store.rows`."""

    def one(self, row: type[Row], **key: Any) -> Row:
        """One row, with its packed fields; see `Store.one`."""

    def reading(self, what: str) -> contextlib.AbstractContextManager[None]:
        """Convert any error caused by a damaged file; see `Store.reading`."""


class Store(Closing):
    """An open results store; leaving the ``with`` block closes it.

    Attributes:
        path: its file; None if it is in memory.
        connection: for the queue of submissions; tracks have no need of it.
        rows_read: how many rows have been read so far.
    """

    def __init__(self, path: Path | None, connection: sqlite3.Connection, lock: IO[bytes] | None) -> None:
        """Use ``create`` or ``open`` instead."""
        self.path = path
        self.connection = connection
        self.rows_read = 0
        self._seal: sealing.Seal | None = None  # None for none yet, or none any more
        self._session = 0  # the number of the session that writes; 0 for none yet
        self._lock = lock  # closed after the connection: closing any handle of a file drops SQLite's own locks on it
        self._tables: dict[type, Table[Any]] = {}
        self._present: dict[str, frozenset[str]] = {}  # columns of the tables in the file

    @classmethod
    def create(
        cls,
        path: Path | None,
        plan: Mapping[str, Any],
        tables: Sequence[Table[Any]] = (),
        *,
        games: Sequence[Mapping[str, Any]] = (),
        hashes: Mapping[str, str] | None = None,
        total: int = 0,
        secret: int | None = None,
        sealed: Collection[str] = (),
    ) -> Self:
        """Create a store, in memory if there is no path.

        Args:
            path: of the file.
            plan: the plan as JSON-compatible values, with the track's name as ``track``.
            tables: the track's own tables.
            games: names and other facts of the games.
            hashes: SHA-256 of entries given as files, by name.
            total: number of results that there are to be.
            secret: a number in the plan, as text, that is kept out of the file until `unseal` is called.
            sealed: names of other facts of the plan that are encrypted until then; with them, the games are.

        Raises:
            StoreError: there is such a file already, or it cannot be written.
            FileError: the secret cannot be kept apart.
        """
        check_new(path)
        seal = None if path is None or secret is None else sealing.make(secret)
        shown_games: Any = games
        if seal is not None:
            plan = {name: seal.reference if one == str(secret) else one for name, one in plan.items()}
            plan |= {name: seal.hide(plan[name]) for name in sealed}
            shown_games = seal.hide(games) if sealed else games
        with contextlib.ExitStack() as undo:
            if seal is not None:
                undo.callback(seal.remove)
            store = cls._connect(path, create=True)
            undo.callback(store.close)
            store._seal = seal
            with store.writing() as connection:
                store._migrate(connection)
                values = [now(), json.dumps(plan), json.dumps(shown_games), json.dumps(hashes or {}), total]
                connection.execute("INSERT INTO competition VALUES (1, ?, ?, ?, ?, ?)", values)
            store.use(tables)
            undo.pop_all()
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

    @classmethod
    def open_of(cls, track: str, tables: Sequence[Table[Any]], path: Path, *, read_only: bool = True) -> Self:
        """Open an existing store of a certain track, with access to its tables.

        Raises:
            StoreError: it cannot be used, or belongs to another track.
        """
        store = cls.open(path, read_only=read_only)
        try:
            if store.track != track:
                raise StoreError(f"{path} is a store of another track ({store.track})")
            store.use(tables, read_only=read_only)
        except BaseException:
            store.close()
            raise
        return store

    def use(self, tables: Sequence[Table[Any]], *, read_only: bool = False) -> None:
        """Give access to the tables of a track; those missing are created, as are missing columns with a default.

        Raises:
            StoreError: the file is damaged, or cannot be written.
        """
        self._tables |= {table.row: table for table in tables}
        if not read_only:
            with self.writing() as connection:
                for table in tables:
                    for statement in table.statements:
                        connection.execute(statement)
        with self.reading("its tables"):
            for table in tables:
                self._present[table.name] = frozenset(
                    name for _, name, *_ in self.connection.execute(f'PRAGMA table_info("{table.name}")')
                )
        if not read_only:
            self._add_columns(tables)
            if self._seal is None and any(column.sealed for table in tables for column in table.columns):
                self._find_seal()

    def _add_columns(self, tables: Sequence[Table[Any]]) -> None:
        """Add the columns that files of earlier versions do not have yet, with their defaults."""
        for table in tables:
            for column in table.columns:
                if column.name in self._present[table.name] or column.default is None or not column.may_be_missing:
                    continue
                value = column.encoded(column.default())
                kind = column.declaration.removesuffix(" NOT NULL")
                with self.writing() as connection:
                    connection.execute(f'ALTER TABLE "{table.name}" ADD COLUMN {kind}')
                    connection.execute(f'UPDATE "{table.name}" SET "{column.name}" = ?', [value])
                self._present[table.name] |= {column.name}

    def close(self) -> None:
        """Close the file; everything added has already been saved."""
        self.connection.close()
        if self._lock is not None:
            self._lock.close()

    @property
    def plan(self) -> dict[str, Any]:
        """The plan as JSON-compatible values.

        Raises:
            StoreError: the store is damaged, contains no competition, or one that is not over and whose secret is not
                on this machine.
        """
        with self.reading("its plan"):
            self._find_seal()
            return {name: self._shown(one) for name, one in self._facts().items()}

    @property
    def track(self) -> str:
        """Name of the track that the store belongs to.

        Raises:
            StoreError: the store is damaged, or contains no competition.
        """
        with self.reading("its plan"):
            facts = self._facts()
            name = typed.read(str, facts.get("track", OLDEST_TRACK), "track")
            return printable(name.split()[0], 60)  # version 0.2 had kinds of stores such as "worldmodels search"

    @property
    def games(self) -> list[dict[str, Any]]:
        """Names and other facts of the games that are played."""
        with self.reading("its games"):
            stored = json.loads(self._one("games"))
            if sealing.is_sealed(stored):
                self._find_seal()
            games: list[dict[str, Any]] = self._shown(stored)
            if not all(isinstance(game["name"], str) for game in games):
                raise ValueError("a game without a name")
        return games

    @property
    def total(self) -> int:
        """The number of results that there are to be."""
        with self.reading("the number of plays"):
            total = typed.read(int, self._one("plays"), "plays")
            if total < 0:
                raise ValueError(f"{total} plays")
        return total

    def unseal(self) -> None:
        """Write the secret to the plan, and what it has encrypted to the tables in use: the competition is over.

        Raises:
            StoreError: the store is damaged, or cannot be written, or the secret is not on this machine; nothing has
                changed.
        """
        plan, games = self.plan, self.games
        if self._seal is None:
            return
        with self.reading("what is encrypted in it"), self.writing() as connection:
            connection.execute("UPDATE competition SET plan = ?, games = ?", [json.dumps(plan), json.dumps(games)])
            for table in self._tables.values():
                for column in (one.name for one in table.columns if one.sealed):
                    cells = connection.execute(f'SELECT rowid, "{column}" FROM "{table.name}"').fetchall()
                    shown = [(self._seal.show(cell), row) for row, cell in cells if sealing.is_sealed(cell)]
                    connection.executemany(f'UPDATE "{table.name}" SET "{column}" = ? WHERE rowid = ?', shown)
        self._seal.remove()
        self._seal = None

    def _find_seal(self) -> None:
        """Find the secret, unless the competition is over."""
        with self.reading("its plan"):
            for one in filter(sealing.is_reference, self._facts().values()):
                self._unsealing(one)

    def _shown(self, fact: Any) -> Any:
        """A fact of the plan as it was before it was sealed."""
        if not sealing.is_sealed(fact):
            return fact
        if self._seal is None:
            raise ValueError("something is encrypted, but there is no secret")
        return str(self._seal.secret) if sealing.is_reference(fact) else self._seal.show(fact)

    def _facts(self) -> dict[str, Any]:
        """The plan as it is in the file."""
        return dict(json.loads(self._one("plan")))

    def _unsealing(self, reference: str) -> sealing.Seal:
        """The secret that the plan refers to."""
        if self._seal is None or self._seal.reference != reference:
            try:
                self._seal = sealing.find(reference, self.path)
            except FileError as error:
                raise StoreError(str(error)) from None
        return self._seal

    def check_hashes(self, hashes: Mapping[str, str]) -> None:
        """Check that the files of entries have not changed since the store was begun.

        Args:
            hashes: the SHA-256 of each file, by the name of its entry.

        Raises:
            StoreError: one of them has changed.
        """
        with self.reading("the hashes of entries"):
            old = dict(json.loads(self._one("controllers")))
        for name, digest in hashes.items():
            if old.get(name) != digest:
                raise StoreError(f"the file of {name} has changed since {self.path} was begun")

    def check_games(self, games: Sequence[Mapping[str, Any]]) -> None:
        """Check that the games have not changed since the store was begun.

        Raises:
            StoreError: one of them has changed.
        """
        before = {game["name"]: game for game in self.games}
        changed = [game["name"] for game in games if before.get(game["name"]) != game]
        if changed or len(before) != len(games):
            which = printable(", ".join(map(str, changed)), 200) or "some are missing"
            raise StoreError(f"the games are no longer those of {self.path}: {which}")

    def begin_session(self, facts: Mapping[str, Any]) -> int:
        """Record the start of a session and its circumstances; returns the session's number."""
        circumstances = {"machine": machine(), "versions": versions(), "process": os.getpid(), **facts}
        with self.writing() as connection:
            cursor = connection.execute(
                "INSERT INTO sessions (began, facts) VALUES (?, ?)", [now(), json.dumps(circumstances)]
            )
        self._session = int(cursor.lastrowid or 0)
        return self._session

    def sessions(self) -> list[dict[str, Any]]:
        """The circumstances of each session, the first one first."""
        with self.reading("its sessions"):
            rows = self.connection.execute("SELECT began, facts FROM sessions ORDER BY id").fetchall()
            return [{"began": typed.read(str, began), **json.loads(facts)} for began, facts in rows]

    def add(self, *rows: Any) -> None:
        """Save rows of the track's tables in one transaction.

        Raises:
            StoreError: that failed, or a row is there already; the store is unchanged.
        """
        self._write("INSERT", rows)

    def put(self, *rows: Any) -> None:
        """Save rows in one transaction; each replaces an earlier row with the same key.

        Raises:
            StoreError: that failed; the store is unchanged.
        """
        self._write("INSERT OR REPLACE", rows)

    def _write(self, verb: str, rows: Sequence[Any]) -> None:
        session = self._session or self.begin_session({})
        with self.writing() as connection:
            for row in rows:
                table = self._tables[type(row)]
                cells: dict[str, Any] = dict(zip(STAMPS, (session, now()), strict=True))
                cells |= {one.name: self._encoded(one, getattr(row, one.field)) for one in table.columns}
                cells = {name: cell for name, cell in cells.items() if name in self._present[table.name]}
                names, marks = ", ".join(f'"{name}"' for name in cells), ", ".join("?" * len(cells))
                connection.execute(f'{verb} INTO "{table.name}" ({names}) VALUES ({marks})', list(cells.values()))

    def _encoded(self, column: Column, value: Any) -> Any:
        cell = column.encoded(value)
        return self._seal.hide(cell) if column.sealed and self._seal is not None else cell

    def _decoded(self, column: Column, cell: Any) -> Any:
        if column.sealed and sealing.is_sealed(cell):
            if self._seal is None:
                self._find_seal()
            cell = self._seal.show(cell) if self._seal else cell
        return column.decoded(cell)

    def rows(self, row: type[Row], /, *, newest: str = "", most: int = -1, **equal: Any) -> list[Row]:
        """The rows of a type in the order of their keys, without packed fields, which have their defaults.

        Args:
            row: the type.
            newest: a field by which rows are ordered instead, the largest value first.
            most: number of rows to return at most, if not negative.
            **equal: values of fields; only rows with these are returned.

        Raises:
            StoreError: the store is damaged.
        """
        return self._read(row, equal, packed=False, newest=newest, most=most)

    def one(self, row: type[Row], **key: Any) -> Row:
        """One row with all its fields.

        Args:
            row: its type.
            **key: values of fields that identify it.

        Raises:
            StoreError: there is no such row, or the store is damaged.
        """
        rows = self._read(row, key, packed=True)
        if not rows:
            what = ", ".join(f"{name} {value}" for name, value in key.items())
            raise StoreError(f"{self.path} contains no {self._tables[row].name} row with {what}")
        return rows[0]

    def full_rows(self, row: type[Row], **equal: Any) -> Iterator[Row]:
        """The rows of a type with all their fields, one after another."""
        key = self._tables[row].key
        for found in self.rows(row, **equal):
            yield self.one(row, **{name: getattr(found, name) for name in key})

    def count(self, row: type[Any]) -> int:
        """The number of rows of a type."""
        table = self._tables[row]
        if not self._present[table.name] and table.optional:
            return 0
        with self.reading(f"the table {table.name}"):
            return int(self.connection.execute(f'SELECT count(*) FROM "{table.name}"').fetchone()[0])

    def _read(
        self, row: type[Row], equal: Mapping[str, Any], *, packed: bool, newest: str = "", most: int = -1
    ) -> list[Row]:
        table = self._tables[row]
        present = self._present[table.name]
        if not present and table.optional:
            return []  # a file of an earlier version
        by_field = {column.field: column for column in table.columns}
        chosen = [one for one in table.columns if one.name in present and (packed or one.form is not Form.PACKED)]
        where = " AND ".join(f'"{by_field[name].name}" IS ?' for name in equal) or "1"
        order = f'"{newest}" DESC, rowid DESC' if newest else ", ".join(f'"{name}"' for name in table.key)
        names = ", ".join(f'"{column.name}"' for column in chosen)
        values = [by_field[name].encoded(value) for name, value in equal.items()]
        found = []
        with self.reading(f"the table {table.name}"):
            if not present:
                raise LookupError("it is missing")
            for column in table.columns:
                if column.name not in present and not column.may_be_missing:
                    raise LookupError(f"it has no column {column.name}")
            query = f'SELECT {names} FROM "{table.name}" WHERE {where} ORDER BY {order} LIMIT ?'
            for cells in self.connection.execute(query, [*values, most]):
                decoded = {one.field: self._decoded(one, cell) for one, cell in zip(chosen, cells, strict=True)}
                found.append(row(**decoded))
        self.rows_read += len(found)
        return found

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
    def reading(self, what: str, *, passing: tuple[type[Exception], ...] = ()) -> Iterator[None]:
        """Convert any error caused by a damaged file to a ``StoreError``.

        Args:
            what: is read, for the message.
            passing: errors that have other causes.
        """
        try:
            yield
        except sqlite3.Error as error:
            raise _explained(error, self.path) from None
        except _DAMAGED as error:
            if isinstance(error, (StoreError, *passing)):
                raise
            details = _sentence(error)
            raise StoreDamaged(f"the store {self.path} is damaged: {what} cannot be read: {details}") from error

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

    @property
    def has_competition(self) -> bool:
        """Whether there is a plan: a store may contain a queue of submissions only."""
        with self.reading("its plan"):
            return self.connection.execute("SELECT 1 FROM competition").fetchone() is not None

    def _one(self, column: str) -> Any:
        with self.reading("its plan"):
            row = self.connection.execute(f"SELECT {column} FROM competition").fetchone()
        if row is None:
            raise StoreError(f"{self.path} contains no competition, only submissions; each has a store of its own")
        return row[0]


def check_new(path: Path | None) -> None:
    """Check that a new store can be created at a path.

    Raises:
        StoreError: there is such a file already.
    """
    if path is not None and path.exists() and path.stat().st_size:
        raise StoreError(f"{path} exists already: continue it by --resume {path}, or name another file")


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
