"""Parses a game text into its description: lines, the indentation tree, and sections (language, 2 to 4).

Mistakes that the reference tolerates become a `VGDLWarning`; those that keep it from building a game raise `VGDLError`.
Any text either parses or raises `VGDLError`, in time and memory linear in its length. Sprite lines may be nested as
deeply as the text is indented: walk them with a stack, not recursively.
"""

from __future__ import annotations

import os

from .description import Description, GameLine, InteractionLine, Place, Section, SectionKind, Source
from .errors import TruncatedGameWarning, VGDLError, VGDLWarning
from .headers import HEADERS, IN_ANY_CASE, intended_header
from .records import Line, read_entry, read_game_line
from .source import read_source, source_of
from .tree import Node, blanks, close_sprites, tab_hint
from .unread import UnreadParts

#: Maximum number of warnings reported one by one; further ones are only counted.
MOST_WARNINGS = 1000

_OUTER_BLANKS = "".join(map(chr, range(0x21)))


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


class _Reader:
    """Reads the lines one by one and builds the tree."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.section: SectionKind | None = None  #: None before the first section header
        self.game: GameLine | None = None
        self.nodes: list[Node] = []  #: all attached nodes, in file order; the root first
        self.path: list[Node] = []  #: from the root down to the line attached last
        self.lines: list[Line] = []  #: all lines that are not blank, dropped ones included
        self.shallow: list[Line] = []  #: headers that are indented no deeper than the game line
        self.warnings: list[VGDLWarning] = []
        self.mixed: list[VGDLWarning] = []  #: about indentation that mixes tabs and blanks; reported as one
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
        self.section = IN_ANY_CASE.get(stripped.lower(), self.section)
        self.lines.append(line)
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
        node = Node(line, read_entry(line, self.section))
        if not self.path:
            raise self.no_game_line("a section before the game line", node.first_word)
        self.hang(node)

    def attach_game_line(self, line: Line) -> None:
        """Attach the root; a second one below it is an error: it would be a section without a name (language, 4.3)."""
        game = read_game_line(line)
        node = Node(line)
        if not self.path:
            self.game = game
            self.nodes.append(node)
            self.path.append(node)
            return
        self.check_below_root(node)
        message, kind = "a second line before the first section" + tab_hint(line), intended_header(line.text)
        suggestion = kind.value if kind else None
        raise VGDLError(message, self.source, node.first_word, ["a section header"], suggestion)

    def hang(self, node: Node) -> None:
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
            reason += tab_hint(node.line, first)
            warning = VGDLWarning(reason, self.source, node.first_word, (blanks(first.indentation),))
            if node.line.has_tabs or first.has_tabs:
                self.mixed.append(warning)
            else:
                self.warn(warning)
        siblings.append(node)
        self.path.append(node)
        self.nodes.append(node)

    def outside_of_section(self, node: Node) -> VGDLError:
        """The error for an interaction indented like a header, which makes it a nameless section (language, 4.3)."""
        if self.shallow:
            root, lost = self.path[0].line, self.shallow[0]
            reason = f"{lost.text} is not indented deeper than the game line (line {root.number})" + tab_hint(lost)
            expected = f"at least {blanks(root.indentation + 1)}"
            return VGDLError(f"{reason}: the section is not read", self.source, lost.start, [expected])
        header = next((s.line for s in reversed(self.path[0].children) if s.line.first_word in HEADERS), node.line)
        reason = f"an interaction indented no deeper than the header of its section (line {header.number})"
        if node.line.has_tabs or header.has_tabs:
            tabbed = node.line if node.line.has_tabs else header
            reason = f"line {tabbed.number} begins with a tab, which counts as one blank: {reason}"
            return VGDLError(reason, self.source, node.first_word, ["blanks; vgdl-check --fix expands tabs"])
        expected = f"at least {blanks(header.indentation + 1)}"
        suggestion = " " * (header.indentation + 4) + node.line.text
        return VGDLError(reason, self.source, node.first_word, [expected], suggestion)

    def check_below_root(self, node: Node) -> None:
        root = self.path[0].line
        if node.line.indentation <= root.indentation:
            if intended_header(node.line.text):
                self.shallow.append(node.line)
            reason = f"not indented deeper than the game line (line {root.number})" + tab_hint(node.line, root)
            raise node.line.dropped(reason, node.first_word, f"at least {blanks(root.indentation + 1)}")

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
        close_sprites(self.nodes)
        self.warn_of_mixed_indentation()
        self.warn_of_nested_headers(self.nodes[0])
        unread = UnreadParts(self.source, self.nodes[0], self.lines, self.shallow, self.warnings)
        self.warnings = [w for w in self.warnings if w.place is None or w.place.line not in unread.explained]
        for warning in unread.warnings:
            self.warn(warning)
        sections = []
        for node in self.nodes[0].children:
            kind = HEADERS.get(node.line.first_word)
            if kind is not None:
                sections.append(Section(kind, node.first_word, node.entries))
        return Description(self.source, self.game, tuple(sections), tuple(unread.sections))

    def warn_of_mixed_indentation(self) -> None:
        """Report the first line whose indentation differs because of tabs, and how many more there are."""
        if self.mixed:
            first, more = self.mixed[0], len(self.mixed) - 1
            message = first.message + (f", and {more} more like this" if more else "")
            messages = sum(warning.messages for warning in self.mixed)
            self.warn(VGDLWarning(message, self.source, first.place, first.expected, messages=messages))

    def warn_of_nested_headers(self, root: Node) -> None:
        """Warn of section headers that begin no section, as they are not directly below the game line (language, 4)."""
        numbers = {warning.place: number for number, warning in enumerate(self.warnings)}
        below = [(child, section) for section in root.children for child in section.children]
        for node, section in below:
            kind = intended_header(node.line.text, nested=True)
            if kind is not None:
                header = node.line.text
                message = f"{header} begins no section: it is indented deeper than line {section.line.number}"
                message += tab_hint(node.line, section.line)
                expected = (blanks(section.line.indentation),)
                suggestion = None if header == kind.value else kind.value
                number = numbers.get(node.first_word)
                messages = 0 if number is None else self.warnings[number].messages
                warning = TruncatedGameWarning(message, self.source, node.first_word, expected, suggestion, messages)
                if number is None:
                    self.warn(warning)
                else:  # this is more helpful than the warning about the indentation
                    self.warnings[number] = warning
            below += [(child, section) for child in node.children]
