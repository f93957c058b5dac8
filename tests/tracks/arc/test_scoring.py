"""RHAE (arc, 7): every worked number of the specification."""

from __future__ import annotations

import pytest

from vgdl.competition.tracks.arc.baselines import FEWEST_PEOPLE, Source, of_people
from vgdl.competition.tracks.arc.scoring import Scoring, game_score, human_baseline, level_score, total

LS20 = (29, 41, 172, 49, 53, 62, 82)
FT09 = (15, 7, 15, 16, 21, 17)
WORKED = [
    ((10, 10), (20, 5), 0.75, 0.75, 0.85),
    ((10, 10), (20,), 0.25, 0.083333, 0.083333),
    ((10, 10), (60, 10), 0.583333, 0.666667, 0.675926),
    (LS20, (100, 41, 86), 0.327143, 0.181575, 0.197646),
    (LS20, (20, 30, 86), 0.428571, 0.214286, 0.214286),
    (FT09, (15, 14, 15, 8, 21, 17), 0.916667, 0.928571, 0.957143),
]


@pytest.mark.parametrize(("baselines", "actions", "seed", "march", "april"), WORKED)
def test_the_worked_examples(
    baselines: tuple[int, ...], actions: tuple[int, ...], seed: float, march: float, april: float
) -> None:
    for scoring, expected in ((Scoring.SEED, seed), (Scoring.MARCH, march), (Scoring.APRIL, april)):
        assert game_score(scoring, baselines, actions).game == pytest.approx(expected, abs=1e-6)


def test_four_of_five_levels_score_at_most_ten_fifteenths() -> None:
    assert game_score(Scoring.APRIL, [10] * 5, [1] * 4).game == pytest.approx(10 / 15)


@pytest.mark.parametrize("scoring", Scoring)
def test_a_level_completed_without_actions_scores_nothing(scoring: Scoring) -> None:
    assert level_score(scoring, 10, 0) == 0


@pytest.mark.parametrize(("actions", "expected"), [(50, 0.04), (51, 0)])
def test_in_march_more_than_five_times_the_baseline_scores_nothing(actions: int, expected: float) -> None:
    assert level_score(Scoring.MARCH, 10, actions) == pytest.approx(expected)


def test_the_card_of_the_official_server() -> None:
    """Baselines 2 and 2; a run of 3 and no second level (arc, 4.2)."""
    scored = game_score(Scoring.APRIL, [2, 2], [3])
    assert [round(100 * level, 2) for level in scored.levels] == [44.44, 0]
    assert round(100 * scored.game, 2) == 14.81
    perfect = game_score(Scoring.APRIL, [2, 2], [2, 2])
    assert (perfect.game, perfect.levels) == (1, (1, 1))


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        level_score(Scoring.SEED, 0, 5)
    with pytest.raises(ValueError, match="3 completed levels of 2"):
        game_score(Scoring.SEED, [1, 1], [1, 1, 1])


def test_the_total_is_the_mean_over_games() -> None:
    assert total([1.0, 0.5]) == 0.75
    assert total([]) == 0


@pytest.mark.parametrize(
    ("scoring", "plays", "expected"),
    [
        (Scoring.SEED, [30, 10, 20, 40], 20),  # the second-best
        (Scoring.APRIL, [30, 10, 20, 40], 30),  # the upper median of four is the third
        (Scoring.APRIL, [50, 30, 10, 20, 40], 30),  # of five, too
        (Scoring.MARCH, [10], None),
        (Scoring.APRIL, [], None),
    ],
)
def test_a_human_baseline_is_the_second_best_or_the_upper_median(
    scoring: Scoring, plays: list[int], expected: int | None
) -> None:
    assert human_baseline(scoring, plays) == expected


def test_a_game_has_human_baselines_once_four_people_have_played_it() -> None:
    plays = [("v1", (10, 30)), ("v1", (20, 50)), ("v1", (30,)), ("v1", (40, 40))]
    assert of_people(Scoring.APRIL, plays).levels == {"v1": (30, 40)}
    assert of_people(Scoring.SEED, plays).levels == {"v1": (20, 40)}
    assert of_people(Scoring.SEED, plays[: FEWEST_PEOPLE - 1]).levels == {}
    assert of_people(Scoring.SEED, plays).source is Source.HUMAN
