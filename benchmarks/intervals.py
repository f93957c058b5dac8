"""Shares with intervals, side by side and joined by a line, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

STEP, LEFT, TOP, HEIGHT, BELOW = 130, 60, 48, 240, 46  # pixels: between two points, and around the plot
CAP = 5  # pixels: half the width of an interval's end
COLOUR, GRID = "#1f77b4", "#dddddd"


@dataclass(frozen=True, slots=True)
class Point:
    """A share with its interval, each 0 to 1."""

    label: str
    share: float
    low: float
    high: float


def draw(points: Sequence[Point], title: str, axis: str) -> str:
    """Draw the points from left to right, shares in percent."""
    width = LEFT + STEP * len(points)
    height = TOP + HEIGHT + BELOW
    places = [LEFT + STEP * (number + 0.5) for number in range(len(points))]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(width / 2, 22, title, "middle"),
        _text(LEFT + STEP * len(points) / 2, height - 8, axis, "middle"),
    ]
    for percent in range(0, 101, 20):
        y = _height(percent / 100)
        parts += [
            f'<line x1="{LEFT}" y1="{y:g}" x2="{width - 10}" y2="{y:g}" stroke="{GRID}"/>',
            _text(LEFT - 8, y + 4, f"{percent} %", "end"),
        ]
    line = " ".join(f"{x:g},{_height(point.share):g}" for x, point in zip(places, points, strict=True))
    parts.append(f'<polyline points="{line}" fill="none" stroke="{COLOUR}" stroke-width="2"/>')
    for x, point in zip(places, points, strict=True):
        parts += _point(x, point)
    return "\n".join([*parts, "</svg>", ""])


def _point(x: float, point: Point) -> list[str]:
    low, high = _height(point.low), _height(point.high)
    return [
        f'<path d="M{x:g} {low:g}V{high:g}M{x - CAP:g} {low:g}h{2 * CAP}M{x - CAP:g} {high:g}h{2 * CAP}" stroke="{COLOUR}"/>',
        f'<circle cx="{x:g}" cy="{_height(point.share):g}" r="4" fill="{COLOUR}"/>',
        _text(x + 8, _height(point.share) - 8, f"{100 * point.share:.0f}", "start"),
        _text(x, TOP + HEIGHT + 18, point.label, "middle"),
    ]


def _height(share: float) -> float:
    """Pixels from the top; shares beyond 0 or 1 are cut off."""
    return TOP + HEIGHT * (1 - min(max(share, 0.0), 1.0))


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'
