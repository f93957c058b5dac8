"""What a game text says, with the place of every word: the result of parsing, before anything is looked up.

The structure follows the file: a game line, then sections in file order, each with its entries in order. Names are not
checked here; that is the compiler's part, which knows the ontology.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Source:
    """A text and where it came from; errors quote lines of it."""

    text: str
    name: str  #: path of the file, or ``"<text>"``
    lines: tuple[str, ...]  #: the lines without terminators (language, 1)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a word stands: line and column, both from 1, and its length in characters."""

    line: int
    column: int
    length: int = 1


@dataclass(frozen=True, slots=True)
class Name:
    """A word that names something."""

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


Arguments = Mapping[str, Argument]  #: by key; a later duplicate has replaced an earlier one, in its place


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
    children: tuple[Entry, ...] = ()  #: sprite lines, unless a section header stands among them: see `Section`


@dataclass(frozen=True, slots=True)
class InteractionLine:
    first: Name
    seconds: tuple[Name, ...]
    effect: Name | None
    arguments: Arguments
    is_definition: bool
    text: str  #: the line as written, without comment and outer blanks


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
    """A section whose header is spelled exactly; others are read and ignored, as the reference does (language, 4).

    What kind of entry a line became was decided by the header above it in the file, what section it belongs to by its
    indentation. Where a header is indented too deep the two differ: a section then has an entry that is not of its
    kind, and the reference stops there (language, 4.5).
    """

    kind: SectionKind
    at: Place
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """A whole game text."""

    source: Source
    game: GameLine
    sections: tuple[Section, ...] = field(default=())

    def entries(self, kind: SectionKind) -> Iterator[Entry]:
        """All entries of the sections of one kind, in file order."""
        for section in self.sections:
            if section.kind is kind:
                yield from section.entries
