"""Ballots in the database of a site: pairs that people look at, the seconds that they have played, and their votes.

A row of the table ``ballots`` is made when a pair is drawn for a user, and becomes a vote by its answer. Unique indexes
hold, whatever arrives at once: one row per pair, user and day, and one open ballot of a user in a contest.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, date, datetime

from vgdl.competition.tracks.generation.votes import (
    PLAYED_S,
    Answer,
    Ballot,
    Pair,
    Side,
    Vote,
    VoteInvalid,
    check,
    draw_pair,
)
from vgdl.competition.web.accounts import User
from vgdl.competition.web.database import Database, Row

OPEN_S = 86400.0
"""Seconds after which a ballot without an answer is dropped."""

LOOKING_S = 3600.0
"""Seconds for which an open ballot counts as one that will become a vote when the next pairs are drawn."""


@dataclass(frozen=True, slots=True)
class StoredBallot:
    """A ballot of a user in the database."""

    id: int
    ballot: Ballot
    left_s: float
    right_s: float
    answer: str  #: empty while it is open

    @property
    def is_ready(self) -> bool:
        """Whether both sides have been played for long enough."""
        return min(self.left_s, self.right_s) >= PLAYED_S


def current(database: Database, contest: str, sides: tuple[Side, ...], user: User, seed: int) -> StoredBallot | None:
    """The open ballot of a user, which is drawn if there is none.

    Args:
        database: the database of the site.
        contest: the contest's key.
        sides: the results that can be shown.
        user: who is asked.
        seed: of the draw.

    Returns:
        The ballot, or None if the user has seen all pairs today.
    """
    known = _open(database.rows(_OPEN, contest, user.id), sides, database.now())
    if known is not None:
        return known
    now = database.now()
    day = datetime.fromtimestamp(now, UTC).date()
    with database.transaction() as transaction:
        transaction.lock(f"ballots of {contest}")
        own = transaction.rows(_OPEN, contest, user.id)
        if (known := _open(own, sides, now)) is not None:  # drawn meanwhile
            return known
        for row in own:
            transaction.run("DELETE FROM ballots WHERE id = ?", row["id"])
        transaction.run("DELETE FROM ballots WHERE contest = ? AND answer = '' AND drawn < ?", contest, now - OPEN_S)
        shown = "SELECT * FROM ballots WHERE contest = ? AND (answer != '' OR drawn > ?) ORDER BY id"
        ballots = [_ballot(row) for row in transaction.rows(shown, contest, now - LOOKING_S)]
        pair = draw_pair(sides, ballots, seed, str(user.id), day)
        if pair is None:
            return None
        made = transaction.row(
            "INSERT INTO ballots (contest, user_id, day, pair, subject, left_generator, left_number, right_generator, "
            "right_number, drawn, counted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *",
            *(contest, user.id, day.isoformat(), pair_key(pair), pair.left.subject, pair.left.generator),
            *(pair.left.number, pair.right.generator, pair.right.number, now, now),
        )
        assert made is not None
        return _stored(made)


def find(database: Database, contest: str, user: User, number: int) -> StoredBallot | None:
    """A ballot of a user in a contest, open or not."""
    row = database.row("SELECT * FROM ballots WHERE id = ? AND contest = ? AND user_id = ?", number, contest, user.id)
    return None if row is None else _stored(row)


def add_played(database: Database, number: int, side: str, seconds: float) -> float:
    """Add seconds to what the user has played of a side of an open ballot.

    At most those since the last call for the ballot are added, so that plays at the same time in several windows do not
    count more than one.

    Args:
        database: the database of the site.
        number: of the ballot.
        side: ``left`` or ``right``.
        seconds: that were played since the last call.

    Returns:
        The seconds of that side in all; 0.0 if nothing was added, because the ballot is not open any more.
    """
    column = {"left": "left_s", "right": "right_s"}[side]
    now = database.now()
    row = database.row(
        f"UPDATE ballots SET {column} = {column} + CASE WHEN ? < ? - counted THEN ? ELSE ? - counted END, counted = ? "
        f"WHERE id = ? AND answer = '' AND counted <= ? RETURNING {column} AS seconds",
        *(seconds, now, seconds, now, now, number, now),
    )
    return 0.0 if row is None else float(row["seconds"])


def cast(database: Database, contest: str, user: User, number: int, answer: Answer, *, consent: bool) -> StoredBallot:
    """Vote.

    Args:
        database: the database of the site.
        contest: the contest's key.
        user: who votes.
        number: of the ballot.
        answer: which side is better.
        consent: whether the vote may be published.

    Returns:
        The ballot, with the answer.

    Raises:
        VoteInvalid: it is no open ballot of this user, or a side was not played for long enough.
    """
    with database.transaction() as transaction:
        row = transaction.row(
            "SELECT * FROM ballots WHERE id = ? AND contest = ? AND user_id = ?", number, contest, user.id
        )
        if row is None:
            raise VoteInvalid("this pair is no longer yours to vote on: here is another one")
        check(_vote({**row, "answer": answer, "consent": consent}), ())
        changed = transaction.row(
            "UPDATE ballots SET answer = ?, consent = ? WHERE id = ? AND answer = '' RETURNING *",
            *(str(answer), int(consent), number),
        )
        if changed is None:
            raise VoteInvalid("you have voted on this pair today")
    return _stored(changed)


def votes(database: Database, contest: str) -> list[Vote]:
    """All votes of a contest, in the order in which their pairs were drawn."""
    return [
        _vote(row)
        for row in database.rows("SELECT * FROM ballots WHERE contest = ? AND answer != '' ORDER BY id", contest)
    ]


def count(database: Database, contest: str) -> int:
    """The number of votes of a contest."""
    row = database.row("SELECT COUNT(*) AS count FROM ballots WHERE contest = ? AND answer != ''", contest)
    return 0 if row is None else int(row["count"])


def count_published(database: Database, contest: str, user: User) -> int:
    """The number of a user's votes in a contest that may be published."""
    row = database.row(
        "SELECT COUNT(*) AS count FROM ballots WHERE contest = ? AND user_id = ? AND consent = 1", contest, user.id
    )
    return 0 if row is None else int(row["count"])


