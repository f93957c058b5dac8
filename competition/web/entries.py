"""Entries: uploaded, checked at once, counted, deleted; only their owners see logs and tracebacks.

Everything that can be checked without running code is checked at once, in a process of its own (``checking``). Whether
the class can be imported is then checked by a worker in isolation, before any play.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass
from pathlib import PurePosixPath

from vgdl.cli import counted
from vgdl.competition import seeds
from vgdl.competition.entering import Programs
from vgdl.competition.errors import CompetitionError
from vgdl.competition.submissions import archive
from vgdl.competition.submissions.evaluation import CONTROLLERS
from vgdl.competition.submissions.queue import State
from vgdl.competition.web import arenas, checking, competitions, jobs, names, people, teams, undoing
from vgdl.competition.web.accounts import User
from vgdl.competition.web.competitions import Competition
from vgdl.competition.web.database import Database, Row, Transaction
from vgdl.competition.web.limits import TooMany

LONGEST_NAME = 60
"""Maximum length of the name of an entry."""

DAY_S = 86400.0


class UploadRefused(CompetitionError):
    """An upload is refused; the message says what to fix."""


class NotYours(CompetitionError):
    """There is no such entry, or it belongs to another user; the message does not distinguish the two."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry, without its archive."""

    id: int
    competition_id: int
    user_id: int | None
    owner: str
    name: str
    location: str
    class_name: str
    sha256: str
    size: int
    state: State
    message: str
    details: str
    counted: bool
    barred: str
    refunded: bool
    deleted: bool
    created: float
    changed: float

    @property
    def is_baseline(self) -> bool:
        """Whether it is a bundled controller that entries are compared with."""
        return self.user_id is None


_COLUMNS = (
    "entries.id, competition_id, user_id, COALESCE(users.name, '') AS owner, entries.name, location, class_name, "
    "sha256, size, state, message, details, counted, barred, refunded, deleted, entries.created, changed"
)
_FROM = f"SELECT {_COLUMNS} FROM entries LEFT JOIN users ON users.id = entries.user_id"


def checked(filename: str, data: bytes, programs: Programs = CONTROLLERS) -> bytes:
    """Check an upload without running it; returns it as a zip file.

    Args:
        filename: as given by the browser or the command line.
        data: a zip file, or the text of one file with a program.
        programs: what the competition takes.

    Raises:
        UploadRefused: it fails a check; the message says why, with line and column for syntax errors.
    """
    name = PurePosixPath(filename.replace("\\", "/")).name
    if len(data) > archive.STANDARD.packed_bytes:
        most = archive.STANDARD.packed_bytes // archive.MIB
        raise UploadRefused(f"the file has {len(data) / archive.MIB:.1f} MiB; {most} are allowed")
    if not data:
        raise UploadRefused("the file is empty")
    kind = f".{name.rpartition('.')[2].lower()}"
    if kind in programs.suffixes and not data.startswith(b"PK\x03\x04"):
        data = _zipped(name, kind, data)
    try:
        why = checking.refusal(data, programs)
    except checking.NotChecked:
        return data  # the worker checks it
    if why:
        is_odd = why.startswith("this is not a zip file") and kind not in (".zip", *programs.suffixes)
        endings = " or ".join(programs.suffixes)
        raise UploadRefused(f"{why}; send a zip, or one file that ends in {endings}" if is_odd else why)
    return data


def check_open(database: Database, user: User, competition: Competition) -> None:
    """Check that a user may send entries to a competition, or choose which is ranked.

    Raises:
        UploadRefused: it is closed for this user, or the user assists in it.
    """
    owner = teams.owner_of(database, user, competition.id)
    if why := people.why_closed(database, competition, owner, database.now()):
        raise UploadRefused(f"{competition.title} takes no entries: {why}")
    if people.assists(database, user, competition.id):
        raise UploadRefused(f"you assist in {competition.title}, and cannot take part in it")


