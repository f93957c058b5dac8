"""Strengths with their uncertainty: the Bradley–Terry model, confidence intervals, and rank sets.

Controllers that played the same level are compared pair by pair: winners rank before others, then the score decides,
then, among winners, the time. In two-player games, the players of a play are compared. A win counts 1, a tie one half
for each. The model gives each controller a strength such that the odds of i against j are exp(strength_i − strength_j);
it is fitted by Newton's method, for all bootstrap samples at once, where libraries fit them one by one.

Plays of one level are not independent of each other, so the bootstrap draws whole levels (a cluster bootstrap).
Intervals are the basic ones, which mirror the quantiles of the bootstrap at the estimate: the fit overstates
differences, and in the bootstrap once more, which the mirror takes back. They are widened for a small number of levels
n by t(n−1)·√(n/(n−1)) over the normal quantile (Cameron and Miller, "A practitioner's guide to cluster-robust
inference", 2015). A rank set holds all ranks that a controller may have, at 95 %, from the simultaneous intervals of
its differences to all others (Mogstad, Romano, Shaikh and Wilhelm, "Inference for ranks", Review of Economic Studies
2024).

Results do not depend on the order of the plays: comparisons are counted, and the bootstrap has a fixed seed.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayResult

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

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Strength:
    """A controller's strength in Elo points; the mean over all controllers is 0."""

    controller: str
    points: float
    low: float  #: of the 95 % interval
    high: float
    best_rank: int  #: of the 95 % rank set
    worst_rank: int
    comparisons: int


def strengths(plays: Iterable[PlayResult]) -> list[Strength]:
    """Strengths of the controllers in some plays, the best first, regardless of the order of the plays."""
    names, wins = comparisons(plays)
    if len(names) < 2:
        return []
    found = estimate(wins)
    counts = (wins.sum(axis=0) + wins.sum(axis=0).T).sum(axis=1)
    rows = [
        Strength(
            name,
            float(found.points[at]),
            float(found.low[at]),
            float(found.high[at]),
            int(found.best_rank[at]),
            int(found.worst_rank[at]),
            round(float(counts[at])),
        )
        for at, name in enumerate(names)
    ]
    return sorted(rows, key=lambda row: (-row.points, row.controller))


def comparisons(plays: Iterable[PlayResult]) -> tuple[list[str], Floats]:
    """Count how often each controller was better than each other one, by level.

    Returns:
        Names in order, and an array of shape (levels, controllers, controllers): how often the controller of the row
        was better than that of the column.
    """
    games: dict[Hashable, dict[str, list[tuple[bool, float, float]]]] = defaultdict(lambda: defaultdict(list))
    clusters: dict[Hashable, tuple[str, int]] = {}
    for number, play in enumerate(plays):
        alone = len(play.players) == 1
        place: Hashable = (play.game, play.level, play.repeat) if alone else number
        clusters[place] = play.game, play.level
        for player in play.players:
            games[place][player.controller].append(_merit(play, player))
    names = sorted({name for met in games.values() for name in met})
    levels = {level: at for at, level in enumerate(sorted(set(clusters.values())))}
    index = {name: at for at, name in enumerate(names)}
    wins = np.zeros((len(levels), len(names), len(names)))
    for place, met in games.items():
        table = wins[levels[clusters[place]]]
        for (one, ours), (other, theirs) in itertools.combinations(sorted(met.items()), 2):
            share = sum(_beats(a, b) for a in ours for b in theirs) / (len(ours) * len(theirs))
            table[index[one], index[other]] += share
            table[index[other], index[one]] += 1 - share
    return names, wins


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
        wins: as returned by ``comparisons``.
        samples: number of bootstrap samples.
        seed: for the bootstrap.
    """
    levels, players, _ = wins.shape
    points = fit(wins.sum(axis=0)[None])[0] * ELO
    if levels < 2:  # one level says nothing about others
        unknown = np.full(players, math.inf)
        ranks = np.ones(players, dtype=np.int64)
        return Estimate(points, -unknown, unknown, ranks, ranks * players)
    drawn = np.random.default_rng(seed).multinomial(levels, np.full(levels, 1 / levels), size=samples)
    deviations = fit(np.tensordot(drawn.astype(np.float64), wins, axes=1)) * ELO - points
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
    players = wins.shape[1]
    wins = wins + PRIOR / 2 * (1 - np.eye(players))
    games = wins + wins.transpose(0, 2, 1)
    won = wins.sum(axis=2)
    found: Floats = np.zeros(won.shape)
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(found[:, None, :] - found[:, :, None]))
        weights = games * chance * (1 - chance)
        slope = won - (games * chance).sum(axis=2)
        curve = 1 / players - weights  # the constant fixes the mean, which the model leaves open
        diagonal = np.einsum("tii->ti", curve)
        diagonal += weights.sum(axis=2)
        step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0].clip(-1, 1)
        found = found + step
        if np.abs(step).max() < _TOLERANCE:
            break
    centred: Floats = found - found.mean(axis=1, keepdims=True)
    return centred


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


def _merit(play: PlayResult, player: PlayerResult) -> tuple[bool, float, float]:
    won = player.outcome is Outcome.WON
    return won, player.score, -play.ticks if won else 0.0


def _beats(one: tuple[bool, float, float], other: tuple[bool, float, float]) -> float:
    return 0.5 if one == other else float(one > other)


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
