"""Learners in isolated processes: what they get, what they do not get, and what becomes of those that fail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tracks.learning.processes import CHEATS, PATIENT, run, run_here, sandbox
from vgdl.competition.agents.failure import Cause
from vgdl.competition.tracks.learning.rows import Ending, Phase
from vgdl.competition.tracks.learning.rules import LearningRules
from vgdl.competition.tracks.planning.rules import Overtime

SHORT = LearningRules(steps=30, rounds=1, probes=0, longest=20, **PATIENT)


def cheat(name: str) -> str:
    return f"{CHEATS}:{name}"


def test_nothing_of_the_game_is_in_the_agents_process(tmp_path: Path) -> None:
    if sandbox(cheat("Prober"), SHORT).level.is_weak:
        pytest.skip("files are not protected here")
    lesson, rows = run(cheat("Prober"), tmp_path, SHORT)
    assert lesson.failure is None, lesson.failure
    assert rows


def test_the_prober_finds_what_is_there(tmp_path: Path) -> None:
    lesson, _ = run_here(cheat("Prober"), tmp_path, SHORT)
    assert lesson.failure is not None


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("name", "cause", "words"),
    [
        ("Raises", Cause.EXCEPTION, "oops"),
        ("Exits", Cause.EXITED, "exit status 0"),
        ("Nonsense", Cause.EXCEPTION, "is not an Action"),
        ("WrongForm", Cause.NONSENSE, "no observation mode 'grids'"),
        ("WideView", Cause.NONSENSE, "0 to 200 cells"),
    ],
)
def test_a_failure_is_a_result(tmp_path: Path, name: str, cause: str, words: str) -> None:
    lesson, rows = run(cheat(name), tmp_path, SHORT)
    assert lesson.failure is not None
    assert lesson.failure.cause == cause
    assert words in lesson.failure.details
    assert "\x1b" not in lesson.failure.details
    assert [row.ending for row in rows if row.phase is Phase.VALIDATION] == [Ending.DISQUALIFIED] * 2


def test_slow_agents_are_disqualified(tmp_path: Path) -> None:
    lesson, _ = run(cheat("Dawdles"), tmp_path, replace(SHORT, action_ms=40.0, disqualification_ms=50.0))
    assert lesson.failure is not None
    assert lesson.failure.cause == Overtime.ACTION


@pytest.mark.costly
def test_late_answers_are_replaced_by_nil(tmp_path: Path) -> None:
    lesson, rows = run(cheat("Dawdles"), tmp_path, replace(SHORT, steps=4, longest=2, action_ms=40.0))
    assert lesson.failure is None
    assert lesson.late == sum(row.ticks for row in rows)
    assert {row.ending for row in rows} == {Ending.CUT}  # it wanted to go right, and stood still


def test_frozen_agents_do_not_learn_from_one_validation_play_for_the_next(tmp_path: Path) -> None:
    rules = replace(SHORT, rounds=2)
    frozen = [row.ending for row in run(cheat("Remembers"), tmp_path, replace(rules, frozen=True))[1]][-4:]
    free = [row.ending for row in run(cheat("Remembers"), tmp_path, rules)[1]][-4:]
    assert frozen == [Ending.WON] * 4
    assert free[0] is Ending.WON
    assert Ending.WON not in free[1:]


@pytest.mark.costly
@pytest.mark.parametrize("name", ["random", "qlearning", "explorer"])
def test_a_seed_determines_a_run_and_the_process_makes_no_difference(tmp_path: Path, name: str) -> None:
    rules = LearningRules(steps=1_200, rounds=1, probes=1, longest=40, **PATIENT)
    first, again, here = run(name, tmp_path, rules), run(name, tmp_path, rules), run_here(name, tmp_path, rules)
    assert first[0].failure is None
    assert first[1] == again[1] == here[1]
    assert first[1] != run_here(name, tmp_path, rules, seed=4)[1]


@pytest.mark.costly
@pytest.mark.parametrize("name", ["qlearning", "explorer"])
def test_probes_leave_no_trace(tmp_path: Path, name: str) -> None:
    rules = LearningRules(steps=1_500, rounds=1, longest=40, **PATIENT)
    runs = [run(name, tmp_path, replace(rules, probes=probes))[1] for probes in (0, 2)]
    assert runs[0] == [row for row in runs[1] if row.phase is not Phase.PROBE]
    assert len(runs[1]) > len(runs[0])


def test_qlearning_learns_the_corridor(tmp_path: Path) -> None:
    _, rows = run_here("qlearning", tmp_path, LearningRules(steps=6_000, probes=0, longest=60))
    training = [row for row in rows if row.phase is Phase.TRAINING]
    early, late = training[:40], training[-40:]
    assert sum(row.is_won for row in late) > sum(row.is_won for row in early)
