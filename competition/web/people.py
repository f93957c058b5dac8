"""What organisers grant to single users: assisting in a competition, and more time.

| right | organiser | assistant |
|---|---|---|
| see all entries of the competition, their states and results, also those that are not ranked | yes | yes |
| see their sources, download their zips, compare them for copied code | yes | yes |
| see logs and tracebacks of entries | no | no |
| see the plays of hidden test sets, the audit log, users | yes | no |
| open, close, change, announce, export; disqualify, rank, run again, delete; grant more time | yes | no |

An assistant takes no part in the competition: who sees the sources of others sends none.
"""

from __future__ import annotations

from datetime import UTC, datetime

from vgdl.competition.web.accounts import User
from vgdl.competition.web.competitions import Competition, SettingsError, State, note
from vgdl.competition.web.database import Database, Row, Transaction


def assists(database: Database | Transaction, user: User, competition_id: int) -> bool:
    """Whether a user is an assistant of a competition."""
    row = database.row(
        "SELECT 1 AS one FROM assistants WHERE competition_id = ? AND user_id = ?", competition_id, user.id
    )
    return row is not None


def may_see(database: Database, user: User | None, competition_id: int) -> bool:
    """Whether a user may see all entries of a competition and their sources."""
    return user is not None and (user.is_organiser or assists(database, user, competition_id))


def assistants(database: Database, competition: Competition) -> list[str]:
    """The names of a competition's assistants, sorted."""
    rows = database.rows(
        "SELECT name FROM assistants JOIN users ON users.id = user_id WHERE competition_id = ? ORDER BY name_key",
        competition.id,
    )
    return [row["name"] for row in rows]


def add_assistant(database: Database, actor: str, competition: Competition, user: User) -> None:
    """Make a user an assistant of a competition.

    Raises:
        SettingsError: the user takes part in it.
    """
    now = database.now()
    with database.transaction() as transaction:
        transaction.lock(f"uploads of user {user.id}")
        if transaction.row(
            "SELECT 1 AS one FROM entries WHERE user_id = ? AND competition_id = ? UNION ALL "
            "SELECT 1 FROM members WHERE user_id = ? AND competition_id = ? LIMIT 1",
            *(user.id, competition.id, user.id, competition.id),
        ):
            raise SettingsError(f"{user.name} takes part in {competition.slug}, and cannot see the entries of others")
        if transaction.run(
            "INSERT INTO assistants (competition_id, user_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
            *(competition.id, user.id),
        ):
            note(transaction, now, actor, "make assistant", competition.slug, user.name)


def remove_assistant(database: Database, actor: str, competition: Competition, user: User) -> None:
    """Take the rights of an assistant away.

    Raises:
        SettingsError: the user is none.
    """
    now = database.now()
    with database.transaction() as transaction:
        if not transaction.run(
            "DELETE FROM assistants WHERE competition_id = ? AND user_id = ?", competition.id, user.id
        ):
            raise SettingsError(f"{user.name} is no assistant of {competition.slug}")
        note(transaction, now, actor, "remove assistant", competition.slug, user.name)


def extensions(database: Database, competition: Competition) -> list[Row]:
    """The users and teams with more time: ``name`` and ``until``, sorted by name."""
    return database.rows(
        "SELECT name, until FROM extensions JOIN users ON users.id = user_id WHERE competition_id = ? "
        "ORDER BY name_key",
        competition.id,
    )


def last_extension(database: Database, competition: Competition) -> float:
    """When the last extension of a competition ends; 0 without any."""
    row = database.row("SELECT MAX(until) AS last FROM extensions WHERE competition_id = ?", competition.id)
    return float(row["last"] or 0.0) if row else 0.0


def extend(database: Database, actor: str, competition: Competition, owner: tuple[int, str], until: float) -> None:
    """Give a user or a team more time; the competition stays open for them alone, and is decided afterwards.

    Args:
        database: the database of the site.
        actor: who grants it, for the audit log.
        competition: an open competition, or a draft, with a closing date.
        owner: number and name of the account that owns the entries (``teams.owner_of``).
        until: the new deadline.

    Raises:
        SettingsError: there is no deadline to extend, or the new one is not later.
    """
    now = database.now()
    if competition.closes is None or competition.state not in (State.DRAFT, State.OPEN):
        raise SettingsError(f"{competition.slug} has no closing date to come that could be extended")
    if until <= max(competition.closes, now):
        raise SettingsError("an extension ends after the closing date, and in the future")
    number, name = owner
    with database.transaction() as transaction:
        transaction.run(
            "INSERT INTO extensions (competition_id, user_id, until) VALUES (?, ?, ?) "
            "ON CONFLICT (competition_id, user_id) DO UPDATE SET until = excluded.until",
            *(competition.id, number, until),
        )
        note(
            transaction,
            now,
            actor,
            "extend",
            competition.slug,
            f"{name}: until {datetime.fromtimestamp(until, UTC):%Y-%m-%d %H:%M} UTC",
        )


def end_extension(database: Database, actor: str, competition: Competition, owner: tuple[int, str]) -> None:
    """Take an extension back.

    Raises:
        SettingsError: there is none.
    """
    number, name = owner
    now = database.now()
    with database.transaction() as transaction:
        if not transaction.run(
            "DELETE FROM extensions WHERE competition_id = ? AND user_id = ?", competition.id, number
        ):
            raise SettingsError(f"{name} has no extension in {competition.slug}")
        note(transaction, now, actor, "end extension", competition.slug, name)


def deadline(database: Database | Transaction, competition: Competition, owner_id: int) -> float | None:
    """Until when an account may send entries to an open competition; None if no date is set."""
    if competition.closes is None:
        return None
    row = database.row(
        "SELECT until FROM extensions WHERE competition_id = ? AND user_id = ?", competition.id, owner_id
    )
    return max(competition.closes, float(row["until"])) if row else competition.closes


def why_closed(database: Database | Transaction, competition: Competition, owner_id: int, now: float) -> str:
    """Why an account cannot send or change entries of a competition; empty if it can."""
    if not competition.takes_entries:
        return f"it is {competition.state}"
    ends = deadline(database, competition, owner_id)
    return "its closing date has passed" if ends is not None and ends <= now else ""
