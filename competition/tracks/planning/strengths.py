"""Strengths of controllers, from the plays of a competition.

Controllers that played the same level are compared pair by pair: winners rank before others, then the score decides,
then, among winners, the time. In two-player games, the players of a play are compared. ``vgdl.competition.strengths``
has the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vgdl.competition.strengths import Floats, estimate_counts
from vgdl.competition.tracks.planning.records import Outcome, PlayerResult, PlayResult


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
    compared = comparisons(plays)
    if len(compared.names) < 2:
        return []
    found = estimate_counts(compared.won, compared.games)
    counts = compared.games(np.ones(len(compared.won))).sum(axis=1)
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
        for at, name in enumerate(compared.names)
    ]
    return sorted(rows, key=lambda row: (-row.points, row.controller))


@dataclass(frozen=True, slots=True)
class Comparisons:
    """How often controllers were compared, and were better, by level.

    A table of all pairs for each level would need gigabytes for a thousand controllers. The model needs less: each
    controller's wins (ties are halves), and how often each pair met, which follows from who was present.
    """

    names: list[str]
    won: Floats  #: of the shape (levels, controllers)
    present: Floats  #: of the shape (meetings, controllers): 1 for those compared in a meeting
    levels: npt.NDArray[np.intp]  #: the level of each meeting
    times: Floats  #: how often each meeting took place

    def games(self, weights: Floats) -> Floats:
        """How often each pair was compared if each level counts with a weight."""
        weighted = self.present * (weights[self.levels] * self.times)[:, None]
        table: Floats = weighted.T @ self.present
        np.fill_diagonal(table, 0.0)
        return table


def comparisons(plays: Iterable[PlayResult]) -> Comparisons:
    """Compare the controllers that played the same level and repeat, or met in a play."""
    meetings: dict[tuple[str, int, int, int], dict[str, list[tuple[bool, float, float]]]] = {}
    for number, play in enumerate(plays):
        place = play.game, play.level, play.repeat, -1 if len(play.players) == 1 else number
        met = meetings.setdefault(place, {})
        for player in play.players:
            met.setdefault(player.controller, []).append(_merit(play, player))
    names = sorted({name for met in meetings.values() for name in met})
    levels = {level: at for at, level in enumerate(sorted({place[:2] for place in meetings}))}
    index = {name: at for at, name in enumerate(names)}
    won = np.zeros((len(levels), len(names)))
    groups: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for place, met in sorted(meetings.items()):
        own = sorted(met)
        at = [index[name] for name in own]
        won[levels[place[:2]], at] += _wins([met[name] for name in own])
        groups[levels[place[:2]], tuple(at)] += 1
    present = np.zeros((len(groups), len(names)))
    for row, (_, at_all) in enumerate(groups):
        present[row, list(at_all)] = 1.0
    level_of = np.array([level for level, _ in groups], dtype=np.intp)
    return Comparisons(names, won, present, level_of, np.array(list(groups.values()), dtype=np.float64))


def _wins(merits: Sequence[Sequence[tuple[bool, float, float]]]) -> Floats:
    """How many of the others each controller is better than; its plays of a meeting count as one together."""
    order = {merit: at for at, merit in enumerate(sorted({merit for own in merits for merit in own}))}
    owner = np.repeat(np.arange(len(merits)), [len(own) for own in merits])
    merit = np.array([order[one] for own in merits for one in own])
    share = np.concatenate([np.full(len(own), 1 / len(own)) for own in merits])
    equal: Floats = np.bincount(merit, share, len(order)).astype(np.float64)
    below = np.cumsum(equal) - equal
    won: Floats = np.bincount(owner, share * (below + equal / 2)[merit], len(merits)).astype(np.float64)
    return won - 0.5  # of the comparison with itself


def _merit(play: PlayResult, player: PlayerResult) -> tuple[bool, float, float]:
    won = player.outcome is Outcome.WON
    return won, player.score, -play.ticks if won else 0.0
