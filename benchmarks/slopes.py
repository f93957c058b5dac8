"""A slope chart of two rankings, as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

ROW, NAME, GAP, TOP = 22, 165, 190, 64  # pixels: between two lines, for names, between the rankings, above them
RISES, FALLS, STAYS = "#1f77b4", "#d9770b", "#8a8a8a"
FAR = 3  #: places that a line must cross to count as a rise or a fall


@dataclass(frozen=True, slots=True)
class Panel:
    """Two rankings of the same names by points, highest first."""

    title: str
    left: Mapping[str, float]
    right: Mapping[str, float]


def draw(panels: Sequence[Panel], left_title: str, right_title: str) -> str:
    """Draw the chart, panels from left to right."""
    width = 2 * NAME + GAP
    height = TOP + ROW * max(len(panel.left) for panel in panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * len(panels)} {height}" '
        f'width="{width * len(panels)}" font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, panel in enumerate(panels):
        parts += [f'<g transform="translate({number * width})">', *_panel(panel, left_title, right_title), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel, left_title: str, right_title: str) -> list[str]:
    left, right = _order(panel.left), _order(panel.right)
    parts = [
        _text(NAME + GAP / 2, 20, panel.title, "middle", "black", "bold"),
        _text(NAME, 44, left_title, "end", "black"),
        _text(NAME + GAP, 44, right_title, "start", "black"),
    ]
    for name in left:
        before, after = left.index(name), right.index(name)
        colour = RISES if before - after >= FAR else FALLS if after - before >= FAR else STAYS
        y, end = TOP + ROW * before, TOP + ROW * after
        parts += [
            f'<line x1="{NAME + 8}" y1="{y - 4}" x2="{NAME + GAP - 8}" y2="{end - 4}" stroke="{colour}" stroke-width="2"/>',
            _text(NAME, y, f"{name} {panel.left[name]:g}", "end", "black"),
            _text(NAME + GAP, end, f"{panel.right[name]:g} {name}", "start", colour if colour != STAYS else "black"),
        ]
    return parts


def _order(points: Mapping[str, float]) -> list[str]:
    return sorted(points, key=lambda name: (-points[name], name.lower()))


def _text(x: float, y: float, text: str, anchor: str, colour: str, weight: str = "normal") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}">{escape(text)}</text>'
    )
