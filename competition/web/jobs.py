"""The queue: checks and single plays, with fair scheduling.

A job is a single play, so that turns are short, results arrive one by one, and a killed worker loses at most one play.
A worker holds a job by a lease that it extends; if it stops doing so, it loses the job. With PostgreSQL the row is
locked while it is taken (``FOR UPDATE SKIP LOCKED``); with SQLite the transaction is the only one that writes.

The next job is from the competition that used the least worker time in the last hour, within it from the user who used
the least, and only then the oldest: a user with twenty entries does not make others wait.
"""

from __future__ import annotations

import heapq
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from vgdl.competition.agents.plain_data import printable
from vgdl.competition.submissions.queue import MOST_ATTEMPTS, TRIES, Outcome, State
from vgdl.competition.tracks.planning.plan import Boards
from vgdl.competition.tracks.planning.runner import PlayRecord
from vgdl.competition.web.competitions import Competition, SetOfGames
from vgdl.competition.web.database import Database, Row, Transaction

LEASE_S = 30.0
"""Seconds for which a worker keeps a job without a heartbeat."""

BEAT_S = 5.0
"""Seconds between two heartbeats of a worker."""

USAGE_S = 3600.0
"""The period over which worker time is counted for fair scheduling."""

TYPICAL_S = 10.0
"""Assumed duration of a job in seconds until one has been done."""

CHECK, PLAY, RUN = "check", "play", "run"
EVALUATION, ACTIVE, FINAL, ROUND = "evaluation", "active", "final", "round"

RANKABLE = (State.EVALUATED, State.DISQUALIFIED, State.SLOW_CONSTRUCTION)
"""Outcomes that mean that an entry has plays on every level."""


@dataclass(frozen=True, slots=True)
class Job:
    """A task for a worker."""

    id: int
    competition_id: int
    entry_id: int
    first_id: int
    second_id: int | None
    kind: str
    phase: str
    set_name: str
    game: str
    level: int
    repeat: int
    attempts: int

    @property
    def players(self) -> tuple[int, ...]:
        """Numbers of the entries that play, by player."""
        return (self.first_id,) if self.second_id is None else (self.first_id, self.second_id)


@dataclass(frozen=True, slots=True)
class Play:
    """A play to be queued, or a run of a track for the sake of its only player."""

    players: tuple[int, ...]
    set_name: str
    game: str
    level: int
    repeat: int
    priority: int
    kind: str = PLAY


def run_of(entry_id: int) -> Play:
    """A run of a track, to be queued for the sake of an entry."""
    return Play((entry_id,), "", "", 0, 0, 1, RUN)


Lane = tuple[int, int]
"""A competition and a user."""


def fair_order(waiting: Mapping[Lane, Sequence[int]], usage: Mapping[Lane, float], typical_s: float) -> Iterator[int]:
    """The order in which jobs are taken if each takes the typical time and none are added.

    Args:
        waiting: jobs by competition and user, in order for each.
        usage: seconds of worker time that each used in the last hour.
        typical_s: typical duration of a job in seconds.
    """
    competitions = {lane[0] for lane in waiting}
    spent = {number: sum(used for lane, used in usage.items() if lane[0] == number) for number in competitions}
    users: dict[int, list[tuple[float, int, int]]] = {number: [] for number in competitions}
    ahead = dict.fromkeys(waiting, 0)
    for lane, own in waiting.items():
        if own:
            heapq.heappush(users[lane[0]], (usage.get(lane, 0.0), own[0], lane[1]))
    turns = [(spent[number], own[0][1], number) for number, own in users.items() if own]
    heapq.heapify(turns)
    while turns:
        used, _, competition = heapq.heappop(turns)
        own_used, job, user = heapq.heappop(users[competition])
        yield job
        lane = competition, user
        ahead[lane] += 1
        if ahead[lane] < len(waiting[lane]):
            heapq.heappush(users[competition], (own_used + typical_s, waiting[lane][ahead[lane]], user))
        if users[competition]:
            heapq.heappush(turns, (used + typical_s, users[competition][0][1], competition))


def take(database: Database, worker: str) -> Job | None:
    """Take the next job; None if none is waiting. Jobs with expired leases wait again."""
    now = database.now()
    lock = " FOR UPDATE SKIP LOCKED" if database.is_postgres else ""
    with database.transaction() as transaction:
        _release_expired(transaction, now)
        for number in fair_order(*_lanes(transaction, now)):
            row = transaction.row(f"SELECT * FROM jobs WHERE id = ? AND state = 'waiting'{lock}", number)
            if row is None:
                continue  # another worker is taking it
            transaction.run(
                "UPDATE jobs SET state = 'taken', worker = ?, taken = ?, lease = ?, attempts = attempts + 1 "
                "WHERE id = ?",
                *(worker, now, now + LEASE_S, number),
            )
            if row["phase"] == EVALUATION:
                transaction.run(
                    "UPDATE entries SET state = ?, changed = ? WHERE id = ? AND state = ?",
                    *(State.TAKEN, now, row["entry_id"], State.WAITING),
                )
            return _job(row | {"attempts": row["attempts"] + 1})
    return None


