"""Strengths with their uncertainty: the Bradley–Terry model, confidence intervals, and rank sets.

Players are compared pair by pair, for instance on each level; a win counts 1, a tie one half for each. The model gives
each controller a strength such that the odds of i against j are exp(strength_i − strength_j); it is fitted by Newton's
method, for many bootstrap samples at once, where libraries fit them one by one. With many controllers, the samples are
fitted with the curvature at the estimate, near which they are.

Plays of one level are not independent of each other, so the bootstrap draws whole levels (a cluster bootstrap).
Intervals are the basic ones, which mirror the quantiles of the bootstrap at the estimate: the fit overstates
differences, and in the bootstrap once more, which the mirror takes back. They are widened for a small number of levels
n by t(n−1)·√(n/(n−1)) over the normal quantile (Cameron and Miller, "A practitioner's guide to cluster-robust
inference", 2015). A rank set holds all ranks that a controller may have, at 95 %, from the simultaneous intervals of
its differences to all others (Mogstad, Romano, Shaikh and Wilhelm, "Inference for ranks", Review of Economic Studies
2024).

Comparisons are counted and the bootstrap has a fixed seed, so results do not depend on the order of plays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

ELO = 400 / math.log(10)
"""Elo points per unit of strength, so that 400 points are odds of 10 to 1."""

SAMPLES = 400
"""Number of bootstrap samples."""

PRIOR = 0.1
"""Ties assumed for each pair beforehand: they keep the strength of a controller that always wins finite."""

_SEED = 2014
_LEVEL = 0.95
_STEPS = 100
_TOLERANCE = 1e-9

MANY = 100
"""Number of controllers from which bootstrap samples are fitted with the curvature of the estimate."""

_CHORDS = 60
_CHORD_TOLERANCE = 1e-6
_BATCH = 4_000_000
"""Number of pairs in the tables that are fitted at once."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Arrays with a value per controller; strengths in Elo points."""

    points: Floats
    low: Floats
    high: Floats
    best_rank: npt.NDArray[np.int64]
    worst_rank: npt.NDArray[np.int64]


def estimate(wins: Floats, samples: int = SAMPLES, seed: int = _SEED) -> Estimate:
    """Strengths, intervals and rank sets.

    Args:
        wins: of the shape (levels, controllers, controllers): how often the controller of the row was better than that
            of the column.
        samples: number of bootstrap samples.
        seed: for the bootstrap.
    """
    met = wins + wins.transpose(0, 2, 1)
    return estimate_counts(wins.sum(axis=2), lambda weights: np.tensordot(weights, met, axes=1), samples, seed)


def estimate_counts(
    won: Floats, games: Callable[[Floats], Floats], samples: int = SAMPLES, seed: int = _SEED
) -> Estimate:
    """Strengths, intervals and rank sets, where a table of all pairs for each level would be too large.

    Args:
        won: of the shape (levels, controllers): comparisons won.
        games: how often each pair was compared if each level counts with a weight.
        samples: number of bootstrap samples.
        seed: for the bootstrap.
    """
    levels, players = won.shape
    all_games = games(np.ones(levels))
    odds = _fit(won.sum(axis=0)[None], all_games[None])
    points = odds[0] * ELO
    if levels < 2:  # one level says nothing about others
        unknown = np.full(players, math.inf)
        ranks = np.ones(players, dtype=np.int64)
        return Estimate(points, -unknown, unknown, ranks, ranks * players)
    drawn = np.random.default_rng(seed).multinomial(levels, np.full(levels, 1 / levels), size=samples).astype(float)
    inverse = None
    if players >= MANY:
        chance = _chances(odds)
        inverse = np.linalg.inv(_curve(_with_prior(all_games[None]), chance))[0]
    fitted = np.empty((samples, players))
    at_a_time = max(1, _BATCH // players**2)
    for begin in range(0, samples, at_a_time):
        part = slice(begin, begin + at_a_time)
        tables = np.stack([games(weights) for weights in drawn[part]])
        fitted[part] = _fit(drawn[part] @ won, tables, odds, inverse)
    deviations = fitted * ELO - points
    widening = _widening(levels)
    below, above = np.quantile(deviations, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2], axis=0) * widening
    best, worst = _rank_sets(points, deviations * widening)
    low, high = np.minimum(points - above, points), np.maximum(points - below, points)
    return Estimate(points, low, high, best, worst)


