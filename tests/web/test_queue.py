"""The queue: fair turns, leases, and workers that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from itertools import islice

import pytest

import sites
from vgdl.competition.submissions.queue import MOST_ATTEMPTS, Outcome, State
from vgdl.competition.web import entries, jobs
from vgdl.competition.web.database import Database
from vgdl.competition.web.jobs import fair_order


def test_turns_go_round_competitions_and_users_not_first_in_first_out() -> None:
    greedy, modest, elsewhere = (1, 1), (1, 2), (2, 3)
    waiting = {greedy: list(range(100)), modest: [100, 101], elsewhere: [102]}
    order = list(fair_order(waiting, {}, 10.0))
    assert order[:5] == [0, 102, 100, 1, 101]
    assert sorted(order) == list(range(103))
    assert next(fair_order(waiting, {greedy: 50.0}, 10.0)) == 102
    assert next(fair_order(waiting, {greedy: 50.0, elsewhere: 200.0}, 10.0)) == 100


def test_an_empty_queue_has_no_order() -> None:
    assert list(fair_order({}, {(1, 1): 5.0}, 1.0)) == []


def test_two_users_get_their_first_results_although_one_was_first_with_many(database: Database) -> None:
    competition, ann, bob = sites.opened(database, per_day=50), sites.user(database), sites.user(database, "Bob")
    for number in range(10):
        sites.sent(database, ann, competition, name=f"A{number}")
    last = sites.sent(database, bob, competition, name="B")
    taken = [job for _ in range(3) if (job := jobs.take(database, "w")) is not None]
    assert last.id in [job.entry_id for job in taken]


def test_the_place_in_the_queue_is_that_in_which_jobs_are_taken(database: Database) -> None:
    competition, ann, bob = sites.opened(database), sites.user(database), sites.user(database, "Bob")
    sent = [sites.sent(database, owner, competition, name=f"E{at}") for at, owner in enumerate((ann, ann, bob))]
    places = {one.id: jobs.progress(database, one.id).place for one in sent}
    with database.transaction() as transaction:
        order = list(islice(fair_order(*jobs._lanes(transaction, database.now())), 10))
    by_job = {row["id"]: row["entry_id"] for row in database.rows("SELECT id, entry_id FROM jobs")}
    assert {by_job[job]: at for at, job in enumerate(order, 1) if by_job[job] in places} == places


def test_a_job_is_one_workers_until_its_lease_ends(database: Database) -> None:
    sites.opened(database, baselines=("random",))
    job = jobs.take(database, "one")
    assert job is not None
    assert jobs.take(database, "two") is None
    database.run("UPDATE jobs SET lease = lease - ?", jobs.LEASE_S + 1)
    again = jobs.take(database, "two")
    assert again is not None
    assert (again.id, again.attempts) == (job.id, 2)
    jobs.give_back(database, job, "one")  # which no longer has it
    assert jobs.take(database, "three") is None


def test_a_play_that_ends_its_worker_every_time_is_given_up(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    entry = sites.sent(database, ann, competition)
    database.run("DELETE FROM jobs WHERE entry_id != ?", entry.id)
    for _ in range(MOST_ATTEMPTS):
        assert jobs.take(database, "w") is not None
        database.run("UPDATE jobs SET lease = 0")
    assert jobs.take(database, "w") is None
    after = entries.get(database, entry.id)
    assert (after.state, after.refunded) == ("could not be evaluated", True)


@pytest.mark.costly
def test_nothing_is_lost_and_nothing_is_played_twice_when_workers_are_killed(database: Database) -> None:
    competition, ann = sites.opened(database, repeats=4), sites.user(database)
    entry = sites.sent(database, ann, competition)
    command = [
        sys.executable,
        "-P",
        "-m",
        "vgdl.competition.cli",
        "worker",
        "--store",
        database.address,
        "--isolation",
        "rlimits",
    ]
    for plays in (1, 3):
        worker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while len(database.rows("SELECT id FROM plays")) < plays and worker.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        database.run("UPDATE jobs SET lease = 0 WHERE state = 'taken'")  # as if the time had passed
    sites.work(database)
    assert entries.get(database, entry.id).state == "evaluated"
    rows = database.rows(
        "SELECT entry_id, repeat, COUNT(*) AS n FROM plays JOIN players ON play_id = plays.id GROUP BY 1, 2"
    )
    assert sorted(row["n"] for row in rows) == [1] * 8
    assert database.rows("SELECT id FROM jobs WHERE state != 'done'") == []


@pytest.mark.parametrize("late", [False, True])
def test_a_result_counts_once_however_late_its_worker_is(database: Database, late: bool) -> None:
    sites.opened(database)
    job = jobs.take(database, "one")
    assert job is not None
    if late:
        database.run("UPDATE jobs SET lease = 0")
        assert jobs.take(database, "two") is not None
    with database.transaction() as transaction:
        assert jobs.done(transaction, job, "one", database.now()) is not late


def test_quotas_and_unique_names_hold_if_everything_comes_at_once(database: Database) -> None:
    sites.race_for_quotas_and_names(database)


@pytest.mark.parametrize("state", [State.DISQUALIFIED, State.SLOW_CONSTRUCTION])
def test_an_entry_that_crashes_does_not_replace_the_ranked_one(database: Database, state: State) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    crashing, good, better = (sites.sent(database, ann, competition, name=name) for name in ("A", "B", "C"))
    for entry, outcome, ranked in (
        (crashing, state, crashing), (good, State.EVALUATED, good), (better, State.EVALUATED, better),
    ):  # fmt: skip
        with database.transaction() as transaction:
            jobs.conclude(transaction, entry.id, Outcome(outcome, "", ""), database.now())
        assert [one.id for one in entries.history(database, ann) if one.counted] == [ranked.id]
    last = sites.sent(database, ann, competition, name="D")
    with database.transaction() as transaction:
        jobs.conclude(transaction, last.id, Outcome(state, "", ""), database.now())
    assert [one.id for one in entries.history(database, ann) if one.counted] == [better.id]
