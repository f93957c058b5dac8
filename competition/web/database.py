"""The database of a site: one SQLite file, or PostgreSQL at a URL, with a common interface.

Statements are written once, with ``?`` for values, in the SQL that both systems share. A transaction is safe on disk
when its ``with`` block ends (SQLite: WAL with ``synchronous=FULL``). Any number of processes may use a database.
"""

from __future__ import annotations

import contextlib
import importlib
import queue
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from vgdl.competition.closing import Closing
from vgdl.competition.errors import CompetitionError
from vgdl.competition.web.schema import SCHEMA
from vgdl.extras import needs

APPLICATION = 0x56474453
"""Marks a SQLite file as the database of a site: "VGDS"."""

BUSY_MS = 60_000
"""Milliseconds to wait for other writers."""

POSTGRES = ("postgresql://", "postgres://")

Row = dict[str, Any]


class DatabaseError(CompetitionError):
    """A database cannot be opened or used; the message says why."""


class Transaction(Protocol):
    """Statements that take effect together."""

    def rows(self, statement: str, *values: Any) -> list[Row]:
        """Run a statement; returns its rows."""

    def row(self, statement: str, *values: Any) -> Row | None:
        """Run a statement; returns its first row, if any."""

    def run(self, statement: str, *values: Any) -> int:
        """Run a statement; returns how many rows it changed."""

    def lock(self, name: str) -> None:
        """Wait for other transactions that hold the lock of this name, which ends with the transaction.

        What is read after it and written is as if one transaction came after the other. In SQLite, they always do.
        """


class Database(Closing):
    """Connections to a database, shared by the threads of a process; leaving the ``with`` block closes them."""

    def __init__(self, address: str) -> None:
        """Use ``open_database`` instead, which also creates the tables."""
        self.address = address
        self.is_postgres = address.startswith(POSTGRES)
        self._idle: queue.LifoQueue[Any] = queue.LifoQueue()

    @property
    def files(self) -> list[Path]:
        """The files of the database on this machine, which no controller may see."""
        if self.is_postgres:
            return []
        path = Path(self.address)
        return [path.with_name(path.name + ending) for ending in ("", "-wal", "-shm")]

    @property
    def name(self) -> str:
        """The address without user and password, for display."""
        if not self.is_postgres:
            return self.address
        parts = urlsplit(self.address)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"

    def close(self) -> None:
        """Close all connections that are not in use."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._idle.get_nowait().close()

    @contextlib.contextmanager
    def transaction(self, *, writes: bool = True) -> Iterator[Transaction]:
        """A transaction, which takes effect as a whole or not at all.

        Args:
            writes: whether it may write; one that only reads waits for no other.

        Raises:
            DatabaseError: the database cannot be used.
        """
        with self._connection() as connection:
            cursor = _Cursor(connection, self.is_postgres)
            begin = "BEGIN IMMEDIATE" if writes and not self.is_postgres else "BEGIN"
            cursor.run(begin)
            try:
                yield cursor
                cursor.run("COMMIT")
            except BaseException:
                with contextlib.suppress(Exception):
                    cursor.run("ROLLBACK")
                raise

    def rows(self, statement: str, *values: Any) -> list[Row]:
        """Run a statement as its own transaction; returns its rows."""
        with self._connection() as connection:
            return _Cursor(connection, self.is_postgres).rows(statement, *values)

    def row(self, statement: str, *values: Any) -> Row | None:
        """Run a statement as its own transaction; returns its first row, if any."""
        return next(iter(self.rows(statement, *values)), None)

    def run(self, statement: str, *values: Any) -> int:
        """Run a statement as its own transaction; returns how many rows it changed."""
        with self._connection() as connection:
            return _Cursor(connection, self.is_postgres).run(statement, *values)

    def now(self) -> float:
        """Seconds since 1970 by the database's clock, which all machines that use it share."""
        if not self.is_postgres:
            return time.time()
        row = self.row("SELECT EXTRACT(EPOCH FROM clock_timestamp())::double precision AS now")
        assert row is not None
        return float(row["now"])

    @contextlib.contextmanager
    def _connection(self) -> Iterator[Any]:
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = self._connect()
        try:
            yield connection
        except sqlite3.Error as error:
            connection.close()
            raise DatabaseError(f"cannot use {self.name}: {error}") from error
        except Exception as error:
            if type(error).__module__.startswith("psycopg"):
                connection.close()
                raise DatabaseError(f"cannot use {self.name}: {error}") from error
            self._idle.put(connection)
            raise
        except BaseException:
            connection.close()
            raise
        else:
            self._idle.put(connection)

    def _connect(self) -> Any:
        if self.is_postgres:
            psycopg = _psycopg()
            try:
                rows: Any = importlib.import_module("psycopg.rows")
                return psycopg.connect(self.address, autocommit=True, row_factory=rows.dict_row, connect_timeout=10)
            except psycopg.Error as error:
                raise DatabaseError(f"cannot connect to {self.name}: {' '.join(str(error).split())}") from None
        try:
            connection = sqlite3.connect(
                self.address, isolation_level=None, check_same_thread=False, timeout=BUSY_MS / 1000
            )
            connection.row_factory = _as_dict
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        except sqlite3.Error as error:
            raise DatabaseError(f"cannot use {self.name}: {error}") from None
        return connection


