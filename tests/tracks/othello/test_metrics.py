"""The metrics, by the worked numbers of the specification (section 12)."""

from __future__ import annotations

import pytest

from vgdl.competition.tracks.othello.metrics import (
    Metrics,
    Weights,
    adaptation,
    efficiency,
    generalisation,
    performance,
    robustness,
)


def test_a_tie_counts_as_half_a_win() -> None:
    assert performance(wins=4, draws=1, games=6) == 0.75
    assert performance(0, 0, 0) == 0


def test_efficiency_counts_both_unused_shares_equally() -> None:
    assert efficiency(45, [2.5, 2.5]) == 0.5
    assert efficiency(70, [12.0]) == 0, "shares are never negative"
    assert efficiency(None, [1.0]) == 0, "without a strategy"
    assert efficiency(1, [0.5], analysis_limit_s=2, game_limit_s=1) == 0.5


def test_generalisation_punishes_a_drop_only() -> None:
    assert generalisation([0.8], [0.6]) == pytest.approx(0.75)
    assert generalisation([0.6], [0.8]) == 1
    assert generalisation([0.0, 0.0], [0.5]) == 0
    assert generalisation([], [0.5]) is None


def test_robustness_is_the_mean_of_the_worst_quarter() -> None:
    assert robustness([0.9, 0.8, 0.6, 0.5, 0.2]) == pytest.approx(0.35)
    assert robustness([0.9]) == 0.9
    assert robustness([]) is None


def test_adaptation_counts_budgets_equally() -> None:
    assert adaptation([0.2, 0.4, 0.6, 0.8]) == 0.5
    assert adaptation([]) == 0


def test_the_composite_of_the_worked_example() -> None:
    metrics = Metrics(performance=0.6, adaptation=0.55, efficiency=0.5, generalisation=0.75, robustness=0.35)
    assert metrics.score(Weights()) == pytest.approx(0.57)


def test_weights_are_parameters_and_an_unknown_metric_counts_only_if_it_has_one() -> None:
    metrics = Metrics(performance=0.6, adaptation=0.5, efficiency=0.5, generalisation=None, robustness=None)
    assert metrics.score(Weights()) is None
    assert metrics.score(Weights.parse("1,0,0,0,0")) == 0.6


@pytest.mark.parametrize("text", ["", "1,2,3", "a,b,c,d,e", "1,1,1,1,-1", "0,0,0,0,0", "nan,1,1,1,1"])
def test_invalid_weights_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="five numbers"):
        Weights.parse(text)
