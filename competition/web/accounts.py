"""Users: signing up, in and out, one-time links, and tokens for programs.

Passwords are stored as argon2id hashes. Of sessions, links and tokens, too, the database stores only hashes, so that a
stolen copy gives no access.
"""

from __future__ import annotations

import hashlib
import importlib
import secrets
import threading
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any

from vgdl.competition.errors import CompetitionError
from vgdl.competition.web import names
from vgdl.competition.web.database import Database, Row, Transaction
from vgdl.extras import needs

ENTRANT, ORGANISER, TEAM = "entrant", "organiser", "team"

SESSION_S = 30 * 86400.0
LINK_S = 48 * 3600.0

SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 200
LONGEST_NAME = 40

_HASHING = threading.BoundedSemaphore(2)
"""Limits concurrent hashing: argon2 takes 64 MiB and a core, and many sign-ins at once must not exhaust these."""


class AccountError(CompetitionError):
    """A name, password or link is not accepted; the message says why."""


@dataclass(frozen=True, slots=True)
class User:
    """A user with an account."""

    id: int
    name: str
    email: str
    role: str

    @property
    def is_organiser(self) -> bool:
        """Whether this user may run competitions."""
        return self.role == ORGANISER


def secret(database: Database) -> str:
    """The key for signing cookies, created on first use."""
    database.run(
        "INSERT INTO settings (name, value) VALUES ('secret', ?) ON CONFLICT (name) DO NOTHING", secrets.token_hex(32)
    )
    row = database.row("SELECT value FROM settings WHERE name = 'secret'")
    assert row is not None
    return str(row["value"])


def sign_up(database: Database, name: str, password: str, email: str = "", *, role: str = ENTRANT) -> User:
    """Create an account.

    Raises:
        AccountError: the name is taken or not allowed, or the password is too weak.
    """
    name = checked_name(name)
    _check_password(password, name)
    kept, now = _hashed(password), database.now()
    with database.transaction() as transaction:
        return add_user(transaction, name, email, kept, role, now)


def add_user(transaction: Transaction, name: str, email: str, password: str, role: str, now: float) -> User:
    """Write an account, as part of a larger transaction.

    Args:
        transaction: the transaction.
        name: its name.
        email: its address, or nothing.
        password: the hash; with an empty one, signing in is not possible until a link sets a password.
        role: ``ENTRANT``, ``ORGANISER`` or ``TEAM``.
        now: the time.

    Raises:
        AccountError: the name is taken or not allowed, or the address is none.
    """
    return _user(_new_user(transaction, checked_name(name), _checked_email(email), password, role, now))


def sign_in(database: Database, name: str, password: str) -> User:
    """The user with a name and password.

    Raises:
        AccountError: there is none; the message does not say which of the two is wrong.
    """
    row = database.row("SELECT * FROM users WHERE name_key = ?", name_key(name))
    known = row["password"] if row and row["password"] else _decoy()  # so that unknown names take the same time
    if not _is_password(known, password) or row is None:
        raise AccountError("there is no account with this name and password")
    return _user(row)


def open_session(database: Database, user: User) -> str:
    """Begin a session; returns the token for the cookie."""
    token = secrets.token_urlsafe(32)
    now = database.now()
    database.run("DELETE FROM sessions WHERE expires < ?", now)
    database.run(
        "INSERT INTO sessions (id, user_id, expires) VALUES (?, ?, ?)", hashed_token(token), user.id, now + SESSION_S
    )
    return token


def session_user(database: Database, token: str) -> User | None:
    """The user of a session; None if there is no such session."""
    row = database.row(
        "SELECT users.* FROM sessions JOIN users ON users.id = sessions.user_id "
        "WHERE sessions.id = ? AND sessions.expires > ?",
        *(hashed_token(token), database.now()),
    )
    return _user(row) if row else None


def close_session(database: Database, token: str) -> None:
    """End a session."""
    database.run("DELETE FROM sessions WHERE id = ?", hashed_token(token))


def make_link(database: Database, kind: str, user: User | None = None, seconds: float = LINK_S) -> str:
    """Create a link that works once, within two days unless another time is given; returns its token.

    Args:
        database: the database of the site.
        kind: ``organiser``, which makes its user an organiser, or ``reset``.
        user: the user whose password a ``reset`` link sets.
        seconds: how long it works.
    """
    token = secrets.token_urlsafe(32)
    database.run(
        "INSERT INTO links (id, kind, user_id, expires) VALUES (?, ?, ?, ?)",
        *(hashed_token(token), kind, user.id if user else None, database.now() + seconds),
    )
    return token


def link(database: Database, token: str) -> Row | None:
    """The kind of a link, and the name of its user; None if it no longer works."""
    return database.row(
        "SELECT links.kind, links.user_id, users.name FROM links LEFT JOIN users ON users.id = links.user_id "
        "WHERE links.id = ? AND links.expires > ?",
        *(hashed_token(token), database.now()),
    )


