"""Teams, assistants and extensions: the rules, on this database and by pages and commands."""

from __future__ import annotations

import re

import pytest

import groups
import sites
from vgdl.competition import cli
from vgdl.competition.web import accounts, competitions, entries, people, teams
from vgdl.competition.web.database import Database


def test_a_team_shares_its_entries_and_limits(database: Database) -> None:
    groups.shared_entries(database)


def test_a_team_does_not_exceed_its_size_if_all_join_at_once(database: Database) -> None:
    groups.full_team(database)


def test_who_has_more_time_may_send_after_the_closing_date(database: Database) -> None:
    groups.extension(database)


def test_an_assistant_takes_no_part(database: Database) -> None:
    groups.assistant(database)


def test_rankings_name_teams(database: Database) -> None:
    groups.boards_name_teams(database)


def test_a_team_is_founded_joined_and_left_by_pages(database: Database) -> None:
    sites.opened(database, team_size=3)
    for name in ("Ann", "Bob", "Eve"):
        sites.user(database, name)
    ann, bob, eve = (sites.visit(database).sign_in(name) for name in ("Ann", "Bob", "Eve"))
    page = "/competitions/spring/team"
    assert "Teams" in ann.client.get("/competitions/spring/enter").text
    assert ann.post(page, action="create", name="Bob").status_code == 400  # the name of a user
    ann.post(page, action="create", name="Team <Blue>")
    link = re.search(r"/join-team/[\w-]+", ann.post(page, action="invite").text)
    assert link
    assert bob.post(link[0]).url.path == page
    assert "Team &lt;Blue&gt;" in bob.client.get(page).text
    assert sites.visit(database).client.get(link[0]).url.path == "/sign-in"
    eve.post(link[0])
    eve.post(page, action="leave")
    assert "Create a team" in eve.client.get(page).text
    assert eve.client.get(link[0]).status_code == 404  # a former member may know it
    sites.sent(database, accounts.find_user(database, "Bob"), competitions.find(database, "spring"))
    assert "ask an organiser" in bob.post(page, action="leave").text
    assert re.search(r"/entries/\d+", ann.client.get("/account").text)


def test_a_team_without_members_is_gone_and_its_name_free(database: Database) -> None:
    competition, ann = sites.opened(database, team_size=2), sites.user(database)
    for _ in range(2):
        teams.create(database, ann, competition, "Blue")
        teams.leave(database, ann, competition)
    assert teams.every(database, competition) == {}


