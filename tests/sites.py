"""Competition sites for tests, on the toy games: small, fast, and with passwords that cost little to check."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import contests
from vgdl.competition.errors import CompetitionError
from vgdl.competition.submissions.queue import Outcome
from vgdl.competition.submissions.queue import State as EntryState
from vgdl.competition.web import (
    accounts,
    competitions,
    courses,
    entries,
    jobs,
    limits,
    organising,
    plays,
    rankings,
    undoing,
)
from vgdl.competition.web.accounts import User, make_token, sign_up
from vgdl.competition.web.app import make_app
from vgdl.competition.web.competitions import Competition, Role, SetOfGames, Settings, SettingsError, State
from vgdl.competition.web.database import Database
from vgdl.competition.web.entries import Entry
from vgdl.competition.web.oidc import Provider
from vgdl.competition.web.track_boards import TrackBoards
from vgdl.competition.web.worker import Worker

FORM = {
    "title": "Autumn", "slug": "autumn", "role1": "training", "source1": str(contests.TOY), "name1": "toy", "budget": "calls:30",
    "repeats": "1", "per_day": "3", "storage_mb": "10", "memory_mb": "512", "final_plays": "2", "final_plays_top": "2",
    "baselines": "random", "team_size": "1",
}  # fmt: skip
"""The form for a competition."""

PASSWORD = "correct horse battery"
HEAD = "from vgdl import Action\nfrom vgdl.controllers import Controller\n"
RIGHT = HEAD + "class Right(Controller):\n    def act(self, state, timer):\n        return Action.RIGHT\n"
RAISES = (
    HEAD + "class Raises(Controller):\n    def act(self, state, timer):\n        raise ValueError('<b>own trace</b>')\n"
)


def settings(**changes: Any) -> Settings:
    """One level of the toy game, which going to the right wins."""
    standard: dict[str, Any] = {
        "sets": (SetOfGames("toy", Role.TRAINING, str(contests.TOY), levels=(contests.CORRIDOR,)),),
        "budget": "calls:30",
        "baselines": ("random",),
        "final_plays": 2,
        "final_plays_top": 3,
    }
    return Settings(**(standard | changes))


def opened(database: Database, slug: str = "spring", **changes: Any) -> Competition:
    """A competition that takes entries."""
    made = competitions.create(database, "tests", slug, slug.capitalize(), settings(**changes))
    organising.open_competition(database, "tests", made)
    return competitions.find(database, slug)


def sent(database: Database, user: User, competition: Competition, source: str = RIGHT, name: str = "Right") -> Entry:
    """An entry that waits."""
    return entries.upload(database, user, competition, name, _checked(source))


@cache
def _checked(source: str) -> bytes:
    """A file that passes the checks, which take a process each time."""
    return entries.checked("agent.py", source.encode())


def work(database: Database) -> None:
    """Do all that waits, and compute the rankings."""
    Worker(database, "rlimits", 1).run(wait=False)
    rankings.refresh(database, at_once=True)


def race(count: int, action: Callable[[int], object]) -> int:
    """Do something in many threads at once; returns how many of them were not refused."""
    begin = threading.Barrier(count)

    def attempt(number: int) -> bool:
        begin.wait(60)
        try:
            action(number)
        except CompetitionError:
            return False
        return True

    with ThreadPoolExecutor(count) as threads:
        return sum(threads.map(attempt, range(count)))


def race_for_quotas_and_names(database: Database) -> None:
    """Check that limits hold if everything comes at once."""
    competition, ann = opened(database, per_day=5), user(database)
    sent(database, ann, competition)  # the check of its file is not what races
    assert race(12, lambda number: sent(database, ann, competition, name=f"Entry {number}")) == 4
    others = [user(database, f"User {number}x") for number in range(8)]
    assert race(8, lambda number: sent(database, others[number], competition, name="Same")) == 1
    limit = limits.Limit("3 in an hour", 3, 3600.0)
    assert race(12, lambda _: limits.spend(database, limit, "a")) == 3
    assert race(8, lambda _: limits.guess(database, "ann", "192.0.2.1")) == limits.FREE_GUESSES
    assert race(6, lambda number: sign_up(database, "Zoe" if number % 2 else "Z0e", PASSWORD)) == 1


def race_for_a_course(database: Database) -> None:
    """Check that a course has no more members than places."""
    token = courses.invite(database, "tests", "AI", 3)
    assert race(8, lambda number: courses.join(database, token, f"Member {number}a", PASSWORD, "")) == 3


@dataclass(slots=True)
class Visit:
    """Someone with a browser without JavaScript."""

    client: TestClient

    def form_token(self, page: str) -> str:
        """The token that the forms of a page send back."""
        found = re.search(r'name="form_token" value="([0-9a-f]+)"', self.client.get(page).text)
        assert found, f"no form on {page}"
        return found[1]

    def post(self, page: str, on: str | None = None, **fields: str) -> Any:
        """Send a form of a page."""
        return self.client.post(page, data={"form_token": self.form_token(on or page), **fields})

    def sign_in(self, name: str) -> Visit:
        """Sign in; returns the same visit."""
        assert self.post("/sign-in", name=name, password=PASSWORD).url.path == "/"
        return self

    def upload(self, content: str | bytes, filename: str = "agent.py", slug: str = "spring", **fields: str) -> Any:
        """Send the form for an upload."""
        page = f"/competitions/{slug}/enter"
        data = {"form_token": self.form_token(page), "name": "Mine", "count": "on", **fields}
        return self.client.post(page, data=data, files={"file": (filename, content)})


def visit(database: Database, *, boards: Sequence[Path] = (), provider: Provider | None = None) -> Visit:
    """Someone who has never been on the site, after its boards were written."""
    shown = TrackBoards(boards)
    shown.refresh()
    app = make_app(database, "http://testserver", boards=shown, upkeep_here=False, provider=provider)
    return Visit(TestClient(app, raise_server_exceptions=False))


def user(database: Database, name: str = "Ann", role: str = "entrant") -> User:
    """A user whose password is ``PASSWORD``."""
    return sign_up(database, name, PASSWORD, role=role)


def token(database: Database, owner: User) -> dict[str, str]:
    """The headers by which a program acts for a user."""
    return {"authorization": f"Bearer {make_token(database, owner)}"}


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
    owner = user(database, name)
    entry = sent(database, owner, competitions.find(database, "spring"), name=entry_name)
    with database.transaction() as transaction:
        jobs.conclude(transaction, entry.id, Outcome(EntryState.EVALUATED, "", ""), database.now())
    return owner, entries.get(database, entry.id)


def of_final(database: Database) -> list[str]:
    """The names on the board of the deciding plays."""
    board = rankings.board(database, competitions.find(database, "spring"), "toy")
    return [line.entry.name for line in board.lines]


def undone_opening(database: Database) -> None:
    """Check that an undo brings back the deciding plays and what was ranked."""
    opened(database)
    ann, entry = ranked(database)
    number = played(database, entry, jobs.FINAL)
    database.run("UPDATE competitions SET state = 'decided'")
    assert of_final(database) == ["Right"]
    organising.open_competition(database, "Olga", competitions.find(database, "spring"), confirmed=True)
    assert plays.get(database, number) is None
    later = sent(database, ann, competitions.find(database, "spring"), name="Later")
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
