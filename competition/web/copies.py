"""Copied code: entries of a competition are compared pairwise, by winnowing.

Winnowing (Schleimer, Wilkerson and Aiken, "Winnowing: local algorithms for document fingerprinting", SIGMOD 2003) is
what MOSS uses. It is written here since it takes thirty lines, while the libraries for it parse programs, and nothing
that strangers send is parsed outside isolation: a regular expression splits the text into tokens in linear time. Names,
numbers and texts count as equal, so that renaming hides nothing; comments and spaces are left out. A match is found for
certain from ``GRAM + WINDOW - 1`` tokens on. Fingerprints that many entries share, such as those of a template of the
course, are left out.

Fingerprints are computed in the process for upkeep, and stored.
"""

from __future__ import annotations

import io
import json
import keyword
import re
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from vgdl.competition.submissions import archive
from vgdl.competition.submissions.queue import State
from vgdl.competition.web.database import Database
from vgdl.registry import ENTRY_SUFFIXES

GRAM = 16
"""Number of tokens of a fingerprint."""

WINDOW = 12
"""Number of successive fingerprints of which one is kept."""

COMMON = 0.25
"""Fingerprints in more than this share of the entries, and in more than four, are those of a template."""

LEAST_SHARE = 0.2
"""Pairs that share less are not listed."""

MOST_SOURCE = 256 << 10
"""Number of characters of an entry that are compared, and of a file that are shown."""

MOST_FILES = 40
AT_ONCE = 50

_TOKEN = re.compile(
    r"(?P<skip>\s+|#[^\n]*)|(?P<text>'''[^']*'''|\"\"\"[^\"]*\"\"\"|'[^'\n]*'|\"[^\"\n]*\")"
    r"|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<other>.)"
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries that share code."""

    first: int
    second: int
    share: float  #: of the fingerprints of the smaller one
    common: int  #: number of shared fingerprints


def sources(data: bytes) -> Iterator[tuple[str, str]]:
    """Names and texts of the programs in a checked zip file, each cut to ``MOST_SOURCE`` bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            for info in [one for one in opened.infolist() if one.filename.endswith(ENTRY_SUFFIXES)][:MOST_FILES]:
                with opened.open(info) as file:
                    yield info.filename, file.read(MOST_SOURCE).decode("utf-8", "replace")
    except archive.DAMAGED:
        return


def fingerprints(text: str) -> frozenset[int]:
    """The fingerprints of a program: of each window of hashes of token sequences, the smallest."""
    tokens = []
    for found in _TOKEN.finditer(text[:MOST_SOURCE]):
        kind, token = found.lastgroup, found.group()
        if kind != "skip":
            tokens.append(token if kind == "other" or keyword.iskeyword(token) else str(kind))
    hashes = [zlib.crc32(" ".join(tokens[at : at + GRAM]).encode()) for at in range(len(tokens) - GRAM + 1)]
    return frozenset(min(hashes[at : at + WINDOW]) for at in range(max(0, len(hashes) - WINDOW) + 1) if hashes)


def pairs(known: Mapping[int, frozenset[int]]) -> list[Pair]:
    """The pairs that share code, the most similar first.

    Args:
        known: the fingerprints of each entry.
    """
    owners: dict[int, list[int]] = defaultdict(list)
    for entry, own in sorted(known.items()):
        for one in own:
            owners[one].append(entry)
    most = max(4, round(COMMON * len(known)))
    special = {one: entries for one, entries in owners.items() if len(entries) <= most}
    sizes: dict[int, int] = defaultdict(int)
    shared: dict[tuple[int, int], int] = defaultdict(int)
    for entries in special.values():
        for entry in entries:
            sizes[entry] += 1
        for pair in combinations(entries, 2):
            shared[pair] += 1
    found = [
        Pair(first, second, count / min(sizes[first], sizes[second]), count)
        for (first, second), count in shared.items()
    ]
    return sorted(
        (pair for pair in found if pair.share >= LEAST_SHARE), key=lambda pair: (-pair.share, -pair.common, pair.first)
    )


def refresh(database: Database) -> None:
    """Compute the fingerprints of entries that have none yet, and whose archive a worker has accepted."""
    rows = database.rows(
        "SELECT id FROM entries WHERE archive IS NOT NULL AND deleted = 0 "
        "AND state NOT IN (?, ?) "
        "AND NOT EXISTS (SELECT 1 FROM fingerprints WHERE entry_id = entries.id) ORDER BY id LIMIT ?",
        *(State.WAITING, State.REFUSED, AT_ONCE),
    )
    for row in rows:
        packed = database.row("SELECT archive FROM entries WHERE id = ?", row["id"])
        data = bytes(packed["archive"]) if packed and packed["archive"] is not None else b""
        own = fingerprints("\n".join(text for _, text in sources(data)))
        database.run(
            "INSERT INTO fingerprints (entry_id, hashes) VALUES (?, ?) ON CONFLICT (entry_id) DO NOTHING",
            *(row["id"], json.dumps(sorted(own))),
        )


def of_competition(database: Database, competition_id: int) -> list[Pair]:
    """The pairs of entries of different users in a competition that share code."""
    rows = database.rows(
        "SELECT entry_id, hashes, user_id FROM fingerprints JOIN entries ON entries.id = entry_id "
        "WHERE competition_id = ? AND deleted = 0 AND user_id IS NOT NULL",
        competition_id,
    )
    owner = {row["entry_id"]: row["user_id"] for row in rows}
    found = pairs({row["entry_id"]: frozenset(json.loads(row["hashes"])) for row in rows})
    return [pair for pair in found if owner[pair.first] != owner[pair.second]]