def is_own(database: Database, user: User | None, entry: Entry) -> bool:
    """Whether an entry is one of a user or of the user's team, who may see its logs."""
    if user is None or entry.user_id is None:
        return False
    return entry.user_id in (user.id, teams.owner_of(database, user, entry.competition_id))


def default_name(filename: str) -> str:
    """The name of an entry whose sender gives none: that of the file, without folders and suffix."""
    return PurePosixPath(filename.replace("\\", "/")).name.rpartition(".")[0][:LONGEST_NAME]


def upload(
    database: Database,
    user: User,
    competition: Competition,
    name: str,
    data: bytes,
    *,
    controller: str = "",
    count: bool = True,
) -> Entry:
    """Accept a checked zip file as an entry, and queue its check by a worker.

    Args:
        database: the database of the site.
        user: the sender.
        competition: the competition to enter.
        name: name of the entry in rankings.
        data: the zip file, as returned by ``checked``.
        controller: ``file.py:Class`` if there are several controllers.
        count: whether it becomes the user's counted entry once it is evaluated.

    Raises:
        UploadRefused: the competition is closed, the name is not allowed, or the storage quota is used up.
        TooMany: the user has reached the daily limit of entries.
    """
    check_open(database, user, competition)
    name = names.normal(name[: 4 * LONGEST_NAME])
    if not 1 <= len(name) <= LONGEST_NAME or not names.is_readable(name):
        raise UploadRefused(f"an entry needs a name of 1 to {LONGEST_NAME} printable letters")
    file, _, class_name = controller.partition(":")
    suffixes = arenas.programs(competition.settings.track).suffixes
    if controller and not (class_name.isidentifier() and file.endswith(suffixes)):
        raise UploadRefused("write the class as FILE.py:CLASS, with the file as it is in the zip")
    now = database.now()
    with database.transaction() as transaction:
        transaction.lock(f"uploads of user {user.id}")
        if people.assists(transaction, user, competition.id):  # meanwhile
            raise UploadRefused(f"you assist in {competition.title}, and cannot take part in it")
        owner = teams.owner_of(transaction, user, competition.id)
        if owner != user.id:
            transaction.lock(f"uploads of user {owner}")
        _check_quota(transaction, owner, competition, len(data), now)
        _claim_name(transaction, owner, competition, name)
        row = transaction.row(
            "INSERT INTO entries (competition_id, user_id, name, location, class_name, sha256, archive, size, secret, "
            "state, message, details, counted, count_when_done, barred, refunded, deleted, created, changed) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', 0, ?, '', 0, 0, ?, ?) RETURNING id",
            *(competition.id, owner, name, file, class_name, hashlib.sha256(data).hexdigest(), data, len(data)),
            *(str(seeds.fresh_secret()), State.WAITING, int(count), now, now),
        )
        assert row is not None
        jobs.queue_check(transaction, competition, int(row["id"]), owner, now)
        sender = "" if owner == user.id else f" by {user.name}"
        jobs.tell(transaction, int(row["id"]), now, f"uploaded{sender}; it waits to be checked")
    return get(database, int(row["id"]))


def get(database: Database, number: int) -> Entry:
    """One entry.

    Raises:
        NotYours: there is none.
    """
    row = database.row(f"{_FROM} WHERE entries.id = ?", number)
    if row is None:
        raise NotYours("there is no such entry")
    return _entry(row)


def own(database: Database, user: User, number: int) -> Entry:
    """One entry of a user.

    Raises:
        NotYours: there is none, or it is another user's.
    """
    entry = get(database, number)
    if not is_own(database, user, entry):
        raise NotYours("there is no such entry")
    return entry


def history(database: Database, user: User) -> list[Entry]:
    """All entries of a user and of the user's teams, the newest first."""
    query = (
        f"{_FROM} WHERE user_id = ? OR user_id IN (SELECT team_id FROM members WHERE user_id = ?) "
        "ORDER BY entries.id DESC"
    )
    return [_entry(row) for row in database.rows(query, user.id, user.id)]