def test_a_competition_without_teams_has_none(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    with pytest.raises(teams.TeamError, match="has no teams"):
        teams.create(database, ann, competition, "Blue")
    page = sites.visit(database).sign_in("Ann").client
    assert "has no teams" in page.get("/competitions/spring/team").text
    assert "/team" not in page.get("/competitions/spring/enter").text


def test_the_link_of_a_team_is_no_link_for_an_account(database: Database) -> None:
    competition, ann = sites.opened(database, team_size=2), sites.user(database)
    teams.create(database, ann, competition, "Blue")
    token = teams.invite(database, ann, competition)
    for page in (f"/link/{token}", f"/join/{token}"):
        assert sites.visit(database).client.get(page).status_code == 404
    database.run("UPDATE teams SET invitation_ends = 1")
    sites.user(database, "Bob")
    assert sites.visit(database).sign_in("Bob").client.get(f"/join-team/{token}").status_code == 404


def test_an_assistant_sees_entries_and_sources_and_changes_nothing(database: Database) -> None:
    competition, ann = sites.opened(database), sites.user(database)
    other = sites.opened(database, "autumn")
    entry, foreign = sites.sent(database, ann, competition), sites.sent(database, ann, other)
    database.run("UPDATE entries SET state = 'evaluated'")
    entry = entries.get(database, entry.id)
    people.add_assistant(database, "tests", competition, sites.user(database, "Tom"))
    tom = sites.visit(database).sign_in("Tom")
    pages = ("/organise/spring", "/organise/spring/copies", "/organise/spring/entries.zip",
             f"/organise/entries/{entry.id}/source", f"/entries/{entry.id}", f"/entries/{entry.id}/archive")  # fmt: skip
    for page in pages:
        assert tom.client.get(page).status_code == 200, page
    assert "All entries" in tom.client.get("/competitions/spring").text
    assert "Log" not in tom.client.get(f"/entries/{entry.id}").text
    shown = tom.client.get("/organise/spring").text
    assert [word for word in ("Close", "disqualify", "Announce", "Export", "Extensions") if word in shown] == []
    for page in ("/organise", "/organise/audit", "/organise/spring/settings", "/organise/autumn",
                 f"/organise/entries/{foreign.id}/source", f"/entries/{foreign.id}", f"/entries/{foreign.id}/archive"):  # fmt: skip
        assert tom.client.get(page).status_code == 404, page
    fields = {"form_token": tom.form_token("/account"), "entry": str(entry.id), "user": "Tom", "reason": "no"}
    for page, action in (("/organise/spring", "close"), ("/organise/spring", "assist"), ("/organise/spring", "extend"),
                         ("/organise/entries", "disqualify"), ("/organise/users", "promote"),
                         ("/organise/spring/export", ""), ("/organise/undo", "")):  # fmt: skip
        assert tom.client.post(page, data=fields | {"action": action}).status_code == 404, page
    for action in ("delete", "count", "restore"):
        assert tom.client.post(f"/entries/{entry.id}/{action}", data=fields).status_code == 404
    assert entries.get(database, entry.id) == entry


def test_organisers_grant_and_take_back_by_pages(database: Database) -> None:
    sites.opened(database, team_size=2)
    for name in ("Ann", "Tom"):
        sites.user(database, name)
    competition = competitions.find(database, "spring")
    groups.team(database, competition, accounts.find_user(database, "Ann"))
    database.run("UPDATE competitions SET closes = ?", database.now() + 500)
    sites.user(database, "Olga", accounts.ORGANISER)
    olga, page = sites.visit(database).sign_in("Olga"), "/organise/spring"
    olga.post(page, action="assist", user="Tom")
    olga.post(page, action="extend", user="Ann", until="2999-01-01T00:00")
    shown = olga.client.get(page).text
    assert [word for word in ("Tom", "Blue: until 2999-01-01 00:00 UTC") if word not in shown] == []
    assert "an extension" in sites.visit(database).sign_in("Ann").client.get("/competitions/spring/enter").text
    for user, until in (("Nobody", "2999-01-01T00:00"), ("Ann", ""), ("Ann", "soon"), ("Ann", "1999-01-01T00:00")):
        assert olga.post(page, action="extend", user=user, until=until).status_code == 400
    for action, user in (("no-assistant", "Tom"), ("no-extension", "Blue"), ("leave-team", "Ann")):
        assert olga.post(page, action=action, user=user).status_code == 200
        assert olga.post(page, action=action, user=user).status_code == 400
    assert people.extensions(database, competition) == []


def test_commands_grant_and_take_back(database: Database) -> None:
    sites.opened(database, team_size=2)
    sites.user(database)
    database.run("UPDATE competitions SET closes = ?", database.now() + 500)
    for words in (("assistant", "spring", "Ann"), ("no-assistant", "spring", "Ann"),
                  ("extend", "spring", "Ann", "2999-01-01T00:00"), ("no-extension", "spring", "Ann")):  # fmt: skip
        assert cli.main(["site", "--store", database.address, *words]) == 0
    groups.team(database, competitions.find(database, "spring"), accounts.find_user(database, "Ann"))
    assert cli.main(["site", "--store", database.address, "leave-team", "spring", "Ann"]) == 0
    assert groups.audited(database)[2:] == [
        *("make assistant", "remove assistant", "extend", "end extension", "create a team", "leave a team")
    ]