def beat(database: Database, worker: str, began: float, plays_at_a_time: int) -> None:
    """Send a worker's heartbeat, which extends its leases."""
    now = database.now()
    with database.transaction() as transaction:
        transaction.run(
            "INSERT INTO workers (id, began, seen, plays_at_a_time) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET seen = excluded.seen",
            *(worker, began, now, plays_at_a_time),
        )
        transaction.run("UPDATE jobs SET lease = ? WHERE worker = ? AND state = 'taken'", now + LEASE_S, worker)
        transaction.run("DELETE FROM workers WHERE seen < ?", now - 86400)


def give_back(database: Database, job: Job, worker: str) -> None:
    """Put a job that the worker itself broke off back into the queue; the attempt does not count."""
    database.run(
        "UPDATE jobs SET state = 'waiting', worker = '', attempts = attempts - 1 "
        "WHERE id = ? AND state = 'taken' AND worker = ?",
        *(job.id, worker),
    )


def go_on(database: Database, job: Job, worker: str) -> None:
    """Put a run of which a part is done back into the queue, where others have their turns before its next part."""
    database.run(
        "UPDATE jobs SET state = 'waiting', worker = '', attempts = 0, seconds = seconds + ? - taken "
        "WHERE id = ? AND state = 'taken' AND worker = ?",
        *(database.now(), job.id, worker),
    )


def finish_check(
    database: Database, job: Job, worker: str, result: tuple[str, str] | Outcome, plays: Sequence[Play], user_id: int
) -> bool:
    """Save the result of an entry's check; returns false if another worker has the job by then.

    Args:
        database: the database of the site.
        job: the check.
        worker: the worker that did it.
        result: file and class of the controller, or why none was found.
        plays: the evaluation to queue if a controller was found.
        user_id: the owner of the entry.
    """
    now = database.now()
    with database.transaction() as transaction:
        if not done(transaction, job, worker, now):
            return False
        if isinstance(result, Outcome):
            conclude(transaction, job.entry_id, result, now)
            return True
        file, class_name = result
        transaction.run("UPDATE entries SET location = ?, class_name = ? WHERE id = ?", file, class_name, job.entry_id)
        queue(transaction, job.competition_id, job.entry_id, user_id, EVALUATION, plays, now)
        queued = "its evaluation is" if any(play.kind == RUN for play in plays) else f"{len(plays)} plays are"
        tell(transaction, job.entry_id, now, f"checked: {file}:{class_name}; {queued} queued")
    return True


def finish_play(database: Database, job: Job, worker: str, record: PlayRecord) -> bool:
    """Save a finished play; returns false if another worker has the job by then."""
    now, result = database.now(), record.result
    with database.transaction() as transaction:
        if not done(transaction, job, worker, now):
            return False
        row = transaction.row(
            "INSERT INTO plays (job_id, competition_id, set_name, phase, game, level, repeat, seed, stirring, ticks, "
            "game_error, actions, isolation, seconds, waited_ms, finished) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            *(job.id, job.competition_id, job.set_name, job.phase, job.game, job.level, job.repeat, result.seed),
            *(result.stirring, result.ticks, printable(result.game_error), pack(record.actions)),
            *(json.dumps(record.isolation), record.seconds, record.waited_ms, now),
        )
        assert row is not None
        for number, (entry, player) in enumerate(zip(job.players, result.players, strict=True)):
            facts = asdict(player) | {"controller": entry}
            transaction.run(
                "INSERT INTO players (play_id, player, entry_id, outcome, score, cause, details, late_answers, "
                "construction_used, action_used_mean, action_used_max, invalid_answers, output, output_dropped, used) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                *(row["id"], number, *facts.values(), pack([round(used, 4) for used in record.used[number]])),
            )
            if job.phase == EVALUATION and entry == job.entry_id:
                tell(transaction, entry, now, _in_words(job, player.outcome, player.score, player.cause))
    return True