def withdraw_consent(database: Database, contest: str, user: User) -> None:
    """None of a user's votes so far may be published any more; they still count for the strengths."""
    database.run("UPDATE ballots SET consent = 0 WHERE contest = ? AND user_id = ?", contest, user.id)


def pair_key(pair: Pair) -> str:
    """What identifies a pair, whichever of its sides is left."""
    sides = [[side.generator, side.subject, side.number] for side in sorted(pair.sides)]
    return hashlib.sha256(json.dumps(sides).encode("utf-8", "surrogatepass")).hexdigest()


_OPEN = "SELECT * FROM ballots WHERE contest = ? AND user_id = ? AND answer = ''"


def _open(rows: list[Row], sides: tuple[Side, ...], now: float) -> StoredBallot | None:
    """The open ballot among rows that can still be voted on."""
    known = [_stored(row) for row in rows if row["drawn"] > now - OPEN_S]
    return next((one for one in known if one.ballot.pair.sides <= set(sides)), None)


def _ballot(row: Row) -> Ballot:
    return Ballot(str(row["user_id"]), date.fromisoformat(row["day"]), _pair(row))


def _vote(row: Row) -> Vote:
    return Vote(
        str(row["user_id"]), date.fromisoformat(row["day"]), _pair(row), Answer(row["answer"]), row["left_s"],
        row["right_s"], bool(row["consent"]),
    )  # fmt: skip


def _stored(row: Row) -> StoredBallot:
    return StoredBallot(int(row["id"]), _ballot(row), row["left_s"], row["right_s"], row["answer"])


def _pair(row: Row) -> Pair:
    left, right = (
        Side(row[f"{side}_generator"], row["subject"], int(row[f"{side}_number"])) for side in ("left", "right")
    )
    return Pair(left, right)
