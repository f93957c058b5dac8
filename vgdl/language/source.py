"""Splits a file or a text into lines (language, 1)."""

from __future__ import annotations

import os
import re
from pathlib import Path

from .description import Source
from .errors import VGDLError

_TERMINATOR = re.compile(r"\r\n|\r|\n")


def source_of(text: str, name: str = "<text>") -> Source:
    """``text`` split at LF, CR or CRLF only; a terminator at the very end starts no further line (language, 1)."""
    lines = _TERMINATOR.split(text)
    if not lines[-1]:
        lines.pop()
    return Source(text, name, tuple(lines))


def read_source(path: str | os.PathLike[str]) -> Source:
    """The lines of a file, decoded as UTF-8; invalid bytes become U+FFFD.

    Raises:
        VGDLError: the file cannot be read.
    """
    name = os.fspath(path)
    try:
        text = Path(path).read_bytes().decode("utf-8", errors="replace")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise VGDLError(f"cannot be read: {reason}", Source("", name, ())) from error
    return source_of(text, name)
