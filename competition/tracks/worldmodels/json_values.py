"""JSON values as states and observations: strict checks, canonical text, comparison with a tolerance for floats."""

from __future__ import annotations

import json
import math
from typing import Any

TOLERANCE = 1e-6
"""Relative and absolute tolerance of equal numbers (code world models, 5.1)."""

MAX_DEPTH = 50
_PLAIN = frozenset({type(None), bool, int, str})


def fault(value: Any, path: str = "", depth: int = 0) -> str | None:
    """Describe why a value is not JSON, with the path of the fault; None if it is JSON.

    Tuples are not JSON: a program that returns them would find its own states unequal after a round trip.
    """
    if type(value) in _PLAIN:
        return None
    if type(value) is float:
        return None if math.isfinite(value) else f"{value} at {path or 'the top'} is not a finite number"
    if depth > MAX_DEPTH:
        return f"nested more than {MAX_DEPTH} levels deep"
    if type(value) is list:
        inner = ((at, item) for at, item in enumerate(value) if type(item) not in _PLAIN)
        found = (fault(item, f"{path}[{at}]", depth + 1) for at, item in inner)
        return next((text for text in found if text), None)
    if type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                return f"the key {key!r:.60} at {path or 'the top'} is not a string"
            if type(item) not in _PLAIN and (text := fault(item, f"{path}.{key}", depth + 1)):
                return text
        return None
    return f"{type(value).__name__} at {path or 'the top'} is not a JSON value"


def canonical(value: Any) -> str:
    """Return the canonical text of a value: sorted keys, no spaces, floats by repr.

    Raises:
        TypeError, ValueError: it is not a JSON value.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; numbers within `TOLERANCE`, int and float alike."""
    return difference(one, other) is None


def difference(expected: Any, actual: Any, path: str = "") -> str | None:
    """Describe the first difference between two JSON values; None if they are equal."""
    where = path or "the value"
    if _is_number(expected) and _is_number(actual):
        close = math.isclose(expected, actual, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        return None if close else f"{where} is {actual!r} instead of {expected!r}"
    if type(expected) is not type(actual):
        return f"{where} is {_short(actual)} instead of {_short(expected)}"
    if isinstance(expected, list):
        if len(expected) != len(actual):
            return f"{where} has {len(actual)} items instead of {len(expected)}"
        found = (difference(e, a, f"{path}[{at}]") for at, (e, a) in enumerate(zip(expected, actual, strict=True)))
        return next((text for text in found if text), None)
    if isinstance(expected, dict):
        if missing := sorted(expected.keys() - actual.keys()):
            return f"{where} lacks the key {missing[0]!r}"
        if extra := sorted(actual.keys() - expected.keys()):
            return f"{where} has the key {extra[0]!r}, which is not expected"
        found = (difference(expected[key], actual[key], f"{path}.{key}") for key in expected)
        return next((text for text in found if text), None)
    return None if expected == actual else f"{where} is {_short(actual)} instead of {_short(expected)}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:199]}…"
