"""Misbehaving controllers: the play ends by the rules, the error is kept, the competition continues."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

import contests
from contests import player, working_levels
from vgdl.competition import cli
from vgdl.competition.agents import control_group, legacy_groups
from vgdl.competition.agents.failure import Cause
from vgdl.competition.agents.isolation import Level, Restrictions
from vgdl.competition.tracks.planning.records import Outcome
from vgdl.competition.tracks.planning.rules import Overtime

pytestmark = pytest.mark.one_case

SMALL = Restrictions(memory_mb=600, processes=8, scratch_mb=16)
HUNG = "nothing came within 1 s"


@pytest.mark.parametrize(
    ("name", "cause", "details"),
    [
        ("RaisesInConstructor", Cause.EXCEPTION, "LookupError: not today"),
        ("SlowInConstructor", Overtime.CONSTRUCTION, "1000 allowed"),
        ("RaisesInAct", Cause.EXCEPTION, "ZeroDivisionError: a division by zero of my own"),
        ("RaisesInResult", Cause.EXCEPTION, "RuntimeError: a bad loser"),
        ("RaisesEndOfFile", Cause.EXCEPTION, "EOFError: as if the runner had hung up"),
        ("RaisesAnInterrupt", Cause.EXCEPTION, "KeyboardInterrupt: as if somebody"),
        ("ExitsPolitely", Cause.EXCEPTION, "SystemExit: goodbye"),
        ("RecursesForEver", Cause.EXCEPTION, "RecursionError"),
        ("ExitsHard", Cause.EXITED, "exit status 3"),
        ("Crashes", Cause.EXITED, "killed by SIGSEGV"),
        ("Sleeps", Cause.HUNG, HUNG),
        ("Spins", Cause.HUNG, HUNG),
        ("IgnoresTermination", Cause.HUNG, HUNG),
        ("IgnoresAllSignals", Cause.HUNG, HUNG),
        ("StopsItself", Cause.HUNG, HUNG),
        ("TakesSixtyMilliseconds", Overtime.ACTION, "50 allowed"),
        ("ReturnsARiddle", Cause.EXCEPTION, "no words"),
        ("WritesToOurPipe", Cause.NONSENSE, "longer than"),
        ("AnswersItself", Cause.NONSENSE, "no request"),
        ("AnswersTwice", Cause.NONSENSE, "no request"),
        ("SendsHalfAnAnswer", Cause.HUNG, HUNG),
        ("DripsItsAnswer", Cause.HUNG, HUNG),
        ("WaitsForItsChildToExecute", Cause.HUNG, HUNG),
        ("ClosesItsPipe", Cause.EXITED, "closed its connection"),
        pytest.param("FillsMemory", Cause.EXCEPTION, "MemoryError", marks=pytest.mark.limits),
        ("FillsTheDisk", Cause.EXCEPTION, "OSError"),
        ("RaisesHostileText", Cause.EXCEPTION, r"ValueError: \ud800 \x1b[2J\x1b]0;owned\x07 \u202e"),
        ("RaisesHostileTextInConstructor", Cause.EXCEPTION, r"ValueError: \ud800 \x1b[2J"),
        ("FailsWithoutAWord", Cause.EXCEPTION, ""),
    ],
)
def test_misbehaviour_disqualifies(name: str, cause: Cause, details: str) -> None:
    loser = player(name, limits=SMALL)
    assert (loser.outcome, loser.cause, loser.score) == (Outcome.DISQUALIFIED, cause, -1000), loser.details
    assert details in loser.details


@pytest.mark.sampled(3)
@pytest.mark.parametrize("level", working_levels())
@pytest.mark.parametrize(
    ("name", "causes"),
    [
        ("Crashes", {Cause.EXITED}),
        pytest.param("Forks", {Cause.PROCESSES, Cause.HUNG}, marks=pytest.mark.limits),
        pytest.param("FillsMemory", {Cause.EXCEPTION}, marks=pytest.mark.limits),
        ("FillsTheDisk", {Cause.EXCEPTION}),
        ("Spins", {Cause.HUNG}),
        ("KillsItsParents", {Cause.EXITED, Cause.HUNG}),
        ("BurnsInAChild", {Overtime.ACTION}),
    ],
)
def test_every_level_of_isolation_is_effective(name: str, causes: set[Cause | Overtime], level: Level) -> None:
    loser = player(name, level=level, limits=SMALL)
    assert loser.outcome is Outcome.DISQUALIFIED
    assert loser.cause in causes, loser.details


def test_children_share_the_memory_limit_of_one_controller() -> None:
    loser = player("FillsMemoryInChildren", budget="calls:9", limits=Restrictions(memory_mb=500))
    assert loser.cause == Cause.MEMORY


@pytest.mark.limits
@pytest.mark.parametrize("level", [level for level in working_levels() if not level.is_weak])
def test_memory_that_is_in_no_page_table_is_limited(level: Level) -> None:
    """By a control group; where there is none, it cannot be had."""
    loser = player("SharesMemoryThatItDropsFromItsPages", level=level, budget="calls:9", limits=SMALL)
    assert loser.outcome is Outcome.DISQUALIFIED
    assert loser.cause in (Cause.MEMORY, Cause.HUNG) or "PermissionError" in loser.details, loser.details


@pytest.mark.limits
@pytest.mark.parametrize("level", [level for level in working_levels() if not level.is_weak])
def test_without_a_control_group_memory_that_no_process_maps_cannot_be_had(
    level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_group, "create", lambda: None)
    monkeypatch.setattr(legacy_groups, "create", lambda: None)
    code = "import mmap\nmmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\nfound = mmap.mmap(-1, 4096)"
    with tempfile.TemporaryDirectory() as folder, pytest.raises(AssertionError, match="PermissionError"):
        contests.found(code, Path(folder), level=level)


@pytest.mark.parametrize("level", [level for level in working_levels() if level.has_own_files])
def test_the_number_of_files_is_limited(level: Level) -> None:
    """An empty file takes a kilobyte of the kernel's memory."""
    assert "No space left on device" in player("MakesManyFiles", level=level, budget="calls:9", limits=SMALL).details


