"""Splits a file or a text into lines (language, 1)."""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path

from .description import Source
from .errors import VGDLError

_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
"""Encodings by the byte order mark that a file begins with; without one, it is UTF-8."""

_TERMINATOR = re.compile(r"\r\n|\r|\n")


def source_of(text: str, name: str = "<text>") -> Source:
    """``text`` split at LF, CR or CRLF only; a terminator at the very end starts no further line (language, 1)."""
    lines = _TERMINATOR.split(text)
    if not lines[-1]:
        lines.pop()
    return Source(text, name, tuple(lines))


def read_source(path: str | os.PathLike[str]) -> Source:
    """The lines of a file, decoded as UTF-8 or as its byte order mark says; invalid bytes become U+FFFD.

    Raises:
        VGDLError: the file cannot be read.
    """
    name = os.fspath(path)
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise VGDLError(f"cannot be read: {reason}", Source("", name, ())) from error
    encoding = next((encoding for mark, encoding in _MARKS.items() if data.startswith(mark)), "utf-8")
    return source_of(data.decode(encoding, errors="replace"), name)
