"""The rows of an ARC server in a results store: cards, plays and commands.

Frames are not stored: they follow from the actions. A closed card keeps the JSON of its final answer, so later changes
of baselines and games do not affect it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

from vgdl.competition.store import Reader, Store, StoreError
from vgdl.competition.table import VERBATIM, Table
from vgdl.competition.tracks.arc.cards import Card, Play, Step
from vgdl.competition.tracks.arc.protocol import Opening
from vgdl.competition.tracks.arc.session import Run

TRACK = "arc"


@dataclass(frozen=True, slots=True)
class CardRow:
    """A card."""

    card_id: str
    owner: str  #: hash of the API key, which is not kept
    opened: str  #: UTC, ISO 8601
    closed: str | None
    tags: tuple[str, ...]
    source_url: Annotated[str | None, VERBATIM]
    opaque: Annotated[Any, VERBATIM]
    competition: bool
    final: Annotated[dict[str, Any] | None, VERBATIM] = None  #: the card as it was answered when it was closed

    @classmethod
    def of(cls, card: Card, owner: str) -> CardRow:
        """The row of an opened card."""
        opening = card.opening
        return cls(
            card.card_id,
            owner,
            card.opened,
            None,
            tuple(opening.tags),
            opening.source_url,
            opening.opaque,
            opening.competition,
        )

    @property
    def opening(self) -> Opening:
        """The client's request for the card."""
        return Opening(self.tags, self.source_url, self.opaque, self.competition)


@dataclass(frozen=True, slots=True)
class PlayRow:
    """A play."""

    guid: str
    card_id: str
    game_id: str
    levels: int
    began: str
    chance: int | None  #: seed of fresh chance; None for the chance that all plays meet


@dataclass(frozen=True, slots=True)
class CommandRow:
    """An executed command of a play."""

    id: int | None  #: in order of time
    guid: str
    time: str
    action: int
    x: int | None
    y: int | None
    state: str
    levels_completed: int
    full_reset: bool
    layers: int
    reasoning: Annotated[Any | None, VERBATIM] = None

    @classmethod
    def of(cls, guid: str, step: Step) -> CommandRow:
        """The row of a command."""
        return cls(
            None, guid, step.time, step.action, step.x, step.y, step.state, step.levels_completed, step.full_reset,
            step.layers, step.reasoning,
        )  # fmt: skip

    @property
    def step(self) -> Step:
        """The command."""
        return Step(
            self.time, self.action, self.x, self.y, self.state, self.levels_completed, self.full_reset, self.layers,
            self.reasoning,
        )  # fmt: skip


TABLES = (
    Table("arc_cards", CardRow, "card_id"),
    Table("arc_plays", PlayRow, "guid", index=("card_id",)),
    Table("arc_commands", CommandRow, "id", index=("guid",)),
)
"""The tables of the track."""


def owner_of(key: str) -> str:
    """A hash of an API key, which identifies it in the store without revealing it."""
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def begin(path: Path | None) -> Store:
    """Open the store of a server, or create one if there is none; in memory if there is no path.

    Raises:
        StoreError: the file is something else, in use, or cannot be written.
    """
    if path is None or not path.exists() or not path.stat().st_size:
        return Store.create(path, {"track": TRACK}, TABLES)
    return opened(path, read_only=False)


def opened(path: Path, *, read_only: bool = True) -> Store:
    """Open the store of a server.

    Raises:
        StoreError: the file is something else, or cannot be used.
    """
    return Store.open_of(TRACK, TABLES, path, read_only=read_only)


def add_card(store: Store, card: Card, owner: str) -> None:
    """Store an opened card."""
    store.add(CardRow.of(card, owner))


def close_card(store: Store, card: Card, final: dict[str, Any]) -> None:
    """Store the closing time and the final JSON of a card."""
    row = find_card(store, card.card_id)
    if row is not None:
        store.put(replace(row, closed=card.closed, final=final))


def cards(store: Reader, *, closed: bool | None = None, most: int = -1) -> list[CardRow]:
    """All cards, or only closed or open ones, the latest first; at most ``most``, if not negative."""
    if closed is None:
        return store.rows(CardRow, newest="opened", most=most)
    rows = store.rows(CardRow, newest="opened")
    return [row for row in rows if (row.closed is not None) == closed][: most if most >= 0 else None]


def find_card(store: Reader, card_id: str) -> CardRow | None:
    """A card by its id."""
    return next(iter(store.rows(CardRow, card_id=card_id)), None)


def find_play(store: Reader, guid: str) -> PlayRow | None:
    """A play by its guid."""
    return next(iter(store.rows(PlayRow, guid=guid)), None)


def chance(store: Reader, guid: str) -> int | None:
    """The seed of fresh chance of a play, if there was one."""
    play = find_play(store, guid)
    return play.chance if play else None


def plays(store: Reader, card_id: str) -> list[PlayRow]:
    """The plays of a card, the first one first."""
    return store.rows(PlayRow, newest="began", card_id=card_id)[::-1]


def steps(store: Reader, guid: str) -> list[Step]:
    """The commands of a play, in order."""
    return [row.step for row in store.rows(CommandRow, guid=guid)]


def whole_card(store: Reader, row: CardRow) -> Card:
    """A card with its plays, recomputed from their commands.

    Raises:
        StoreError: the store is damaged.
    """
    card = Card(row.card_id, row.opening, row.opened, row.closed or row.opened, row.closed)
    for found in plays(store, row.card_id):
        known = steps(store, found.guid)
        if known:
            with store.reading("the commands of a play"):
                card.plays.append(Play.replayed(found.guid, found.game_id, found.levels, known))
            card.updated = max(card.updated, known[-1].time)
    return card


class Ledger:
    """Shares a store between threads: a single worker thread reads and writes it.

    Records that arrive during a transaction are written together in the next one.
    """

    def __init__(self, path: Path | None) -> None:
        """Open a store, or create it."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="arc-store")
        self._pending: list[PlayRow | CommandRow] = []
        self._lock = Lock()
        self._failure: StoreError | None = None
        try:
            self._store = self._thread.submit(begin, path).result()
        except BaseException:
            self._thread.shutdown()
            raise

    def note(self, *records: PlayRow | CommandRow) -> None:
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

    def call(self, function: Any, *arguments: Any, **options: Any) -> Any:
        """Call a function of the store after all queued records are written, and wait for its result.

        Raises:
            StoreError: the call, or writing earlier records, failed.
        """
        result = self._thread.submit(function, self._store, *arguments, **options).result()
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
            self._store.add(*records)
        except StoreError as error:
            self._failure = error


def first_plays(store: Reader, tag: str = "human") -> Iterator[tuple[Play, Run]]:
    """The first play of each player on each game, on closed cards with a tag, and its first run.

    A play without actions does not count, since the player only looked at the game.

    Raises:
        StoreError: the store cannot be read.
    """
    seen: set[tuple[str, str]] = set()
    for row in reversed(cards(store, closed=True)):
        if tag not in row.opening.tags:
            continue
        for play in whole_card(store, row).plays:
            run = next((run for run in play.runs if run.actions), None)
            if run is not None and (row.owner, play.game_id) not in seen:
                seen.add((row.owner, play.game_id))
                yield play, run
