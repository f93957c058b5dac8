"""The judges' profile of a level, and its skill depth (generation, 3)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean

from vgdl.core.state import Meter
from vgdl.game import Board
from vgdl.judging.plays import JUDGES, STRONGEST, Effort, Played, play, seed_of

BANDS = {"easy": (0.8, 1.0), "medium": (0.4, 0.7), "hard": (0.05, 0.35)}
"""Shares of plays that `DIFFICULTY_JUDGE` wins, by the names of difficulties."""

DIFFICULTY_JUDGE = "olets"
_STEEPNESS = 3.0  #: of the reference's values


@dataclass(frozen=True, slots=True)
class JudgeResult:
    """The plays of one judge on one level."""

    judge: str
    plays: int
    wins: int
    score: float  #: mean
    ticks: float  #: mean
    shortest_win: int | None  #: ticks
    failures: int  #: plays that ended with an error

    @property
    def win_rate(self) -> float:
        return self.wins / self.plays if self.plays else 0.0


@dataclass(frozen=True, slots=True)
class Profile:
    """The results of all judges on one level, the weakest judge first, and all their plays.

    >>> from vgdl.judging import Effort, profile
    >>> board = vgdl.load("sokoban").board(level=0)
    >>> found = profile(board, Effort(plays=1, calls=20, ticks=20), seed=1, judges=["donothing", "random"])
    >>> found.result("random").win_rate
    0.0
    """

    judges: tuple[JudgeResult, ...]
    plays: tuple[Played, ...]

    def result(self, judge: str) -> JudgeResult:
        """The result of a judge.

        Raises:
            LookupError: the judge did not play.
        """
        for row in self.judges:
            if row.judge == judge:
                return row
        raise LookupError(f"{judge} did not play")

    @property
    def gap(self) -> float:
        """The win rate of the strongest judge minus that of random play."""
        return self.result(STRONGEST).win_rate - self.result("random").win_rate

    @property
    def depth(self) -> float:
        """Skill depth: tau-b of the known order and the results, times the gap; 0 if random play wins more often."""
        results = [(row.win_rate, row.score) for row in self.judges]
        return max(0.0, tau_b(results)) * max(0.0, self.gap)

    @property
    def score_value(self) -> float:
        """The reference's value of the score difference between the best and the naive player."""
        scores = [row.score for row in self.judges]
        most = max((played.score for played in self.plays), default=0.0)
        return logistic((max(scores) - self.result("random").score) / max(1.0, most))

    @property
    def wins(self) -> tuple[Played, ...]:
        """The plays that were won, those of the strongest judges first, then the shortest."""
        order = {row.judge: place for place, row in enumerate(self.judges)}
        return tuple(sorted((p for p in self.plays if p.won), key=lambda play: (-order[play.judge], play.ticks)))

    @property
    def shortest_win(self) -> Played | None:
        """The win in the fewest ticks."""
        return min(self.wins, key=lambda played: played.ticks, default=None)

    @property
    def difficulty(self) -> tuple[float, float]:
        """The Wilson interval, at 95 %, of the share of plays that OLETS wins."""
        row = self.result(DIFFICULTY_JUDGE)
        return wilson(row.wins, row.plays)


def profile(
    board: Board, effort: Effort, seed: int, judges: Sequence[str] = JUDGES, *, meter: Meter | None = None
) -> Profile:
    """Let all judges play a level.

    >>> from vgdl.judging import Effort, profile
    >>> board = vgdl.load("sokoban").board(level=0)
    >>> found = profile(board, Effort(plays=1, calls=20, ticks=20), seed=1, judges=["donothing", "random"])
    >>> [(row.judge, row.wins) for row in found.judges]
    [('donothing', 0), ('random', 0)]

    Args:
        board: the level.
        effort: plays per judge, calls per tick, ticks per play.
        seed: of all plays; every judge plays the same games.
        judges: the judges, in their known order.
        meter: counts the calls of the forward model.
    """
    rows, plays = [], []
    for judge in judges:
        own = [play(board, judge, seed_of(seed, number), effort, meter=meter) for number in range(effort.plays)]
        rows.append(summed(judge, own))
        plays += own
    return Profile(tuple(rows), tuple(plays))


def summed(judge: str, plays: Sequence[Played]) -> JudgeResult:
    """The result of some plays of one judge."""
    wins = [played.ticks for played in plays if played.won]
    return JudgeResult(
        judge,
        len(plays),
        len(wins),
        fmean(played.score for played in plays) if plays else 0.0,
        fmean(played.ticks for played in plays) if plays else 0.0,
        min(wins, default=None),
        sum(played.outcome == "failed" for played in plays),
    )


def tau_b(results: Sequence[tuple[float, float]]) -> float:
    """Kendall's tau-b between the order of a list and the order of its values; 0 if all values are equal."""
    signs = [(other > one) - (other < one) for one, other in itertools.combinations(results, 2)]
    untied = sum(map(abs, signs))
    return sum(signs) / math.sqrt(untied * len(signs)) if untied else 0.0


def logistic(difference: float) -> float:
    """The reference's bounded value, in (-1, 1): 0 for no difference."""
    return 2 / (1 + math.exp(-_STEEPNESS * max(-100.0, min(100.0, difference)))) - 1


def rule_value(pairs: int) -> float:
    """The reference's value of the number of different ordered pairs of types that met in the best play."""
    return logistic(pairs / _STEEPNESS)


def wilson(wins: int, plays: int, level: float = 0.95) -> tuple[float, float]:
    """The Wilson interval of a share."""
    if not plays:
        return 0.0, 1.0
    quantile = NormalDist().inv_cdf((1 + level) / 2)
    share, spread = wins / plays, quantile**2 / plays
    centre = (share + spread / 2) / (1 + spread)
    reach = quantile / (1 + spread) * math.sqrt(share * (1 - share) / plays + spread / (4 * plays))
    return max(0.0, centre - reach), min(1.0, centre + reach)


def distance_to(band: str, win_rate: float) -> float:
    """How far a win rate is from the named band of difficulty: 0 inside it.

    Raises:
        KeyError: there is no such band.
    """
    low, high = BANDS[band]
    return max(low - win_rate, win_rate - high, 0.0)


def band_of(win_rate: float) -> str:
    """The band that a win rate is in or next to."""
    return min(BANDS, key=lambda name: (distance_to(name, win_rate), name))