def fault(database: Database, job: Job, worker: str, words: str) -> None:
    """Record that a job failed because of an internal error: retry it, or return the quota of its entry."""
    now = database.now()
    with database.transaction() as transaction:
        if job.attempts < TRIES:
            transaction.run(
                "UPDATE jobs SET state = 'waiting', worker = '' WHERE id = ? AND state = 'taken' AND worker = ?",
                *(job.id, worker),
            )
            return
        if done(transaction, job, worker, now, state="failed"):
            _refund(transaction, job.entry_id, job.phase, words, now)


def conclude(transaction: Transaction, entry_id: int, outcome: Outcome, now: float) -> None:
    """Save the outcome of an entry's evaluation; the entry is counted now if its user requested that.

    An entry that was disqualified in a play does not replace another one by itself.
    """
    entry = transaction.row("SELECT * FROM entries WHERE id = ?", entry_id)
    if entry is None or entry["deleted"] or State(entry["state"]).is_outcome:
        return
    transaction.run(
        "UPDATE entries SET state = ?, message = ?, details = ?, changed = ? WHERE id = ?",
        *(outcome.state, printable(outcome.message), printable(outcome.details), now, entry_id),
    )
    tell(transaction, entry_id, now, f"{outcome.state}: {outcome.message}")
    if not entry["count_when_done"] or entry["barred"] or outcome.state not in RANKABLE:
        return
    if outcome.state != State.EVALUATED and _has_other_counted(transaction, entry):
        tell(transaction, entry_id, now, "it is not ranked, since another entry of yours is; you can rank it yourself")
        return
    count_entry(transaction, entry_id, entry["user_id"], entry["competition_id"])


def _has_other_counted(transaction: Transaction, entry: Row) -> bool:
    """Whether another entry of an entry's user is ranked."""
    query = "SELECT 1 AS one FROM entries WHERE user_id = ? AND competition_id = ? AND counted = 1 AND id != ? LIMIT 1"
    return transaction.row(query, entry["user_id"], entry["competition_id"], entry["id"]) is not None


def count_entry(transaction: Transaction, entry_id: int, user_id: int, competition_id: int) -> None:
    """Make an entry the only one of its user that counts for the ranking."""
    transaction.lock(f"counted entry of user {user_id}")
    transaction.run("UPDATE entries SET counted = 0 WHERE user_id = ? AND competition_id = ?", user_id, competition_id)
    transaction.run("UPDATE entries SET counted = 1 WHERE id = ?", entry_id)


def queue_check(transaction: Transaction, competition: Competition, entry_id: int, user_id: int, now: float) -> None:
    """Queue the check of an entry, which comes before any play of its user."""
    transaction.run(
        "INSERT INTO jobs (competition_id, entry_id, first_id, user_id, kind, phase, set_name, game, level, repeat, "
        "priority, state, worker, attempts, queued, seconds) "
        "VALUES (?, ?, ?, ?, 'check', 'evaluation', '', '', 0, 0, 0, 'waiting', '', 0, ?, 0)",
        *(competition.id, entry_id, entry_id, user_id, now),
    )


def queue(
    transaction: Transaction,
    competition_id: int,
    entry_id: int,
    user_id: int,
    phase: str,
    plays: Sequence[Play],
    now: float,
) -> None:
    """Queue plays for an entry."""
    for play in plays:
        second = play.players[1] if len(play.players) > 1 else None
        transaction.run(
            "INSERT INTO jobs (competition_id, entry_id, first_id, second_id, user_id, kind, phase, set_name, game, "
            "level, repeat, priority, state, worker, attempts, queued, seconds) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', '', 0, ?, 0)",
            *(competition_id, entry_id, play.players[0], second, user_id, play.kind, phase, play.set_name, play.game),
            *(play.level, play.repeat, play.priority, now),
        )


def drop(transaction: Transaction, entry_id: int) -> None:
    """Remove an entry from the queue."""
    transaction.run(
        "DELETE FROM jobs WHERE (first_id = ? OR second_id = ?) AND state IN ('waiting', 'taken')", entry_id, entry_id
    )


def hold(transaction: Transaction, entry_id: int, *, held: bool) -> None:
    """Keep the waiting jobs of an entry from being taken, or let them be taken again."""
    transaction.run(
        "UPDATE jobs SET state = ? WHERE (first_id = ? OR second_id = ?) AND state = ?",
        *("held" if held else "waiting", entry_id, entry_id, "waiting" if held else "held"),
    )


