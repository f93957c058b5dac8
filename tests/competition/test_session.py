"""Parallel plays, cores, and busy machines."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

import contests
from vgdl.competition import cli
from vgdl.competition.agents import cores
from vgdl.competition.progress import Display
from vgdl.competition.running import work_through
from vgdl.competition.track import Result, Setting
from vgdl.competition.tracks.planning.records import PlayRow
from vgdl.competition.tracks.planning.runner import Competition, PlayRecord

pytestmark = pytest.mark.xdist_group("clock")  # pins processes to cores: in one worker

ALL_CORES = len(cores.available())


@pytest.fixture
def competition() -> Competition:
    """Six plays."""
    planned = contests.plan("random", "onesteplookahead", levels=None, budget="calls:30")
    return Competition(planned, contests.sandbox_for(planned, "rlimits"))


@pytest.fixture
def claim() -> Iterator[cores.Claim]:
    """All cores."""
    claimed = cores.claim(ALL_CORES)
    yield claimed
    claimed.release()


@pytest.mark.costly
def test_parallel_plays_give_the_same_results_as_sequential_ones(competition: Competition, claim: cores.Claim) -> None:
    alone = [competition.play(number).result for number in range(6)]
    together = {record.fixture: record for record in contests.play_all(competition, claim, range(6))}
    assert [together[number].result for number in range(6)] == alone
    assert {record.isolation["core"] for record in together.values()} <= set(claim.cores)


@pytest.mark.costly
def test_there_are_never_more_plays_than_cores(
    competition: Competition, claim: cores.Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And each has a core of its own."""
    busy: list[int | None] = []
    seen: list[int] = []
    guard = threading.Lock()
    play = competition.play

    def counted(number: int, core: int | None = None) -> PlayRecord:
        with guard:
            assert core not in busy
            busy.append(core)
            seen.append(len(busy))
        try:
            return play(number, core)
        finally:
            with guard:
                busy.remove(core)

    monkeypatch.setattr(competition, "play", counted)
    assert len(contests.play_all(competition, claim, range(6))) == 6
    assert max(seen) == ALL_CORES


def test_more_jobs_than_cores_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--jobs", "1000", "--set", str(contests.TOY), "--controllers", "random", "--quiet"])
    assert f"ask for --jobs {ALL_CORES}" in " ".join(capsys.readouterr().err.split())


def test_two_competitions_take_different_cores_while_some_are_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where only these two competitions keep their locks
    monkeypatch.setattr(tempfile, "tempdir", None)
    code = "from vgdl.competition.agents import cores; mine = cores.claim(1); print(mine.cores[0], flush=True); input()"
    command = [sys.executable, "-P", "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        theirs = int(other.stdout.readline())
        ours = cores.claim(ALL_CORES)
        assert theirs in ours.shared
        if ALL_CORES > 1:
            assert ours.cores[0] != theirs
        ours.release()
        other.kill()
    free = cores.claim(ALL_CORES)
    assert theirs not in free.shared
    free.release()


def test_a_busy_core_is_noticed() -> None:
    core = max(os.sched_getaffinity(0))
    with contests.busy(core, 1):
        share = cores.busy_share([core])
    assert share > 0.5


@pytest.mark.costly
def test_a_play_on_a_shared_core_records_how_long_it_waited() -> None:
    """Four busy processes take turns on the core, so the controller waits three times as long as it works."""
    core = max(os.sched_getaffinity(0))
    planned = contests.plan("TakesFortyFiveMilliseconds", budget="calls:9")
    competition = Competition(planned, contests.sandbox_for(planned, "rlimits"))
    with contests.busy(core, 3):
        record = competition.play(0, core)
    assert record.waited_ms > 10


def test_the_display_shows_speed_standings_and_a_busy_machine() -> None:
    console = Console(record=True, width=200, force_terminal=True)
    with Display(console, 6, 1, lambda: "1. Random 25") as display:
        display.add("toy, level 1", seconds=20, waited_ms=10)
        assert display.waiting_share < 0.01
        display.add("toy, level 1", seconds=20, waited_ms=19_990)
        assert display.waiting_share == 0.5
        display.refresh()
    text = console.export_text()
    assert "3/6" in text
    assert "1. Random 25" in text
    assert "waited for their core during 50%" in text


@pytest.mark.costly
def test_an_interrupt_keeps_finished_plays(competition: Competition, claim: cores.Claim) -> None:
    class Interrupted(contests.Alone):
        def saved(self, result: Result) -> None:
            raise KeyboardInterrupt

    setting = Setting({"jobs": ALL_CORES, "quiet": True, "backend": "local"}, Console(stderr=True))
    with contests.new_store(None, competition.plan, 6) as store:
        work = Interrupted(competition)
        with pytest.raises(KeyboardInterrupt):
            work_through(store, work, setting, claim)
        assert store.count(PlayRow) == 1
        assert not competition.agents
