"""Dataclasses from untrusted plain data: all fields must be there, no others, and each with the right type."""

from __future__ import annotations

import enum
import types
import typing
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


class WrongType(ValueError):
    """A value does not have the declared type; the message says which."""


def read(kind: type[T], facts: object, where: str = "") -> T:
    """Convert JSON-compatible data to a typed value.

    Args:
        kind: a dataclass, ``tuple[X, ...]``, ``X | None``, an enumeration of text, ``Path``, or a plain type.
        facts: the data.
        where: names the data in messages.

    Raises:
        WrongType: the data do not have that type.
    """
    value: T = _read(kind, facts, where)
    return value


def _read(kind: Any, facts: object, where: str) -> Any:
    if is_dataclass(kind):
        return _read_fields(typing.cast(Any, kind), facts, where)
    if typing.get_origin(kind) is tuple:
        return tuple(_read(typing.get_args(kind)[0], item, where) for item in _exactly(list | tuple, facts, where))
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        options = [option for option in typing.get_args(kind) if option is not types.NoneType]
        return None if facts is None else _read(options[0], facts, where)
    if isinstance(kind, type) and issubclass(kind, enum.StrEnum):
        return _member(kind, facts, where)
    if kind is Path:
        return Path(_exactly(str, facts, where))
    if kind is float:
        return float(_exactly(int | float, facts, where))
    return _exactly(kind, facts, where)


def _read_fields(kind: Any, facts: object, where: str) -> Any:
    given = _exactly(dict, facts, where)
    hints = _hints(kind)
    if given.keys() != hints.keys():
        odd = ", ".join(sorted(map(str, given.keys() ^ hints.keys())))
        raise WrongType(f"{where or kind.__name__}: missing or unknown: {odd:.200}")
    return kind(**{name: _read(hint, given[name], f"{where}.{name}".lstrip(".")) for name, hint in hints.items()})


def _member(kind: type[enum.StrEnum], facts: object, where: str) -> enum.StrEnum:
    try:
        return kind(_exactly(str, facts, where))
    except ValueError:
        raise WrongType(f"{where} is {facts!r:.60}, which is none of {', '.join(kind)}") from None


def _exactly(kind: Any, value: Any, where: str) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        name = getattr(kind, "__name__", str(kind))
        raise WrongType(f"{where} is {value!r:.60}, and should be of the type {name}")
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}
