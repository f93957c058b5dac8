"""Accounts of users at a provider of OpenID Connect.

An identity is the pair of issuer and subject, which the provider never gives to someone else. E-mail addresses connect
nothing: anybody can enter any address when signing up, so an account with a matching one may be a stranger's. To
connect an existing account, its user signs in by password first.
"""

from __future__ import annotations

from vgdl.competition.web import accounts
from vgdl.competition.web.accounts import ENTRANT, AccountError, User
from vgdl.competition.web.database import Database, Transaction
from vgdl.competition.web.oidc import Identity

MOST_NUMBER = 99
"""The highest number that is appended to a name that is taken."""


def has_one(database: Database, user: User) -> bool:
    """Whether a user can sign in at a provider."""
    return database.row("SELECT 1 AS one FROM identities WHERE user_id = ? LIMIT 1", user.id) is not None


def sign_in(database: Database, identity: Identity, user: User | None) -> User:
    """The user of an identity; an unknown one is connected with the user who is signed in, or gets a new account.

    Args:
        database: the database of the site.
        identity: what the provider says.
        user: the user who is signed in already, if any.

    Raises:
        AccountError: the identity belongs to another user than the one who is signed in.
    """
    now = database.now()
    with database.transaction() as transaction:
        transaction.lock(f"identity {identity.issuer} {identity.subject}")
        row = transaction.row(
            "SELECT users.name FROM identities JOIN users ON users.id = user_id WHERE issuer = ? AND subject = ?",
            *(identity.issuer, identity.subject),
        )
        if row is None:
            found = user or _new_user(transaction, identity, now)
            transaction.run(
                "INSERT INTO identities (issuer, subject, user_id) VALUES (?, ?, ?)",
                *(identity.issuer, identity.subject, found.id),
            )
            return found
    found = accounts.find_user(database, row["name"])
    if user is not None and user.id != found.id:
        raise AccountError(f"this account of the provider belongs to {found.name}; sign out first")
    return found


def _new_user(transaction: Transaction, identity: Identity, now: float) -> User:
    """A new account, with the proposed name or one that resembles it."""
    wanted = identity.name[: accounts.LONGEST_NAME - 3].strip()
    bases = [wanted, "Member"] if wanted else ["Member"]
    for name in [wanted, *(f"{base} {number}" for base in bases for number in range(2, MOST_NUMBER + 1))]:
        for email in (identity.email, ""):
            try:
                return accounts.add_user(transaction, name, email, "", ENTRANT, now)
            except AccountError:  # the name is taken or not allowed, or the address is none
                continue
    raise AccountError("all names like yours are taken; sign up with another one, and connect the account then")
