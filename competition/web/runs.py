"""Runs of a track for a competition: the evaluation of an entry, rounds of all that are ranked, and the deciding run.

A run is what ``vgdl-compete TRACK`` does, with its store in the tables of the site: every result is saved in one
transaction with the proof that its worker still has the job, so a killed worker loses no result. A job does one unit of
work and goes back into the queue, where others have their turns.

A round begins as soon as the ranked entries are others than those of the last one; it has chance, and generated stages
or games, of its own. Its ranking is shown once all of it is done.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vgdl.competition import seeds
from vgdl.competition.store import Store
from vgdl.competition.submissions.queue import Outcome
from vgdl.competition.submissions.queue import State as EntryState
from vgdl.competition.track import OpenStore, Result
from vgdl.competition.web import arenas, board_writer, competitions, entries, jobs
from vgdl.competition.web.competitions import Competition, State
from vgdl.competition.web.database import Database, Row, Transaction
from vgdl.competition.web.jobs import Job
from vgdl.competition.web.plays import unpack

AGAIN_S = 600.0
"""Seconds after which a round or deciding run that an error of the site has ended begins again."""


class JobLost(Exception):
    """Another worker has the job."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run, without its results."""

    id: int
    job_id: int
    competition_id: int
    entry_id: int | None  #: whose evaluation it is
    phase: str
    number: int  #: of the round in its competition, from 1
    entrants: tuple[int, ...]
    secret: int
    plan: dict[str, Any] | None  #: None until it has begun
    games: list[dict[str, Any]]
    total: int
    done: int
    began: float
    finished: float | None

    @property
    def name(self) -> str:
        """What it is, in words."""
        words = {jobs.EVALUATION: "evaluation", jobs.ROUND: f"round {self.number}", jobs.FINAL: "deciding run"}
        return words[self.phase]


_COLUMNS = (
    "id, job_id, competition_id, entry_id, phase, number, entrants, secret, plan, games, total, done, began, finished"
)


def begun(database: Database, job: Job) -> Run:
    """The run of a job, which begins if it has not yet: with the entries that are ranked now."""
    competition = competitions.get(database, job.competition_id)
    ranked = [one.id for one in entries.of_competition(database, competition, counted=True) if not one.deleted]
    own = job.entry_id if job.phase == jobs.EVALUATION else None
    if own is not None:
        baselines = (one for one in entries.of_competition(database, competition, counted=True) if one.is_baseline)
        ranked = [own, *(one.id for one in baselines)]
    secret = competition.secret if job.phase == jobs.FINAL else seeds.fresh_secret()
    with database.transaction() as transaction:
        transaction.lock(f"runs of competition {competition.id}")
        row = transaction.row(f"SELECT {_COLUMNS} FROM runs WHERE job_id = ?", job.id)
        if row is None:
            last = transaction.row(
                "SELECT MAX(number) AS number FROM runs WHERE competition_id = ? AND phase = ?",
                *(competition.id, job.phase),
            )
            number = 1 + (last["number"] or 0 if last is not None else 0)
            row = transaction.row(
                "INSERT INTO runs (job_id, competition_id, entry_id, phase, number, entrants, secret, plan, games, "
                "total, done, began, removed) VALUES (?, ?, ?, ?, ?, ?, ?, '', '[]', 0, 0, ?, 0) "
                f"RETURNING {_COLUMNS}",
                *(job.id, competition.id, own, job.phase, number, json.dumps(ranked), str(secret), database.now()),
            )
    assert row is not None
    return _run(row)


def planned(database: Database, run: Run, facts: dict[str, Any], games: list[dict[str, Any]], total: int) -> Run:
    """Save the plan of a run, and the number of its results; what earlier workers did by another plan is dropped."""
    with database.transaction() as transaction:
        if run.plan is not None and run.plan != facts:
            transaction.run("DELETE FROM run_rows WHERE run_id = ?", run.id)
            transaction.run("UPDATE runs SET done = 0 WHERE id = ?", run.id)
        transaction.run(
            "UPDATE runs SET plan = ?, games = ?, total = ? WHERE id = ?",
            *(json.dumps(facts), json.dumps(games), total, run.id),
        )
    return replace(run, plan=facts, games=games, total=total)


def save(database: Database, job: Job, worker: str, run: Run, result: Result, total: int) -> None:
    """Save a result.

    Args:
        database: the database of the site.
        job: the job of the run.
        worker: the worker that has it.
        run: the run.
        result: the result.
        total: number of results that there are to be, which a failure may change.

    Raises:
        JobLost: another worker has the job by now.
    """
    tables = {table.row: table for table in _track(database, run).tables}
    now = database.now()
    with database.transaction() as transaction:
        has_it = transaction.run(
            "UPDATE jobs SET attempts = 1 WHERE id = ? AND state = 'taken' AND worker = ?", job.id, worker
        )
        if not has_it:
            raise JobLost
        for row in result.rows:
            table = tables[type(row)]
            packed = jobs.pack(table.facts(row))
            transaction.run("INSERT INTO run_rows (run_id, kind, facts) VALUES (?, ?, ?)", run.id, table.name, packed)
        transaction.run("UPDATE runs SET done = done + ?, total = ? WHERE id = ?", int(result.counts), total, run.id)
        if run.entry_id is not None and result.label:
            jobs.tell(transaction, run.entry_id, now, result.label)


