"""What teams, assistants and extensions promise, checked on either database."""

from __future__ import annotations

import pytest

import sites
from vgdl.competition.submissions.queue import Outcome
from vgdl.competition.submissions.queue import State as EntryState
from vgdl.competition.web import accounts, competitions, entries, jobs, people, rankings, teams, upkeep
from vgdl.competition.web.accounts import User
from vgdl.competition.web.competitions import Competition, SettingsError, State
from vgdl.competition.web.database import Database
from vgdl.competition.web.entries import Entry, NotYours, UploadRefused
from vgdl.competition.web.limits import TooMany


def evaluated(database: Database, entry: Entry) -> Entry:
    """An entry after its evaluation."""
    with database.transaction() as transaction:
        jobs.conclude(transaction, entry.id, Outcome(EntryState.EVALUATED, "", ""), database.now())
    return entries.get(database, entry.id)


def team(database: Database, competition: Competition, *members: User, name: str = "Blue") -> int:
    """A team that the first member founds and the others join."""
    number = teams.create(database, members[0], competition, name)
    token = teams.invite(database, members[0], competition)
    for one in members[1:]:
        teams.join(database, one, competition, token)
    return number


def audited(database: Database) -> list[str]:
    """The actions of the audit log, the oldest first."""
    return [row["action"] for row in reversed(competitions.audit(database))]


def shared_entries(database: Database) -> None:
    """Members share entries, limits and the one ranked entry; founder's entries come along, others' stay out."""
    competition = sites.opened(database, team_size=2, per_day=3)
    ann, bob, eve = (sites.user(database, name) for name in ("Ann", "Bob", "Eve"))
    first = sites.sent(database, ann, competition, name="First")
    number = team(database, competition, ann, bob)
    first, second = (evaluated(database, one) for one in (first, sites.sent(database, bob, competition, name="First")))
    assert (first.user_id, second.owner) == (number, "Blue")
    assert [entries.get(database, one.id).counted for one in (first, second)] == [False, True]
    entries.set_counted(database, bob, entries.own(database, bob, first.id))
    assert [one.id for one in entries.history(database, ann)] == [one.id for one in entries.history(database, bob)]
    assert entries.quota_left(database, ann, competition)[0] == 1
    sites.sent(database, ann, competition, name="Third")
    with pytest.raises(TooMany):
        sites.sent(database, bob, competition, name="Fourth")
    with pytest.raises(NotYours):
        entries.own(database, eve, first.id)
    assert entries.delete(database, bob, entries.get(database, second.id)) > 0
    entries.restore(database, ann, entries.get(database, second.id))
    assert not entries.get(database, second.id).deleted
    for again in (
        lambda: teams.create(database, ann, competition, "Red"),
        lambda: teams.leave(database, ann, competition),
    ):
        with pytest.raises(SettingsError):
            again()
    sites.sent(database, eve, competition, name="Own")
    database.run("DELETE FROM members WHERE user_id = ?", bob.id)  # there is room again
    token = teams.invite(database, ann, competition)
    with pytest.raises(SettingsError, match="entries of your own"):
        teams.join(database, eve, competition, token)
    assert audited(database)[2:] == ["create a team", "join a team", "undo delete entry"]


def full_team(database: Database) -> None:
    """A team does not exceed its size if all join at once, and its members count once."""
    competition = sites.opened(database, team_size=3)
    founder, *others = (sites.user(database, f"Member {number}a") for number in range(7))
    number = teams.create(database, founder, competition, "Blue")
    token = teams.invite(database, founder, competition)
    assert sites.race(6, lambda at: teams.join(database, others[at], competition, token)) == 2
    assert len(teams.members(database, number)) == 3


def extension(database: Database) -> None:
    """After the closing date, only who has more time may send; the competition closes when that has ended."""
    competition = sites.opened(database)
    ann, bob = sites.user(database), sites.user(database, "Bob")
    owner = teams.owner_called(database, "ann", competition)
    with pytest.raises(SettingsError, match="no closing date"):
        people.extend(database, "Olga", competition, owner, database.now() + 900)
    database.run("UPDATE competitions SET closes = ?", database.now() + 500)
    competition = competitions.find(database, "spring")
    with pytest.raises(SettingsError, match="ends after the closing date"):
        people.extend(database, "Olga", competition, owner, database.now() + 100)
    people.extend(database, "Olga", competition, owner, database.now() + 900)
    database.run("UPDATE competitions SET closes = ?", database.now() - 1)
    upkeep.follow_dates(database)
    competition = competitions.find(database, "spring")
    assert competition.state is State.OPEN
    sites.sent(database, ann, competition)
    with pytest.raises(UploadRefused, match="its closing date has passed"):
        sites.sent(database, bob, competition, name="Late")
    people.end_extension(database, "Olga", competition, owner)
    upkeep.follow_dates(database)
    assert competitions.find(database, "spring").state is State.CLOSING
    assert audited(database)[-3:] == ["extend", "end extension", "close"]


def assistant(database: Database) -> None:
    """An assistant sees entries and sources, takes no part, and one who takes part cannot become one."""
    competition = sites.opened(database, team_size=2)
    ann, tom = sites.user(database), sites.user(database, "Tom")
    sites.sent(database, ann, competition)
    with pytest.raises(SettingsError, match="takes part"):
        people.add_assistant(database, "Olga", competition, ann)
    for _ in range(2):
        people.add_assistant(database, "Olga", competition, tom)
    assert people.assistants(database, competition) == ["Tom"]
    with pytest.raises(UploadRefused, match="you assist"):
        sites.sent(database, tom, competition)
    with pytest.raises(SettingsError, match="take no part"):
        teams.create(database, tom, competition, "Red")
    people.remove_assistant(database, "Olga", competition, tom)
    with pytest.raises(SettingsError, match="is no assistant"):
        people.remove_assistant(database, "Olga", competition, tom)
    assert audited(database)[-2:] == ["make assistant", "remove assistant"]
    sites.sent(database, tom, competition, name="Own")


def boards_name_teams(database: Database) -> None:
    """A ranking shows the team, and each member finds its entry there."""
    competition = sites.opened(database, team_size=2)
    ann, bob = sites.user(database), sites.user(database, "Bob")
    team(database, competition, ann, bob)
    evaluated(database, entry := sites.sent(database, ann, competition))
    sites.played(database, entry, jobs.EVALUATION)
    rankings.refresh(database, at_once=True)
    for name in ("Ann", "Bob"):
        page = sites.visit(database).sign_in(name).client.get("/competitions/spring").text
        assert "<small>Blue</small>" in page
        assert "Your entry Right is at place" in page
    assert "by Blue (Ann, Bob)" in sites.visit(database).client.get(f"/entries/{entry.id}").text
    with pytest.raises(accounts.AccountError):
        accounts.find_user(database, "Blue")
    with pytest.raises(accounts.AccountError):
        accounts.sign_in(database, "Blue", "")
    assert "Blue" not in [one.name for one in accounts.users(database)]
