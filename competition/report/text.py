"""Formatting of numbers and names on pages, as template filters."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_JOINTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[_\-./:@])(?=.)")
"""Where a long name may be broken: before a capital in CamelCase, and after a separator."""

_HYPHEN = re.compile(r"(?<![\w.)\]-])-(?=\.?\d)")
"""A hyphen that is the sign of a number, not one in a word, a range, a date or an option."""


def minus(words: str) -> str:
    """Words whose negative numbers have a minus sign (U+2212) instead of a hyphen. For readers, not for CSV or JSON."""
    return _HYPHEN.sub("−", words)


def number(value: float, spec: str = "") -> str:
    """A number for readers, with a minus sign (U+2212) if it is negative.

    Args:
        value: the number.
        spec: how to format it, as in ``format``; by default without insignificant digits: ``3``, ``12.5``, ``−0.25``.
    """
    spec = spec or (".0f" if value == round(value) else ".1f" if abs(value) >= 10 else ".2f")
    shown = format(value, spec)
    return minus(shown) if shown.strip("+-0.,") else format(abs(value), spec)  # no sign before 0.00


def percent(share: float) -> str:
    """A share as a length for SVG and CSS: ``12.50%``."""
    return f"{100 * share:.2f}%"


def breakable(name: str) -> Markup:
    """A name that browsers may break only between its words."""
    return Markup("<wbr>").join(escape(part) for part in _JOINTS.split(name))