@pytest.mark.limits
@pytest.mark.parametrize("level", working_levels())
def test_the_number_of_threads_is_limited(level: Level) -> None:
    loser = player("StartsManyThreads", level=level, budget="calls:9", limits=Restrictions(processes=8))
    assert loser.cause == Cause.PROCESSES or "can't start new thread" in loser.details, loser.details


@pytest.mark.limits
def test_limits_are_in_force_while_a_controller_is_imported(tmp_path: Path) -> None:
    file = tmp_path / "crowd.py"
    file.write_text(
        "import os, time\nfrom vgdl.controllers import Controller\n"
        "for _ in range(20):\n    if not os.fork():\n        time.sleep(600)\ntime.sleep(0.2)\n"
        "class Crowd(Controller):\n    def act(self, state, timer): ...\n"
    )
    loser = contests.play(contests.plan(f"{file}:Crowd", restrictions=SMALL)).result.players[0]
    assert loser.cause == Cause.PROCESSES, loser.details


@pytest.mark.parametrize(
    "name",
    [pytest.param("FloodsStandardOutput", marks=pytest.mark.limits), "Prints", "TampersWithItsState"],
)
def test_harmless_oddities_do_not_end_a_play(name: str) -> None:
    winner = player(name, budget="200ms")  # that much output takes time
    assert winner.outcome is Outcome.WON, winner.details


def test_a_traceback_leads_to_the_line_of_the_controller() -> None:
    assert 'misbehaving.py", line' in player("RaisesInAct").details


