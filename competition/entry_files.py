"""The files of entries that are given as files, and their hashes, which a store keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from vgdl.competition.errors import using
from vgdl.registry import Entry


def files(entries: Iterable[Entry]) -> tuple[Path, ...]:
    """The files of those entries that are given as files."""
    return tuple(entry.file for entry in entries if entry.file is not None)


def hashes(entries: Iterable[Entry]) -> dict[str, str]:
    """The SHA-256 of each entry given as a file, by its name in rankings.

    Raises:
        FileError: a file cannot be read.
    """
    with using():
        return {
            entry.ranking_name: hashlib.sha256(entry.file.read_bytes()).hexdigest()
            for entry in entries
            if entry.file is not None
        }
