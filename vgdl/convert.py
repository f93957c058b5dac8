"""Converts game texts of other dialects, and repairs what has only one repair: ``vgdl-check --fix``.

- Tabs before lines become blanks up to the next multiple of eight, as editors and py-vgdl read them.
- Headers of sections get their exact names; ``key = value`` loses its blanks.
- Words of other dialects are replaced by `vgdl.ontology.dialects`; words in the wrong case get the right one.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from vgdl import ontology
from vgdl.language import (
    Argument,
    Arguments,
    Description,
    Entry,
    InteractionLine,
    Name,
    Place,
    SpriteLine,
    TerminationLine,
    VGDLError,
    parse,
)
from vgdl.language.headers import HEADERS, intended_header
from vgdl.ontology import dialects
from vgdl.ontology.constants import CONSTANTS
from vgdl.ontology.dialects import Role
from vgdl.ontology.rows import Kind, Word

TAB = 8
"""Columns of a tab in py-vgdl and in most editors."""

_SPACED = re.compile(r"(?<=\w)[ \t]+=[ \t]*(?=[^\s=])|(?<=\w)=[ \t]+(?=[^\s=>])")


class Dialect(enum.StrEnum):
    """Where a game text comes from."""

    GVGAI = "gvgai"  #: the language of this framework: only what is wrong in it is changed
    PY_VGDL = "py-vgdl"  #: tabs are always eight columns wide


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a line."""

    line: int
    before: str
    after: str  #: empty if it was left out
    note: str = ""


@dataclass(frozen=True, slots=True)
class Conversion:
    """A converted text; equal to the original if there are no changes."""

    text: str
    changes: tuple[Change, ...]


def convert(text: str, dialect: Dialect = Dialect.GVGAI) -> Conversion:
    """Convert a game text; comments and the layout of its lines stay.

    Args:
        text: the game.
        dialect: which language it is written in.
    """
    lines = text.splitlines()
    changes: list[Change] = []
    _expand_tabs(lines, changes, dialect)
    _repair_lines(lines, changes)
    _replace_words(lines, changes)
    if not changes:
        return Conversion(text, ())
    return Conversion("".join(f"{line}\n" for line in lines), tuple(sorted(changes, key=lambda change: change.line)))


# ---------------------------------------------------------------------------------------------- whole lines


def _expand_tabs(lines: list[str], changes: list[Change], dialect: Dialect) -> None:
    """Expand the tabs before all lines, unless the text reads well with tabs that count as one blank."""
    tabbed = [number for number, line in enumerate(lines) if "\t" in _indentation(line)]
    if not tabbed or (dialect is Dialect.GVGAI and _is_well_indented(lines)):
        return
    for number in tabbed:
        margin = _indentation(lines[number])
        lines[number] = margin.expandtabs(TAB) + lines[number][len(margin) :]
    count = "the tab before this line" if len(tabbed) == 1 else f"the tabs before {len(tabbed)} lines"
    changes.append(Change(tabbed[0] + 1, count, f"blanks, {TAB} columns to a tab"))


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _is_well_indented(lines: list[str]) -> bool:
    try:
        _, warnings = parse("\n".join(lines))
    except VGDLError:
        return False
    return not any("indented" in warning.message for warning in warnings)


def _repair_lines(lines: list[str], changes: list[Change]) -> None:
    """Correct the headers of sections, and blanks around ``=``."""
    depths = [len(_indentation(line)) for line in lines if line.partition("#")[0].strip()]
    depth = min(depths[1:], default=0)  # of the headers
    for number, line in enumerate(lines):
        content, mark, comment = line.partition("#")
        text = content.strip()
        nested = len(_indentation(line)) > depth
        kind = intended_header(text, nested=nested) if text not in HEADERS else None
        if kind is not None:
            lines[number] = content.replace(text, kind.value) + mark + comment
            changes.append(Change(number + 1, text, kind.value))
        elif _SPACED.search(content):
            lines[number] = _SPACED.sub("=", content) + mark + comment
            changes.append(Change(number + 1, text, lines[number].partition("#")[0].strip(), "no blanks around ="))


# ---------------------------------------------------------------------------------------------- words


@dataclass
class _Edits:
    """Replacements by place, for one text."""

    lines: list[str]
    changes: list[Change]
    words: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)  # (line, column) -> length, new text
    appended: dict[int, list[str]] = field(default_factory=dict)  # line -> parameters to add
    dropped: set[int] = field(default_factory=set)

    def replace(self, at: Place, before: str, after: str, note: str = "") -> None:
        if (at.line, at.column) not in self.words:
            self.words[at.line, at.column] = (at.length, after)
            self.changes.append(Change(at.line, before, after, note))

    def append(self, line: int, text: str) -> None:
        if text not in self.appended.setdefault(line, []):
            self.appended[line].append(text)

    def drop(self, line: int, note: str) -> None:
        self.dropped.add(line)
        self.changes.append(Change(line, self.lines[line - 1].strip(), "", note))

    def apply(self) -> None:
        for (line, column), (length, after) in sorted(self.words.items(), reverse=True):
            old = self.lines[line - 1]
            rest = old[column - 1 + length :]
            changed = old[: column - 1] + after + (rest if after else rest.lstrip(" \t"))
            self.lines[line - 1] = changed if after else changed.rstrip(" \t")
        for line, added in self.appended.items():
            content, mark, comment = self.lines[line - 1].partition("#")
            blanks = content[len(content.rstrip()) :]
            self.lines[line - 1] = f"{content.rstrip()} {' '.join(added)}{blanks}{mark}{comment}"
        for line in self.dropped:
            margin = _indentation(self.lines[line - 1])
            self.lines[line - 1] = f"{margin}# {self.lines[line - 1].strip()}"


