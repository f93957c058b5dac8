"""Actions that lose something: they ask, name what is lost, and can be taken back for a week; settings that change."""

from __future__ import annotations

import pytest

import sites
from vgdl.competition.submissions.queue import Outcome
from vgdl.competition.submissions.queue import State as EntryState
from vgdl.competition.web import accounts, competitions, entries, jobs, organising, plays, rankings, undoing
from vgdl.competition.web.competitions import SettingsError, State
from vgdl.competition.web.database import Database
from vgdl.competition.web.entries import Entry


def played(database: Database, entry: Entry, phase: str) -> int:
    """A play of an entry, as workers leave it; returns its number."""
    competition = competitions.get(database, entry.competition_id)
    with database.transaction() as transaction:
        one = jobs.Play((entry.id,), "toy", "toy", 0, 0, 1)
        jobs.queue(transaction, competition.id, entry.id, entry.user_id or 0, phase, [one], database.now())
    database.run("UPDATE jobs SET state = 'done' WHERE state = 'waiting' AND kind = 'check'")
    row = database.row(
        "INSERT INTO plays (job_id, competition_id, set_name, phase, game, level, repeat, seed, stirring, ticks, game_error, "
        "actions, isolation, seconds, waited_ms, finished) "
        "SELECT id, competition_id, 'toy', ?, 'toy', 0, 0, 1, '', 9, '', ?, '{}', 1, 0, ? FROM jobs "
        "WHERE entry_id = ? AND phase = ? ORDER BY id DESC LIMIT 1 RETURNING id",
        *(phase, jobs.pack([["RIGHT"]]), database.now(), entry.id, phase),
    )
    assert row is not None
    database.run(
        "INSERT INTO players (play_id, player, entry_id, outcome, score, cause, details, late_answers, construction_used, "
        "action_used_mean, action_used_max) VALUES (?, 0, ?, 'won', 1, '', '', 0, 1, 1, 1)",
        *(row["id"], entry.id),
    )
    database.run("UPDATE jobs SET state = 'done' WHERE entry_id = ?", entry.id)
    return int(row["id"])


def ranked(database: Database, name: str = "Ann", entry_name: str = "Right") -> tuple[accounts.User, Entry]:
    """An entry that is ranked, and its owner."""
    owner = sites.user(database, name)
    entry = sites.sent(database, owner, competitions.find(database, "spring"), name=entry_name)
    with database.transaction() as transaction:
        jobs.conclude(transaction, entry.id, Outcome(EntryState.EVALUATED, "", ""), database.now())
    return owner, entries.get(database, entry.id)


def of_final(database: Database) -> list[str]:
    """The names on the board of the deciding plays."""
    board = rankings.board(database, competitions.find(database, "spring"), "toy")
    return [line.entry.name for line in board.lines]


def test_opening_a_decided_competition_again_can_be_undone(database: Database) -> None:
    undone_opening(database)


def undone_opening(database: Database) -> None:
    """Check that an undo brings back the deciding plays and what was ranked."""
    sites.opened(database)
    ann, entry = ranked(database)
    number = played(database, entry, jobs.FINAL)
    database.run("UPDATE competitions SET state = 'decided'")
    assert of_final(database) == ["Right"]
    organising.open_competition(database, "Olga", competitions.find(database, "spring"), confirmed=True)
    assert plays.get(database, number) is None
    later = sites.sent(database, ann, competitions.find(database, "spring"), name="Later")
    with database.transaction() as transaction:
        jobs.conclude(transaction, later.id, Outcome(EntryState.EVALUATED, "", ""), database.now())
    (known,) = undoing.possible(database)
    assert (known["action"], known["subject"], known["actor"]) == ("open again", "spring", "Olga")
    undoing.undo(database, "Olga", known["id"])
    assert competitions.find(database, "spring").state is State.DECIDED
    assert of_final(database) == ["Right"]
    with pytest.raises(SettingsError, match="there is no action"):
        undoing.undo(database, "Olga", known["id"])
    assert competitions.audit(database)[0]["action"] == "undo open again"


def test_what_cannot_be_undone_any_more_is_removed_after_a_week(database: Database) -> None:
    sites.opened(database)
    _, entry = ranked(database)
    played(database, entry, jobs.FINAL)
    database.run("UPDATE competitions SET state = 'decided'")
    organising.open_competition(database, "Olga", competitions.find(database, "spring"), confirmed=True)
    (known,) = undoing.possible(database)
    undoing.purge(database)
    assert len(database.rows("SELECT id FROM plays")) == 1
    database.run("UPDATE undos SET at = at - ?", undoing.UNDO_S + 1)
    with pytest.raises(SettingsError, match="it can be for a week"):
        undoing.undo(database, "Olga", known["id"])
    undoing.purge(database)
    assert database.rows("SELECT id FROM plays") == []


def test_an_evaluation_that_is_run_again_can_be_undone(database: Database) -> None:
    sites.opened(database)
    _, entry = ranked(database)
    number = played(database, entry, jobs.EVALUATION)
    organising.rerun(database, "Olga", entry)
    assert entries.get(database, entry.id).state == "waiting"
    assert plays.of_entry(database, entry.id) == []
    undoing.undo(database, "Olga", undoing.possible(database)[0]["id"])
    assert entries.get(database, entry.id).state == "evaluated"
    assert [play.id for play in plays.of_entry(database, entry.id)] == [number]
    assert database.rows("SELECT id FROM jobs WHERE entry_id = ? AND state = 'waiting'", entry.id) == []


