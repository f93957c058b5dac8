"""The statistics shown on the pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z_95 = 1.959963984540054
"""Quantile of the normal distribution for an interval that covers 95 %."""


def wilson(successes: int, trials: int, quantile: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval of a proportion, which is also suitable for few trials and for no or only successes.

    Args:
        successes: number of successful trials.
        trials: number of trials; if 0, the interval is (0, 1).
        quantile: quantile of the normal distribution; 95 % by default.
    """
    if trials == 0:
        return 0.0, 1.0
    share, square = successes / trials, quantile * quantile
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    half = quantile / (1 + square / trials) * math.sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, slots=True)
class Spread:
    """Five numbers that describe a sample."""

    least: float
    lower: float  #: the lower quartile
    median: float
    upper: float  #: the upper quartile
    most: float


def spread(values: Sequence[float]) -> Spread:
    """The five numbers of a non-empty sample; quartiles by linear interpolation."""
    ordered = sorted(values)
    return Spread(*(_quantile(ordered, share) for share in (0, 0.25, 0.5, 0.75, 1)))


def axis(least: float, most: float, steps: int = 5) -> list[float]:
    """Equidistant round numbers that cover a range.

    Args:
        least: smallest value; the first number is not larger.
        most: largest value; the last number is not smaller.
        steps: approximate number of intervals.
    """
    if least == most:
        least, most = least - 1, most + 1
    rough = (most - least) / steps
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * magnitude for factor in (1, 2, 5, 10) if factor * magnitude >= rough * (1 - 1e-9))
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    return [number * step for number in range(first, last + 1)]


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
