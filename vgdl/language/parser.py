"""Parses a game text into its description: lines, the indentation tree, and sections (language, 2 to 4).

Mistakes that the reference tolerates become a `VGDLWarning`; those that keep it from building a game raise `VGDLError`.
Any text either parses or raises `VGDLError`, in time and memory linear in its length. Sprite lines may be nested as
deeply as the text is indented: walk them with a stack, not recursively.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace

from .description import Description, Entry, GameLine, InteractionLine, Place, Section, SectionKind, Source, SpriteLine
from .errors import VGDLError, VGDLWarning, nearest
from .records import Line, read_entry, read_game_line
from .source import read_source, source_of

#: Maximum number of warnings reported one by one; further ones are only counted.
MOST_WARNINGS = 1000

_OUTER_BLANKS = "".join(map(chr, range(0x21)))
_HEADERS = {kind.value: kind for kind in SectionKind}
_HEADERS_IN_ANY_CASE = {kind.value.lower(): kind for kind in SectionKind}


def parse(text: str, name: str = "<text>") -> tuple[Description, list[VGDLWarning]]:
    """Parse a game text; ``name`` identifies it in messages.

    Returns:
        The description and the warnings.

    Raises:
        VGDLError: the text is not a game.
    """
    return _parse_source(source_of(text, name))


def parse_file(path: str | os.PathLike[str]) -> tuple[Description, list[VGDLWarning]]:
    """`parse` for a file.

    Raises:
        VGDLError: the file cannot be read, or its text is not a game.
    """
    return _parse_source(read_source(path))


def _parse_source(source: Source) -> tuple[Description, list[VGDLWarning]]:
    reader = _Reader(source)
    for number, text in enumerate(source.lines, start=1):
        reader.read(number, text)
    return reader.description(), reader.all_warnings()


@dataclass(slots=True)
class _Node:
    """A line in the indentation tree; the root, the game line, has no entry."""

    line: Line
    entry: Entry | None = None
    children: list[_Node] = field(default_factory=list)

    @property
    def first_word(self) -> Place:
        return self.line.place(0, len(self.line.first_word))


class _Reader:
    """Reads the lines one by one and builds the tree."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.section: SectionKind | None = None  #: None before the first section header
        self.game: GameLine | None = None
        self.nodes: list[_Node] = []  #: all attached nodes, in file order; the root first
        self.path: list[_Node] = []  #: from the root down to the line attached last
        self.warnings: list[VGDLWarning] = []
        self.surplus = self.surplus_messages = 0  #: warnings beyond `MOST_WARNINGS`, and their messages

    def read(self, number: int, text: str) -> None:
        """Read one line of the file, numbered from 1 (language, 2)."""
        if text and not text.strip("#"):
            place = Place(number, 1, len(text))
            raise VGDLError("a line of nothing but '#'", self.source, place, ["a blank or a comment behind '#'"])
        content = text.partition("#")[0]
        stripped = content.strip(_OUTER_BLANKS)
        if not stripped:
            return
        line = Line(self.source, number, len(content) - len(content.lstrip(_OUTER_BLANKS)), stripped)
        self.section = _HEADERS_IN_ANY_CASE.get(stripped.lower(), self.section)
        try:
            self.attach(line)
        except VGDLWarning as warning:
            self.warn(warning)

    def attach(self, line: Line) -> None:
        """Read a line and attach it according to its indentation (language, 3).

        Raises:
            VGDLWarning: the line is dropped.
        """
        if self.section is None:
            self.attach_game_line(line)
            return
        node = _Node(line, read_entry(line, self.section))
        if not self.path:
            raise self.no_game_line("a section before the game line", node.first_word)
        self.hang(node)

    def attach_game_line(self, line: Line) -> None:
        """Attach the root; a second one below it is an error: it would be a section without a name (language, 4.3)."""
        game = read_game_line(line)
        node = _Node(line)
        if not self.path:
            self.game = game
            self.nodes.append(node)
            self.path.append(node)
            return
        self.check_below_root(node)
        message, suggestion = "a second line before the first section", nearest(line.first_word, _HEADERS)
        raise VGDLError(message, self.source, node.first_word, ["a section header"], suggestion)

    def hang(self, node: _Node) -> None:
        """Attach a node to the nearest line above it that is indented less."""
        self.check_below_root(node)
        indentation = node.line.indentation
        while self.path[-1].line.indentation >= indentation:
            self.path.pop()
        siblings = self.path[-1].children
        if len(self.path) == 1 and isinstance(node.entry, InteractionLine) and node.entry.seconds:
            raise self.outside_of_section(node)
        if siblings and siblings[0].line.indentation != indentation:
            first = siblings[0].line
            reason = f"indented by {indentation}, but line {first.number} of the same block by {first.indentation}"
            reason += _tab_hint(node.line, first)
            self.warn(VGDLWarning(reason, self.source, node.first_word, (_blanks(first.indentation),)))
        siblings.append(node)
        self.path.append(node)
        self.nodes.append(node)

    def outside_of_section(self, node: _Node) -> VGDLError:
        """The error for an interaction indented like a header, which makes it a nameless section (language, 4.3)."""
        header = next((s.line for s in reversed(self.path[0].children) if s.line.first_word in _HEADERS), node.line)
        reason = f"an interaction indented no deeper than the header of its section (line {header.number})"
        expected = f"at least {_blanks(header.indentation + 1)}"
        suggestion = " " * (header.indentation + 4) + node.line.text
        return VGDLError(reason, self.source, node.first_word, [expected], suggestion)

    def check_below_root(self, node: _Node) -> None:
        root = self.path[0].line
        if node.line.indentation <= root.indentation:
            reason = f"not indented deeper than the game line (line {root.number})" + _tab_hint(node.line, root)
            raise node.line.dropped(reason, node.first_word, f"at least {_blanks(root.indentation + 1)}")

    def warn(self, warning: VGDLWarning) -> None:
        if len(self.warnings) < MOST_WARNINGS:
            self.warnings.append(warning)
        else:
            self.surplus += 1
            self.surplus_messages += warning.messages

    def no_game_line(self, message: str, place: Place | None) -> VGDLError:
        """The error for a text without a game line: the first warning, if any, which explains why it was dropped."""
        if self.warnings:
            return self.warnings[0].as_error()
        return VGDLError(message, self.source, place, ("a game line like 'BasicGame'",))

    def all_warnings(self) -> list[VGDLWarning]:
        """The warnings, followed by one that counts those beyond the limit."""
        if not self.surplus:
            return self.warnings
        message = f"{self.surplus} more warning{'s' if self.surplus > 1 else ''}"
        rest = VGDLWarning(message, self.source, messages=self.surplus_messages)
        return [*self.warnings, rest]

    def description(self) -> Description:
        """Build the description from the sections with exact headers directly below the game line (language, 4)."""
        if self.game is None:
            raise self.no_game_line("the text is empty", None)
        self.close_sprites()
        self.warn_of_nested_headers(self.nodes[0])
        sections = []
        for node in self.nodes[0].children:
            kind = _HEADERS.get(node.line.first_word)
            if kind is not None:
                sections.append(Section(kind, node.first_word, _entries(node)))
        return Description(self.source, self.game, tuple(sections))

    def warn_of_nested_headers(self, root: _Node) -> None:
        """Warn of section headers that begin no section, as they are not directly below the game line (language, 4)."""
        numbers = {warning.place: number for number, warning in enumerate(self.warnings)}
        below = [(child, section) for section in root.children for child in section.children]
        for node, section in below:
            header = node.line.text
            if header in _HEADERS:
                message = f"{header} begins no section: it is indented deeper than line {section.line.number}"
                message += _tab_hint(node.line, section.line)
                expected = (_blanks(section.line.indentation),)
                number = numbers.get(node.first_word)
                messages = 0 if number is None else self.warnings[number].messages
                warning = VGDLWarning(message, self.source, node.first_word, expected, messages=messages)
                if number is None:
                    self.warn(warning)
                else:  # this is more helpful than the warning about the indentation
                    self.warnings[number] = warning
            below += [(child, section) for child in node.children]

    def close_sprites(self) -> None:
        """Add children to the sprite entries, from the last line to the first, as children follow their parents."""
        for node in reversed(self.nodes):
            if node.children and isinstance(node.entry, SpriteLine):
                node.entry = replace(node.entry, children=_entries(node))


def _entries(node: _Node) -> tuple[Entry, ...]:
    return tuple(child.entry for child in node.children if child.entry is not None)


def _tab_hint(*lines: Line) -> str:
    """A hint about tabs, which editors usually show four or eight columns wide (language, 2.4)."""
    return " (a tab counts as one blank)" if any(line.has_tabs for line in lines) else ""


def _blanks(count: int) -> str:
    return f"{count} {'blank' if count == 1 else 'blanks'} of indentation"
