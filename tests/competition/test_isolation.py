"""Whatever a controller does, its play ends by the rules, the error is kept, and the competition goes on."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from vgdl.competition.game_set import find_set
from vgdl.competition.protocol import Protocol, with_budget
from vgdl.competition.results import Outcome, PlayerResult
from vgdl.competition.runner import Competition
from vgdl.competition.seat import Cause
from vgdl.controllers import registry

HERE = Path(__file__).parent
CORRIDOR = 1


def play(name: str, *, file: Path = HERE / "misbehaving.py", budget: str = "40ms") -> PlayerResult:
    """The result of a play of the class in the file."""
    competition = Competition(
        [registry.find(f"{file}:{name}")],
        find_set(str(HERE / "toy")),
        levels=[CORRIDOR],
        protocol=with_budget(Protocol(), budget),
        secret=5,
    )
    (fixture,) = competition.fixtures
    return competition.play(fixture).players[0]


@pytest.mark.parametrize(
    ("name", "cause", "details"),
    [
        ("RaisesInConstructor", Cause.EXCEPTION, "LookupError: not today"),
        ("SlowInConstructor", Cause.CONSTRUCTION_TIME, "1000 allowed"),
        ("RaisesInAct", Cause.EXCEPTION, "ZeroDivisionError: a division by zero of my own"),
        ("RaisesInResult", Cause.EXCEPTION, "RuntimeError: a bad loser"),
        ("RaisesEndOfFile", Cause.EXCEPTION, "EOFError: as if the runner had hung up"),
        ("ExitsPolitely", Cause.EXCEPTION, "SystemExit: goodbye"),
        ("ExitsHard", Cause.EXITED, "exit status 3"),
        ("Crashes", Cause.EXITED, "killed by SIGSEGV"),
        ("Sleeps", Cause.HUNG, "nothing came within 0.4 s"),
        ("IgnoresTermination", Cause.HUNG, "nothing came within 0.4 s"),
        ("TakesSixtyMilliseconds", Cause.ACTION_TIME, "50 allowed"),
        ("ReturnsText", Cause.EXCEPTION, "'ACTION_RIGHT' is no Action"),
        ("ReturnsUnknownNumber", Cause.EXCEPTION, "77 is no Action"),
        ("WritesToOurPipe", Cause.NONSENSE, "longer than"),
        ("AnswersItself", Cause.NONSENSE, "TypeError"),
        ("SendsHalfAnAnswer", Cause.HUNG, "nothing came within 0.4 s"),
        ("ClosesItsPipe", Cause.EXITED, "closed its connection"),
    ],
)
def test_misbehaviour_disqualifies(name: str, cause: Cause, details: str) -> None:
    player = play(name)
    assert (player.outcome, player.cause, player.score) == (Outcome.DISQUALIFIED, cause, -1000)
    assert details in player.details


def test_a_traceback_leads_to_the_line_of_the_controller() -> None:
    assert 'misbehaving.py", line' in play("RaisesInAct").details


def test_a_module_that_cannot_be_imported_disqualifies(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import no_such_module\nclass Broken: ...")
    player = play("Broken", file=broken)
    assert (player.outcome, player.cause) == (Outcome.DISQUALIFIED, Cause.EXCEPTION)
    assert "No module named 'no_such_module'" in player.details


def test_no_answer_counts_as_nil() -> None:
    player = play("ReturnsNothing")
    assert (player.outcome, player.cause) == (Outcome.LOST, "")


def test_late_answers_are_replaced_and_counted() -> None:
    """The answer would lose at once; replaced by NIL it only waits for the end."""
    player = play("TakesFortyFiveMilliseconds")
    assert player.late_answers > 0
    assert 40 < player.action_used_mean < 60


def test_printing_disturbs_nothing() -> None:
    assert play("Prints").outcome is Outcome.WON


def test_a_budget_of_calls_does_not_disqualify_for_time() -> None:
    player = play("TakesSixtyMilliseconds", budget="calls:900")
    assert (player.outcome, player.action_used_max) == (Outcome.WON, 0)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at /proc")
def test_children_of_a_controller_do_not_outlive_its_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "child"
    monkeypatch.setenv("CHILD_FILE", str(file))
    play("LeavesChildren")
    child = Path("/proc") / file.read_text()
    deadline = time.monotonic() + 5
    while child.exists() and time.monotonic() < deadline:
        if "\nState:\tZ" in (child / "status").read_text():
            break
        time.sleep(0.01)
    else:
        assert not child.exists()
