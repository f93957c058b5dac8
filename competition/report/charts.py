"""Charts as inline SVG that stretch with the page: places are in per cent, sizes of marks in pixels.

They repeat what stands beside them in numbers, so that they are hidden from screen readers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vgdl.competition.report.html import Html, join, link, tag
from vgdl.competition.report.statistics import Spread, axis, spread

_HEIGHT = 34
_MOST_DOTS = 200


def share_bar(share: float, low: float, high: float) -> Html:
    """A proportion with its confidence interval."""
    return _svg(
        20,
        tag("rect", class_="track", x="0%", y=6, width="100%", height=8, rx=4),
        tag("rect", class_="share", x="0%", y=6, width=_percent(share), height=8, rx=4),
        tag("line", class_="whisker", x1=_percent(low), x2=_percent(high), y1=10, y2=10),
        *(tag("line", class_="whisker", x1=_percent(end), x2=_percent(end), y1=5, y2=15) for end in (low, high)),
    )


def distributions(
    caption: str, samples: Mapping[str, Sequence[float]], links: Mapping[str, str], left_out: Mapping[str, int]
) -> Html:
    """A table with a row per controller: the values of its plays as dots, a box from quartile to quartile, the median.

    Args:
        caption: what is shown.
        samples: values by controller.
        links: pages of the controllers.
        left_out: plays without a value, by controller.
    """
    known = [value for values in samples.values() for value in values]
    if not known:
        return tag("p", f"{caption}: no play has come to a result.", class_="note")
    marks = axis(min(known), max(known))
    head = tag(
        "tr",
        tag("th", "controller", scope="col"),
        tag("th", _axis(marks), scope="col", class_="wide", aria_label="distribution"),
        *(tag("th", text, scope="col", class_="number") for text in ("least", "median", "most", "plays")),
    )
    rows = [_row(name, values, marks, links[name], left_out.get(name, 0)) for name, values in samples.items()]
    body = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *rows), class_="chart")
    return tag("div", body, class_="scroll", tabindex="0", role="region", aria_label=caption)


def number(value: float) -> str:
    """A number as short as it can be said: no digits behind the point unless they matter."""
    return f"{value:.0f}" if value == round(value) else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _row(name: str, values: Sequence[float], marks: Sequence[float], target: str, left_out: int) -> Html:
    plays = f"{len(values)}" + (f" (+{left_out} disqualified)" if left_out else "")
    if not values:
        cells = ["–"] * 3
        drawn = _svg(_HEIGHT)
    else:
        five = spread(values)
        cells = [number(value) for value in (five.least, five.median, five.most)]
        drawn = _box(values, five, marks)
    return tag(
        "tr",
        tag("th", link(target, name), scope="row"),
        tag("td", drawn, class_="wide"),
        *(tag("td", cell, class_="number") for cell in (*cells, plays)),
    )


def _box(values: Sequence[float], five: Spread, marks: Sequence[float]) -> Html:
    first, last = marks[0], marks[-1]

    def at(value: float) -> str:
        return _percent((value - first) / (last - first))

    middle = _HEIGHT // 2
    grid = [tag("line", class_="grid", x1=at(mark), x2=at(mark), y1=0, y2=_HEIGHT) for mark in marks]
    width = _percent((five.upper - five.lower) / (last - first))
    shown = sorted(values)[:: max(1, len(values) // _MOST_DOTS)]
    dots = [
        tag("circle", class_="dot", cx=at(value), cy=middle + (index * 7 % 5 - 2) * 3, r=3)
        for index, value in enumerate(shown)
    ]
    return _svg(
        _HEIGHT,
        *grid,
        tag("line", class_="whisker", x1=at(five.least), x2=at(five.most), y1=middle, y2=middle),
        tag("rect", class_="box", x=at(five.lower), y=5, width=width, height=_HEIGHT - 10, rx=3),
        *dots,
        tag("line", class_="median", x1=at(five.median), x2=at(five.median), y1=3, y2=_HEIGHT - 3),
    )


def _axis(marks: Sequence[float]) -> Html:
    """The numbers of the marks; those between the ends and the middle are left out on a phone."""
    last = len(marks) - 1
    anchors = ["start", *["middle"] * (last - 1), "end"]
    texts = [
        tag(
            "text",
            number(mark),
            class_=None if 2 * place in (0, last, 2 * last) else "minor",
            x=_percent(place / last),
            y=13,
            text_anchor=anchors[place],
        )
        for place, mark in enumerate(marks)
    ]
    return _svg(18, *texts)


def _svg(height: int, *content: Html) -> Html:
    return tag("svg", join(content), width="100%", height=height, aria_hidden="true", focusable="false")


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"
