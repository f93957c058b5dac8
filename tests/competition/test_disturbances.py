"""The clock is set and the store becomes read-only while plays run: nothing is lost, and a sentence says what happened."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Any

import pytest

import contests
from vgdl.competition.agents.cores import Claim
from vgdl.competition.contest.runner import Competition, PlayRecord
from vgdl.competition.contest.session import LocalBackend, run
from vgdl.competition.results.store import Store, StoreError


@pytest.fixture
def competition() -> Competition:
    """Six plays."""
    planned = contests.plan("random", "onesteplookahead", levels=None, budget="calls:30")
    return Competition(planned, contests.sandbox_for(planned, "auto"))


def play(competition: Competition, store: Store, **options: Any) -> None:
    run(competition, store, LocalBackend(competition, Claim((None,))), {"isolation": "test"}, **options)


def created(path: Path, competition: Competition) -> Store:
    return Store.create(path, competition.plan, competition.boards, len(competition.fixtures))


@pytest.fixture
def undisturbed(competition: Competition, tmp_path: Path) -> list[Any]:
    """The results of the competition if nothing happens."""
    with created(tmp_path / "undisturbed.db", competition) as store:
        play(Competition(competition.plan, competition.sandbox), store)  # one that has ended plays nothing more
        return store.results()


def set_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """At every other look at it, the clock is an hour ahead or behind."""
    hours, now = itertools.cycle([3600.0, -3600.0]), time.time
    monkeypatch.setattr(time, "time", lambda: now() + next(hours))


def test_setting_the_clock_changes_nothing(
    competition: Competition, undisturbed: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_the_clock(monkeypatch)
    with created(tmp_path / "store.db", competition) as store:
        play(competition, store)
        assert store.results() == undisturbed


@pytest.mark.parametrize("clock_is_set", [False, True])
def test_a_store_that_becomes_read_only_loses_no_finished_play(
    clock_is_set: bool,
    competition: Competition,
    undisturbed: list[Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if clock_is_set:
        set_the_clock(monkeypatch)
    path = tmp_path / "store.db"

    def make_read_only(record: PlayRecord) -> None:
        if record.fixture == 2:
            store.connection.execute("PRAGMA query_only = 1")  # what SQLite does if the file system is read-only

    with created(path, competition) as store, pytest.raises(StoreError, match=r"store\.db.*readonly"):
        play(competition, store, on_play=make_read_only)
    with Store.open(path) as store:
        assert store.results() == undisturbed[:3]
        play(Competition(competition.plan, competition.sandbox), store)
        assert store.results() == undisturbed
