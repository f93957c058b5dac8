"""Scores as the specification works them out (6), and the published table."""

from __future__ import annotations

import pytest

from vgdl.competition.tracks.gamebot.published import published
from vgdl.competition.tracks.gamebot.scores import Asked, Options, Score, Seat, intervals, scale, tabulate
from vgdl.competition.tracks.gamebot.tasks import TASKS
from vgdl.competition.tracks.gamebot.verdicts import Metric, Tally, Verdict, f1, mean

METRICS = {("tic_tac_toe", 1): Metric.F1, ("tic_tac_toe", 2): Metric.F1, ("holdem", 1): Metric.ACCURACY}


def seat(
    model: str, value: float, *, game: str = "tic_tac_toe", match: int = 0, moves: int = 4, replaced: int = 0
) -> Seat:
    return Seat(match, model, "other", game, 0, value, moves, replaced, 0)


def test_f1_counts_a_mismatch_twice() -> None:
    assert f1(6, 1, 2, 1) == pytest.approx(12 / 17)
    assert round(12 / 17, 4) == 0.7059
    assert f1(0, 0, 0, 0) is None


def test_true_negatives_alone_have_no_value() -> None:
    tally = Tally(Metric.F1)
    tally.add(Verdict.TRUE_NEGATIVE)
    assert tally.value is None
    assert tally.n_questions == 1


def test_outcomes_of_won_and_lost_games() -> None:
    values = [1.0] * 12 + [-1.0] * 5 + [0.0] * 3
    table = tabulate([seat("a", value) for value in values], TASKS, METRICS)
    assert table.scores[0].outcomes == {"tic_tac_toe": 0.35}


def test_values_are_scaled_by_the_field() -> None:
    assert scale([20, -5, -15]) == 40
    assert scale([-5, -15]) == 30
    assert scale([0.0]) == 1.0
    seats = [seat(name, value, game="holdem") for name, value in (("a", 20.0), ("b", -5.0), ("c", -15.0))]
    table = tabulate(seats, TASKS, METRICS)
    assert table.alphas == {"holdem": 40}
    assert [score.outcomes["holdem"] for score in table.scores] == [0.5, -0.125, -0.375]
    fixed = tabulate(seats, TASKS, METRICS, Options(alpha=100.0))
    assert [score.outcomes["holdem"] for score in fixed.scores] == [0.2, -0.05, -0.15]


def test_the_score_of_the_best_published_model() -> None:
    games = list(TASKS)
    s = dict(zip(games, (0.35, 0.45, 0.62, 0.27, 0.34, 0.45, 0.50, 0.35), strict=True))
    i = dict(zip(games, (0.44, 0.92, 0.43, 0.27, 0.61, 0.18, 0.85, 0.44), strict=True))
    score = Score("GPT-4o", s, i)
    assert (score.outcome, score.intermediate) == (pytest.approx(0.41625), pytest.approx(0.5175))  # type: ignore[comparison-overlap]
    assert score.score == pytest.approx(0.466875)


def test_the_published_table_is_whole() -> None:
    rows = published()
    assert len(rows) == 18
    assert (rows[0].model, rows[0].score, rows[-1].model, rows[-1].score) == ("GPT-4o", 0.47, "Random", None)
    for row in rows:
        printed = [-0.5 if value is None else value for value in row.outcomes.values()]
        assert row.outcome == pytest.approx(sum(printed) / 8, abs=0.02)
        if row.intermediate is not None:
            assert row.intermediate == pytest.approx(mean(row.intermediates.values()), abs=0.02)


def test_a_model_that_seldom_moves_validly_has_no_outcome() -> None:
    table = tabulate([seat("a", 1.0, replaced=3), seat("b", 1.0, replaced=2)], TASKS, METRICS)
    assert {score.model: score.outcomes["tic_tac_toe"] for score in table.scores} == {"a": -0.5, "b": 1.0}


def test_unreadable_answers_can_be_left_out() -> None:
    answers = (Asked(1, Verdict.TRUE_POSITIVE, True), Asked(1, Verdict.FALSE_NEGATIVE, False))
    seats = [Seat(0, "a", "b", "tic_tac_toe", 0, 1.0, 2, 0, 0, answers)]
    assert tabulate(seats, TASKS, METRICS).scores[0].intermediates["tic_tac_toe"] == pytest.approx(2 / 3)
    assert (
        tabulate(seats, TASKS, METRICS, Options(ignore_format_errors=True)).scores[0].intermediates["tic_tac_toe"]
        == 1.0
    )


def test_intervals_hold_the_value_and_shrink_with_more_matches() -> None:
    def width(matches: int) -> float:
        seats = [seat("a", 1.0 if number % 3 else -1.0, match=number) for number in range(matches)]
        low, high = intervals(seats, TASKS, METRICS, resamples=300)["a"]["S"]
        value = tabulate(seats, TASKS, METRICS).scores[0].outcome
        assert value is not None
        assert low <= value <= high
        return high - low

    assert width(200) < width(20)


def test_players_without_answers_come_after_those_with_a_score() -> None:
    answers = (Asked(1, Verdict.TRUE_POSITIVE, True),)
    seats = [seat("search", 1.0), Seat(0, "model", "search", "tic_tac_toe", 1, -1.0, 3, 0, 0, answers)]
    assert [score.model for score in tabulate(seats, TASKS, METRICS).scores] == ["model", "search"]
