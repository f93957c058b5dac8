"""The five metrics of the arena and the composite score (specification 12)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from statistics import fmean

ANALYSIS_S = 60.0
GAME_S = 10.0
"""The paper's limits: seconds of analysis, and seconds for all moves of a game."""

ADAPTATION_SHARES = (1.0, 1 / 4, 1 / 15, 1 / 60)
"""Shares of the analysis limit over which adaptation speed is measured: 60, 15, 4 and 1 s."""


GROUND = 0.5
"""The strength on public stages from which on G is the share of it that is left on hidden ones."""


class Definition(StrEnum):
    """What the metrics and the score measure."""

    STRENGTH = "strength"  #: what a system does itself, and better than the first legal move would
    PAPER = "paper"  #: the first definitions, under which replaced answers and unused time count in full


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the composite score; they need not sum to 1."""

    performance: float = 0.5
    adaptation: float = 0.1
    efficiency: float = 0.1
    generalisation: float = 0.15
    robustness: float = 0.15

    @classmethod
    def parse(cls, text: str) -> Weights:
        """Weights written as five numbers, ``P,A,E,G,R``.

        Raises:
            ValueError: they are not five finite numbers of at least 0, or all are 0.
        """
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        usable = all(math.isfinite(number) and number >= 0 for number in numbers) and any(numbers)
        if len(numbers) != len(fields(cls)) or not usable:
            raise ValueError(f"{text!r:.60} are not weights: write five numbers P,A,E,G,R like 0.5,0.1,0.1,0.15,0.15")
        return cls(*numbers)


def performance(wins: int, draws: int, games: int) -> float:
    """P: the share of games won, a draw counting as half a win; 0 without games."""
    return (wins + draws / 2) / games if games else 0.0


def adaptation(performances: Sequence[float]) -> float:
    """A: the mean of P over the analysis budgets, counted equally; 0 without any."""
    return fmean(performances) if performances else 0.0


def efficiency(
    analysis_s: float | None,
    game_s: Sequence[float],
    *,
    analysis_limit_s: float = ANALYSIS_S,
    game_limit_s: float = GAME_S,
) -> float:
    """E: the share of both time limits left unused, counted equally.

    Args:
        analysis_s: seconds of analysis; None if the system has no strategy, which gives 0.
        game_s: seconds of all own moves, per game; without games their share counts as all used.
        analysis_limit_s: the limit of an analysis.
        game_limit_s: the limit of a game.
    """
    if analysis_s is None:
        return 0.0
    games = max(0.0, 1 - fmean(game_s) / game_limit_s) if game_s else 0.0
    return 0.5 * max(0.0, 1 - analysis_s / analysis_limit_s) + 0.5 * games


def generalisation(public: Sequence[float], private: Sequence[float]) -> float | None:
    """G: 1 minus the relative drop of the mean P from public to private stages; 0 if the public mean is 0.

    Returns:
        None if there are no stages of one of the kinds.
    """
    if not public or not private:
        return None
    known, unknown = fmean(public), fmean(private)
    return 1 - max(0.0, known - unknown) / known if known > 0 else 0.0


def strength(own: float, baseline: float) -> float:
    """How far a system gets from the baseline to winning every game, 0 ... 1.

    Args:
        own: P of the system.
        baseline: P of the system that plays the first legal move, on the same stages.
    """
    return max(0.0, (own - baseline) / (1 - baseline)) if baseline < 1 else 0.0


def retained(public: float, private: float) -> float:
    """G by strength: the share of the strength on public stages that is left on hidden ones, 0 ... 1.

    A system that is hardly stronger than the baseline has nothing to generalise: below ``GROUND``, the strength on
    hidden stages is compared with ``GROUND`` instead.
    """
    return min(1.0, private / max(public, GROUND))


def robustness(private: Sequence[float]) -> float | None:
    """R: the mean of the worst quarter of the private P, at least one stage; None without private stages."""
    if not private:
        return None
    return fmean(sorted(private)[: math.ceil(len(private) / 4)])


@dataclass(frozen=True, slots=True)
class Metrics:
    """The metrics of one system; None for those that cannot be computed from the stages."""

    performance: float  #: mean of P: over all stages, or with the paper's definitions over the private ones if any
    adaptation: float
    efficiency: float
    generalisation: float | None
    robustness: float | None
    earned_efficiency: float | None = None  #: E as far as the score counts it; None: in full

    def score(self, weights: Weights) -> float | None:
        """The composite score; None if a metric with a weight above 0 is unknown."""
        values = [getattr(self, field.name) for field in fields(weights)]
        if self.earned_efficiency is not None:
            values[[field.name for field in fields(weights)].index("efficiency")] = self.earned_efficiency
        shares = [getattr(weights, field.name) for field in fields(weights)]
        if any(value is None and share > 0 for value, share in zip(values, shares, strict=True)):
            return None
        return math.fsum(share * value for value, share in zip(values, shares, strict=True) if value is not None)