def plays_of_set(
    chosen: SetOfGames, boards: Boards, entry_id: int, rivals: Sequence[int], repeats: range
) -> list[Play]:
    """The plays of an entry on a set: every level; in two-player games, against every rival as either player.

    The first level of every game comes before the second level of any, so that first results cover all games.
    """
    plays = []
    for name, game in boards.games.items():
        sides = [(entry_id,)] if game.n_players == 1 else [
            pair for rival in rivals if rival != entry_id for pair in ((entry_id, rival), (rival, entry_id))
        ]  # fmt: skip
        for order, level in enumerate(boards.levels[name]):
            for repeat in repeats:
                for players in sides:
                    priority = 1 + 1000 * repeat + order
                    plays.append(Play(players, chosen.name, name, level, repeat, priority))
    return plays


def tell(transaction: Transaction, entry_id: int, now: float, words: str) -> None:
    """Add a line to the log of an entry, for its owner."""
    transaction.run("INSERT INTO events (entry_id, at, words) VALUES (?, ?, ?)", entry_id, now, printable(words, 1000))


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of an entry's evaluation."""

    done: int
    total: int
    place: int  #: number of jobs that are taken before its next one; 0 if none of its jobs is waiting
    wait_s: float  #: estimated seconds until then


@dataclass(frozen=True, slots=True)
class Status:
    """The public state of the queue."""

    checks: int
    plays: int
    running: int
    workers: int
    typical_s: float  #: recent duration of a job in seconds
    wait_s: float  #: estimated seconds until the queue is empty

    @property
    def at_a_time(self) -> int:
        """Number of concurrent plays, at least 1."""
        return max(1, self.workers)


def status(database: Database) -> Status:
    """The length of the queue."""
    now = database.now()
    with database.transaction(writes=False) as transaction:
        rows = transaction.rows(
            "SELECT kind, state, COUNT(*) AS count FROM jobs WHERE state IN ('waiting', 'taken') GROUP BY kind, state"
        )
        alive = _alive(transaction, now)
        typical = _typical_s(transaction)
    counts = {(row["kind"], row["state"]): int(row["count"]) for row in rows}
    checks = counts.get((CHECK, "waiting"), 0)
    plays = sum(count for (kind, state), count in counts.items() if kind != CHECK and state == "waiting")
    running = sum(count for (_, state), count in counts.items() if state == "taken")
    return Status(checks, plays, running, alive, typical, (checks + plays) * typical / max(1, alive))


def lanes(database: Database) -> tuple[list[Row], int]:
    """The waiting jobs of each competition (``title``, ``waiting``, ``first``), and the number of plays in an hour."""
    rows = database.rows(
        "SELECT competitions.title, COUNT(*) AS waiting, MIN(jobs.queued) AS first FROM jobs "
        "JOIN competitions ON competitions.id = jobs.competition_id WHERE jobs.state = 'waiting' "
        "GROUP BY competitions.id, competitions.title ORDER BY competitions.title"
    )
    done = database.row("SELECT COUNT(*) AS count FROM plays WHERE finished > ?", database.now() - 3600)
    return rows, int(done["count"]) if done else 0


def progress(database: Database, entry_id: int) -> Progress:
    """The progress of an entry, and its place in the queue."""
    now = database.now()
    with database.transaction(writes=False) as transaction:
        rows = transaction.rows(
            "SELECT id, state FROM jobs WHERE entry_id = ? AND kind = 'play' AND phase = 'evaluation'", entry_id
        )
        run = transaction.row(
            "SELECT done, total FROM runs WHERE entry_id = ? AND phase = 'evaluation' AND removed = 0 ORDER BY id DESC",
            entry_id,
        )
        mine = transaction.rows("SELECT id FROM jobs WHERE entry_id = ? AND state = 'waiting'", entry_id)
        lanes, usage, typical = _lanes(transaction, now) if mine else ({}, {}, TYPICAL_S)
        alive = _alive(transaction, now)
    own = {row["id"] for row in mine}
    place = next((place for place, job in enumerate(fair_order(lanes, usage, typical), 1) if job in own), 0)
    finished, total = sum(row["state"] in ("done", "failed") for row in rows), len(rows)
    if run is not None:
        finished, total = run["done"], run["total"]
    return Progress(finished, total, place, max(0, place - 1) * typical / max(1, alive))


def pack(facts: object) -> bytes:
    """Encode facts for a compressed column."""
    return zlib.compress(json.dumps(facts, separators=(",", ":")).encode())


