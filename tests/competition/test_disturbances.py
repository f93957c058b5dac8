"""The clock is set and the store becomes read-only while plays run: nothing is lost, and a sentence says what happened."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

import contests
from vgdl.competition.agents.cores import Claim
from vgdl.competition.running import work_through
from vgdl.competition.store import Store, StoreError
from vgdl.competition.track import Result, Setting
from vgdl.competition.tracks.planning.records import PlayResult, opened, plays
from vgdl.competition.tracks.planning.runner import Competition


@pytest.fixture
def competition() -> Competition:
    """Six plays."""
    planned = contests.plan("random", "onesteplookahead", levels=None, budget="calls:30")
    return Competition(planned, contests.sandbox_for(planned, "auto"))


class Watched(contests.Alone):
    """The plays of a competition, with something to do after each."""

    def __init__(self, competition: Competition, after: Callable[[Result], None]) -> None:
        super().__init__(competition)
        self.after = after
        self.circumstances = {"isolation": "test"}

    def saved(self, result: Result) -> None:
        self.after(result)


def play(competition: Competition, store: Store, after: Callable[[Result], None] = lambda result: None) -> None:
    setting = Setting({"jobs": 1, "quiet": True}, Console(quiet=True), None)
    work_through(store, Watched(competition, after), setting, Claim((None,)))


def created(path: Path, competition: Competition) -> Store:
    return contests.new_store(path, competition.plan, len(competition.fixtures))


@pytest.fixture
def undisturbed(competition: Competition, tmp_path: Path) -> list[PlayResult]:
    """The results of the competition if nothing happens."""
    with created(tmp_path / "undisturbed.db", competition) as store:
        play(Competition(competition.plan, competition.sandbox), store)  # one that has ended plays nothing more
        return plays(store)


def set_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """At every other look at it, the clock is an hour ahead or behind."""
    hours, now = itertools.cycle([3600.0, -3600.0]), time.time
    monkeypatch.setattr(time, "time", lambda: now() + next(hours))


@pytest.mark.costly
def test_setting_the_clock_changes_nothing(
    competition: Competition, undisturbed: list[PlayResult], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_the_clock(monkeypatch)
    with created(tmp_path / "store.db", competition) as store:
        play(competition, store)
        assert plays(store) == undisturbed


@pytest.mark.costly
@pytest.mark.parametrize("clock_is_set", [False, True])
def test_a_store_that_becomes_read_only_loses_no_finished_play(
    clock_is_set: bool,
    competition: Competition,
    undisturbed: list[PlayResult],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if clock_is_set:
        set_the_clock(monkeypatch)
    path = tmp_path / "store.db"

    def make_read_only(result: Result) -> None:
        if result.record.fixture == 2:
            store.connection.execute("PRAGMA query_only = 1")  # what SQLite does if the file system is read-only

    with created(path, competition) as store, pytest.raises(StoreError, match=r"store\.db.*readonly"):
        play(competition, store, make_read_only)
    with opened(path, read_only=False) as store:
        assert plays(store) == undisturbed[:3]
        play(Competition(competition.plan, competition.sandbox), store)
        assert plays(store) == undisturbed
