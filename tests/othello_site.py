"""Othello competitions on a site, for tests: small, and with systems that need no time."""

from __future__ import annotations

import io
import zipfile

import pytest

import sites
from vgdl.competition.tracks.othello.entering import OthelloEntering
from vgdl.competition.web import competitions, entries, jobs, organising, runs, undoing, upkeep
from vgdl.competition.web.accounts import User
from vgdl.competition.web.competitions import Competition, Settings, SettingsError
from vgdl.competition.web.database import Database
from vgdl.competition.web.entries import Entry
from vgdl.competition.web.worker import Worker

PROGRAMS = OthelloEntering.programs
OPTIONS = ("stages=generated:1", "analysis=300ms", "game=300ms")

LAST = """
class Last:
    def analyze_stage(self, stage, initial_board, valid_moves, api, timer):
        return lambda board, player, moves: moves[-1]
"""


def opened(database: Database, **changes: object) -> Competition:
    """An Othello competition that takes entries."""
    standard: dict[str, object] = {"track": "othello", "options": OPTIONS, "baselines": ("first-legal",)}
    made = competitions.create(database, "tests", "spring", "Othello", Settings((), **(standard | changes)))  # type: ignore[arg-type]
    organising.open_competition(database, "tests", made)
    return competitions.find(database, "spring")


def sent(database: Database, owner: User, competition: Competition, source: str, file: str = "agent.py") -> Entry:
    """An entry that waits."""
    data = entries.checked(file, source.encode(), PROGRAMS)
    return entries.upload(database, owner, competition, f"{owner.name}s", data)


def work(database: Database) -> None:
    """Do all that waits."""
    Worker(database, "rlimits", 1).run(wait=False)


def decided_and_opened_again(database: Database) -> None:
    """Check that a deciding run decides a competition, and that opening it again can be undone."""
    competition = opened(database, final_options=("stages=generated:2",))
    entry = sent(database, sites.user(database), competition, LAST)
    work(database)
    assert organising.close_competition(database, "Olga", competition) == 1
    upkeep.settle_all(database)
    assert competitions.find(database, "spring").state is competitions.State.CLOSING
    work(database)
    upkeep.settle_all(database)
    decided = competitions.find(database, "spring")
    assert decided.state is competitions.State.DECIDED
    final = runs.ranking(database, decided)
    assert final is not None
    assert (final.phase, final.done, final.secret) == (jobs.FINAL, 4, competition.secret)
    assert "Anns" in competitions.announcements(database, decided)[0]["words"]
    assert "deciding run" in sites.visit(database).client.get("/competitions/spring").text.lower()
    exported = organising.export(database, "Olga", decided)
    assert [run["phase"] for run in exported["runs"]] == ["final", "round"]
    lines = organising.as_csv(exported).splitlines()
    assert lines[0].startswith("run,phase,rank,system,P,")
    assert len(lines) == 5
    packed = io.BytesIO()
    organising.write_archives(database, "Olga", decided, packed, winners=True)
    with zipfile.ZipFile(packed) as archive:
        assert archive.namelist() == [f"01-entry-{entry.id}-Ann.zip", "entries.csv"]
    with pytest.raises(SettingsError, match="deletes its deciding run and its result"):
        organising.open_competition(database, "Olga", decided)
    organising.open_competition(database, "Olga", decided, confirmed=True)
    latest = runs.ranking(database, decided)
    assert latest is not None
    assert latest.phase == jobs.ROUND
    (known,) = undoing.possible(database)
    undoing.undo(database, "Olga", known["id"])
    assert runs.ranking(database, competitions.find(database, "spring")) == final
    assert entries.get(database, entry.id).counted