class _Cursor:
    """Statements on one connection."""

    def __init__(self, connection: Any, is_postgres: bool) -> None:
        self._connection = connection
        self._is_postgres = is_postgres

    def _execute(self, statement: str, values: tuple[Any, ...]) -> Any:
        text = statement.replace("?", "%s") if self._is_postgres else statement
        return (
            self._connection.execute(text, values or None)
            if self._is_postgres
            else self._connection.execute(text, values)
        )

    def rows(self, statement: str, *values: Any) -> list[Row]:
        cursor = self._execute(statement, values)
        return [] if cursor.description is None else list(cursor.fetchall())

    def row(self, statement: str, *values: Any) -> Row | None:
        return next(iter(self.rows(statement, *values)), None)

    def run(self, statement: str, *values: Any) -> int:
        return int(self._execute(statement, values).rowcount)

    def lock(self, name: str) -> None:
        if self._is_postgres:
            self.run("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name)


def open_database(address: str, *, create: bool = False) -> Database:
    """Open the database of a site and bring its tables up to date.

    Args:
        address: path of a file, or ``postgresql://user:password@host/name``.
        create: create the tables if there are none.

    Raises:
        DatabaseError: there is no such database, it is of another kind, or it was written by a later version.
    """
    database = Database(address)
    if not database.is_postgres:
        path = Path(address)
        if not create and not path.is_file():
            raise DatabaseError(f"there is no file {path}; vgdl-compete serve --store {path} makes it")
        if path.is_file() and path.stat().st_size and not is_site(address):
            raise DatabaseError(f"{path} is not the database of a site; name a new file")
    try:
        _migrate(database, create=create)
    except BaseException:
        database.close()
        raise
    return database


def is_site(address: str) -> bool:
    """Whether an address is that of a site's database: any PostgreSQL URL, or a file with the site's mark."""
    if address.startswith(POSTGRES):
        return True
    try:
        with contextlib.closing(
            sqlite3.connect(f"{Path(address).absolute().as_uri()}?mode=ro", uri=True)
        ) as connection:
            (mark,) = connection.execute("PRAGMA application_id").fetchone()
    except sqlite3.Error:
        return False
    return bool(mark == APPLICATION)


def _migrate(database: Database, *, create: bool) -> None:
    """Create the missing tables, one process at a time."""
    with database.transaction() as transaction:
        if database.is_postgres:
            transaction.run(f"SELECT pg_advisory_xact_lock({APPLICATION})")
            known = transaction.row("SELECT to_regclass('settings') AS present")
        else:
            known = transaction.row("SELECT name AS present FROM sqlite_master WHERE name = 'settings'")
        present = known is not None and known["present"] is not None
        if not present and not create:
            raise DatabaseError(f"{database.name} contains no site; vgdl-compete serve --store makes one")
        row = transaction.row("SELECT value FROM settings WHERE name = 'format'") if present else None
        done = int(row["value"]) if row else 0
        if done > len(SCHEMA):
            raise DatabaseError(f"{database.name} was written by a later version of vgdl (format {done})")
        for script in SCHEMA[done:]:
            for statement in script.split(";"):
                if statement.strip():
                    transaction.run(_dialect(statement, database.is_postgres))
        if done != len(SCHEMA):
            if not database.is_postgres:
                transaction.run(f"PRAGMA application_id = {APPLICATION}")
            transaction.run(
                "INSERT INTO settings (name, value) VALUES ('format', ?) "
                "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                str(len(SCHEMA)),
            )


def _dialect(statement: str, is_postgres: bool) -> str:
    """Convert a statement that creates tables to the SQL dialect of the system."""
    if not is_postgres:
        return statement.replace("SERIAL PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT")
    for ours, theirs in (
        ("SERIAL PRIMARY KEY", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"),
        (" INTEGER", " BIGINT"),
        (" BLOB", " BYTEA"),
        (" REAL", " DOUBLE PRECISION"),
    ):
        statement = statement.replace(ours, theirs)
    return statement


def _as_dict(cursor: sqlite3.Cursor, values: tuple[Any, ...]) -> Row:
    return {column[0]: value for column, value in zip(cursor.description, values, strict=True)}


def _psycopg() -> Any:
    try:
        return importlib.import_module("psycopg")
    except ImportError:
        raise DatabaseError(needs("PostgreSQL", "psycopg", "postgres")) from None
