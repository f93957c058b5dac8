"""Teams: several users who share the entries of a competition.

A team is an account of the role ``TEAM``, to which nobody can sign in. It owns the entries of its members, so limits,
names, turns of the queue and the one ranked entry are those of the team. Its founder's entries become the team's; who
joins later must have none, so that nobody's limits count twice.
"""

from __future__ import annotations

import secrets

from vgdl.competition.web import accounts, people
from vgdl.competition.web.accounts import TEAM, AccountError, User
from vgdl.competition.web.competitions import Competition, SettingsError, State, note
from vgdl.competition.web.database import Database, Row, Transaction

INVITATION_S = 14 * 86400.0
"""Seconds for which the link that invites to a team works."""


class TeamError(SettingsError):
    """A team cannot be changed like this; the message says why."""


def owner_of(database: Database | Transaction, user: User, competition_id: int) -> int:
    """The account that owns the entries of a user in a competition: the team, or the user."""
    row = database.row("SELECT team_id FROM members WHERE competition_id = ? AND user_id = ?", competition_id, user.id)
    return int(row["team_id"]) if row else user.id


def team_of(database: Database, user: User, competition: Competition) -> Row | None:
    """The team of a user in a competition: ``id`` and ``name``; None if there is none."""
    return database.row(
        "SELECT users.id, users.name FROM members JOIN users ON users.id = team_id "
        "WHERE members.competition_id = ? AND members.user_id = ?",
        *(competition.id, user.id),
    )


def owner_called(database: Database, name: str, competition: Competition) -> tuple[int, str]:
    """Number and name of the account that owns the entries of the user, or of the team, with a name.

    Raises:
        AccountError: there is none.
    """
    row = database.row(
        "SELECT users.id, users.name FROM teams JOIN users ON users.id = teams.id "
        "WHERE competition_id = ? AND name_key = ?",
        *(competition.id, accounts.name_key(name)),
    )
    if row is None:
        user = accounts.find_user(database, name)
        row = team_of(database, user, competition) or {"id": user.id, "name": user.name}
    return int(row["id"]), str(row["name"])


def members(database: Database | Transaction, team_id: int | None) -> list[str]:
    """The names of the members of a team, sorted; empty for the account of a person."""
    rows = database.rows(
        "SELECT users.name FROM members JOIN users ON users.id = members.user_id WHERE team_id = ? ORDER BY name_key",
        team_id,
    )
    return [row["name"] for row in rows]


def every(database: Database, competition: Competition) -> dict[str, list[str]]:
    """The members of each team of a competition, by the team's name."""
    rows = database.rows(
        "SELECT team.name AS team, person.name AS member FROM members JOIN users AS team ON team.id = members.team_id "
        "JOIN users AS person ON person.id = members.user_id WHERE members.competition_id = ? "
        "ORDER BY team.name_key, person.name_key",
        competition.id,
    )
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["team"], []).append(row["member"])
    return found


def create(database: Database, user: User, competition: Competition, name: str) -> int:
    """Create a team, to which the user's entries of the competition belong from now on; returns its number.

    Raises:
        AccountError: the name is taken or not allowed.
        TeamError: the competition has no teams or is closed, or the user is in a team already.
    """
    _check_open(competition)
    now = database.now()
    with database.transaction() as transaction:
        _check_free(transaction, user, competition)
        team = accounts.add_user(transaction, name, "", "", TEAM, now).id
        transaction.run("INSERT INTO teams (id, competition_id) VALUES (?, ?)", team, competition.id)
        _add(transaction, user, competition, team)
        for table in ("entries", "jobs", "entry_names", "extensions"):
            transaction.run(
                f"UPDATE {table} SET user_id = ? WHERE user_id = ? AND competition_id = ?",
                *(team, user.id, competition.id),
            )
        note(transaction, now, user.name, "create a team", competition.slug, name)
    return team


def invite(database: Database, user: User, competition: Competition) -> str:
    """Make the link by which others join the user's team, in place of the last one; returns its token.

    Raises:
        TeamError: the user is in no team, or the competition is closed.
    """
    _check_open(competition)
    team = team_of(database, user, competition)
    if team is None:
        raise TeamError("you are in no team")
    token = secrets.token_urlsafe(24)
    database.run(
        "UPDATE teams SET invitation = ?, invitation_ends = ? WHERE id = ?",
        *(accounts.hashed_token(token), database.now() + INVITATION_S, team["id"]),
    )
    return token


