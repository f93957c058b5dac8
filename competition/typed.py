"""Dataclasses from untrusted plain data: all fields without a default must be there, no others, each with its type."""

from __future__ import annotations

import contextlib
import enum
import types
import typing
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


class WrongType(ValueError):
    """A value does not have the declared type; the message says which."""


def read(kind: type[T], facts: object, where: str = "") -> T:
    """Convert JSON-compatible data to a typed value.

    Args:
        kind: a dataclass, ``tuple[X, ...]``, ``tuple[X, Y]``, ``list[X]``, ``dict[str, X]`` or a mapping, ``X | None``,
            an enumeration of text, ``Path``, ``Any``, or a plain type.
        facts: the data.
        where: names the data in messages.

    Raises:
        WrongType: the data do not have that type.
    """
    value: T = _read(kind, facts, where)
    return value


def _read(kind: Any, facts: object, where: str) -> Any:
    if kind is Any:
        return facts
    if is_dataclass(kind):
        return _read_fields(typing.cast(Any, kind), facts, where)
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        return _read_union(kind, facts, where)
    if origin is not None:
        return _read_container(origin, typing.get_args(kind), facts, where)
    if isinstance(kind, type) and issubclass(kind, enum.StrEnum):
        return _member(kind, facts, where)
    if kind is Path:
        return Path(_exactly(str, facts, where))
    if kind is float:
        return float(_exactly(int | float, facts, where))
    return _exactly(kind, facts, where)


def _read_union(kind: Any, facts: object, where: str) -> Any:
    """A value of the first type of a union that it has; None stands for itself."""
    options = typing.get_args(kind)
    if facts is None and types.NoneType in options:
        return None
    options = tuple(option for option in options if option is not types.NoneType)
    for option in options[:-1]:
        with contextlib.suppress(WrongType):
            return _read(option, facts, where)
    return _read(options[-1], facts, where)


def _read_container(origin: Any, arguments: tuple[Any, ...], facts: object, where: str) -> Any:
    if origin is tuple:
        items = _exactly(list | tuple, facts, where)
        kinds = [arguments[0]] * len(items) if arguments[1:] == (...,) else list(arguments)
        if len(items) != len(kinds):
            raise WrongType(f"{where} has {len(items)} items, and should have {len(kinds)}")
        return tuple(_read(kind, item, where) for kind, item in zip(kinds, items, strict=True))
    if origin is list:
        return [_read(arguments[0], item, where) for item in _exactly(list, facts, where)]
    given = _exactly(dict, facts, where)
    return {_exactly(str, name, where): _read(arguments[1], value, where) for name, value in given.items()}


def _read_fields(kind: Any, facts: object, where: str) -> Any:
    given = _exactly(dict, facts, where)
    hints = _hints(kind)
    missing = {field.name for field in fields(kind) if not _has_default(field)} - given.keys()
    if odd := missing | (given.keys() - hints.keys()):
        raise WrongType(f"{where or kind.__name__}: missing or unknown: {', '.join(sorted(map(str, odd))):.200}")
    return kind(**{name: _read(hints[name], value, f"{where}.{name}".lstrip(".")) for name, value in given.items()})


def _has_default(field: Field[Any]) -> bool:
    """Whether data of an earlier version, which did not know a field, can be read."""
    return field.default is not MISSING or field.default_factory is not MISSING


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
