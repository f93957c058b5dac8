"""Errors that a user can mend, apart from bugs: commands print the first, and let the second be seen."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path


class CompetitionError(Exception):
    """Something that the user can mend; the message says what."""


class FileError(CompetitionError):
    """A file cannot be read or written; the message says which and why."""


@contextlib.contextmanager
def using(path: Path | str | None = None) -> Iterator[None]:
    """Turn errors of the system about files into a ``FileError``.

    Args:
        path: of the file, where the error does not name it.
    """
    try:
        yield
    except OSError as error:
        raise FileError(f"{path or error.filename or 'a file'}: {error.strerror or error}") from None