def test_the_winner_of_a_decided_competition_keeps_name_results_and_replays_when_it_is_deleted(
    database: Database,
) -> None:
    sites.opened(database)
    ann, entry = ranked(database)
    tried, decided = played(database, entry, jobs.EVALUATION), played(database, entry, jobs.FINAL)
    database.run("UPDATE competitions SET state = 'decided'")
    entries.delete(database, ann, entry)
    database.run("UPDATE entries SET changed = changed - ? WHERE deleted = 1", undoing.UNDO_S + 1)
    for _ in range(2):
        assert of_final(database) == ["Right"]
        assert plays.actions(database, decided) == [["RIGHT"]]
        assert plays.actions(database, tried) is None
        assert sites.visit(database).client.get(f"/entries/{entry.id}").status_code == 200
        undoing.purge(database)
    assert database.row("SELECT archive FROM entries WHERE id = ?", entry.id) == {"archive": None}


def test_a_deleted_entry_can_be_restored_for_a_week_by_its_owner(database: Database) -> None:
    sites.opened(database)
    _, entry = ranked(database)
    number = played(database, entry, jobs.EVALUATION)
    ann = sites.visit(database).sign_in("Ann")
    page = f"/entries/{entry.id}"
    assert "it can be undone for a week" in ann.client.get(page).text
    ann.post(f"{page}/delete", page)
    assert entries.get(database, entry.id).deleted
    assert ann.client.get(f"{page}/archive").status_code == 404
    assert plays.actions(database, number) is None
    ann.post(f"{page}/restore", page)
    after = entries.get(database, entry.id)
    assert (after.deleted, after.counted, after.state) == (False, True, "evaluated")
    assert plays.actions(database, number) == [["RIGHT"]]


def test_a_disqualification_during_the_close_can_be_taken_back_without_a_loss(database: Database) -> None:
    sites.opened(database)
    _, entry = ranked(database)
    organising.close_competition(database, "Olga", competitions.find(database, "spring"))
    waiting = "SELECT id FROM jobs WHERE entry_id = ? AND phase = 'final' AND state = 'waiting'"
    before = database.rows(waiting, entry.id)
    assert before
    organising.disqualify(database, "Olga", entry, "by mistake")
    assert database.rows(waiting, entry.id) == []
    organising.disqualify(database, "Olga", entries.get(database, entry.id), "")
    assert database.rows(waiting, entry.id) == before
    assert entry.id in [
        one.id for one in entries.of_competition(database, competitions.find(database, "spring"), counted=True)
    ]


def test_what_was_entered_can_be_changed_with_a_line_in_the_audit_log(database: Database) -> None:
    sites.user(database, "Olga", accounts.ORGANISER)
    olga = sites.visit(database).sign_in("Olga")
    olga.post("/organise", **sites.FORM)
    form = {name: value for name, value in sites.FORM.items() if name != "slug"}
    page = "/organise/autumn/settings"
    assert 'value="Autumn"' in olga.client.get(page).text
    changed = form | {
        "title": "Fall",
        "budget": "calls:40",
        "text": "New",
        "baselines": "samplemcts",
        "closes": "2999-01-01T00:00",
    }
    assert olga.post(page, **changed).url.path == "/organise/autumn"
    found = competitions.find(database, "autumn")
    assert (found.title, found.text, found.settings.budget, found.settings.baselines) == (
        "Fall",
        "New",
        "calls:40",
        ("samplemcts",),
    )
    assert 'value="2999-01-01T00:00"' in olga.client.get(page).text
    assert [one.name for one in entries.of_competition(database, found)] == ["SampleMCTS"]
    organising.open_competition(database, "Olga", found)
    refused = olga.post(page, **(changed | {"budget": "calls:50"}))
    assert (refused.status_code, "its budget decided what plays mean" in refused.text) == (400, True)
    olga.post(page, **(changed | {"per_day": "9", "baselines": "samplemcts,random"}))
    found = competitions.find(database, "autumn")
    assert (found.settings.per_day, found.settings.baselines) == (9, ("samplemcts", "random"))
    line = competitions.audit(database)[0]
    assert (line["actor"], line["action"]) == ("Olga", "change")
    assert "per_day: 3 → 9" in line["details"]
    database.run("UPDATE competitions SET state = 'decided'")
    assert "can no longer be changed" in olga.post(page, "/organise", **changed).text


def test_a_draft_can_be_deleted_and_brought_back(database: Database) -> None:
    sites.user(database, "Olga", accounts.ORGANISER)
    olga = sites.visit(database).sign_in("Olga")
    olga.post("/organise", **sites.FORM)
    before = competitions.find(database, "autumn")
    assert olga.post("/organise/autumn", action="delete").url.path == "/organise"
    assert competitions.every(database) == []
    olga.post("/organise/undo", "/organise", number=str(undoing.possible(database)[0]["id"]))
    after = competitions.find(database, "autumn")
    assert (after.title, after.settings, after.state) == (before.title, before.settings, State.DRAFT)
    organising.open_competition(database, "Olga", after)
    with pytest.raises(SettingsError, match="only drafts can be deleted"):
        organising.delete_draft(database, "Olga", competitions.find(database, "autumn"))
