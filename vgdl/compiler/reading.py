"""Reads lists and numbers in parameter values as the reference does, and logs warnings of a compilation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from vgdl.language import (
    Entry,
    InteractionLine,
    MappingLine,
    ParameterLine,
    Place,
    Source,
    SpriteLine,
    TerminationLine,
    VGDLError,
    VGDLWarning,
    nearest,
)
from vgdl.ontology import dialects
from vgdl.ontology.dialects import Role

_INTEGER = re.compile(r"[+-]?[0-9]+")


def split(text: str) -> list[str]:
    """The pieces of a comma list; trailing empty ones are dropped (language, 5.3)."""
    pieces = text.split(",")
    if pieces == [""]:
        return pieces
    while pieces and not pieces[-1]:
        pieces.pop()
    return pieces


def integer(text: str) -> int | None:
    """A 32-bit decimal number, None for anything else."""
    if len(text) > 40 or not _INTEGER.fullmatch(text):
        return None
    value = int(text)
    return value if -(2**31) <= value < 2**31 else None


def piece(text: str, index: int) -> str:
    """The piece of a comma list for a player or counter; piece 0 stands in for missing ones."""
    pieces = split(text)
    if not pieces:
        return ""
    return pieces[index] if index < len(pieces) else pieces[0]


def string_hash(text: str) -> int:
    """The reference's signed 32-bit string hash, over UTF-16 code units (language, 2.1)."""
    value = 0
    units = text.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + low + 256 * high) & 0xFFFFFFFF
    return value - (1 << 32) if value & 0x80000000 else value


def is_true(text: str) -> bool:
    return text.lower() == "true"


def unknown_word(role: Role, word: str, known: Iterable[str]) -> tuple[str, str | None]:
    """The message about an unknown word, and what may have been meant: a word of another dialect or a similar one."""
    row = dialects.substitute(role, word)
    if row is None:
        return f"unknown {role.value} {word!r}", nearest(word, known)
    return f"unknown {role.value} {word!r}{_note(row)}", row.instead or None


def unknown_parameter(
    owner: str, key: str, known: Iterable[str], role: Role = Role.PARAMETER
) -> tuple[str, str | None]:
    """The message about a parameter that ``owner`` does not have, and what may have been meant."""
    row = dialects.substitute(role, key)
    known = list(known)
    if row is None or (row.instead and row.instead not in known):
        return f"{owner} has no parameter {key!r}", nearest(key, known)
    return f"{owner} has no parameter {key!r}{_note(row)}", row.instead or None


def _note(row: dialects.Substitute) -> str:
    return f" ({row.note})" if row.note else ""


def place_of(entry: Entry) -> Place:
    """The position of the first word of a line."""
    match entry:
        case SpriteLine(name=name) | InteractionLine(first=name) | ParameterLine(name=name):
            return name.at
        case TerminationLine(class_name=name):
            return name.at
        case MappingLine(at=at):
            return at


class PassAborted(Exception):
    """A line that ends the pass over the file; the game consists of the lines before it (language, 4.5)."""

    def __init__(self, message: str, at: Place | None, expected: Iterable[str] = (), suggestion: str | None = None):
        super().__init__(message)
        self.message = message
        self.at = at
        self.expected = tuple(expected)
        self.suggestion = suggestion


@dataclass
class Log:
    """The warnings of a compilation, and the source they quote."""

    source: Source
    warnings: list[VGDLWarning] = field(default_factory=list)

    def warn(
        self,
        message: str,
        at: Place | None,
        expected: Iterable[str] = (),
        suggestion: str | None = None,
        messages: int = 1,
    ) -> None:
        self.warnings.append(VGDLWarning(message, self.source, at, expected, suggestion, messages))

    def error(
        self, message: str, at: Place | None, expected: Iterable[str] = (), suggestion: str | None = None
    ) -> VGDLError:
        return VGDLError(message, self.source, at, expected, suggestion)

    @property
    def messages(self) -> int:
        """Number of entries in the reference's message log that the warnings correspond to."""
        return sum(warning.messages for warning in self.warnings)
