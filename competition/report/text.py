"""Formatting of numbers and names on pages, as template filters."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_JOINTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[_\-./:@])(?=.)")
"""Where a long name may be broken: before a capital in CamelCase, and after a separator."""


def number(value: float) -> str:
    """A number without insignificant digits: ``3``, ``12.5``, ``0.25``."""
    return f"{value:.0f}" if value == round(value) else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def percent(share: float) -> str:
    """A share as a length for SVG and CSS: ``12.50%``."""
    return f"{100 * share:.2f}%"


def breakable(name: str) -> Markup:
    """A name that browsers may break only between its words."""
    return Markup("<wbr>").join(escape(part) for part in _JOINTS.split(name))
