"""Validation: everything that an agent's process sends is converted to plain data here, and nowhere else.

Plain data are JSON values: None, booleans, 64-bit integers, finite floats, strings, lists, and dictionaries with string
keys. Their size and depth are bounded, and all text in them is printable: control characters, terminal escape codes,
bidirectional formatting characters, and lone surrogates, which files and databases cannot store, are replaced by
backslash escapes. Nothing is ever unpickled.
"""

from __future__ import annotations

import json
import math
from typing import TypeAlias

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"

MAX_DEPTH = 64
"""Maximum nesting depth of lists and dictionaries."""

MAX_INTEGER = 2**63 - 1
"""Largest integer, and negated the smallest: the limit of a database column."""

_MAX_DIGITS = 20


class NotPlain(ValueError):
    """Bytes or a value are not plain data; the message says why and is printable."""


def decode(data: bytes) -> Plain:
    """Decode plain data from the JSON sent by an agent's process.

    Raises:
        NotPlain: it is not JSON, is nested too deeply, or contains numbers beyond the bounds.
    """
    try:
        value = json.loads(data, parse_int=_integer, parse_float=_number, parse_constant=_no_constant)
    except NotPlain:
        raise
    except (ValueError, RecursionError) as error:
        raise NotPlain(printable(f"not JSON: {error}", 200)) from None
    return _printable_value(value, 0)


def encode(value: object) -> bytes:
    """Encode plain data as JSON.

    Raises:
        NotPlain: the value contains something else, NaN or an infinite number.
    """
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise NotPlain(f"the answer is not plain data (None, bool, int, float, str, list, dict): {error}") from None


def printable(text: str, limit: int | None = None) -> str:
    """Escape everything in a text that affects terminals or cannot be stored, except line breaks and tabs.

    Args:
        text: any text.
        limit: number of characters to keep, counted from the start; all by default.
    """
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in "\n\t" else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape", "surrogatepass").decode("ascii")


def _printable_value(value: Plain, depth: int) -> Plain:
    if isinstance(value, str):
        return printable(value)
    if not isinstance(value, list | dict):
        return value
    if depth == MAX_DEPTH:
        raise NotPlain(f"nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, list):
        return [_printable_value(item, depth + 1) for item in value]
    return {printable(key): _printable_value(item, depth + 1) for key, item in value.items()}


def _integer(digits: str) -> int:
    if len(digits) <= _MAX_DIGITS and abs(number := int(digits)) <= MAX_INTEGER:
        return number
    raise NotPlain(f"the integer {digits[:_MAX_DIGITS]}... is beyond 64 bits")


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotPlain(f"the number {text[:_MAX_DIGITS]} is not finite")
    return number


def _no_constant(name: str) -> float:
    raise NotPlain(f"{name} is not a number")
