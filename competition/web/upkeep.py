"""Periodic tasks: opening and closing dates, rankings, hourly plays, status messages, and the nightly ladder.

The web process and every worker call ``tick``; whichever is first when a task is due performs it. Tasks that may take
long are done only in a process of their own (``run``), so that neither pages nor plays wait for them.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping

from vgdl.competition.agents.plain_data import printable
from vgdl.competition.tracks.planning.plan import Boards
from vgdl.competition.tracks.planning.rating import RatingUnavailable
from vgdl.competition.web import (
    competitions,
    copies,
    entries,
    jobs,
    ladder,
    limits,
    organising,
    people,
    plays,
    rankings,
    runs,
    undoing,
)
from vgdl.competition.web.competitions import Competition, State
from vgdl.competition.web.database import Database
from vgdl.competition.web.entries import Entry
from vgdl.competition.web.evaluator import set_boards, settle

ACTIVE_S = 3600.0
"""Maximum seconds between two plays of a counted entry."""

WAIT_S = 1.0
"""Seconds between two looks at what is due."""

SILENCE_S = 480.0
"""Seconds between status messages to the owner of a waiting entry, short enough for the promised ten minutes."""


def tick(database: Database, *, long: bool = False) -> None:
    """Perform the tasks that are due.

    Args:
        database: the database of the site.
        long: also those that may take long.
    """
    for name, every_s, action in (*_DUTIES, *(_LONG_DUTIES if long else ())):
        if _is_due(database, name, every_s):
            action(database)


def run(database: Database, parent: int | None) -> None:
    """Perform all tasks, forever or until the parent process ends; errors are printed, and do not stop it."""
    while parent is None or os.getppid() == parent:
        try:
            tick(database, long=True)
        except Exception:
            print(printable(traceback.format_exc()), file=sys.stderr, flush=True)
        time.sleep(WAIT_S)


def follow_dates(database: Database) -> None:
    """Open and close competitions according to their dates."""
    now = database.now()
    for one in competitions.every(database):
        is_over = one.closes is not None and one.closes <= now
        if one.state is State.DRAFT and one.opens is not None and one.opens <= now and not is_over:
            organising.open_competition(database, "the site", one)
        elif one.state is State.OPEN and is_over and people.last_extension(database, one) <= now:
            organising.close_competition(database, "the site", one)


def settle_all(database: Database) -> None:
    """Conclude evaluations left open by killed workers, and decide competitions whose plays are done."""
    for row in database.rows("SELECT id, competition_id FROM entries WHERE state = 'being evaluated' AND deleted = 0"):
        settle(database, competitions.get(database, row["competition_id"]), row["id"])
    for one in competitions.every(database):
        if one.state is State.CLOSING and not _waits(database, one, jobs.FINAL):
            organising.decide(database, one)


def keep_active(database: Database) -> None:
    """Queue a play for every counted entry that has had none for an hour and has none in the queue."""
    now = database.now()
    for one in competitions.every(database):
        if one.state is not State.OPEN or not one.settings.is_planning:
            continue
        counted = entries.of_competition(database, one, counted=True)
        stored = rankings.Boards(database)
        loaded: dict[str, Boards] = {}
        for entry in counted:
            if entry.is_baseline and len(counted) < 2:
                continue
            if _last_play(database, entry) > now - ACTIVE_S / 2 or _has_waiting(database, entry):
                continue
            loaded = loaded or {chosen.name: set_boards(one, chosen.name) for chosen in one.evaluation_sets}
            chosen = _next_play(database, one, entry, counted, loaded, stored)
            if chosen is not None:
                with database.transaction() as transaction:
                    user = entry.user_id or 0
                    jobs.queue(transaction, one.id, entry.id, user, jobs.ACTIVE, [chosen], database.now())


def break_silence(database: Database) -> None:
    """Send status messages to the owners of waiting entries."""
    now = database.now()
    rows = database.rows(
        "SELECT entries.id FROM entries LEFT JOIN events ON events.entry_id = entries.id "
        "WHERE entries.state IN ('waiting', 'being evaluated') AND entries.deleted = 0 AND entries.user_id IS NOT NULL "
        "GROUP BY entries.id HAVING COALESCE(MAX(events.at), 0) < ?",
        now - SILENCE_S,
    )
    status = jobs.status(database)
    for row in rows:
        known = jobs.progress(database, row["id"])
        if not status.workers:
            words = "still waiting: no worker is running; the organisers can see this"
        elif known.place:
            words = f"still waiting: place {known.place} in the queue, about {known.wait_s / 60:.0f} minutes"
        else:
            words = f"still playing: {known.done} of {known.total} plays are done"
        with database.transaction() as transaction:
            jobs.tell(transaction, row["id"], now, words)


def refit_ladders(database: Database) -> None:
    """Refit the ladders of all two-player sets."""
    for one in competitions.every(database):
        if one.state is not State.OPEN:
            continue
        for chosen in one.evaluation_sets:
            first = database.row(
                "SELECT 1 AS one FROM jobs WHERE competition_id = ? AND set_name = ? AND second_id IS NOT NULL LIMIT 1",
                *(one.id, chosen.name),
            )
            if first:
                try:
                    ladder.refit(database, one, chosen.name)
                except RatingUnavailable:
                    return


_Duty = tuple[str, float, Callable[[Database], object]]
"""A task: its name, interval in seconds, and function."""

_DUTIES: tuple[_Duty, ...] = (
    ("dates", 10.0, follow_dates),
    ("silence", 60.0, break_silence),
    ("limits", 3600.0, limits.forget_old),
    ("undos", 3600.0, undoing.purge),
    ("rounds", 10.0, runs.requeue_rounds),
)

_LONG_DUTIES: tuple[_Duty, ...] = (
    ("boards", 2.0, rankings.refresh),
    ("settle", 5.0, settle_all),
    ("active", 60.0, keep_active),
    ("copies", 30.0, copies.refresh),
    ("ladders", 86400.0, refit_ladders),
)


def _is_due(database: Database, name: str, every_s: float) -> bool:
    """Whether a task is due; if so, it is claimed by the caller."""
    now = database.now()
    row = database.row("SELECT value FROM settings WHERE name = ?", f"upkeep {name}")
    if row is None:
        begun = str(now) if every_s >= 86400 else "0"
        database.run(
            "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", f"upkeep {name}", begun
        )
        return False
    if float(row["value"]) > now - every_s:
        return False
    taken = database.run(
        "UPDATE settings SET value = ? WHERE name = ? AND value = ?", str(now), f"upkeep {name}", row["value"]
    )
    return taken == 1


def _last_play(database: Database, entry: Entry) -> float:
    row = database.row(
        "SELECT MAX(finished) AS last FROM plays JOIN players ON players.play_id = plays.id WHERE entry_id = ?",
        entry.id,
    )
    return float(row["last"]) if row and row["last"] is not None else 0.0


def _has_waiting(database: Database, entry: Entry) -> bool:
    query = "SELECT 1 AS one FROM jobs WHERE (first_id = ? OR second_id = ?) AND state IN ('waiting', 'taken') LIMIT 1"
    return database.row(query, entry.id, entry.id) is not None


def _waits(database: Database, competition: Competition, phase: str) -> bool:
    query = "SELECT 1 AS one FROM jobs WHERE competition_id = ? AND phase = ? AND state IN ('waiting', 'taken') LIMIT 1"
    return database.row(query, competition.id, phase) is not None


def _next_play(
    database: Database,
    competition: Competition,
    entry: Entry,
    counted: list[Entry],
    loaded: Mapping[str, Boards],
    stored: rankings.Boards,
) -> jobs.Play | None:
    """The most informative play: on the least-played level; in two-player games, against the closest rival."""
    done: dict[tuple[str, str, int], int] = {}
    for play in plays.of_entry(database, entry.id):
        key = play.set_name, play.result.game, play.result.level
        done[key] = done.get(key, 0) + 1
    options: list[tuple[int, jobs.Play]] = []
    for chosen in competition.evaluation_sets:
        rivals = _nearest(stored.get(competition, chosen.name), entry, counted)
        for one in jobs.plays_of_set(chosen, loaded[chosen.name], entry.id, rivals, range(1)):
            options.append((done.get((one.set_name, one.game, one.level), 0), one))
    if not options:
        return None
    times, least = min(options, key=lambda option: option[0])
    return jobs.Play(least.players, least.set_name, least.game, least.level, times, 10_000)


def _nearest(ranked: rankings.Board, entry: Entry, counted: list[Entry]) -> list[int]:
    """The rival whose rating is closest to an entry's."""
    others = [other for other in counted if other.id != entry.id]
    if not others:
        return []
    means = {line.entry.id: line.rating.mean for line in ranked.lines if line.rating}
    own = means.get(entry.id, 25.0)
    return [min(others, key=lambda other: (abs(means.get(other.id, 25.0) - own), other.id)).id]
