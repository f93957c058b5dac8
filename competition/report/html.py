"""Markup as values: what is not markup already is escaped, so that no name or traceback can ever become any."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

_VOID = frozenset({"br", "img", "input", "link", "meta", "rect", "circle", "line"})
"""Elements that never have content; those of SVG are closed, as XML wants it."""


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def tag(name: str, *content: str, **attributes: str | float | bool | None) -> Html:
    """An element.

    Args:
        name: of the element.
        content: markup, or text, which is escaped.
        attributes: by name; ``_`` stands for ``-``, a ``_`` at the end is dropped. ``True`` gives an attribute without
            a value, ``False`` and ``None`` give none.
    """
    words = [name]
    for key, value in attributes.items():
        key = key.rstrip("_").replace("_", "-")
        if value is True:
            words.append(key)
        elif value is not False and value is not None:
            words.append(f'{key}="{html.escape(_text(value))}"')
    opening = " ".join(words)
    return Html(f"<{opening}/>" if name in _VOID else f"<{opening}>{join(content)}</{name}>")


def join(parts: Iterable[str], separator: str = "") -> Html:
    """Parts one after another, each escaped unless it is markup."""
    return Html(separator.join(part if isinstance(part, Html) else html.escape(part) for part in parts))


def link(target: str, *content: str, **attributes: str | None) -> Html:
    """A link to another page."""
    return tag("a", *content, href=target, **attributes)


def table(
    caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Iterable[int] = (), class_: str = ""
) -> Html:
    """A table whose rows are named by their first cell; it scrolls sideways where it is too wide for the page.

    Args:
        caption: what it shows.
        heads: of the columns.
        rows: cells, as markup or text.
        numbers: columns that are aligned to the right.
        class_: of the element.
    """
    right = set(numbers)

    def kind(column: int) -> str | None:
        return "number" if column in right else None

    head = tag("tr", *(tag("th", text, scope="col", class_=kind(column)) for column, text in enumerate(heads)))
    body = [
        tag(
            "tr",
            tag("th", row[0], scope="row", class_=kind(0)),
            *(tag("td", cell, class_=kind(column)) for column, cell in enumerate(row[1:], start=1)),
        )
        for row in rows
    ]
    inner = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *body), class_=class_ or None)
    return tag("div", inner, class_="scroll", tabindex="0", role="region", aria_label=caption)


def _text(value: str | float | bool) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
