"""Ratings by the Bradley–Terry model over games and in all, and how outcomes and answers go together."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vgdl.competition.strengths import estimate
from vgdl.competition.tracks.gamebot.plan import Fixture
from vgdl.competition.tracks.gamebot.scores import Score, Seat

ALL = "all"
"""What stands for all games together."""

_LEAST = 3
"""Least number of players for a correlation."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's strength in Elo points, with its 95 % interval and rank set; the mean of all players is 0."""

    game: str  #: or `ALL`
    model: str
    points: float
    low: float | None  #: None if there are too few deals for an interval
    high: float | None
    best_rank: int
    worst_rank: int
    matches: int


def ratings(seats: Iterable[Seat], fixtures: Iterable[Fixture], games: Sequence[str]) -> list[Rating]:
    """Ratings over each game, and first those in all, the best player first.

    A win counts 1 and a draw one half for each. The bootstrap draws whole deals: the two matches of a pair with the
    same deal and swapped players are not independent.

    Args:
        seats: the results of each player in each match.
        fixtures: the matches of the plan.
        games: the games that were played.
    """
    firsts = [seat for seat in seats if seat.seat == 0]
    deals = {fixture.number: (fixture.game, *fixture.pair, fixture.deal) for fixture in fixtures}
    found = [*_rated(ALL, firsts, deals)] if len(games) > 1 else []
    for game in games:
        found += _rated(game, [seat for seat in firsts if seat.game == game], deals)
    return found


def _rated(game: str, seats: Sequence[Seat], deals: Mapping[int, tuple[str, str, str, int]]) -> list[Rating]:
    names = sorted({name for seat in seats for name in (seat.model, seat.opponent)})
    if len(names) < 2:
        return []
    players = {name: place for place, name in enumerate(names)}
    clusters = {deal: place for place, deal in enumerate(sorted({deals[seat.match] for seat in seats}))}
    wins = np.zeros((len(clusters), len(names), len(names)))
    for seat in seats:
        one, other = players[seat.model], players[seat.opponent]
        share = 1.0 if seat.value > 0 else 0.5 if seat.value == 0 else 0.0
        wins[clusters[deals[seat.match]], one, other] += share
        wins[clusters[deals[seat.match]], other, one] += 1 - share
    strengths = estimate(wins)
    counts = (wins.sum(axis=0) + wins.sum(axis=0).T).sum(axis=1)
    rows = [
        Rating(
            game, name, float(strengths.points[at]), *_interval(strengths.low[at], strengths.high[at]),
            int(strengths.best_rank[at]), int(strengths.worst_rank[at]), round(float(counts[at])),
        )
        for name, at in players.items()
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (-row.points, row.model))


def _interval(low: float, high: float) -> tuple[float | None, float | None]:
    """The ends of an interval; none if it says nothing, or if all deals ended alike and the bootstrap saw no spread."""
    return (float(low), float(high)) if math.isfinite(low) and low < high else (None, None)


@dataclass(frozen=True, slots=True)
class Spread:
    """How far apart the players are in a game, and how their outcomes go with their answers; None if not known."""

    game: str  #: or `ALL`, of S and I
    players: int
    s_lowest: float | None
    s_highest: float | None
    s_deviation: float | None  #: standard deviation
    i_lowest: float | None
    i_highest: float | None
    i_deviation: float | None
    pearson: float | None  #: correlation of s and I over players that answer questions
    spearman: float | None  #: the same of their ranks


def spreads(scores: Sequence[Score], games: Sequence[str]) -> list[Spread]:
    """The spread of the players in all games and in each."""
    rows = [_spread(ALL, [(score.outcome, score.intermediate) for score in scores])]
    return rows + [
        _spread(game, [(score.outcomes[game], score.intermediates[game]) for score in scores]) for game in games
    ]


def _spread(game: str, values: Sequence[tuple[float | None, float | None]]) -> Spread:
    outcomes = [s for s, _ in values if s is not None]
    answers = [i for _, i in values if i is not None]
    both = [(s, i) for s, i in values if s is not None and i is not None]
    ones, others = [s for s, _ in both], [i for _, i in both]
    pearson, spearman = _correlation(ones, others), _correlation(_ranks(ones), _ranks(others))
    return Spread(game, len(outcomes), *_ends(outcomes), *_ends(answers), pearson, spearman)


def _ends(values: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    if not values:
        return None, None, None
    return min(values), max(values), statistics.stdev(values) if len(values) > 1 else None


def _correlation(ones: Sequence[float], others: Sequence[float]) -> float | None:
    if len(ones) < _LEAST or len(set(ones)) < 2 or len(set(others)) < 2:
        return None
    return statistics.correlation(ones, others)


def _ranks(values: Sequence[float]) -> list[float]:
    """The ranks of some values, equal ones sharing their mean."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]