def fill(database: Database, run: Run, store: Store, *, public: bool = False) -> None:
    """Copy the results of a run into a store.

    Args:
        database: the database of the site.
        run: the run.
        store: a store with the tables of the track.
        public: without what only owners of entries may see.
    """
    track = arenas.played(competitions.get(database, run.competition_id).settings.track)
    tables = {table.name: table for table in track.tables}
    assert track.entering is not None
    for row in database.rows("SELECT kind, facts FROM run_rows WHERE run_id = ? ORDER BY id", run.id):
        found = tables[row["kind"]].of_facts(unpack(bytes(row["facts"])))
        store.put(track.entering.public(found) if public else found)


def public_store(database: Database, run: Run, path: Path | None) -> Store:
    """The results of a run as a new store, in memory if there is no path, without what only owners may see."""
    track = _track(database, run)
    store = Store.create(path, run.plan or {}, track.tables, games=run.games, total=run.total)
    try:
        fill(database, run, store, public=True)
    except BaseException:
        store.close()
        raise
    return store


def finish(database: Database, job: Job, worker: str, run: Run, store: Store) -> None:
    """Conclude a run of which all is done."""
    track = _track(database, run)
    with public_store(database, run, None) as public:
        facts = board_writer.facts(OpenStore(public, track))
    now = database.now()
    outcome = None
    if run.entry_id is not None:
        assert track.entering is not None
        found = track.entering.verdict(store, entries.get(database, run.entry_id).name)
        state = EntryState.DISQUALIFIED if found.failed else EntryState.EVALUATED
        outcome = Outcome(state, found.message, found.details)
    with database.transaction() as transaction:
        if not jobs.done(transaction, job, worker, now):
            return
        transaction.run("UPDATE runs SET finished = ?, facts = ? WHERE id = ?", now, jobs.pack(facts), run.id)
        if run.entry_id is not None and outcome is not None:
            jobs.conclude(transaction, run.entry_id, outcome, now)
    queue_round(database, competitions.get(database, run.competition_id))


def queue_round(database: Database, competition: Competition) -> bool:
    """Queue a round if the ranked entries are others than those of the last one; returns whether it did."""
    if competition.settings.is_planning or competition.state is not State.OPEN:
        return False
    ranked = [one for one in entries.of_competition(database, competition, counted=True) if not one.deleted]
    numbers = sorted(one.id for one in ranked)
    baseline = next((one for one in ranked if one.is_baseline), None)
    if baseline is None or len(ranked) < 2 or all(one.is_baseline for one in ranked):
        return False
    with database.transaction() as transaction:
        transaction.lock(f"rounds of competition {competition.id}")
        _drop_abandoned(transaction, competition.id)
        last = transaction.row(
            "SELECT entrants FROM runs WHERE competition_id = ? AND phase = ? AND removed = 0 ORDER BY id DESC LIMIT 1",
            *(competition.id, jobs.ROUND),
        )
        failed = transaction.row(
            "SELECT 1 AS one FROM jobs WHERE competition_id = ? AND phase = ? AND state = 'failed' AND taken > ?",
            *(competition.id, jobs.ROUND, database.now() - AGAIN_S),
        )
        if _is_queued(transaction, competition.id, jobs.ROUND) or (
            failed is not None or (last is not None and sorted(json.loads(last["entrants"])) == numbers)
        ):
            return False
        _queue(transaction, competition.id, baseline.id, jobs.ROUND, database.now())
    return True


def queue_final(transaction: Transaction, competition: Competition, ranked: Sequence[entries.Entry], now: float) -> int:
    """Queue the deciding run; returns the number of runs, 0 if there is nothing to decide."""
    transaction.run(
        "DELETE FROM jobs WHERE competition_id = ? AND phase = ? AND state = 'waiting'", competition.id, jobs.ROUND
    )
    baseline = next((one for one in ranked if one.is_baseline), None)
    if baseline is None or all(one.is_baseline for one in ranked):
        return 0
    _queue(transaction, competition.id, baseline.id, jobs.FINAL, now)
    return 1


def may_decide(transaction: Transaction, competition: Competition, now: float) -> bool:
    """Whether the deciding run has ended; one that an error of the site has ended begins again after a while."""
    job = transaction.row(
        "SELECT id, entry_id, state, taken FROM jobs WHERE competition_id = ? AND phase = ? ORDER BY id DESC LIMIT 1",
        *(competition.id, jobs.FINAL),
    )
    if job is None:
        return True  # nothing was to be decided
    if job["state"] == "failed" and now > job["taken"] + AGAIN_S:
        _queue(transaction, competition.id, job["entry_id"], jobs.FINAL, now)
    return str(job["state"]) == "done"