def of_competition(database: Database, competition: Competition, *, counted: bool = False) -> list[Entry]:
    """The entries of a competition in the order of upload, all or only the counted ones."""
    only = " AND counted = 1 AND barred = ''" if counted else ""
    query = f"{_FROM} WHERE competition_id = ?{only} ORDER BY entries.id"
    return [_entry(row) for row in database.rows(query, competition.id)]


def ranked_counts(database: Database) -> dict[int, int]:
    """The number of ranked entries of users in each competition."""
    rows = database.rows(
        "SELECT competition_id, COUNT(*) AS count FROM entries WHERE counted = 1 AND user_id IS NOT NULL "
        "GROUP BY competition_id"
    )
    return {row["competition_id"]: int(row["count"]) for row in rows}


def barred(database: Database, competition: Competition) -> list[Entry]:
    """The entries that organisers have disqualified."""
    query = f"{_FROM} WHERE competition_id = ? AND barred != '' ORDER BY entries.id"
    return [_entry(row) for row in database.rows(query, competition.id)]


def zip_of(database: Database, entry: Entry) -> bytes:
    """The zip of an entry.

    Raises:
        NotYours: it was deleted.
    """
    row = database.row("SELECT archive FROM entries WHERE id = ? AND deleted = 0", entry.id)
    if row is None or row["archive"] is None:
        raise NotYours("the zip of this entry was deleted")
    return bytes(row["archive"])


def events(database: Database, entry: Entry, after: int = 0) -> list[Row]:
    """The events of an entry after a given one, in order."""
    return database.rows("SELECT * FROM events WHERE entry_id = ? AND id > ? ORDER BY id", entry.id, after)


def set_counted(database: Database, user: User, entry: Entry) -> None:
    """Make an entry the one of its user that counts for the ranking.

    Raises:
        UploadRefused: it was deleted, disqualified by an organiser or not evaluated, or the competition is closed.
    """
    competition = competitions.get(database, entry.competition_id)
    check_open(database, user, competition)
    if entry.deleted or entry.barred or entry.state not in jobs.RANKABLE:
        raise UploadRefused("only an entry that has been evaluated can be counted")
    now = database.now()
    with database.transaction() as transaction:
        jobs.count_entry(transaction, entry.id, entry.user_id or user.id, entry.competition_id)
        jobs.tell(transaction, entry.id, now, "it is the counted entry now")


def delete(database: Database, user: User, entry: Entry) -> int:
    """Delete an entry; returns the number of bytes freed. ``undoing`` can restore it for a week.

    Zip, logs and replays are hidden at once, and removed after the week. Its scores remain where other entries were
    compared with it, and it still counts towards the daily limit. Where it was ranked in a decided competition, its
    name, its results and the replays of its deciding plays remain.

    Raises:
        UploadRefused: it is counted in a competition that is being decided.
    """
    competition = competitions.get(database, entry.competition_id)
    if entry.counted and competition.state is competitions.State.CLOSING:
        raise UploadRefused("a counted entry cannot be deleted while the competition is decided")
    if entry.deleted:
        return 0
    now = database.now()
    stays = entry.counted and competition.state is competitions.State.DECIDED
    with database.transaction() as transaction:
        jobs.drop(transaction, entry.id)
        facts = {"state": entry.state, "counted": entry.counted, "user": entry.user_id}
        undoing.remember(
            transaction, now, user.name, undoing.DELETE_ENTRY, f"entry {entry.id} {entry.name}", facts,
            competition_id=competition.id, entry_id=entry.id,
        )  # fmt: skip
        transaction.run(
            "UPDATE entries SET counted = ?, deleted = 1, changed = ? WHERE id = ?", int(stays), now, entry.id
        )
    return entry.size


def restore(database: Database, user: User, entry: Entry) -> None:
    """Restore a deleted entry of a user.

    Raises:
        SettingsError: it was deleted more than a week ago.
        UploadRefused: there is no room for it.
    """
    competition = competitions.get(database, entry.competition_id)
    row = database.row(
        "SELECT id FROM undos WHERE entry_id = ? AND action = ? ORDER BY id DESC", entry.id, undoing.DELETE_ENTRY
    )
    with database.transaction() as transaction:
        if (
            _used(transaction, entry.user_id or user.id, competition, 0.0)[1] + entry.size
            > competition.settings.storage_mb << 20
        ):
            raise UploadRefused("there is no room for it: delete another entry first")
    undoing.undo(database, user.name, row["id"] if row else 0)


