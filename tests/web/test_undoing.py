"""Actions that lose something: they ask, name what is lost, and can be taken back for a week; settings that change."""

from __future__ import annotations

import pytest

import sites
from vgdl.competition.web import accounts, competitions, entries, jobs, organising, plays, undoing
from vgdl.competition.web.competitions import SettingsError, State
from vgdl.competition.web.database import Database


def test_opening_a_decided_competition_again_can_be_undone(database: Database) -> None:
    sites.undone_opening(database)


def test_what_cannot_be_undone_any_more_is_removed_after_a_week(database: Database) -> None:
    sites.opened(database)
    _, entry = sites.ranked(database)
    sites.played(database, entry, jobs.FINAL)
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
    _, entry = sites.ranked(database)
    number = sites.played(database, entry, jobs.EVALUATION)
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
    ann, entry = sites.ranked(database)
    tried, decided = sites.played(database, entry, jobs.EVALUATION), sites.played(database, entry, jobs.FINAL)
    database.run("UPDATE competitions SET state = 'decided'")
    entries.delete(database, ann, entry)
    database.run("UPDATE entries SET changed = changed - ? WHERE deleted = 1", undoing.UNDO_S + 1)
    for _ in range(2):
        assert sites.of_final(database) == ["Right"]
        assert plays.actions(database, decided) == [["RIGHT"]]
        assert plays.actions(database, tried) is None
        assert sites.visit(database).client.get(f"/entries/{entry.id}").status_code == 200
        undoing.purge(database)
    assert database.row("SELECT archive FROM entries WHERE id = ?", entry.id) == {"archive": None}


def test_a_deleted_entry_can_be_restored_for_a_week_by_its_owner(database: Database) -> None:
    sites.opened(database)
    _, entry = sites.ranked(database)
    number = sites.played(database, entry, jobs.EVALUATION)
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
    _, entry = sites.ranked(database)
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
