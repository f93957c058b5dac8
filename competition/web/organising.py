"""Actions of organisers, on the web and on the command line; every function here adds a line to the audit log."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import IO, Any

from vgdl.competition.submissions.queue import State as EntryState
from vgdl.competition.web import accounts, competitions, entries, jobs, plays, rankings, runs, undoing
from vgdl.competition.web.accounts import User
from vgdl.competition.web.competitions import Competition, SettingsError, State, note
from vgdl.competition.web.database import Database, Transaction
from vgdl.competition.web.entries import Entry
from vgdl.competition.web.evaluator import evaluation_plays, set_boards


def open_competition(database: Database, actor: str, competition: Competition, *, confirmed: bool = False) -> None:
    """Open a competition for entries, and queue the bundled controllers with which they are compared.

    A closing date that has passed is dropped: it would close the competition at once.

    Args:
        database: the database of the site.
        actor: who opens it, for the audit log.
        competition: the competition.
        confirmed: whether the deciding plays of a decided competition may be deleted.

    Raises:
        SettingsError: it is being decided, or it is decided and this is not confirmed.
    """
    if competition.state is State.CLOSING:
        raise SettingsError(f"{competition.slug} is being decided; wait for the result")
    if competition.state is State.DECIDED and not confirmed:
        row = database.row(
            "SELECT COUNT(*) AS count FROM plays WHERE competition_id = ? AND phase = ? AND removed = 0",
            *(competition.id, jobs.FINAL),
        )
        number = row["count"] if row else 0
        deciding = f"its {number} deciding plays" if competition.settings.is_planning else "its deciding run"
        raise SettingsError(
            f"{competition.slug} is decided: opening it again deletes {deciding} and its result; "
            f"to confirm that, give its address {competition.slug}"
        )
    baselines = [one for one in entries.of_competition(database, competition) if one.is_baseline]
    queued = {one.id: evaluation_plays(database, competition, one.id) for one in baselines}
    now = database.now()
    with database.transaction() as transaction:
        for number, own in queued.items():
            if not _has_jobs(transaction, number, jobs.EVALUATION):
                jobs.queue(transaction, competition.id, number, 0, jobs.EVALUATION, own, now)
        if competition.state is State.DECIDED:
            counted = transaction.rows(
                "SELECT id FROM entries WHERE competition_id = ? AND counted = 1", competition.id
            )
            facts = {"counted": [row["id"] for row in counted], "closes": competition.closes}
            undo = undoing.remember(
                transaction, now, actor, undoing.OPEN_AGAIN, competition.slug, facts, competition_id=competition.id
            )
            transaction.run("DELETE FROM jobs WHERE competition_id = ? AND phase = ?", competition.id, jobs.FINAL)
            undoing.remove_plays(transaction, undo, "competition_id = ? AND phase = ?", competition.id, jobs.FINAL)
            undoing.remove_runs(transaction, undo, "competition_id = ? AND phase = ?", competition.id, jobs.FINAL)
            transaction.run("UPDATE entries SET counted = 0 WHERE competition_id = ? AND deleted = 1", competition.id)
        competitions.set_state(transaction, competition, State.OPEN)
        is_late = competition.closes is not None and competition.closes <= now
        if is_late:
            transaction.run("UPDATE competitions SET closes = NULL WHERE id = ?", competition.id)
        note(transaction, now, actor, "open", competition.slug, "without its closing date, which has passed" * is_late)


def close_competition(database: Database, actor: str, competition: Competition) -> int:
    """Lock uploads, and queue the deciding plays; returns their number.

    All counted entries meet the same random events in them. Unfinished evaluations continue, but do not count.

    Raises:
        SettingsError: it is not open.
    """
    if competition.state is not State.OPEN:
        raise SettingsError(f"{competition.slug} is {competition.state}, and cannot be closed")
    counted = entries.of_competition(database, competition, counted=True)
    queued = final_plays(competition, counted, competition.settings.final_plays)
    now = database.now()
    with database.transaction() as transaction:
        if not competition.settings.is_planning:
            number = runs.queue_final(transaction, competition, counted, now)
            competitions.set_state(transaction, competition, State.CLOSING)
            note(transaction, now, actor, "close", competition.slug, f"{number} deciding runs")
            return number
        transaction.run(
            "DELETE FROM jobs WHERE competition_id = ? AND phase = ? AND state = 'waiting'", competition.id, jobs.ACTIVE
        )
        _queue_final(transaction, competition, counted, queued, now)
        competitions.set_state(transaction, competition, State.CLOSING)
        number = sum(map(len, queued.values()))
        note(transaction, now, actor, "close", competition.slug, f"{number} deciding plays")
    return number


def final_plays(
    competition: Competition, counted: Sequence[Entry], least: int, done: int = 0
) -> dict[int, list[jobs.Play]]:
    """The deciding plays of some entries, by entry: a minimum number for each, spread evenly over levels.

    Args:
        competition: the competition to decide.
        counted: the entries; in two-player games, each plays every other one.
        least: minimum number of plays of each entry.
        done: number of plays of each entry that are already done.
    """
    queued: dict[int, list[jobs.Play]] = {entry.id: [] for entry in counted}
    for chosen in competition.final_sets:
        boards = set_boards(competition, chosen.name)
        levels = sum(map(len, boards.levels.values()))
        for_two = any(game.n_players > 1 for game in boards.games.values())
        each = levels * len(competition.final_sets) * (2 * max(1, len(counted) - 1) if for_two else 1)
        repeats = range(math.ceil(done / each), math.ceil(least / each))
        for at, entry in enumerate(counted):
            rivals = [other.id for other in counted[at + 1 :]]  # each pair once, since it plays in both orders
            queued[entry.id] += jobs.plays_of_set(chosen, boards, entry.id, rivals, repeats)
    return queued


def decide(database: Database, competition: Competition) -> bool:
    """Continue a competition whose deciding plays are done: more plays for the top entries, then the result.

    Returns:
        Whether it is decided.
    """
    settings = competition.settings
    if not settings.is_planning:
        return _decide_run(database, competition)
    ranked = rankings.board(database, competition, competition.final_sets[0].name)
    top = [line.entry for line in _by_strength(ranked.lines)[: settings.top]]
    now = database.now()
    more: dict[int, list[jobs.Play]] = {}
    if settings.final_plays_top > settings.final_plays and len(top) > 1:
        more = final_plays(competition, top, settings.final_plays_top, settings.final_plays)
    with database.transaction() as transaction:
        row = transaction.row("SELECT state FROM competitions WHERE id = ?", competition.id)
        if row is None or row["state"] != State.CLOSING or _has_open_jobs(transaction, competition.id, jobs.FINAL):
            return False  # another process was faster
        done = transaction.row("SELECT 1 AS one FROM settings WHERE name = ?", name := f"top {competition.id}")
        if any(more.values()) and done is None:
            transaction.run("INSERT INTO settings (name, value) VALUES (?, '')", name)
            _queue_final(transaction, competition, top, more, now)
            return False
        transaction.run("DELETE FROM settings WHERE name = ?", name)
        _announce(transaction, competition, [line.entry.name for line in _by_strength(ranked.lines)], now)
    return True


def _decide_run(database: Database, competition: Competition) -> bool:
    """Decide the competition of another track, once its deciding run has ended; returns whether it is decided."""
    now = database.now()
    run = runs.ranking(database, competition)
    ranked = runs.ranked_names(database, run) if run is not None and run.phase == jobs.FINAL else []
    with database.transaction() as transaction:
        row = transaction.row("SELECT state FROM competitions WHERE id = ?", competition.id)
        if row is None or row["state"] != State.CLOSING or not runs.may_decide(transaction, competition, now):
            return False
        _announce(transaction, competition, ranked, now)
    return True


def _announce(transaction: Transaction, competition: Competition, ranked: Sequence[str], now: float) -> None:
    """Note that a competition is decided, and announce its first places."""
    competitions.set_state(transaction, competition, State.DECIDED)
    first = ", ".join(ranked[:3])
    note(transaction, now, "the site", "decide", competition.slug, first)
    transaction.run(
        "INSERT INTO announcements (competition_id, at, title, words) VALUES (?, ?, ?, ?)",
        *(competition.id, now, f"{competition.title} is decided", f"The first places: {first or 'none'}."),
    )


def disqualify(database: Database, actor: str, entry: Entry, reason: str) -> None:
    """Remove an entry from the rankings and the queue, for a reason that is public; an empty reason undoes it."""
    now = database.now()
    reason = " ".join(reason.split())[:300]
    with database.transaction() as transaction:
        transaction.run("UPDATE entries SET barred = ? WHERE id = ?", reason, entry.id)
        jobs.hold(transaction, entry.id, held=bool(reason))
        words = f"disqualified by an organiser: {reason}" if reason else "no longer disqualified"
        jobs.tell(transaction, entry.id, now, words)
        note(transaction, now, actor, "disqualify" if reason else "readmit", f"entry {entry.id} {entry.name}", reason)


def rerun(database: Database, actor: str, entry: Entry) -> None:
    """Evaluate an entry again: its plays are removed, and it is checked and played again.

    Raises:
        SettingsError: its zip was deleted, or the competition is being decided or is decided.
    """
    if entry.deleted:
        raise SettingsError(f"entry {entry.id} was deleted")
    competition = competitions.get(database, entry.competition_id)
    _check_undecided(competition)
    again = evaluation_plays(database, competition, entry.id) if entry.is_baseline else []
    now = database.now()
    with database.transaction() as transaction:
        phases = (jobs.EVALUATION, jobs.ACTIVE)
        transaction.run(
            "DELETE FROM jobs WHERE (first_id = ? OR second_id = ?) AND phase IN (?, ?)", entry.id, entry.id, *phases
        )
        facts = {
            "state": entry.state, "message": entry.message, "details": entry.details, "refunded": int(entry.refunded)
        }  # fmt: skip
        undo = undoing.remember(
            transaction, now, actor, undoing.RE_RUN, f"entry {entry.id} {entry.name}", facts,
            competition_id=competition.id, entry_id=entry.id,
        )  # fmt: skip
        undoing.remove_plays(
            transaction,
            undo,
            "phase IN (?, ?) AND id IN (SELECT play_id FROM players WHERE entry_id = ?)",
            *(*phases, entry.id),
        )
        undoing.remove_runs(transaction, undo, "phase = ? AND entry_id = ?", jobs.EVALUATION, entry.id)
        if entry.is_baseline:
            jobs.queue(transaction, competition.id, entry.id, 0, jobs.EVALUATION, again, now)
        else:
            transaction.run(
                "UPDATE entries SET state = ?, message = '', details = '', refunded = 0, count_when_done = ?, "
                "changed = ? WHERE id = ?",
                *(EntryState.WAITING, int(entry.counted), now, entry.id),
            )
            jobs.queue_check(transaction, competition, entry.id, entry.user_id or 0, now)
            jobs.tell(transaction, entry.id, now, "an organiser has it evaluated again")
        note(transaction, now, actor, "re-run", f"entry {entry.id} {entry.name}")


def promote_entry(database: Database, actor: str, entry: Entry) -> None:
    """Make an entry the counted one of its user.

    Raises:
        SettingsError: it cannot be ranked, or the competition is being decided or is decided.
    """
    if entry.user_id is None or entry.deleted or entry.barred or entry.state not in jobs.RANKABLE:
        raise SettingsError(f"entry {entry.id} has no evaluation that could be ranked")
    _check_undecided(competitions.get(database, entry.competition_id))
    now = database.now()
    with database.transaction() as transaction:
        jobs.count_entry(transaction, entry.id, entry.user_id, entry.competition_id)
        jobs.tell(transaction, entry.id, now, "an organiser made it the counted entry")
        note(transaction, now, actor, "promote", f"entry {entry.id} {entry.name}")


def _check_undecided(competition: Competition) -> None:
    """Check that what is ranked may still change."""
    if competition.state in (State.CLOSING, State.DECIDED):
        raise SettingsError(f"{competition.slug} is {competition.state}: its entries can no longer be changed")


def delete_draft(database: Database, actor: str, competition: Competition) -> None:
    """Delete a draft, which has no entries of users yet.

    Raises:
        SettingsError: it is not a draft.
    """
    if competition.state is not State.DRAFT:
        raise SettingsError(f"{competition.slug} is {competition.state}: only drafts can be deleted")
    facts = {name: getattr(competition, name) for name in ("slug", "title", "text", "opens", "closes", "created")}
    now = database.now()
    with database.transaction() as transaction:
        undoing.remember(
            transaction, now, actor, undoing.DELETE_DRAFT, competition.slug,
            facts | {"settings": asdict(competition.settings)},
        )  # fmt: skip
        for table in ("jobs", "entry_names", "announcements", "entries"):
            transaction.run(f"DELETE FROM {table} WHERE competition_id = ?", competition.id)
        transaction.run("DELETE FROM competitions WHERE id = ?", competition.id)
        note(transaction, now, actor, undoing.DELETE_DRAFT, competition.slug)


def promote_user(database: Database, actor: str, user: User) -> None:
    """Make a user an organiser."""
    with database.transaction() as transaction:
        transaction.run("UPDATE users SET role = ? WHERE id = ?", accounts.ORGANISER, user.id)
        note(transaction, database.now(), actor, "make organiser", user.name)


def reset_link(database: Database, actor: str, user: User) -> str:
    """Create a link with which a user can set a new password; returns its token."""
    token = accounts.make_link(database, "reset", user)
    with database.transaction() as transaction:
        note(transaction, database.now(), actor, "make reset link", user.name)
    return token


def export(database: Database, actor: str, competition: Competition) -> dict[str, Any]:
    """Everything that may be published about a competition, as JSON-compatible values: no zip files, no tracebacks.

    Seeds and stirring keys are left out until it is decided, since they reveal plays to come.
    """
    known = entries.of_competition(database, competition)
    decided = competition.state is State.DECIDED
    played = [
        play
        for one in competition.settings.sets
        for play in plays.results(database, competition.id, one.name, (jobs.EVALUATION, jobs.ACTIVE, jobs.FINAL))
    ]
    with database.transaction() as transaction:
        note(transaction, database.now(), actor, "export", competition.slug)
    return {
        "format": 1,
        "competition": competition.slug,
        "title": competition.title,
        "state": competition.state,
        "settings": asdict(competition.settings),
        "secret": str(competition.secret) if decided else None,
        "entries": [
            {"number": one.id, "name": one.name, "owner": one.owner, "sha256": one.sha256, "state": one.state,
             "counted": one.counted, "disqualified": one.barred, "created": one.created}
            for one in known
        ],
        "plays": [_exported(play, with_keys=decided) for play in played],
        "runs": [
            {"number": run.id, "phase": run.phase, "entries": run.entrants, "finished": run.finished,
             "seed": str(run.secret), "tables": runs.facts(database, run)["tables"]}
            for run in runs.every(database, competition)
        ],
    }  # fmt: skip


def write_archives(database: Database, actor: str, competition: Competition, file: IO[bytes], *, winners: bool) -> None:
    """Write the zips of a competition's entries into one zip file, with a list of them.

    Args:
        database: the database of the site.
        actor: who does this, for the audit log.
        competition: the competition.
        file: the file, which may have any size: the zips are written one by one.
        winners: only those of the first places, by the deciding plays or, before, by the first set or the latest round.
    """
    chosen = [one for one in entries.of_competition(database, competition) if not (one.is_baseline or one.deleted)]
    if winners:
        top = _first_places(database, competition)
        chosen = sorted((one for one in chosen if one.id in top), key=lambda one: top.index(one.id))
    rows = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as made:
        for place, one in enumerate(chosen, 1):
            owner = re.sub(r"[^A-Za-z0-9-]+", "-", one.owner).strip("-")
            name = f"{place:02}-entry-{one.id}-{owner}.zip" if winners else f"entry-{one.id}-{owner}.zip"
            made.writestr(name, entries.zip_of(database, one))
            rows.append((name, one.id, one.name, one.owner, str(one.state), int(one.counted), one.sha256))
        columns = ("file", "entry", "name", "user", "state", "ranked", "sha256")
        made.writestr("entries.csv", as_table(columns, rows))
    with database.transaction() as transaction:
        details = "the winners" if winners else f"{len(chosen)} entries"
        note(transaction, database.now(), actor, "download", competition.slug, details)


def _first_places(database: Database, competition: Competition) -> list[int]:
    """The numbers of the entries of users at the first places, in order."""
    if not competition.settings.is_planning:
        run = runs.ranking(database, competition)
        ranked = runs.ranked_names(database, run) if run is not None else []
        counted = entries.of_competition(database, competition, counted=True)
        own = {one.name: one.id for one in counted if not one.is_baseline}
        return [own[name] for name in ranked if name in own][: competition.settings.top]
    is_decided = competition.state is State.DECIDED
    chosen = competition.final_sets[0] if is_decided else competition.settings.sets[0]
    board = rankings.Boards(database).get(competition, chosen.name)
    lines = [line.entry.id for line in _by_strength(board.lines) if not line.entry.is_baseline]
    return lines[: competition.settings.top]


def as_csv(exported: dict[str, Any]) -> str:
    """The plays of an export, a row per play and player; of another track, the rankings of its runs."""
    if exported["runs"]:
        return _rankings_as_csv(exported["runs"])
    names = {one["number"]: one["name"] for one in exported["entries"]}
    columns = ("play", "set", "phase", "game", "level", "repeat", "ticks", "finished")
    own = ("player", "entry", "outcome", "score", "cause", "late_answers", "invalid_answers", "action_used_mean",
           "action_used_max")  # fmt: skip
    rows = (
        [*(play[name] for name in columns), *(player[name] for name in own), names[player["entry"]]]
        for play in exported["plays"]
        for player in play["players"]
    )
    return as_table([*columns, *own, "name"], rows)


def _rankings_as_csv(exported: Sequence[dict[str, Any]]) -> str:
    """The rankings of runs, a row per run and program."""
    columns = [heading for heading, _ in exported[0]["tables"][0]["columns"]]
    rows = []
    for run in exported:
        table = run["tables"][0]
        place = {heading: at for at, (heading, _) in enumerate(table["columns"])}
        for row in table["rows"]:
            cells = [row[place[name]] if name in place else ("", None) for name in columns]
            rows.append([run["number"], run["phase"], *(text if key is None else key for text, key in cells)])
    return as_table(["run", "phase", *columns], rows)


def as_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV that spreadsheets can open."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows([_harmless(value) for value in row] for row in rows)
    return file.getvalue()


def as_json(exported: dict[str, Any]) -> str:
    """An export as text."""
    return json.dumps(exported, indent=1) + "\n"


def _harmless(value: object) -> object:
    """A cell that spreadsheets do not interpret as a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def _exported(play: plays.StoredPlay, *, with_keys: bool) -> dict[str, Any]:
    result = play.result
    keys = {"seed": result.seed, "stirring": result.stirring} if with_keys else {}
    return {
        "play": play.id, "set": play.set_name, "phase": play.phase, "game": result.game, "level": result.level,
        "repeat": result.repeat, "ticks": result.ticks, "finished": play.finished,
        "game_error": result.game_error, **keys,
        "players": [
            {"player": number, "entry": entry, "outcome": player.outcome, "score": player.score, "cause": player.cause,
             "late_answers": player.late_answers, "invalid_answers": player.invalid_answers,
             "action_used_mean": player.action_used_mean,
             "action_used_max": player.action_used_max}
            for number, (entry, player) in enumerate(zip(play.entries, result.players, strict=True))
        ],
    }  # fmt: skip


def _by_strength(lines: Sequence[rankings.Line]) -> list[rankings.Line]:
    """Entries in the deciding order: by strength, then by Formula-1 points."""
    return sorted(lines, key=lambda line: (-(line.strength.points if line.strength else 0.0), line.place))


def _queue_final(
    transaction: Transaction,
    competition: Competition,
    counted: Sequence[Entry],
    queued: dict[int, list[jobs.Play]],
    now: float,
) -> None:
    for entry in counted:
        jobs.queue(transaction, competition.id, entry.id, entry.user_id or 0, jobs.FINAL, queued[entry.id], now)


def _has_jobs(transaction: Transaction, entry_id: int, phase: str) -> bool:
    query = "SELECT 1 AS one FROM jobs WHERE entry_id = ? AND phase = ? LIMIT 1"
    return transaction.row(query, entry_id, phase) is not None


def _has_open_jobs(transaction: Transaction, competition_id: int, phase: str) -> bool:
    query = "SELECT 1 AS one FROM jobs WHERE competition_id = ? AND phase = ? AND state IN ('waiting', 'taken') LIMIT 1"
    return transaction.row(query, competition_id, phase) is not None
