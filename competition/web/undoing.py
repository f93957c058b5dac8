"""What can be taken back for a week: competitions opened again, evaluations run again, entries and drafts deleted.

Such an action hides data instead of removing them: plays get the number of the undo in the column ``removed``, and
deleted entries keep their zip. After a week, ``purge`` removes them for good.
"""

from __future__ import annotations

import json
from typing import Any

from vgdl.competition import typed
from vgdl.competition.web import competitions
from vgdl.competition.web.competitions import Settings, SettingsError, State, note
from vgdl.competition.web.database import Database, Row, Transaction

UNDO_S = 7 * 86400.0
"""Seconds within which an action can be undone."""

OPEN_AGAIN, RE_RUN, DELETE_ENTRY, DELETE_DRAFT = "open again", "re-run", "delete entry", "delete draft"


def remember(
    transaction: Transaction,
    now: float,
    actor: str,
    action: str,
    subject: str,
    facts: dict[str, Any],
    *,
    competition_id: int | None = None,
    entry_id: int | None = None,
) -> int:
    """Save the state before an action; returns the number of the undo.

    Args:
        transaction: that of the action.
        now: the time.
        actor: who does it.
        action: one of the constants above.
        subject: what it is done to, in words.
        facts: the state before, as JSON-compatible values.
        competition_id: the competition, if it still exists afterwards.
        entry_id: the entry, if it is done to one.
    """
    row = transaction.row(
        "INSERT INTO undos (at, actor, action, subject, competition_id, entry_id, facts) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
        *(now, actor, action, subject, competition_id, entry_id, json.dumps(facts)),
    )
    assert row is not None
    return int(row["id"])


def remove_plays(transaction: Transaction, number: int, where: str, *values: object) -> None:
    """Hide plays until an undo brings them back."""
    transaction.run(f"UPDATE plays SET removed = ? WHERE removed = 0 AND {where}", number, *values)


def remove_runs(transaction: Transaction, number: int, where: str, *values: object) -> None:
    """Hide runs until an undo brings them back; unfinished ones are removed."""
    transaction.run(f"DELETE FROM runs WHERE finished IS NULL AND {where}", *values)
    transaction.run(f"UPDATE runs SET removed = ? WHERE removed = 0 AND {where}", number, *values)


def possible(database: Database) -> list[Row]:
    """What can be undone, the newest first: ``id``, ``at``, ``actor``, ``action`` and ``subject``."""
    query = "SELECT id, at, actor, action, subject, entry_id FROM undos WHERE at > ? ORDER BY id DESC"
    return database.rows(query, database.now() - UNDO_S)


def undo(database: Database, actor: str, number: int) -> None:
    """Take an action back.

    Raises:
        SettingsError: it is not there or older than a week, or what has happened since does not allow it.
    """
    now = database.now()
    with database.transaction() as transaction:
        row = transaction.row("SELECT * FROM undos WHERE id = ? AND at > ?", number, now - UNDO_S)
        if row is None:
            raise SettingsError(f"there is no action {number} that could be undone; it can be for a week")
        _ACTIONS[row["action"]](transaction, row, json.loads(row["facts"]))
        for table in ("plays", "runs"):
            transaction.run(f"UPDATE {table} SET removed = 0 WHERE removed = ?", number)
        transaction.run("DELETE FROM undos WHERE id = ?", number)
        note(transaction, now, actor, f"undo {row['action']}", row["subject"])


def purge(database: Database) -> None:
    """Remove for good what can no longer be undone."""
    before = database.now() - UNDO_S
    with database.transaction() as transaction:
        for table in ("plays", "runs"):
            transaction.run(f"DELETE FROM {table} WHERE removed IN (SELECT id FROM undos WHERE at <= ?)", before)
        transaction.run("DELETE FROM undos WHERE at <= ?", before)
        for row in transaction.rows(
            "SELECT id FROM entries WHERE deleted = 1 AND archive IS NOT NULL AND changed <= ?", before
        ):
            _purge_entry(transaction, row["id"])


def _purge_entry(transaction: Transaction, number: int) -> None:
    """Remove zip, logs and replays of a deleted entry; the deciding plays of decided competitions keep theirs."""
    transaction.run("DELETE FROM events WHERE entry_id = ?", number)
    transaction.run(
        "UPDATE players SET details = '', output = '', output_dropped = 0, used = NULL WHERE entry_id = ?", number
    )
    transaction.run(
        "UPDATE plays SET actions = NULL WHERE id IN (SELECT play_id FROM players WHERE entry_id = ?) AND NOT "
        "(phase = 'final' AND competition_id IN (SELECT id FROM competitions WHERE state = ?))",
        *(number, State.DECIDED),
    )
    transaction.run("UPDATE entries SET archive = NULL, size = 0, details = '' WHERE id = ?", number)


def _check_open(transaction: Transaction, competition_id: int) -> None:
    row = transaction.row("SELECT slug, state FROM competitions WHERE id = ?", competition_id)
    if row is None or row["state"] != State.OPEN:
        raise SettingsError(f"{row['slug'] if row else 'the competition'} is not open any more")


def _close_again(transaction: Transaction, row: Row, facts: dict[str, Any]) -> None:
    _check_open(transaction, row["competition_id"])
    number = row["competition_id"]
    transaction.run("DELETE FROM jobs WHERE competition_id = ? AND state = 'waiting'", number)
    transaction.run("UPDATE entries SET counted = 0 WHERE competition_id = ?", number)
    for entry in facts["counted"]:
        transaction.run("UPDATE entries SET counted = 1 WHERE id = ?", entry)
    transaction.run(
        "UPDATE competitions SET state = ?, closes = ? WHERE id = ?", State.DECIDED, facts["closes"], number
    )


def _restore_evaluation(transaction: Transaction, row: Row, facts: dict[str, Any]) -> None:
    _check_open(transaction, row["competition_id"])
    number = row["entry_id"]
    transaction.run("DELETE FROM jobs WHERE entry_id = ? AND state IN ('waiting', 'taken')", number)
    transaction.run(
        "DELETE FROM plays WHERE removed = 0 AND phase != 'final' AND finished > ? "
        "AND id IN (SELECT play_id FROM players WHERE entry_id = ?)",
        *(row["at"], number),
    )
    transaction.run("DELETE FROM runs WHERE removed = 0 AND entry_id = ?", number)
    transaction.run(
        "UPDATE entries SET state = ?, message = ?, details = ?, refunded = ? WHERE id = ?",
        *(facts["state"], facts["message"], facts["details"], facts["refunded"], number),
    )


def _restore_entry(transaction: Transaction, row: Row, facts: dict[str, Any]) -> None:
    counts = facts["counted"] and not transaction.row(
        "SELECT 1 AS one FROM entries WHERE user_id = ? AND competition_id = ? AND counted = 1 AND id != ?",
        *(facts["user"], row["competition_id"], row["entry_id"]),
    )
    transaction.run(
        "UPDATE entries SET deleted = 0, state = ?, counted = ? WHERE id = ?",
        *(facts["state"], int(bool(counts)), row["entry_id"]),
    )


def _restore_draft(transaction: Transaction, row: Row, facts: dict[str, Any]) -> None:
    settings = typed.read(Settings, facts.pop("settings"), "settings")
    competitions.insert(transaction, settings=settings, **facts)


_ACTIONS = {
    OPEN_AGAIN: _close_again,
    RE_RUN: _restore_evaluation,
    DELETE_ENTRY: _restore_entry,
    DELETE_DRAFT: _restore_draft,
}