def invitation(database: Database, token: str) -> Row | None:
    """The team of a link (``id``, ``name`` and ``competition_id``); None if the link does not work any more."""
    return database.row(
        "SELECT teams.id, users.name, teams.competition_id FROM teams JOIN users ON users.id = teams.id "
        "WHERE invitation = ? AND invitation_ends > ?",
        *(accounts.hashed_token(token), database.now()),
    )


def join(database: Database, user: User, competition: Competition, token: str) -> None:
    """Join a team by its link.

    Raises:
        AccountError: the link does not work any more.
        TeamError: the team is full, the competition is closed, or the user has a team or entries of its own.
    """
    _check_open(competition)
    now = database.now()
    with database.transaction() as transaction:
        _check_free(transaction, user, competition)
        team = transaction.row(
            "SELECT teams.id, users.name FROM teams JOIN users ON users.id = teams.id "
            "WHERE invitation = ? AND invitation_ends > ? AND teams.competition_id = ?",
            *(accounts.hashed_token(token), now, competition.id),
        )
        if team is None:
            raise AccountError("this link of a team does not work any more; ask for another")
        transaction.lock(f"team {team['id']}")
        if len(members(transaction, team["id"])) >= competition.settings.team_size:
            raise TeamError(f"{team['name']} is full: a team has at most {competition.settings.team_size} members")
        if transaction.row(
            "SELECT 1 AS one FROM entries WHERE user_id = ? AND competition_id = ? LIMIT 1", user.id, competition.id
        ):
            raise TeamError("you have entries of your own in this competition, and cannot join a team any more")
        _add(transaction, user, competition, team["id"])
        note(transaction, now, user.name, "join a team", competition.slug, team["name"])


def leave(database: Database, user: User, competition: Competition) -> None:
    """Leave a team that has no entries yet; a team without members is deleted.

    Raises:
        TeamError: the user is in no team, or the team has entries.
    """
    _leave(database, user.name, user, competition, always=False)


def remove(database: Database, actor: str, user: User, competition: Competition) -> None:
    """Take a user out of a team, as an organiser; entries stay with the team.

    Raises:
        TeamError: the user is in no team.
    """
    _leave(database, actor, user, competition, always=True)


def _leave(database: Database, actor: str, user: User, competition: Competition, *, always: bool) -> None:
    now = database.now()
    with database.transaction() as transaction:
        transaction.lock(f"uploads of user {user.id}")
        team = owner_of(transaction, user, competition.id)
        if team == user.id:
            raise TeamError(f"{user.name} is in no team of {competition.slug}")
        transaction.lock(f"uploads of user {team}")
        transaction.lock(f"team {team}")
        has_entries = transaction.row("SELECT 1 AS one FROM entries WHERE user_id = ? LIMIT 1", team) is not None
        if has_entries and not always:
            raise TeamError("the team has entries; ask an organiser, who can take you out of it")
        known = transaction.row("SELECT name FROM users WHERE id = ?", team)
        transaction.run("DELETE FROM members WHERE competition_id = ? AND user_id = ?", competition.id, user.id)
        transaction.run("UPDATE teams SET invitation = NULL WHERE id = ?", team)  # a former member may have the link
        if not has_entries and not members(transaction, team):
            transaction.run("DELETE FROM users WHERE id = ?", team)
        note(
            transaction,
            now,
            actor,
            "leave a team",
            competition.slug,
            f"{user.name}: {known['name'] if known else team}",
        )


def _check_open(competition: Competition) -> None:
    if competition.state is not State.OPEN:
        raise TeamError(f"teams cannot be changed: {competition.title} is {competition.state}")
    if competition.settings.team_size < 2:
        raise TeamError(f"{competition.title} has no teams")


def _check_free(transaction: Transaction, user: User, competition: Competition) -> None:
    """Wait for the user's uploads, and check that there is no team yet."""
    transaction.lock(f"uploads of user {user.id}")
    if owner_of(transaction, user, competition.id) != user.id:
        raise TeamError("you are in a team already")
    if people.assists(transaction, user, competition.id):
        raise TeamError("assistants take no part in their competition")


def _add(transaction: Transaction, user: User, competition: Competition, team: int) -> None:
    transaction.run(
        "INSERT INTO members (competition_id, user_id, team_id) VALUES (?, ?, ?)", competition.id, user.id, team
    )
