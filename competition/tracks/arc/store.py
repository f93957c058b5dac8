"""The store of an ARC server: the common file format of the tracks, with tables for cards, plays and commands.

Frames are not stored: they follow from the actions. A closed card keeps the JSON of its final answer, so later changes
of baselines and games do not affect it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Self, TypeVar

from vgdl.competition import typed
from vgdl.competition.store import Store, StoreError, insert
from vgdl.competition.tracks.arc.cards import Card, Play, Step
from vgdl.competition.tracks.arc.protocol import Opening
from vgdl.competition.tracks.arc.session import Run

T = TypeVar("T")

TABLES = (
    """
    CREATE TABLE arc_cards (
        card_id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,              -- hash of the API key, which is not kept
        opened TEXT NOT NULL,
        closed TEXT,
        tags TEXT NOT NULL,               -- JSON
        source_url TEXT,
        opaque TEXT NOT NULL,             -- JSON
        competition INTEGER NOT NULL,
        final TEXT                        -- JSON: the card as it was answered when it was closed
    )
    """,
    """
    CREATE TABLE arc_plays (
        guid TEXT PRIMARY KEY,
        card_id TEXT NOT NULL REFERENCES arc_cards,
        game_id TEXT NOT NULL,
        levels INTEGER NOT NULL,
        began TEXT NOT NULL,
        chance INTEGER                    -- seed of fresh chance, none for the chance that all plays meet
    )
    """,
    "CREATE INDEX arc_plays_of_card ON arc_plays (card_id)",
    """
    CREATE TABLE arc_commands (
        id INTEGER PRIMARY KEY,           -- in order of time
        guid TEXT NOT NULL REFERENCES arc_plays,
        time TEXT NOT NULL,
        action INTEGER NOT NULL,
        x INTEGER,
        y INTEGER,
        state TEXT NOT NULL,
        levels_completed INTEGER NOT NULL,
        full_reset INTEGER NOT NULL,
        layers INTEGER NOT NULL,
        reasoning TEXT                    -- JSON
    )
    """,
    "CREATE INDEX arc_commands_of_play ON arc_commands (guid)",
)

_STEP = "time, action, x, y, state, levels_completed, full_reset, layers, reasoning"
_CARD = "card_id, owner, opened, closed, tags, source_url, opaque, competition, final"


@dataclass(frozen=True, slots=True)
class CardRow:
    """A stored card."""

    card_id: str
    owner: str
    opened: str
    closed: str | None
    opening: Opening
    final: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class PlayRow:
    """A stored play."""

    guid: str
    card_id: str
    game_id: str
    levels: int
    began: str
    chance: int | None


def owner_of(key: str) -> str:
    """A hash of an API key, which identifies it in the store without revealing it."""
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class ArcStore(Store):
    """An open store of an ARC server."""

    @classmethod
    def begin(cls, path: Path | None) -> Self:
        """Open the store of a server, or create one if there is none; in memory if there is no path.

        Raises:
            StoreError: the file is something else, in use, or cannot be written.
        """
        if path is not None and path.exists() and path.stat().st_size:
            store = cls.open(path)
            try:
                store.check_track()
            except BaseException:
                store.close()
                raise
            return store
        return cls.create_for(path, {"track": "arc"}, [], {}, 0, TABLES)

    def check_track(self) -> None:
        """Check that the store belongs to this track.

        Raises:
            StoreError: it does not.
        """
        self.facts_of("arc", "the store of an ARC server")

    def add_card(self, card: Card, owner: str) -> None:
        """Store an opened card."""
        row = {
            "card_id": card.card_id,
            "owner": owner,
            "opened": card.opened,
            "closed": None,
            "tags": json.dumps(card.opening.tags),
            "source_url": card.opening.source_url,
            "opaque": json.dumps(card.opening.opaque),
            "competition": card.opening.competition,
            "final": None,
        }
        with self.writing() as connection:
            insert(connection, "arc_cards", row)

    def close_card(self, card: Card, final: dict[str, Any]) -> None:
        """Store the closing time and the final JSON of a card."""
        with self.writing() as connection:
            connection.execute(
                "UPDATE arc_cards SET closed = ?, final = ? WHERE card_id = ?",
                [card.closed, json.dumps(final), card.card_id],
            )

    def add_records(self, records: Sequence[PlayRow | tuple[str, Step]]) -> None:
        """Store new plays, and commands with the guids of their plays, in one transaction."""
        with self.writing() as connection:
            for record in records:
                if isinstance(record, PlayRow):
                    insert(connection, "arc_plays", {name: getattr(record, name) for name in PlayRow.__slots__})
                else:
                    _add_step(connection, *record)

    def cards(self, *, closed: bool | None = None, most: int = -1) -> list[CardRow]:
        """All cards, or only closed or open ones, the latest first; at most ``most``, if not negative."""
        where = {None: "", True: "WHERE closed IS NOT NULL", False: "WHERE closed IS NULL"}[closed]
        with self.reading("the cards"):
            query = f"SELECT {_CARD} FROM arc_cards {where} ORDER BY opened DESC, rowid DESC LIMIT ?"
            rows = self.connection.execute(query, [most])
            return [_card_row(*row) for row in rows]

    def card(self, card_id: str) -> CardRow | None:
        """A card by its id."""
        with self.reading("the cards"):
            row = self.connection.execute(f"SELECT {_CARD} FROM arc_cards WHERE card_id = ?", [card_id]).fetchone()
            return _card_row(*row) if row else None

    def play(self, guid: str) -> PlayRow | None:
        """A play by its guid."""
        return next(iter(self._plays("guid", guid)), None)

    def chance(self, guid: str) -> int | None:
        """The seed of fresh chance of a play, if there was one."""
        play = self.play(guid)
        return play.chance if play else None

    def plays(self, card_id: str) -> list[PlayRow]:
        """The plays of a card, the first one first."""
        return self._plays("card_id", card_id)

    def steps(self, guid: str) -> list[Step]:
        """The commands of a play, in order."""
        with self.reading("the commands"):
            rows = self.connection.execute(f"SELECT {_STEP} FROM arc_commands WHERE guid = ? ORDER BY id", [guid])
            return [_step(*row) for row in rows]

    def whole_card(self, row: CardRow) -> Card:
        """A card with its plays, recomputed from their commands."""
        card = Card(row.card_id, row.opening, row.opened, row.closed or row.opened, row.closed)
        for found in self.plays(row.card_id):
            steps = self.steps(found.guid)
            if steps:
                card.plays.append(Play.replayed(found.guid, found.game_id, found.levels, steps))
                card.updated = max(card.updated, steps[-1].time)
        return card

    def _plays(self, column: str, value: str) -> list[PlayRow]:
        query = f"SELECT {', '.join(PlayRow.__slots__)} FROM arc_plays WHERE {column} = ? ORDER BY rowid"
        with self.reading("the plays"):
            return [PlayRow(*row) for row in self.connection.execute(query, [value])]


class Ledger:
    """Shares a store between threads: a single worker thread reads and writes it.

    Records that arrive during a transaction are written together in the next one.
    """

    def __init__(self, path: Path | None) -> None:
        """Open the store by ``ArcStore.begin``."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="arc-store")
        self._pending: list[PlayRow | tuple[str, Step]] = []
        self._lock = Lock()
        self._failure: StoreError | None = None
        try:
            self._store = self._thread.submit(ArcStore.begin, path).result()
        except BaseException:
            self._thread.shutdown()
            raise

    def note(self, *records: PlayRow | tuple[str, Step]) -> None:
        """Queue records to be written soon.

        Raises:
            StoreError: earlier records could not be written.
        """
        with self._lock:
            if self._failure:
                raise self._failure
            idle = not self._pending
            self._pending.extend(records)
        if idle:
            self._thread.submit(self._write)

    def call(self, method: Any, *arguments: Any, **options: Any) -> Any:
        """Call a method of the store after all queued records are written, and wait for its result.

        Raises:
            StoreError: the call, or writing earlier records, failed.
        """
        result = self._thread.submit(method, self._store, *arguments, **options).result()
        if self._failure:
            raise self._failure
        return result

    def close(self) -> None:
        """Write the queued records, and close the store."""
        self._thread.submit(self._store.close)
        self._thread.shutdown()

    def _write(self) -> None:
        with self._lock:
            records, self._pending = self._pending, []
        try:
            self._store.add_records(records)
        except StoreError as error:
            self._failure = error