def use_link(database: Database, token: str, password: str, name: str = "") -> User:
    """Set the password of the link's user, or create an organiser's account; the link stops working.

    Raises:
        AccountError: the link no longer works, or the name or password is not accepted.
    """
    known = link(database, token)
    if known is None:
        raise AccountError("this link was used already, or is older than two days; ask for another")
    name = known["name"] or checked_name(name)
    _check_password(password, name)
    kept, now = _hashed(password), database.now()
    with database.transaction() as transaction:
        if not transaction.run("DELETE FROM links WHERE id = ?", hashed_token(token)):
            raise AccountError("this link was used already; ask for another")
        if known["kind"] == "reset":
            row = _set_password(transaction, known["user_id"], kept)
        else:
            row = _new_user(transaction, name, "", kept, ORGANISER, now)
    assert row is not None
    return _user(row)


def _set_password(transaction: Transaction, user_id: int, password: str) -> Row | None:
    """Set a password; sessions, links to reset the password, and the token for programs end."""
    transaction.run("DELETE FROM sessions WHERE user_id = ?", user_id)
    transaction.run("DELETE FROM links WHERE user_id = ?", user_id)
    return transaction.row("UPDATE users SET password = ?, token = NULL WHERE id = ? RETURNING *", password, user_id)


def _new_user(transaction: Transaction, name: str, email: str, password: str, role: str, now: float) -> Row:
    """Create a user whose name looks like that of no other."""
    transaction.lock("names of users")
    wanted = names.outline(name)
    row = None
    if all(names.outline(other["name"]) != wanted for other in transaction.rows("SELECT name FROM users")):
        row = transaction.row(
            "INSERT INTO users (name, name_key, email, password, role, created) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (name_key) DO NOTHING RETURNING *",
            *(name, name_key(name), email, password, role, now),
        )
    if row is None:
        raise AccountError(f"the name {name} is taken; choose another")
    return row


def change_password(database: Database, user: User, old: str, new: str) -> None:
    """Change a password; all sessions, links and the token of the user end.

    Raises:
        AccountError: the old password is wrong, or the new one is too weak.
    """
    sign_in(database, user.name, old)
    _check_password(new, user.name)
    kept = _hashed(new)
    with database.transaction() as transaction:
        _set_password(transaction, user.id, kept)


def make_token(database: Database, user: User) -> str:
    """Create a token for a user's programs, which is shown once; the previous one stops working."""
    token = f"vgdl_{secrets.token_urlsafe(32)}"
    database.run("UPDATE users SET token = ? WHERE id = ?", hashed_token(token), user.id)
    return token


def token_user(database: Database, token: str) -> User | None:
    """The user of a token; None if it is not valid."""
    row = database.row("SELECT * FROM users WHERE token = ?", hashed_token(token))
    return _user(row) if row else None


def find_user(database: Database, name: str) -> User:
    """The user with a name.

    Raises:
        AccountError: there is none.
    """
    row = database.row("SELECT * FROM users WHERE name_key = ? AND role != ?", name_key(name), TEAM)
    if row is None:
        raise AccountError(f"there is no user {name!r:.60}")
    return _user(row)


def users(database: Database) -> list[User]:
    """All users, by name; teams are none."""
    return [_user(row) for row in database.rows("SELECT * FROM users WHERE role != ? ORDER BY name_key", TEAM)]


def has_organiser(database: Database) -> bool:
    """Whether the site has an organiser yet."""
    return database.row("SELECT 1 AS one FROM users WHERE role = ?", ORGANISER) is not None


def checked_name(name: str) -> str:
    """A name as it is stored: Unicode NFKC, without surrounding spaces.

    Raises:
        AccountError: it is empty, too long, or contains invisible characters.
    """
    name = names.normal(name[: 4 * LONGEST_NAME])
    if not 2 <= len(name) <= LONGEST_NAME or not names.is_readable(name):
        raise AccountError(f"a name has 2 to {LONGEST_NAME} printable letters")
    return name


def hashed_token(token: str) -> str:
    """The hash of a random token that the database stores."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def name_key(name: str) -> str:
    """A name in the form in which accounts are found and limits count."""
    return " ".join(unicodedata.normalize("NFKC", name[: 4 * LONGEST_NAME]).casefold().split())


def _check_password(password: str, name: str) -> None:
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise AccountError(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} letters")
    if len(set(password)) < 4 or password.casefold() == name.casefold():
        raise AccountError("this password is too easy to guess")


def _checked_email(email: str) -> str:
    email = email.strip()
    local, at, domain = email.partition("@")
    if email and not (
        at and local and "." in domain and len(email) <= 200 and email.isprintable() and " " not in email
    ):
        raise AccountError("this is not an e-mail address; leave it empty if you want none")
    return email


@cache
def _argon2() -> Any:
    try:
        return importlib.import_module("argon2")
    except ImportError:
        raise CompetitionError(needs("the site", "argon2-cffi", "web")) from None


@cache
def _hasher() -> Any:
    return _argon2().PasswordHasher()


def _hashed(password: str) -> str:
    with _HASHING:
        return str(_hasher().hash(password))


@cache
def _decoy() -> str:
    """The hash of a random password that is not stored."""
    return _hashed(secrets.token_hex(16))


def _is_password(hashed: str, password: str) -> bool:
    with _HASHING:
        try:
            return bool(_hasher().verify(hashed, password[:LONGEST_PASSWORD]))
        except _argon2().exceptions.VerificationError:
            return False


def _user(row: Row) -> User:
    return User(int(row["id"]), row["name"], row["email"], row["role"])
