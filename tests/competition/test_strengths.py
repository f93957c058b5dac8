"""Strengths: what they are, that their intervals hold, and that the order of plays does not matter."""

from __future__ import annotations

import random

import numpy as np
import pytest

from vgdl.competition import strengths as module
from vgdl.competition.strengths import ELO, PRIOR, Floats, estimate, fit
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayResult
from vgdl.competition.tracks.planning.strengths import comparisons, strengths

PLAYERS, LEVELS, PLAYS = 8, 40, 2


def league(generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Strengths that are known, and the wins that a Bradley–Terry model draws from them."""
    known = generator.normal(0, 0.7, PLAYERS)
    known -= known.mean()
    one, other = np.triu_indices(PLAYERS, 1)
    won = generator.binomial(PLAYS, 1 / (1 + np.exp(known[other] - known[one])), size=(LEVELS, len(one)))
    wins = np.zeros((LEVELS, PLAYERS, PLAYERS))
    wins[:, one, other], wins[:, other, one] = won, PLAYS - won
    return known * ELO, wins


def coverage(leagues: int) -> tuple[float, float]:
    """How often intervals hold the known strengths, and rank sets the known ranks."""
    generator = np.random.default_rng(25)
    held, ranked = [], []
    for _ in range(leagues):
        known, wins = league(generator)
        found = estimate(wins, samples=200)
        held.append((found.low <= known) & (known <= found.high))
        ranks = 1 + (known[None, :] > known[:, None]).sum(axis=1)
        ranked.append((found.best_rank <= ranks) & (ranks <= found.worst_rank))
    return float(np.mean(held)), float(np.mean(ranked))


def test_known_strengths_are_within_the_interval_of_simulated_leagues() -> None:
    held, ranked = coverage(60)
    assert 0.92 <= held <= 0.98  # 480 intervals: three standard errors around 0.95
    assert ranked >= 0.95


@pytest.mark.everything
def test_known_strengths_are_recovered_in_93_to_97_percent_of_1000_leagues() -> None:
    held, ranked = coverage(1000)
    assert 0.93 <= held <= 0.97
    assert ranked >= 0.95


def play(game: str, level: int, repeat: int, *players: tuple[str, Outcome, float], ticks: int = 10) -> PlayResult:
    return PlayResult(game, level, repeat, 0, "", ticks, tuple(PlayerResult(*player) for player in players))


def plays() -> list[PlayResult]:
    generator = random.Random(3)
    return [
        play(
            game,
            level,
            repeat,
            (name, Outcome.WON if generator.random() < skill else Outcome.LOST, generator.randrange(3)),
        )
        for game in ("a", "b")
        for level in range(4)
        for repeat in range(2)
        for name, skill in (("low", 0.2), ("middle", 0.5), ("high", 0.9))
    ]


def test_any_order_of_plays_gives_the_same_table_to_the_last_bit() -> None:
    ordered = plays()
    first = strengths(ordered)
    assert [row.controller for row in first] == ["high", "middle", "low"]
    for seed in range(5):
        shuffled = list(ordered)
        random.Random(seed).shuffle(shuffled)
        assert strengths(shuffled) == first


@pytest.mark.costly
def test_the_fit_is_that_of_a_library() -> None:
    choix = pytest.importorskip("choix")
    _, wins = league(np.random.default_rng(1))
    table = wins.sum(axis=0)
    tied = table + PRIOR / 2 * (1 - np.eye(PLAYERS))  # ties that each pair is taken to have had
    expected = choix.ilsr_pairwise_dense(tied, max_iter=1000, tol=1e-12)
    assert fit(table[None])[0] == pytest.approx(expected - expected.mean(), abs=1e-5)


def test_who_won_comes_before_the_score_and_the_time_counts_for_winners_only() -> None:
    won, lost = Outcome.WON, Outcome.LOST
    alone = [
        play("g", 0, 0, ("quick", won, 1.0), ticks=5),
        play("g", 0, 0, ("slow", won, 1.0), ticks=9),
        play("g", 0, 0, ("rich", lost, 99.0), ticks=1),
        play("g", 0, 0, ("poor", lost, 0.0), ticks=1),
        play("g", 0, 0, ("late", lost, 0.0), ticks=7),
    ]
    compared = comparisons(alone)
    score = dict(zip(compared.names, compared.won.sum(axis=0), strict=True))
    assert score == {"quick": 4, "slow": 3, "rich": 2, "poor": 0.5, "late": 0.5}


def test_one_who_has_won_everything_has_a_finite_strength_and_the_first_rank() -> None:
    always = [
        one
        for level in range(10)
        for one in (
            play("g", level, 0, ("best", Outcome.WON, 1.0)),
            play("g", level, 0, ("worst", Outcome.LOST, 0.0)),
        )
    ]
    best, worst = strengths(always)
    assert (best.controller, best.best_rank, best.worst_rank) == ("best", 1, 1)
    assert 200 < best.points < 2000
    assert best.points == pytest.approx(-worst.points)
    assert best.low <= best.points <= best.high


def test_one_level_says_nothing_about_others_and_one_controller_nothing_at_all() -> None:
    pair = [play("g", 0, 0, ("a", Outcome.WON, 1.0)), play("g", 0, 0, ("b", Outcome.LOST, 0.0))]
    assert [(row.best_rank, row.worst_rank, row.high) for row in strengths(pair)] == [(1, 2, float("inf"))] * 2
    assert strengths(pair[:1]) == []


def test_many_controllers_are_fitted_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = strengths(plays())
    monkeypatch.setattr(module, "MANY", 2)
    quick = strengths(plays())
    monkeypatch.setattr(module, "_CHORDS", 1)  # no sample has converged by then
    for found in (quick, strengths(plays())):
        for row, expected in zip(found, exact, strict=True):
            assert (row.controller, row.best_rank) == (expected.controller, expected.best_rank)
            assert (row.points, row.low, row.high) == pytest.approx(
                (expected.points, expected.low, expected.high), abs=1e-3
            )


def test_several_plays_of_a_level_and_repeat_count_as_one_comparison() -> None:
    won, lost = Outcome.WON, Outcome.LOST
    compared = comparisons(
        [play("g", 0, 0, ("a", won, 0.0)), play("g", 0, 0, ("a", lost, 0.0)), play("g", 0, 0, ("b", lost, 0.0))]
    )
    assert compared.won.tolist() == [[0.75, 0.25]]
    assert compared.games(np.ones(1)).tolist() == [[0.0, 1.0], [1.0, 0.0]]
