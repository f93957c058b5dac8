"""A parsed game text with the place of every word, before any name is looked up.

The structure follows the file: a game line, then sections in file order, each with its entries in order. The compiler,
which knows the ontology, checks the names.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Source:
    """A text and its origin; errors quote its lines."""

    text: str
    name: str  #: path of the file, or ``"<text>"``
    lines: tuple[str, ...]  #: the lines without terminators (language, 1)


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a word: line and column, both counted from 1, and its length in characters."""

    line: int
    column: int
    length: int = 1


@dataclass(frozen=True, slots=True)
class Name:
    """A word used as a name."""

    text: str
    at: Place

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Argument:
    """``key=value``, both as written."""

    key: str
    value: str
    at: Place  #: of the key
    value_at: Place


Arguments = Mapping[str, Argument]  #: by key; a later duplicate replaces an earlier one, keeping its position


@dataclass(frozen=True, slots=True)
class GameLine:
    class_name: Name
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class SpriteLine:
    name: Name
    class_name: Name | None
    arguments: Arguments
    is_definition: bool  #: whether the line has a ``>``
    children: tuple[Entry, ...] = ()  #: sprite lines; other entries below a misplaced section header, see `Section`


@dataclass(frozen=True, slots=True)
class InteractionLine:
    first: Name
    seconds: tuple[Name, ...]
    effect: Name | None
    arguments: Arguments
    is_definition: bool
    text: str  #: the line as written, without comment and surrounding blanks


@dataclass(frozen=True, slots=True)
class MappingLine:
    character: str | None  #: first character of the first word; None for a one-word line
    names: tuple[Name, ...]
    at: Place


@dataclass(frozen=True, slots=True)
class TerminationLine:
    class_name: Name
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class ParameterLine:
    name: Name
    arguments: Arguments


Entry = SpriteLine | InteractionLine | MappingLine | TerminationLine | ParameterLine


class SectionKind(enum.Enum):
    SPRITES = "SpriteSet"
    MAPPING = "LevelMapping"
    INTERACTIONS = "InteractionSet"
    TERMINATIONS = "TerminationSet"
    PARAMETERS = "ParameterSet"


@dataclass(frozen=True, slots=True)
class Section:
    """A section whose header is spelled exactly; the reference reads and ignores others (language, 4).

    The nearest header above a line in the file determines its kind of entry; the line's indentation determines its
    section. The two differ below a header that is indented too deeply: the section then has an entry of another kind,
    where the reference stops reading (language, 4.5).
    """

    kind: SectionKind
    at: Place
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """A complete game text."""

    source: Source
    game: GameLine
    sections: tuple[Section, ...] = field(default=())
    unread: tuple[Section, ...] = field(default=())  #: sections with a misspelt header, which are not part of the game

    def entries(self, kind: SectionKind) -> Iterator[Entry]:
        """All entries of the sections of one kind, in file order."""
        for section in self.sections:
            if section.kind is kind:
                yield from section.entries
