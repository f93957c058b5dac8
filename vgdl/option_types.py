"""Numbers on command lines: types for ``add_argument``, which refuse what is too large, negative or no number."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable

MOST = 10**9
"""The largest whole number of an option without a limit of its own."""

_MOST_DIGITS = 60  # far more than any limit has


def whole(least: int, most: int) -> Callable[[str], int]:
    """A parser of an integer from ``least`` to ``most``."""

    def parse(text: str) -> int:
        value = _integer(text)
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r:.60} is not a number from {least} to {most}")
        return value

    return parse


def positive(text: str) -> int:
    """Parse an integer from 1 to `MOST`."""
    return _at_least(1, text, "a number of 1 or more")


def count(text: str) -> int:
    """Parse an integer from 0 to `MOST`."""
    return _at_least(0, text, "a whole number of 0 or more")


def amount(text: str) -> float:
    """Parse a finite number of at least 0."""
    value = number(text)
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a number of 0 or more")
    return value


def above_zero(most: float, what: str) -> Callable[[str], float]:
    """A parser of a number above 0 and up to ``most``.

    Args:
        most: the largest.
        what: what it is a number of, for the message: "minutes".
    """

    def parse(text: str) -> float:
        value = number(text)
        if not 0 < value <= most:
            raise argparse.ArgumentTypeError(f"{text!r:.60} is not a number of {what} above 0 and up to {most:,.10g}")
        return value

    return parse


seed = whole(-(1 << 63), (1 << 63) - 1)
"""Parses the seed of a play, a 64-bit integer."""


def _at_least(least: int, text: str, what: str) -> int:
    value = _integer(text)
    if value is None or value < least:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not {what}")
    if value > MOST:
        raise argparse.ArgumentTypeError(f"{text:.60} is more than {MOST}")
    return value


def _integer(text: str) -> int | None:
    """The integer that a text stands for, or one that is also beyond all limits; None if it stands for none."""
    return int(text[:_MOST_DIGITS]) if re.fullmatch(r"-?[0-9]+", text) else None


def number(text: str) -> float:
    """The number that a text stands for; NaN if it stands for none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