def test_a_module_that_cannot_be_imported_disqualifies(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import no_such_module\nclass Broken(no_such_module.Base): ...")
    (loser,) = contests.play(contests.plan(f"{broken}:Broken")).result.players
    assert (loser.outcome, loser.cause) == (Outcome.DISQUALIFIED, Cause.EXCEPTION)
    assert "No module named 'no_such_module'" in loser.details


@pytest.mark.parametrize(
    ("name", "answer"), [("ReturnsNothing", "None"), ("ReturnsText", "'ACTION_RIGHT'"), ("ReturnsUnknownNumber", "77")]
)
def test_answers_that_are_no_actions_count_as_nil(name: str, answer: str) -> None:
    loser = player(name)
    assert (loser.outcome, loser.cause) == (Outcome.LOST, "")
    assert loser.invalid_answers > 9
    assert loser.details == f"at tick 0 it answered {answer}, which is not an Action"


@pytest.mark.parametrize("level", working_levels())
def test_processes_left_behind_do_not_outlive_the_play(level: Level) -> None:
    assert player("LeavesAGrandchild", level=level).outcome is Outcome.WON
    assert contests.becomes_true(lambda: not contests.processes_called(contests.LINGERER))


@pytest.mark.parametrize("level", working_levels())
def test_a_runner_that_is_killed_takes_its_controllers_with_it(level: Level) -> None:
    command = [sys.executable, "-P", "-m", "vgdl.competition.cli", "--set", str(contests.TOY), "--budget", "calls:9"]
    command += ["--controllers", f"{contests.MISBEHAVING}:SpinsUnderAName", "--isolation", level, "--quiet"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as runner:
        assert contests.becomes_true(lambda: bool(contests.processes_called(contests.LINGERER)))
        runner.kill()
    assert contests.becomes_true(lambda: not contests.processes_called(contests.LINGERER))


def test_a_controller_killed_from_outside_ends_its_play_only() -> None:
    """Killing its process mid-play does not affect the next play."""
    planned = contests.plan("Sleeps", "random", budget="calls:20")
    competition = contests.Competition(planned, contests.sandbox_for(planned, "auto"))
    results: list[contests.PlayRecord] = []
    playing = threading.Thread(target=lambda: results.append(competition.play(0)))
    playing.start()
    while not competition.agents:
        time.sleep(0.01)
    (agent,) = competition.agents
    time.sleep(0.2)
    agent.kill()
    playing.join()
    assert results[0].result.players[0].cause == Cause.EXITED
    assert signal.SIGKILL.name in results[0].result.players[0].details
    assert competition.play(1).result.players[0].cause == ""


@pytest.mark.parametrize(
    ("name", "why"), [("CountsNothing", "NaN is not a number"), ("CountsBeyondAllBounds", "64 bits")]
)
def test_an_invalid_number_of_calls_disqualifies(name: str, why: str) -> None:
    loser = player(name, budget="calls:20")
    assert (loser.outcome, loser.cause) == (Outcome.DISQUALIFIED, Cause.NONSENSE)
    assert why in loser.details


@pytest.mark.parametrize("level", working_levels())
def test_deeply_nested_folders_are_removed(level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    loser = player("NestsFolders", level=level, budget="2s")
    assert "found 3000 folders deep" in loser.details
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["RaisesHostileText", "RaisesHostileTextInConstructor", "FailsWithoutAWord"])
def test_hostile_text_neither_stops_a_competition_nor_reaches_a_terminal(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is stored, shown and written to files, and its competition can be resumed."""
    store, hostile = tmp_path / "s.db", f"{contests.MISBEHAVING}:{name}"
    options = ["--set", str(contests.TOY), "--levels", "1", "--budget", "calls:9", "--quiet", "--store", str(store)]
    assert cli.main([*options, "--controllers", f"{hostile},random", "--json", str(tmp_path / "all.json")]) == 0
    assert cli.main(["standings", str(store), "--csv", str(tmp_path / "all.csv")]) == 0
    assert cli.main(["--resume", str(store), "--quiet"]) == 0
    shown = "".join(capsys.readouterr())
    assert f"{name} was disqualified" in shown
    assert all(letter.isprintable() or letter == "\n" for letter in shown)
    json.loads((tmp_path / "all.json").read_text())


def test_a_controller_that_raises_is_shown_with_its_own_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "clumsy.py"
    file.write_text(
        "import json\nfrom vgdl.controllers import Controller\n\nclass Clumsy(Controller):\n"
        "    def act(self, state, timer):\n        return json.loads('{')\n"
    )
    options = ["--set", str(contests.TOY), "--levels", "1", "--budget", "calls:9", "--quiet"]
    assert cli.main([*options, "--controllers", f"{file}:Clumsy"]) == 0
    shown = capsys.readouterr().out
    assert "json.decoder.JSONDecodeError: Expecting property name" in shown
    assert "(clumsy.py, line 6, in act)" in shown
