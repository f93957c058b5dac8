"""The geometry of charts, which the macros of ``macros/charts.html`` draw as SVG. Shares are from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vgdl.competition.report.statistics import Spread, axis, spread, wilson

__all__ = ["Bar", "BarChart", "Distributions", "Lines", "Sample", "Series", "bars", "distributions", "lines", "wilson"]

_MOST_DOTS = 200
_MOST_POINTS = 500


@dataclass(frozen=True, slots=True)
class Sample:
    """Values to be shown as a distribution."""

    label: str
    values: Sequence[float]
    target: str = ""  #: page that the label links to
    note: str = ""  #: added to the number of values


@dataclass(frozen=True, slots=True)
class Box:
    """A sample on an axis; all positions are shares of its length."""

    sample: Sample
    five: Spread | None  #: the values; None if there are none
    least: float = 0.0
    lower: float = 0.0
    median: float = 0.0
    upper: float = 0.0
    most: float = 0.0
    dots: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Distributions:
    """Boxes on one axis."""

    marks: list[float]  #: at equal distances, from the beginning of the axis to its end; empty if there is no value
    boxes: list[Box]


def distributions(samples: Sequence[Sample]) -> Distributions:
    """Samples side by side: quartiles, median, extremes, and a dot per value."""
    known = [value for sample in samples for value in sample.values]
    if not known:
        return Distributions([], [])
    marks = axis(min(known), max(known))
    return Distributions(marks, [_box(sample, marks) for sample in samples])


def _box(sample: Sample, marks: Sequence[float]) -> Box:
    if not sample.values:
        return Box(sample, None)
    five = spread(sample.values)
    first, length = marks[0], marks[-1] - marks[0]
    least, lower, median, upper, most = (
        (value - first) / length for value in (five.least, five.lower, five.median, five.upper, five.most)
    )
    shown = sorted(sample.values)[:: max(1, len(sample.values) // _MOST_DOTS)]
    dots = tuple((value - first) / length for value in shown)
    return Box(sample, five, least, lower, median, upper, most, dots)


@dataclass(frozen=True, slots=True)
class Bar:
    """A value to be shown as a bar."""

    label: str
    value: float  #: 0 or more
    target: str = ""  #: page that the label links to


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars, each with its length as a share of the longest one."""

    bars: list[tuple[Bar, float]]


def bars(values: Sequence[Bar]) -> BarChart:
    """Bars that start at 0."""
    most = max((bar.value for bar in values), default=0.0)
    return BarChart([(bar, bar.value / most if most > 0 else 0.0) for bar in values])


@dataclass(frozen=True, slots=True)
class Series:
    """Points to be connected by a line, in the order of x."""

    label: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines with common axes."""

    x: list[float]  #: marks, at equal distances
    y: list[float]
    lines: list[tuple[str, list[tuple[float, float]]]]  #: label, and points as shares from the lower left corner
    limit: float | None  #: share of the height at which there is a limit


def lines(series: Sequence[Series], limit: float | None = None) -> Lines:
    """Series with common axes, which start at 0 or below.

    Args:
        series: without any point, there are only the axes. Of more than 500 points, some are left out evenly.
        limit: a value on the vertical axis to be marked.
    """
    xs = [x for one in series for x, _ in one.points]
    ys = [y for one in series for _, y in one.points] + ([] if limit is None else [limit])
    horizontal, vertical = axis(min(xs, default=0.0), max(xs, default=1.0)), axis(min([0.0, *ys]), max(ys, default=1.0))

    def across(x: float) -> float:
        return (x - horizontal[0]) / (horizontal[-1] - horizontal[0])

    def up(y: float) -> float:
        return (y - vertical[0]) / (vertical[-1] - vertical[0])

    placed = [
        (one.label, [(across(x), up(y)) for x, y in one.points[:: -(-len(one.points) // _MOST_POINTS) or 1]])
        for one in series
    ]
    return Lines(horizontal, vertical, placed, None if limit is None else up(limit))
