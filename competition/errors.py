"""Errors that a user can fix, as opposed to bugs: commands print the former and let the latter propagate."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path


class CompetitionError(Exception):
    """An error that the user can fix; the message says how."""


class FileError(CompetitionError):
    """A file cannot be read or written; the message says which and why."""


@contextlib.contextmanager
def using(path: Path | str | None = None) -> Iterator[None]:
    """Convert the system's file errors to ``FileError``.

    Args:
        path: of the file, if the error does not name it.
    """
    try:
        yield
    except OSError as error:
        raise FileError(f"{path or error.filename or 'a file'}: {error.strerror or error}") from None
