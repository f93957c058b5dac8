"""The files of programs that compete: what their processes may see, and what must not change until the end."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from vgdl.competition.errors import using
from vgdl.registry import Entry


def files_of(entries: Iterable[Entry]) -> tuple[Path, ...]:
    """The files of the programs that are given as files."""
    return tuple(entry.file for entry in entries if entry.file is not None)


def hashes_of(entries: Iterable[Entry]) -> dict[str, str]:
    """The SHA-256 of every program that is given as a file, by its name in rankings.

    Raises:
        FileError: a file cannot be read.
    """
    files = {entry.ranking_name: entry.file for entry in entries if entry.file is not None}
    with using():
        return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
