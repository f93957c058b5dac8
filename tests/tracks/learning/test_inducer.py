"""The agent that learns rules: it wins by rules of its own, and one seed has one outcome."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracks.learning.processes import PATIENT, run, run_here
from vgdl.competition.tracks.learning.agents import inducer
from vgdl.competition.tracks.learning.rows import Phase
from vgdl.competition.tracks.learning.rules import LearningRules

pytestmark = pytest.mark.costly

TIMES = {**PATIENT, "action_ms": 1000.0}  # more than its calls take
SHORT = LearningRules(steps=150, rounds=1, probes=0, longest=40, **TIMES)


def test_it_wins_by_the_rules_that_it_has_learnt(tmp_path: Path) -> None:
    lesson, rows = run("inducer", tmp_path, SHORT)
    assert lesson.failure is None, lesson.failure
    assert [row.is_won for row in rows if row.phase is Phase.VALIDATION] == [True, True]


def test_a_seed_determines_all_plays(tmp_path: Path) -> None:
    one, other = (run_here("inducer", tmp_path, SHORT)[1] for _ in range(2))
    assert one == other
    assert {row.phase for row in one} == {Phase.TRAINING, Phase.VALIDATION}
    assert sum(row.ticks for row in one if row.phase is Phase.TRAINING) <= 150


def test_it_ends_its_training_when_it_has_seen_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inducer, "MOST", 100)
    _, rows = run_here("inducer", tmp_path, SHORT)
    trained = [row for row in rows if row.phase is Phase.TRAINING]
    assert {row.level for row in trained} == {0, 1, 2}
    assert 100 <= sum(row.ticks for row in trained) < 140


def test_probes_are_plays_of_copies(tmp_path: Path) -> None:
    lesson, rows = run_here("inducer", tmp_path, LearningRules(steps=1_010, rounds=1, probes=1, longest=40, **TIMES))
    assert lesson.failure is None, lesson.failure
    assert any(row.phase is Phase.PROBE for row in rows)
