"""The queue of submissions: a table of a results store to which senders and workers write concurrently.

A worker that evaluates a submission holds a file lock, which the system releases when the worker ends in any way: two
workers never evaluate the same submission, and that of a killed worker can be taken again.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from vgdl.competition import sealing, seeds, typed
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.errors import FileError
from vgdl.competition.store import OLDEST_TRACK, Store, StoreError, now, try_lock

BUSY_MS = 60_000
"""Time to wait for other writers."""

TRIES = 2
"""Number of unexpected failures after which the evaluation is given up."""

MOST_ATTEMPTS = 5
"""Number of evaluations cut short by a killed worker after which the evaluation is given up."""


class State(enum.StrEnum):
    """The state of a submission; all but waiting and being evaluated are outcomes."""

    WAITING = "waiting"
    TAKEN = "being evaluated"
    REFUSED = "archive refused"
    NOT_IMPORTED = "did not import"
    SLOW_CONSTRUCTION = "too slow in construction"
    DISQUALIFIED = "disqualified"
    EVALUATED = "evaluated"
    FAILED = "could not be evaluated"

    @property
    def is_outcome(self) -> bool:
        """Whether the evaluation has ended."""
        return self not in (State.WAITING, State.TAKEN)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a submission."""

    state: State
    message: str  #: for its sender
    details: str = ""  #: a traceback, or results per game


@dataclass(frozen=True, slots=True)
class Submission:
    """One row of the queue, without the archive."""

    number: int
    submitted: str  #: UTC, ISO 8601
    changed: str  #: time of the last change of state
    name: str  #: its name in rankings
    file: str  #: path of the controller in the archive
    class_name: str
    sha256: str  #: of the archive
    state: State
    message: str
    details: str


@dataclass(frozen=True, slots=True)
class Taken:
    """A submission that this process has taken for evaluation."""

    submission: Submission
    archive: bytes
    secret: int  #: from which the seeds of its evaluation derive
    attempts: int  #: evaluations that were started, including this one
    folder: Path  #: for working files


_FIELDS = [field.name for field in fields(Submission)]
_COLUMNS = ", ".join(["id", *_FIELDS[1:]])


