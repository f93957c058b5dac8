"""What is measured (learning, 4): areas, intervals, first wins, curves; by hand-made plays."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from vgdl.competition.tracks.learning.measures import (
    Baseline,
    area,
    area_values,
    bootstrap,
    curve,
    final_values,
    first_wins,
    interquartile_mean,
    training_curve,
)
from vgdl.competition.tracks.learning.rows import Ending, Phase, PlayRow
from vgdl.competition.tracks.learning.scales import bundled, scales

SCALE = {("game", 3): Baseline(0.0, 10.0), ("game", 4): Baseline(2.0, 4.0)}


def play(**changes: object) -> PlayRow:
    row = PlayRow("agent", "game", 0, Phase.VALIDATION, 0, 3, 1000, 10, Ending.LOST, 5.0, 0, 0.0)
    return replace(row, **changes)  # type: ignore[arg-type]


def test_interquartile_mean_leaves_out_a_quarter_at_each_end() -> None:
    assert interquartile_mean([100.0, 2.0, 4.0, -50.0]) == 3.0
    assert interquartile_mean([7.0]) == 7.0
    assert interquartile_mean([0.0, 1.0, 2.0, 3.0, 100.0]) == 2.0  # one at each end
    assert interquartile_mean([float(n) for n in range(8)]) == 3.5


def test_the_area_is_that_over_the_logarithm() -> None:
    assert area([(1_000, 0.0), (10_000, 1.0), (100_000, 1.0)], 100_000) == pytest.approx(0.75)
    assert area([(1_000, 0.0), (10_000, 1.0)], 100_000) == pytest.approx(0.75)  # level beyond the last point
    assert area([(1_000, 0.2), (10_000, 0.4), (100_000, 9.0)], 10_000) == pytest.approx(0.3)
    assert area([(2_000, 0.5)], 2_000) == 0.5
    assert area([], 1_000) is None


def test_values_are_on_the_scale_of_each_level() -> None:
    plays = [play(score=5.0), play(score=10.0), play(level=4, score=3.0), play(level=5, score=99.0)]
    assert final_values(plays, SCALE) == {("game", 3): [0.75], ("game", 4): [0.5]}


def test_a_play_of_a_disqualified_agent_counts_as_a_random_one() -> None:
    plays = [play(level=4, score=-1000.0, ending=Ending.DISQUALIFIED), play(level=4, score=4.0)]
    assert final_values(plays, SCALE) == {("game", 4): [0.5]}


def test_levels_on_which_the_planner_is_no_better_have_no_scale() -> None:
    assert final_values([play()], {("game", 3): Baseline(4.0, 4.0)}) == {}


def test_curves_join_probes_and_validation() -> None:
    plays = [
        play(phase=Phase.PROBE, steps=1000, score=0.0),
        play(phase=Phase.PROBE, steps=1000, score=4.0, ending=Ending.WON),
        play(phase=Phase.PROBE, steps=2000, score=6.0),
        play(phase=Phase.TRAINING, steps=0, score=50.0),
        play(steps=5000, score=10.0, ending=Ending.WON),
    ]
    points = curve(plays, SCALE)
    assert [(p.steps, p.plays, p.victories, p.score, p.normalised) for p in points] == [
        (1000, 2, 0.5, 2.0, 0.2),
        (2000, 1, 0.0, 6.0, 0.6),
        (5000, 1, 1.0, 10.0, 1.0),
    ]
    (value,) = area_values(plays, SCALE, 5000)["game", 3]
    expected = (0.4 * math.log10(2) + 0.8 * math.log10(2.5)) / math.log10(5)
    assert value == pytest.approx(expected)


def test_training_curves_are_in_bins_of_experience() -> None:
    plays = [play(phase=Phase.TRAINING, steps=10 * n, score=float(n)) for n in range(100)]
    points = training_curve(plays, bins=10)
    assert len(points) == 10
    assert points[0].score == 4.5
    assert sum(point.plays for point in points) == 100
    assert training_curve([]) == []


def test_steps_to_the_first_win() -> None:
    training = {"phase": Phase.TRAINING, "level": 0}
    plays = [
        play(**training, steps=0, ticks=10),
        play(**training, steps=10, ticks=5, ending=Ending.WON),
        play(**training, steps=90, ticks=5, ending=Ending.WON),
        play(**training, repeat=1, steps=100, ticks=20, ending=Ending.WON),
        play(**training, repeat=2),
        play(phase=Phase.TRAINING, level=1),
    ]
    first, second = first_wins(plays)
    assert (first.level, first.runs, first.won, first.steps) == (0, 3, 2, (15 + 120) / 2)
    assert (second.level, second.runs, second.won, second.steps) == (1, 1, 0, None)


def test_intervals_contain_the_value_and_shrink_with_more_levels() -> None:
    few = {("game", level): [float(level % 2)] for level in range(4)}
    many = {("game", level): [float(level % 2)] for level in range(400)}
    widths = []
    for values in (few, many):
        found = bootstrap(dict(values), resamples=300)
        assert found.low <= found.value <= found.high
        widths.append(found.high - found.low)
    assert widths[1] < widths[0]
    assert bootstrap(dict(few), resamples=100) == bootstrap(dict(few), resamples=100)
    same = bootstrap({("game", 0): [2.0, 2.0]}, resamples=10)
    assert (same.value, same.low, same.high) == (2.0, 2.0, 2.0)


def test_scales_come_from_the_competition_or_from_the_bundled_plays() -> None:
    (game, level, digest), known = next(iter(bundled().items()))
    assert len(bundled()) == 150
    digests = {(game, level): digest + "0" * 48, ("unseen", 3): "f" * 64}
    assert scales([], digests) == {(game, level): known}
    plays = [
        play(agent="random", game="unseen", score=1.0),
        play(agent="random", game="unseen", score=3.0),
        play(agent="Champion", game="unseen", phase=Phase.PLANNER, score=8.0),
    ]
    assert scales(plays, digests, "Champion")["unseen", 3] == Baseline(2.0, 8.0)
    assert ("unseen", 3) not in scales(plays[:2], digests, "Champion")
    changed = {(game, level): "0" * 64}
    assert scales([], changed) == {}