def _replace_words(lines: list[str], changes: list[Change]) -> None:
    try:
        description, _ = parse("\n".join(lines))
    except VGDLError:
        return  # the text has to be repaired by hand first
    edits = _Edits(lines, changes)
    game = description.game
    row = ontology.game_class(game.class_name.text)
    _arguments(edits, game.arguments, [row] if row else [], Role.GAME_PARAMETER)
    for entry in _entries(description):
        match entry:
            case SpriteLine(class_name=Name() as name):
                _sprite(edits, entry, name, description)
            case SpriteLine():
                _arguments(edits, entry.arguments, list(ontology.ALL_SPRITE_CLASSES))
            case InteractionLine(effect=Name() as name):
                _effect(edits, entry, name)
            case TerminationLine(class_name=name):
                known = [termination.name for termination in ontology.ALL_TERMINATIONS]
                _word(edits, name, Role.TERMINATION, known)
                termination = ontology.termination(name.text)
                _arguments(edits, entry.arguments, [termination] if termination else [])
    edits.apply()


def _entries(description: Description) -> Iterator[Entry]:
    """All entries, those of sections with a misspelt header included."""
    left: list[Entry] = [entry for section in (*description.sections, *description.unread) for entry in section.entries]
    for entry in left:
        yield entry
        if isinstance(entry, SpriteLine):
            left += entry.children


def _sprite(edits: _Edits, entry: SpriteLine, name: Name, description: Description) -> None:
    known = [row.name for row in ontology.ALL_SPRITE_CLASSES]
    substitute = _word(edits, name, Role.SPRITE_CLASS, known, entry.arguments)
    if substitute is not None and substitute.game:
        key = substitute.game.partition("=")[0]
        if key not in description.game.arguments:
            edits.append(description.game.class_name.at.line, substitute.game)
    row = ontology.sprite_class(name.text)
    _arguments(edits, entry.arguments, [row] if row else [])


def _effect(edits: _Edits, entry: InteractionLine, name: Name) -> None:
    substitute = dialects.substitute(Role.EFFECT, name.text) if ontology.effect(name.text) is None else None
    if substitute is not None and substitute.without and "scoreChange" not in entry.arguments:
        edits.drop(name.at.line, substitute.note)
        return
    _word(edits, name, Role.EFFECT, [row.name for row in ontology.ALL_EFFECTS], entry.arguments)
    renamed = dict(substitute.renamed) if substitute else {}
    for argument in entry.arguments.values():
        if argument.key in renamed and renamed[argument.key] not in entry.arguments:
            edits.replace(argument.at, argument.key, renamed[argument.key])
    row = ontology.effect(name.text)
    rows: list[Word] = [row, ontology.TIME_EFFECT] if row else []
    _arguments(edits, {k: a for k, a in entry.arguments.items() if k not in renamed}, rows)


def _word(
    edits: _Edits, name: Name, role: Role, known: Iterable[str], arguments: Arguments | None = None
) -> dialects.Substitute | None:
    """Replace an unknown word by that of the table, or by the one that differs only in case."""
    words = list(known)
    if name.text in words:
        return None
    substitute = dialects.substitute(role, name.text)
    if substitute is not None and substitute.instead is not None:
        old = dict(substitute.renamed)
        kept = {key: argument for key, argument in (arguments or {}).items() if key not in old}
        edits.replace(name.at, name.text, _without_given(substitute.instead, kept), substitute.note)
        return substitute
    same = [word for word in words if word.lower() == name.text.lower()]
    if len(same) == 1:
        edits.replace(name.at, name.text, same[0])
    return None


def _without_given(instead: str, arguments: Arguments) -> str:
    """The replacement without those of its parameters that the line has already."""
    word, *parameters = instead.split(" ")
    return " ".join([word, *(text for text in parameters if text.partition("=")[0] not in arguments)])


def _arguments(edits: _Edits, arguments: Arguments, rows: Iterable[Word], role: Role = Role.PARAMETER) -> None:
    known: Mapping[str, Kind] = {key: found.kind for row in rows for key, found in ontology.parameters(row).items()}
    for argument in arguments.values():
        if argument.key in known or not known:
            _value(edits, argument, known.get(argument.key), arguments)
            continue
        substitute = dialects.substitute(role, argument.key)
        same = [key for key in known if key.lower() == argument.key.lower()]
        if substitute is not None and substitute.instead == "":
            whole = Place(argument.at.line, argument.at.column, argument.at.length + 1 + argument.value_at.length)
            edits.replace(whole, f"{argument.key}={argument.value}", "", substitute.note)
        elif substitute is not None and substitute.instead and _fits(substitute.instead, known, arguments):
            edits.replace(argument.at, argument.key, substitute.instead, substitute.note)
        elif len(same) == 1 and same[0] not in arguments:
            edits.replace(argument.at, argument.key, same[0])


def _fits(key: str, known: Mapping[str, Kind], arguments: Arguments) -> bool:
    return key in known and key not in arguments


def _value(edits: _Edits, argument: Argument, kind: Kind | None, arguments: Arguments) -> None:
    """Replace values that only another dialect has: colours, physics, and constants in another case."""
    text = argument.value
    substitute = None
    if argument.key == "physicstype":
        substitute = dialects.substitute(Role.PHYSICS, text)
    elif kind is Kind.COLOR and text not in CONSTANTS:
        substitute = dialects.substitute(Role.COLOR, text)
    if substitute is not None and substitute.instead:
        edits.replace(argument.value_at, text, _without_given(substitute.instead, arguments), substitute.note)
    elif kind in (Kind.COLOR, Kind.DIRECTION) and text not in CONSTANTS and text.upper() in CONSTANTS:
        edits.replace(argument.value_at, text, text.upper())