class _Waiting(Sequence[int]):
    """The waiting jobs of a lane, in order; all but the first are looked up when they are asked for.

    Other workers may take some meanwhile: in place of those that are missing at the end, there are zeros.
    """

    AT_A_TIME = 50

    def __init__(self, transaction: Transaction, lane: Lane, count: int, first: tuple[int, int]) -> None:
        """Set up.

        Args:
            transaction: the transaction that takes a job.
            lane: the lane.
            count: number of its waiting jobs.
            first: priority and id of the first one.
        """
        self._transaction, self._lane, self._count = transaction, lane, count
        self._known, self._last = [first[1]], first

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: Any) -> Any:
        while at >= len(self._known):
            rows = self._transaction.rows(
                "SELECT priority, id FROM jobs WHERE state = 'waiting' AND competition_id = ? AND user_id = ? "
                "AND (priority, id) > (?, ?) ORDER BY priority, id LIMIT ?",
                *(*self._lane, *self._last, self.AT_A_TIME),
            )
            if not rows:
                return 0
            self._known += [row["id"] for row in rows]
            self._last = rows[-1]["priority"], rows[-1]["id"]
        return self._known[at]


def _lanes(transaction: Transaction, now: float) -> tuple[dict[Lane, Sequence[int]], dict[Lane, float], float]:
    """The arguments for ``fair_order``."""
    waiting: dict[Lane, Sequence[int]] = {}
    for row in transaction.rows(
        f"SELECT competition_id, user_id, COUNT(*) AS count, MIN(priority * {_BEYOND_ID} + id) AS first FROM jobs "
        "WHERE state = 'waiting' GROUP BY competition_id, user_id"
    ):
        lane = row["competition_id"], row["user_id"]
        waiting[lane] = _Waiting(transaction, lane, row["count"], divmod(row["first"], _BEYOND_ID))
    rows = transaction.rows(
        "SELECT competition_id, user_id, SUM(seconds + CASE WHEN state = 'taken' THEN ? - taken ELSE 0 END) AS used "
        "FROM jobs WHERE taken > ? GROUP BY competition_id, user_id",
        *(now, now - USAGE_S),
    )
    usage = {(row["competition_id"], row["user_id"]): float(row["used"]) for row in rows}
    return waiting, usage, _typical_s(transaction)


_BEYOND_ID = 10**12
"""More jobs than there will be: jobs of a lane are ordered by their priority, then by their number."""


def _typical_s(transaction: Transaction) -> float:
    row = transaction.row(
        "SELECT AVG(seconds) AS mean FROM "
        "(SELECT seconds FROM jobs WHERE state = 'done' ORDER BY taken DESC LIMIT 50) AS latest"
    )
    return float(row["mean"]) if row and row["mean"] is not None else TYPICAL_S


def _alive(transaction: Transaction, now: float) -> int:
    """Number of concurrent plays of all workers with a recent heartbeat."""
    row = transaction.row("SELECT COALESCE(SUM(plays_at_a_time), 0) AS n FROM workers WHERE seen > ?", now - LEASE_S)
    return int(row["n"]) if row else 0


def _release_expired(transaction: Transaction, now: float) -> None:
    """Put jobs with expired leases back into the queue, a limited number of times."""
    for row in transaction.rows("SELECT * FROM jobs WHERE state = 'taken' AND lease < ?", now):
        lost = row["attempts"] >= MOST_ATTEMPTS
        changed = transaction.run(
            "UPDATE jobs SET state = ?, worker = '' WHERE id = ? AND state = 'taken' AND lease < ?",
            *("failed" if lost else "waiting", row["id"], now),
        )
        if changed and lost:
            words = f"a play of it was begun {row['attempts']} times, and ended its worker every time"
            _refund(transaction, row["entry_id"], row["phase"], words, now)


def _refund(transaction: Transaction, entry_id: int, phase: str, words: str, now: float) -> None:
    """End an evaluation that the site could not carry out, and return the quota."""
    tell(transaction, entry_id, now, f"an error of the site: {words}")
    if phase != EVALUATION:
        return
    transaction.run("DELETE FROM jobs WHERE entry_id = ? AND phase = 'evaluation' AND state = 'waiting'", entry_id)
    transaction.run("UPDATE entries SET refunded = 1 WHERE id = ?", entry_id)
    conclude(transaction, entry_id, Outcome(State.FAILED, "by an error of the site; it does not count for your limit",
                                            words), now)  # fmt: skip


def done(transaction: Transaction, job: Job, worker: str, now: float, state: str = "done") -> bool:
    """End a job if the worker still has it."""
    changed = transaction.run(
        "UPDATE jobs SET state = ?, seconds = seconds + ? - taken WHERE id = ? AND state = 'taken' AND worker = ?",
        *(state, now, job.id, worker),
    )
    return changed == 1


def _in_words(job: Job, outcome: str, score: float, cause: str) -> str:
    why = f" ({cause})" if cause else ""
    return f"{job.set_name}: {job.game}, level {job.level}: {outcome}{why}, score {score:g}"


def _job(row: Row) -> Job:
    return Job(**{field.name: row[field.name] for field in fields(Job)})
