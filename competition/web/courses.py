"""Courses: an organiser invites all members at once, by a link for a number of people or by a list of names.

Whoever has the link of a course signs up without the limit of new accounts per address: a class may share a router.
"""

from __future__ import annotations

import csv
import io
import secrets

from vgdl.competition.web import accounts
from vgdl.competition.web.accounts import ENTRANT, AccountError, User
from vgdl.competition.web.competitions import note
from vgdl.competition.web.database import Database, Row

LINK_S = 60 * 86400.0
"""Seconds for which the link of a course works."""

MOST_TEXT = 30_000
"""Maximum length of a list of names on the page, in characters; the command line takes longer ones."""

MOST_PEOPLE = 2000
"""Maximum number of people of a course."""


def invite(database: Database, actor: str, words: str, people: int) -> str:
    """Create the link of a course; returns its token, which works for 60 days.

    Args:
        database: the database of the site.
        actor: who invites, for the audit log.
        words: the name of the course.
        people: how many may sign up.

    Raises:
        AccountError: the name or the number is not accepted.
    """
    words = " ".join(words.split())[:80]
    if not words or not words.isprintable():
        raise AccountError("a course needs a name")
    if not 1 <= people <= MOST_PEOPLE:
        raise AccountError(f"a course has 1 to {MOST_PEOPLE} people, not {people}")
    token = secrets.token_urlsafe(24)
    now = database.now()
    with database.transaction() as transaction:
        transaction.run("DELETE FROM invitations WHERE expires < ?", now)
        transaction.run(
            "INSERT INTO invitations (id, words, left_uses, expires) VALUES (?, ?, ?, ?)",
            *(accounts.hashed_token(token), words, people, now + LINK_S),
        )
        note(transaction, now, actor, "invite a course", words, f"{people} people")
    return token


def invitation(database: Database, token: str) -> Row | None:
    """The name of a course (``words``) and its free places (``left_uses``); None if its link does not work any more."""
    return database.row(
        "SELECT words, left_uses FROM invitations WHERE id = ? AND expires > ? AND left_uses > 0",
        *(accounts.hashed_token(token), database.now()),
    )


def join(database: Database, token: str, name: str, password: str, email: str) -> User:
    """Sign up with the link of a course.

    Raises:
        AccountError: the link does not work any more, or the name or password is not accepted.
    """
    identity, now = accounts.hashed_token(token), database.now()
    if not database.run(
        "UPDATE invitations SET left_uses = left_uses - 1 WHERE id = ? AND expires > ? AND left_uses > 0", identity, now
    ):
        raise AccountError("all places of this course are taken, or its link is too old; ask your teacher for another")
    try:
        return accounts.sign_up(database, name, password, email)
    except AccountError:
        database.run("UPDATE invitations SET left_uses = left_uses + 1 WHERE id = ?", identity)
        raise


def add_people(database: Database, actor: str, text: str) -> list[tuple[str, str]]:
    """Create accounts for a list of names; returns names with tokens of links that set their passwords.

    Args:
        database: the database of the site.
        actor: who does this, for the audit log.
        text: CSV with a name in each row and, optionally, an e-mail address; a first row ``name,…`` is skipped.

    Raises:
        AccountError: a name is taken or not allowed; the message names the row, and no account is created.
    """
    rows = [row for row in csv.reader(io.StringIO(text)) if any(cell.strip() for cell in row)]
    if rows and rows[0][0].strip().casefold() == "name":
        del rows[0]
    if not 1 <= len(rows) <= MOST_PEOPLE:
        raise AccountError(f"the list has {len(rows)} names; 1 to {MOST_PEOPLE} are accepted, one in each row")
    now = database.now()
    made = []
    with database.transaction() as transaction:
        for number, row in enumerate(rows, 1):
            try:
                email = row[1] if len(row) > 1 else ""
                made.append(accounts.add_user(transaction, row[0], email, "", ENTRANT, now))
            except AccountError as error:
                raise AccountError(f"row {number}: {error}; no account was created") from None
        note(transaction, now, actor, "add people", "", f"{len(made)} accounts")
    return [(user.name, accounts.make_link(database, "reset", user, LINK_S)) for user in made]
