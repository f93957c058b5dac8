"""Finished plays, read back from the database: results for rankings, and data for replays."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, fields
from typing import Any

from vgdl import Action
from vgdl.competition import typed
from vgdl.competition.agents.plain_data import printable
from vgdl.competition.table import MAX_PACKED
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayResult
from vgdl.competition.web.database import Database, Row

_PLAYER = [field.name for field in fields(PlayerResult) if field.name != "controller"]


@dataclass(frozen=True, slots=True)
class StoredPlay:
    """A play with the numbers of its competition and its players' entries."""

    id: int
    competition_id: int
    set_name: str
    phase: str
    finished: float
    entries: tuple[int, ...]  #: by player
    result: PlayResult  #: controllers are named by the numbers of their entries


def results(
    database: Database, competition_id: int, set_name: str, phases: tuple[str, ...], entries: set[int] | None = None
) -> list[StoredPlay]:
    """The plays of a set, in the order in which they ended.

    Args:
        database: the database of the site.
        competition_id: id of the competition.
        set_name: one of its sets.
        phases: ``jobs.EVALUATION``, ``ACTIVE`` or ``FINAL``.
        entries: only plays whose players are all among these.
    """
    marks = ", ".join("?" * len(phases))
    where = f"WHERE plays.competition_id = ? AND plays.set_name = ? AND plays.phase IN ({marks})"
    found = _read(database, where, competition_id, set_name, *phases)
    return found if entries is None else [play for play in found if entries.issuperset(play.entries)]


def of_entry(database: Database, entry_id: int) -> list[StoredPlay]:
    """The plays of an entry, in the order in which they ended."""
    return _read(database, "WHERE plays.id IN (SELECT play_id FROM players WHERE entry_id = ?)", entry_id)


def version_of_entry(database: Database, entry_id: int) -> tuple[int, int]:
    """What changes with the plays of an entry: their number, and the last one."""
    row = database.row(
        "SELECT COUNT(*) AS count, MAX(plays.id) AS last FROM players JOIN plays ON plays.id = players.play_id "
        "WHERE entry_id = ? AND removed = 0",
        entry_id,
    )
    return (int(row["count"]), int(row["last"] or 0)) if row else (0, 0)


def get(database: Database, number: int) -> StoredPlay | None:
    """The play with a number; None if there is none."""
    return next(iter(_read(database, "WHERE plays.id = ?", number)), None)


def actions(database: Database, number: int) -> list[list[str | None]] | None:
    """The actions of a play, by name, per tick and player; None if they were deleted."""
    row = database.row(
        "SELECT actions FROM plays JOIN competitions ON competitions.id = competition_id WHERE plays.id = ? AND "
        "((phase = 'final' AND state = 'decided') OR NOT EXISTS (SELECT 1 FROM players "
        "JOIN entries ON entries.id = players.entry_id WHERE play_id = plays.id AND deleted = 1))",
        number,
    )
    return None if row is None or row["actions"] is None else action_names(bytes(row["actions"]))


def action_names(packed: bytes) -> list[list[str | None]]:
    """Decode the actions in a compressed column.

    Raises:
        ValueError: the column does not contain actions.
    """
    ticks = [list(typed.read(tuple[str | None, ...], tick, "actions")) for tick in unpack(packed)]
    if unknown := {name for tick in ticks for name in tick} - {*Action.__members__, None}:
        raise ValueError(f"there is no action {unknown.pop()!r:.60}")
    return ticks


def used(database: Database, number: int) -> list[list[float]]:
    """The budget used by each answer in a play, per player; empty if deleted."""
    rows = database.rows("SELECT used FROM players WHERE play_id = ? ORDER BY player", number)
    return [
        list(typed.read(tuple[float, ...], unpack(bytes(row["used"])), "used")) if row["used"] else [] for row in rows
    ]


def unpack(data: bytes) -> Any:
    """Decode the facts in a compressed column.

    Raises:
        ValueError: the column is damaged or too large.
    """
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(data, MAX_PACKED)
    if not unpacking.eof:
        raise ValueError("cut off, or larger than it can be")
    return json.loads(text)


def _read(database: Database, where: str, *values: Any) -> list[StoredPlay]:
    chosen = ", ".join(f"players.{name}" for name in _PLAYER)
    rows = database.rows(
        "SELECT plays.id, plays.competition_id, plays.set_name, plays.phase, plays.finished, plays.game, plays.level, "
        f"plays.repeat, plays.seed, plays.stirring, plays.ticks, plays.game_error, players.entry_id, {chosen} "
        f"FROM plays JOIN players ON players.play_id = plays.id {where} AND plays.removed = 0 "
        "ORDER BY plays.id, players.player",
        *values,
    )
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(row["id"], []).append(row)
    return [_play(own) for own in found.values()]


def _play(rows: list[Row]) -> StoredPlay:
    first = rows[0]
    players = tuple(
        PlayerResult(
            str(row["entry_id"]),
            **{name: row[name] for name in _PLAYER if name not in ("outcome", "details", "output")},
            outcome=Outcome(row["outcome"]),
            details=printable(row["details"]),
            output=printable(row["output"]),
        )
        for row in rows
    )
    facts = {name: first[name] for name in ("game", "level", "repeat", "seed", "stirring", "ticks", "game_error")}
    return StoredPlay(
        **{name: first[name] for name in ("id", "competition_id", "set_name", "phase", "finished")},
        entries=tuple(row["entry_id"] for row in rows),
        result=PlayResult(**facts, players=players),
    )
