"""The phases and budgets of a run (learning, 2), with players that follow a script."""

from __future__ import annotations

from pathlib import Path

import pytest

import vgdl
from tracks.learning.common import LEFT, Scripted, course, lesson
from vgdl.competition.tracks.learning.lesson import LAST_WORDS_MS
from vgdl.competition.tracks.learning.rows import DISQUALIFIED_SCORE, Ending, Phase
from vgdl.competition.tracks.learning.rules import LearningError, LearningRules, Profile, next_mark
from vgdl.competition.tracks.learning.views import Course


def test_phases_follow_the_plan(tmp_path: Path) -> None:
    player = Scripted(wishes=[7, 7, 2, 1, 1, None])  # the first two wishes fall into phase 1
    run, rows = lesson(tmp_path, player, LearningRules(rounds=10, probes=0))
    assert player.calls[0] == ("construct",)
    assert player.levels(validation=False) == [0, 1, 2, 2, 1, 1]
    assert player.levels(validation=True) == [3, 4] * 10
    assert [row.phase for row in rows] == [Phase.TRAINING] * 6 + [Phase.VALIDATION] * 20
    assert all(row.ending is Ending.WON for row in rows)
    assert run.steps == sum(row.ticks for row in rows if row.phase is Phase.TRAINING)


def test_a_level_that_does_not_exist_is_replaced_by_lot(tmp_path: Path) -> None:
    player = Scripted(wishes=[0, 0, 3, 99, -1, 4, None])
    lesson(tmp_path, player, LearningRules(probes=0))
    assert len(player.levels(validation=False)) == 7
    assert set(player.levels(validation=False)) <= {0, 1, 2}


def test_the_budget_of_steps_is_spent_to_the_last_step_and_cuts_the_play(tmp_path: Path) -> None:
    player = Scripted()
    run, rows = lesson(tmp_path, player, LearningRules(steps=10, probes=0))
    training = [row for row in rows if row.phase is Phase.TRAINING]
    assert run.steps == sum(row.ticks for row in training) == 10
    assert training[-1].ending is Ending.CUT
    assert [call for call in player.calls if call[0] == "result" and not call[2]][-1][4] is False  # not over


def test_a_budget_smaller_than_phase_1_leaves_levels_out(tmp_path: Path) -> None:
    player = Scripted()
    lesson(tmp_path, player, LearningRules(steps=2, probes=0))
    assert player.levels(validation=False) == [0]


def test_the_budget_of_time_counts_all_calls_and_leaves_a_second_for_the_end(tmp_path: Path) -> None:
    player = Scripted(used_ms=1000.0)
    rules = LearningRules(profile=Profile.TIME, seconds=6.0, probes=0, rounds=1)
    run, _ = lesson(tmp_path, player, rules)
    limits = [call[3] for call in player.calls if call[0] == "result"]
    assert run.training_ms >= 6000.0
    assert limits[0] == 2000.0  # after init and three ticks
    assert limits[1:] == [LAST_WORDS_MS] * (len(limits) - 1)


def test_long_plays_are_cut_off(tmp_path: Path) -> None:
    player = Scripted(action=vgdl.Action.NIL, wishes=[0, 0, None])
    _, rows = lesson(tmp_path, player, LearningRules(longest=7, probes=0, rounds=1))
    assert {(row.ticks, row.ending) for row in rows} == {(7, Ending.CUT)}


def test_probes_come_at_round_numbers_and_count_as_no_experience(tmp_path: Path) -> None:
    rules = LearningRules(steps=5_500, probes=3, rounds=1)
    run, rows = lesson(tmp_path, Scripted(), rules)
    probes = [row for row in rows if row.phase is Phase.PROBE]
    assert [row.steps for row in probes] == [1000] * 6 + [2000] * 6 + [5000] * 6
    assert {row.level for row in probes} == {3, 4}
    assert run.steps == 5_500