def requeue_rounds(database: Database) -> None:
    """Queue the rounds that are due in all competitions."""
    for one in competitions.every(database):
        queue_round(database, one)


def get(database: Database, number: int) -> Run | None:
    """A run that has ended, if there is one of this number."""
    row = database.row(f"SELECT {_COLUMNS} FROM runs WHERE id = ? AND finished IS NOT NULL AND removed = 0", number)
    return _run(row) if row is not None else None


def facts(database: Database, run: Run) -> dict[str, Any]:
    """The tables of a run that has ended, as ``board_writer.facts`` made them."""
    row = database.row("SELECT facts FROM runs WHERE id = ?", run.id)
    assert row is not None
    found: dict[str, Any] = unpack(bytes(row["facts"]))
    return found


def ranked_names(database: Database, run: Run) -> list[str]:
    """The names of those in the ranking of a run, in its order, if it names them in a column of their own."""
    (table, *_) = facts(database, run)["tables"] or [{"rows": []}]
    known = {row["name"] for row in database.rows(
        "SELECT name FROM entries WHERE competition_id = ?", run.competition_id
    )}  # fmt: skip
    return [
        next(text for text, _ in row if text in known) for row in table["rows"] if known & {text for text, _ in row}
    ]


def ranking(database: Database, competition: Competition) -> Run | None:
    """The run that ranks a competition now: the deciding one if it has ended, or the latest round that has."""
    row = database.row(
        f"SELECT {_COLUMNS} FROM runs WHERE competition_id = ? AND phase IN (?, ?) AND finished IS NOT NULL "
        "AND removed = 0 ORDER BY CASE WHEN phase = ? THEN 1 ELSE 0 END DESC, id DESC LIMIT 1",
        *(competition.id, jobs.ROUND, jobs.FINAL, jobs.FINAL),
    )
    return _run(row) if row is not None else None


def in_progress(database: Database, competition: Competition) -> Run | None:
    """The round or the deciding run that is being played."""
    row = database.row(
        f"SELECT {_COLUMNS} FROM runs WHERE competition_id = ? AND phase IN (?, ?) AND finished IS NULL "
        "AND removed = 0 AND job_id IN (SELECT id FROM jobs WHERE state IN ('waiting', 'taken')) "
        "ORDER BY id DESC LIMIT 1",
        *(competition.id, jobs.ROUND, jobs.FINAL),
    )
    return _run(row) if row is not None else None


def of_entry(database: Database, entry: entries.Entry, most: int = 20) -> list[Run]:
    """The latest runs that have ended in which an entry takes part, the newest first."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM runs WHERE competition_id = ? AND (entry_id = ? OR entry_id IS NULL) "
        "AND finished IS NOT NULL AND removed = 0 ORDER BY id DESC",
        *(entry.competition_id, entry.id),
    )
    return [run for run in map(_run, rows) if entry.id in run.entrants][:most]


def every(database: Database, competition: Competition) -> list[Run]:
    """The rounds and the deciding run that have ended, the newest first."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM runs WHERE competition_id = ? AND entry_id IS NULL AND finished IS NOT NULL "
        "AND removed = 0 ORDER BY id DESC",
        competition.id,
    )
    return [_run(row) for row in rows]


def drop(database: Database, job: Job) -> None:
    """Remove a round of which an entry was deleted, with its job: the next one begins without the entry."""
    with database.transaction() as transaction:
        transaction.run("DELETE FROM runs WHERE job_id = ? AND finished IS NULL", job.id)
        transaction.run("DELETE FROM jobs WHERE id = ?", job.id)


def _queue(transaction: Transaction, competition_id: int, entry_id: int, phase: str, now: float) -> None:
    jobs.queue(transaction, competition_id, entry_id, 0, phase, [jobs.run_of(entry_id)], now)


def _is_queued(transaction: Transaction, competition_id: int, phase: str) -> bool:
    query = "SELECT 1 AS one FROM jobs WHERE competition_id = ? AND phase = ? AND state IN ('waiting', 'taken') LIMIT 1"
    return transaction.row(query, competition_id, phase) is not None


def _drop_abandoned(transaction: Transaction, competition_id: int) -> None:
    """Remove the unfinished rounds whose jobs have failed or are gone."""
    transaction.run(
        "DELETE FROM runs WHERE competition_id = ? AND phase = ? AND finished IS NULL "
        "AND job_id NOT IN (SELECT id FROM jobs WHERE competition_id = ? AND state IN ('waiting', 'taken'))",
        *(competition_id, jobs.ROUND, competition_id),
    )


def _track(database: Database, run: Run) -> Any:
    return arenas.played(competitions.get(database, run.competition_id).settings.track)


def _run(row: Row) -> Run:
    changed = {
        "entrants": tuple(json.loads(row["entrants"])),
        "secret": int(row["secret"]),
        "plan": json.loads(row["plan"]) if row["plan"] else None,
        "games": json.loads(row["games"]),
    }
    return Run(**(row | changed))