class Queue(Store):
    """The submissions in a store. Any number of processes may open it."""

    @classmethod
    def open_shared(cls, path: Path, *, create: bool = False) -> Self:
        """Open the queue of a store.

        Args:
            path: of the store.
            create: create it if it does not exist.

        Raises:
            StoreError: it is not a store, belongs to another track, or cannot be written.
        """
        is_new = not path.exists() or not path.stat().st_size
        if is_new and not create:
            raise StoreError(f"there is no file {path}; vgdl-compete submit makes it")
        queue = cls._connect(path, create=create, shared=True)
        try:
            queue.connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            if not is_new:
                queue._check_kind()
                if queue.has_competition and queue.track != OLDEST_TRACK:
                    raise StoreError(f"{path} is a store of another track ({queue.track})")
            with queue.writing() as connection:
                queue._migrate(connection)
        except BaseException:
            queue.close()
            raise
        return queue

    @property
    def folder(self) -> Path:
        """The folder for working files, with a subfolder per submission."""
        assert self.path is not None
        return self.path.absolute().with_name(f"{self.path.name}.submissions")

    def enter(self, name: str, file: str, class_name: str, archive: bytes) -> int:
        """Add a checked submission; returns its number."""
        row = (
            now(),
            now(),
            name,
            file,
            class_name,
            hashlib.sha256(archive).hexdigest(),
            State.WAITING,
            "",
            "",
            "",  # there is none before its evaluation
            0,
            archive,
        )
        with self.writing() as connection:
            cursor = connection.execute(
                "INSERT INTO submissions (submitted, changed, name, file, class_name, sha256, state, message, details, "
                "secret, attempts, archive) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
        return int(cursor.lastrowid or 0)

    def all(self) -> list[Submission]:
        """All submissions, the oldest first."""
        with self.reading("its submissions"):
            query = f"SELECT {_COLUMNS} FROM submissions ORDER BY id"
            return [_row(values) for values in self.connection.execute(query)]

    @contextlib.contextmanager
    def take(self) -> Iterator[Taken | None]:
        """Take the first submission that no worker has, until the ``with`` block ends; None if there is none.

        If the block ends without an outcome, the submission waits again.
        """
        for submission in self.all():
            if submission.state.is_outcome:
                continue
            folder = self.folder / str(submission.number)
            folder.mkdir(parents=True, exist_ok=True)
            with (folder / "lock").open("ab") as file:
                if not try_lock(file):
                    continue
                taken = self._begin(submission, folder)
                if taken is None:
                    continue  # another worker has finished it meanwhile, or it has ended too many workers
                try:
                    yield taken
                finally:
                    self._change(submission.number, Outcome(State.WAITING, ""), only_from=State.TAKEN)
                return
        yield None

    def finish(self, number: int, outcome: Outcome) -> None:
        """Save the outcome of a taken submission."""
        self._change(number, outcome, only_from=State.TAKEN)
        self._unseal(number)

    def forgive(self, number: int) -> None:
        """Do not count the last attempt, which the worker itself broke off."""
        with self.writing() as connection:
            connection.execute("UPDATE submissions SET attempts = attempts - 1 WHERE id = ?", [number])

    def _begin(self, submission: Submission, folder: Path) -> Taken | None:
        with self.reading(f"submission {submission.number}"), self.writing() as connection:
            query = "SELECT state, archive, secret, attempts FROM submissions WHERE id = ?"
            state, archive, secret, attempts = connection.execute(query, [submission.number]).fetchone()
            if State(state).is_outcome:
                return None
            seal = self._sealed(typed.read(str, secret, "secret"))
            query = "UPDATE submissions SET state = ?, changed = ?, secret = ?, attempts = attempts + 1 WHERE id = ?"
            cell = seal.reference if seal else secret
            connection.execute(query, [State.TAKEN, now(), cell, submission.number])
            taken = Taken(submission, bytes(archive), seal.secret if seal else int(secret), attempts + 1, folder)
        if taken.attempts <= MOST_ATTEMPTS:
            return taken
        message = f"its evaluation was begun {MOST_ATTEMPTS} times, and ended its worker every time"
        self.finish(submission.number, Outcome(State.FAILED, message))
        return None

    def _sealed(self, secret: str) -> sealing.Seal | None:
        """The secret of an evaluation, kept apart until its end; None if it lies in the file, as it did up to 0.2.

        Where it is lost, or on another machine, the evaluation begins anew with another one.
        """
        with contextlib.suppress(FileError):
            if secret:
                return sealing.find(secret, self.path) if sealing.is_sealed(secret) else None
        return sealing.make(seeds.fresh_secret())

    def _unseal(self, number: int) -> None:
        """Write the secret of a finished evaluation to the file."""
        with self.reading(f"submission {number}"), contextlib.suppress(FileError):
            (secret,) = self.connection.execute("SELECT secret FROM submissions WHERE id = ?", [number]).fetchone()
            if sealing.is_sealed(secret):
                seal = sealing.find(secret, self.path)
                with self.writing() as connection:
                    connection.execute("UPDATE submissions SET secret = ? WHERE id = ?", [str(seal.secret), number])
                seal.remove()

    def _change(self, number: int, outcome: Outcome, *, only_from: State) -> None:
        query = "UPDATE submissions SET state = ?, message = ?, details = ?, changed = ? WHERE id = ? AND state = ?"
        values = [outcome.state, printable(outcome.message), printable(outcome.details), now(), number, only_from]
        with self.writing() as connection:
            connection.execute(query, values)


def _row(values: tuple[Any, ...]) -> Submission:
    return typed.read(Submission, dict(zip(_FIELDS, values, strict=True)), "submission")