def test_the_end_of_training_is_not_probed_since_validation_shows_the_same_agent(tmp_path: Path) -> None:
    _, rows = lesson(tmp_path, Scripted(), LearningRules(steps=2_000, probes=1, rounds=1))
    assert {row.steps for row in rows if row.phase is Phase.PROBE} == {1000}
    assert {row.steps for row in rows if row.phase is Phase.VALIDATION} == {2000}


def test_marks() -> None:
    marks, steps = [], 0
    while steps < 60_000:
        marks.append(steps := next_mark(steps))
    assert marks == [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000]
    assert next_mark(1_500) == 2_000


def test_probes_do_not_change_what_follows(tmp_path: Path) -> None:
    def rows_with(probes: int) -> list[object]:
        _, rows = lesson(tmp_path, Scripted(), LearningRules(steps=3_000, probes=probes, rounds=2))
        return [row for row in rows if row.phase is not Phase.PROBE]

    assert rows_with(0) == rows_with(3)


def test_frozen_plays_are_played_by_copies(tmp_path: Path) -> None:
    player = Scripted(wishes=[0, 0, None])
    lesson(tmp_path, player, LearningRules(probes=0, rounds=3, frozen=True))
    assert player.calls.count(("fork",)) == 6


def test_a_failure_in_training_forfeits_the_validation(tmp_path: Path) -> None:
    run, rows = lesson(tmp_path, Scripted(fails_at=5), LearningRules(probes=0, rounds=2))
    assert run.failure is not None
    assert run.failure.cause == "it was told to"
    assert [(row.phase, row.ending) for row in rows[1:]] == [
        (Phase.TRAINING, Ending.DISQUALIFIED),
        *[(Phase.VALIDATION, Ending.DISQUALIFIED)] * 4,
    ]
    assert {row.score for row in rows[1:]} == {DISQUALIFIED_SCORE}


def test_a_failure_in_validation_keeps_the_plays_before_it(tmp_path: Path) -> None:
    player = Scripted(wishes=[0, 0, None], fails_at=7 + 4 + 1)
    _, rows = lesson(tmp_path, player, LearningRules(probes=0, rounds=2))
    validation = [row for row in rows if row.phase is Phase.VALIDATION]
    assert [row.ending for row in validation] == [Ending.WON, *[Ending.DISQUALIFIED] * 3]
    assert [row.number for row in validation] == [0, 1, 2, 3]


def test_plays_that_are_given_up_are_lost(tmp_path: Path) -> None:
    player = Scripted(action=vgdl.Action.ESCAPE, wishes=[0, 0, None])
    _, rows = lesson(tmp_path, player, LearningRules(probes=0, rounds=1))
    assert {(row.ticks, row.ending) for row in rows} == {(0, Ending.LOST)}


def test_random_events_do_not_depend_on_the_agent(tmp_path: Path) -> None:
    first, second = (Scripted(action=LEFT, wishes=[0, 0, None]) for _ in range(2))
    second.can_fork = False
    results = [lesson(tmp_path, player, LearningRules(probes=0))[1] for player in (first, second)]
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"training": (0, 1), "validation": (1, 2)}, "listed once"),
        ({"steps": 0}, "steps"),
        ({"rounds": 0}, "validation plays"),
        ({"action_ms": 60.0}, "disqualifies"),
        ({"validation": ()}, "at least one"),
        ({"seconds": float("inf")}, "finite"),
    ],
)
def test_contradictory_rules_are_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(LearningError, match=words):
        LearningRules(**settings)  # type: ignore[arg-type]


def test_games_for_two_are_refused() -> None:
    (name, *_) = vgdl.games.names("two_player")
    with pytest.raises(LearningError, match="for 2 players"):
        Course.of(vgdl.load(name), LearningRules())


def test_levels_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    with pytest.raises(vgdl.VGDLError, match="no level 9"):
        course(tmp_path, LearningRules(validation=(3, 9)))