def fit(wins: Floats) -> Floats:
    """Bradley–Terry strengths with mean 0 of several tables at once, as natural logarithms of odds.

    Args:
        wins: of the shape (tables, players, players).

    Returns:
        An array of the shape (tables, players).
    """
    return _fit(wins.sum(axis=2), wins + wins.transpose(0, 2, 1))


def _fit(won: Floats, games: Floats, start: Floats | None = None, inverse: Floats | None = None) -> Floats:
    """Fit tables by Newton's method.

    Args:
        won: comparisons won, of the shape (tables, players).
        games: comparisons of each pair, of the shape (tables, players, players).
        start: strengths to start from.
        inverse: the inverse of the curvature near the solutions, which saves one linear system per table and step; a
            table for which this does not converge is fitted without it.
    """
    won, games = won + PRIOR / 2 * (won.shape[1] - 1), _with_prior(games)
    begin: Floats = np.zeros(won.shape) if start is None else np.repeat(start, len(won), axis=0)
    found = None if inverse is None else _iterated(won, games, begin, inverse)
    if found is None:
        found = _iterated(won, games, begin)
        assert found is not None
    centred: Floats = found - found.mean(axis=1, keepdims=True)
    return centred


def _iterated(won: Floats, games: Floats, strengths: Floats, inverse: Floats | None = None) -> Floats | None:
    """Take Newton's steps; with the inverse of a fixed curvature, returns None if they do not converge."""
    for _ in range(_STEPS if inverse is None else _CHORDS):
        chance = _chances(strengths)
        slope = won - np.einsum("tij,tij->ti", games, chance)
        if inverse is None:
            step = np.linalg.solve(_curve(games, chance), slope[:, :, None])[:, :, 0].clip(-1, 1)
        else:
            step = (slope @ inverse).clip(-1, 1)
        strengths = strengths + step
        if np.abs(step).max() < (_TOLERANCE if inverse is None else _CHORD_TOLERANCE):
            return strengths
    return strengths if inverse is None else None


def _with_prior(games: Floats) -> Floats:
    """Comparisons with the ties that are assumed beforehand."""
    return games + PRIOR * (1 - np.eye(games.shape[1]))


def _chances(strengths: Floats) -> Floats:
    """The chance of each player against each other one, for strengths of the shape (tables, players)."""
    odds = np.exp(strengths)
    chances: Floats = odds[:, :, None] / (odds[:, :, None] + odds[:, None, :])
    return chances


def _curve(games: Floats, chance: Floats) -> Floats:
    """The curvature of the likelihood; a constant fixes the mean, which the model leaves open."""
    weights = games * chance * (1 - chance)
    curve: Floats = 1 / games.shape[1] - weights
    diagonal = np.einsum("tii->ti", curve)
    diagonal += weights.sum(axis=2)
    return curve


def _rank_sets(points: Floats, deviations: Floats) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The best and the worst possible rank of each controller."""
    players = len(points)
    best, worst = np.empty(players, dtype=np.int64), np.empty(players, dtype=np.int64)
    for at in range(players):
        apart = np.delete(deviations[:, at, None] - deviations, at, axis=1)
        error = np.maximum(apart.std(axis=0), 1e-9)
        most = np.quantile(np.abs(apart / error).max(axis=1), _LEVEL)
        difference = np.delete(points[at] - points, at)
        best[at] = 1 + int((difference < -most * error).sum())
        worst[at] = players - int((difference > most * error).sum())
    return best, worst


def _widening(levels: int) -> float:
    """The factor by which intervals must be widened for this number of levels."""
    return _t_quantile(levels - 1) / NormalDist().inv_cdf((1 + _LEVEL) / 2) * math.sqrt(levels / (levels - 1))


def _t_quantile(freedom: int) -> float:
    """The quantile of Student's t for the interval; exact for 1 and 2, and by Cornish and Fisher's expansion beyond."""
    share = (1 + _LEVEL) / 2
    if freedom == 1:
        return math.tan(math.pi * (share - 0.5))
    if freedom == 2:
        return (2 * share - 1) * math.sqrt(2 / (4 * share * (1 - share)))
    z = NormalDist().inv_cdf(share)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))