def _add_step(connection: sqlite3.Connection, guid: str, step: Step) -> None:
    reasoning = None if step.reasoning is None else json.dumps(step.reasoning)
    values = [guid, step.time, step.action, step.x, step.y, step.state, step.levels_completed]
    connection.execute(
        f"INSERT INTO arc_commands (guid, {_STEP}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [*values, step.full_reset, step.layers, reasoning],
    )


def _card_row(
    card_id: str,
    owner: str,
    opened: str,
    closed: str | None,
    tags: str,
    source_url: str | None,
    opaque: str,
    competition: int,
    final: str | None,
) -> CardRow:
    told = typed.read(tuple[str, ...], json.loads(tags), "tags")
    opening = Opening(told, source_url, json.loads(opaque), bool(competition))
    return CardRow(card_id, owner, opened, closed, opening, json.loads(final) if final else None)


def _step(time: str, action: int, x: int | None, y: int | None, state: str, *rest: Any) -> Step:
    levels_completed, full_reset, layers, reasoning = rest
    told = json.loads(reasoning) if reasoning else None
    return Step(time, action, x, y, state, levels_completed, bool(full_reset), layers, told)


def first_plays(store: ArcStore, tag: str = "human") -> Iterator[tuple[Play, Run]]:
    """The first play of each player on each game, on closed cards with a tag, and its first run.

    A play without actions does not count, since the player only looked at the game.

    Raises:
        StoreError: the store cannot be read.
    """
    seen: set[tuple[str, str]] = set()
    for row in reversed(store.cards(closed=True)):
        if tag not in row.opening.tags:
            continue
        for play in store.whole_card(row).plays:
            run = next((run for run in play.runs if run.actions), None)
            if run is not None and (row.owner, play.game_id) not in seen:
                seen.add((row.owner, play.game_id))
                yield play, run
