"""Conversion of parameter texts to the values of fields (language, 5.1).

There are two independent steps: :func:`convert` reads the text, guided by the key only, and :func:`store` converts the
result to the type of a field, or rejects it. A value that does not fit is not an error: the field keeps its default.
"""

from __future__ import annotations

import math
import re
import struct

from vgdl.ontology.constants import CONSTANTS, Form, Value
from vgdl.ontology.rows import Kind

_INT_MIN, _INT_MAX = -(2**31), 2**31 - 1
_SCORE_KEYS = frozenset({"scorechange", "scorechangeifkilled"})  # always text: split at commas when they are used
_FLAG_KEYS = frozenset({"win", "hidden", "invisible"})  # true and false stay text: one flag per player

_INTEGER = re.compile(r"([+-]?)0*(\d{1,10})")
_DECIMAL = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?")
_HEXADECIMAL = re.compile(r"([+-]?0[xX](?:[0-9a-fA-F]+\.?|[0-9a-fA-F]*\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)[fFdD]?")
_SPECIAL = re.compile(r"([+-]?)(NaN|Infinity)")


def convert(key: str, text: str) -> Value:
    """Read ``text`` as the value of the parameter ``key``: a constant, a number, a truth value or itself."""
    constant = CONSTANTS.get(text)
    if constant is not None:
        return constant
    if key.lower() in _SCORE_KEYS:
        return Value(Form.TEXT, text)
    integer = _integer(text)
    if integer is not None:
        return Value(Form.INTEGER, integer)
    double = _double(text)
    if double is not None:
        return Value(Form.DOUBLE, double)
    if text.lower() in ("true", "false") and key.lower() not in _FLAG_KEYS:
        return Value(Form.BOOLEAN, text.lower() == "true")
    return Value(Form.TEXT, text)


def store(kind: Kind, value: Value) -> object | None:
    """The value of a field of type ``kind`` after assigning ``value``, or None if it rejects the value."""
    match kind, value.form:
        case (
            (Kind.INT, Form.INTEGER)
            | (Kind.DOUBLE, Form.DOUBLE)
            | (Kind.BOOL, Form.BOOLEAN)
            | (Kind.TEXT, Form.TEXT)
            | (Kind.DIRECTION, Form.DIRECTION)
            | (Kind.COLOR, Form.COLOR)
        ):
            return value.content
        case (Kind.DOUBLE, Form.INTEGER) if isinstance(value.content, int):
            return float(value.content)
        case (Kind.FLOAT, Form.INTEGER) if isinstance(value.content, int):
            return _to_binary32(value.content)
    return None


def _integer(text: str) -> int | None:
    """A decimal number of 32 bits; None if out of range, so that it is read as a double."""
    found = _INTEGER.fullmatch(text)
    if found is None:
        return None
    number = int(found[1] + found[2])
    return number if _INT_MIN <= number <= _INT_MAX else None


def _double(text: str) -> float | None:
    """A floating-point literal as Java reads it: a trailing ``f`` or ``d`` does not change the value."""
    if found := _DECIMAL.fullmatch(text):
        return float(found[1])
    if found := _HEXADECIMAL.fullmatch(text):
        return _from_hexadecimal(found[1])
    if found := _SPECIAL.fullmatch(text):
        return math.nan if found[2] == "NaN" else math.copysign(math.inf, -1.0 if found[1] == "-" else 1.0)
    return None


def _from_hexadecimal(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:  # overflow gives infinity, not an error
        return -math.inf if text.startswith("-") else math.inf


def _to_binary32(number: int) -> float:
    (rounded,) = struct.unpack("f", struct.pack("f", number))
    return float(rounded)