def daily_limit(competition: Competition) -> str:
    """The limit of uploads of a competition, in words."""
    return f"{counted(competition.settings.per_day, 'upload')} in 24 hours for {competition.slug}"


def quota_left(database: Database, user: User, competition: Competition) -> tuple[int, int]:
    """The number of entries that a user may still send today, and their maximum total size in bytes."""
    now = database.now()
    with database.transaction(writes=False) as transaction:
        sent, stored, _ = _used(transaction, teams.owner_of(transaction, user, competition.id), competition, now)
    return max(0, competition.settings.per_day - sent), max(0, (competition.settings.storage_mb << 20) - stored)


def next_upload_s(database: Database, user: User, competition: Competition) -> float:
    """Seconds until the oldest entry of the last 24 hours no longer counts."""
    now = database.now()
    with database.transaction(writes=False) as transaction:
        owner = teams.owner_of(transaction, user, competition.id)
        return _used(transaction, owner, competition, now)[2] + DAY_S - now


def _used(transaction: Transaction, owner: int, competition: Competition, now: float) -> tuple[int, int, float]:
    """Number of entries in the last day, bytes stored, and the upload time of the oldest of these entries."""
    recent = transaction.row(
        "SELECT COUNT(*) AS count, MIN(created) AS first FROM entries "
        "WHERE user_id = ? AND competition_id = ? AND refunded = 0 AND created > ?",
        *(owner, competition.id, now - DAY_S),
    )
    stored = transaction.row(
        "SELECT COALESCE(SUM(size), 0) AS size FROM entries WHERE user_id = ? AND deleted = 0", owner
    )
    assert recent is not None
    assert stored is not None
    return int(recent["count"]), int(stored["size"]), float(recent["first"] or now)


def _claim_name(transaction: Transaction, owner: int, competition: Competition, name: str) -> None:
    """Make a name, and all that look like it, that of the entries of a user or team."""
    outline = names.outline(name)
    others = transaction.rows(
        "SELECT name FROM entries WHERE competition_id = ? AND (user_id IS NULL OR user_id != ?)",
        *(competition.id, owner),
    )
    transaction.run(
        "INSERT INTO entry_names (competition_id, outline, user_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        *(competition.id, outline, owner),
    )
    known = transaction.row(
        "SELECT user_id FROM entry_names WHERE competition_id = ? AND outline = ?", competition.id, outline
    )
    if any(names.outline(other["name"]) == outline for other in others) or (known and known["user_id"] != owner):
        raise UploadRefused(
            f"an entry of this competition is called {name}, or something that looks like it; choose another name"
        )


def _check_quota(transaction: Transaction, owner: int, competition: Competition, size: int, now: float) -> None:
    sent, stored, first = _used(transaction, owner, competition, now)
    if sent >= competition.settings.per_day:
        raise TooMany(daily_limit(competition), first + DAY_S - now)
    most = competition.settings.storage_mb << 20
    if stored + size > most:
        raise UploadRefused(
            f"your entries take {stored / archive.MIB:.1f} MiB, and this one would exceed the "
            f"{competition.settings.storage_mb} MiB that you have: delete an old one"
        )


def _zipped(name: str, suffix: str, data: bytes) -> bytes:
    """A zip file that contains one program."""
    stem = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name[: -len(suffix)])[:100]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(zipfile.ZipInfo(f"{stem or 'agent'}{suffix}", (1980, 1, 1, 0, 0, 0)), data)
    return packed.getvalue()


def _entry(row: Row) -> Entry:
    facts = dict(row)
    facts["state"] = State(facts["state"])
    for name in ("counted", "refunded", "deleted"):
        facts[name] = bool(facts[name])
    return Entry(**facts)
