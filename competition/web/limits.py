"""Rate limits, counted in the database for all processes together."""

from __future__ import annotations

import hashlib
import ipaddress
import math
from dataclasses import dataclass

from vgdl.competition.errors import CompetitionError
from vgdl.competition.web.database import Database


class TooMany(CompetitionError):
    """A rate limit is reached; the message says which, and ``seconds`` how long to wait."""

    def __init__(self, limit: str, seconds: float) -> None:
        """Compose the message.

        Args:
            limit: the limit in words, such as "10 uploads an hour".
            seconds: seconds until the next attempt is allowed.
        """
        self.seconds = max(1, math.ceil(seconds))
        super().__init__(f"the limit of {limit} is reached; try again in {self.seconds} seconds")


@dataclass(frozen=True, slots=True)
class Limit:
    """A maximum number of attempts in a period of seconds."""

    words: str
    most: int
    seconds: float


SIGN_IN_ADDRESS = Limit("30 attempts to sign in from one address in 10 minutes", 30, 600)
SIGN_UP = Limit("20 new accounts from one address an hour", 20, 3600)
JOIN = Limit("500 attempts to join a course from one address an hour", 500, 3600)
RESET = Limit("5 requests for a new password from one address an hour", 5, 3600)
UPLOAD = Limit("20 uploads an hour", 20, 3600)
HUMAN_PLAY = Limit("60 plays of a user or from one address in 10 minutes", 60, 600)


def spend(database: Database, limit: Limit, who: str) -> None:
    """Count one attempt.

    Raises:
        TooMany: the limit is already reached; this attempt is not counted.
    """
    name, now = f"{limit.words}: {who}", database.now()
    with database.transaction() as transaction:
        transaction.lock(name)
        transaction.run("DELETE FROM attempts WHERE name = ? AND at <= ?", name, now - limit.seconds)
        row = transaction.row("SELECT COUNT(*) AS count, MIN(at) AS first FROM attempts WHERE name = ?", name)
        if row is not None and row["count"] >= limit.most:
            raise TooMany(limit.words, row["first"] + limit.seconds - now)
        transaction.run("INSERT INTO attempts (name, at) VALUES (?, ?)", name, now)


FREE_GUESSES = 5
"""Number of wrong passwords for an account from one network before the delays begin."""

LONGEST_DELAY_S = 900.0
"""The longest delay between two guesses."""

GUESSES_S = 3600.0
"""Seconds after which a guess no longer counts."""


def guess(database: Database, account: str, address: str) -> None:
    """Count an attempt to sign in, until ``forgive``; from the sixth on, each has to wait twice as long.

    Guesses are counted by account and network together: those of strangers elsewhere never lock a user out.

    Args:
        database: the database of the site.
        account: the name as accounts are found by it (``accounts.name_key``).
        address: address of the client.

    Raises:
        TooMany: it comes too early; it is not counted, and the password must not be looked at.
    """
    name, now = _guesses(account, address), database.now()
    with database.transaction() as transaction:
        transaction.lock(name)
        transaction.run("DELETE FROM attempts WHERE name = ? AND at <= ?", name, now - GUESSES_S)
        row = transaction.row("SELECT COUNT(*) AS count, MAX(at) AS last FROM attempts WHERE name = ?", name)
        if row is not None and (extra := int(row["count"]) - FREE_GUESSES) >= 0:
            due = float(row["last"]) + min(LONGEST_DELAY_S, 2.0 ** min(extra, 20))
            if due > now:
                raise TooMany("guesses of a password", due - now)
        transaction.run("INSERT INTO attempts (name, at) VALUES (?, ?)", name, now)


def forgive(database: Database, account: str, address: str) -> None:
    """Forget the guesses of a user who has signed in, and the attempt that counted for the address."""
    database.run("DELETE FROM attempts WHERE name = ?", _guesses(account, address))
    name = f"{SIGN_IN_ADDRESS.words}: {network(address)}"
    with database.transaction() as transaction:
        transaction.lock(name)
        transaction.run(
            "DELETE FROM attempts WHERE name = ? AND at = (SELECT MAX(at) FROM attempts WHERE name = ?)", name, name
        )


def _guesses(account: str, address: str) -> str:
    return f"guesses: {hashlib.sha256(account.encode('utf-8', 'replace')).hexdigest()} {network(address)}"


def network(address: str) -> str:
    """The network of a client, by which limits count: an IPv4 address, or the first 64 bits of an IPv6 address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))


def forget_old(database: Database) -> None:
    """Remove attempts that no longer count for any limit."""
    database.run("DELETE FROM attempts WHERE at < ?", database.now() - 2 * 3600)
