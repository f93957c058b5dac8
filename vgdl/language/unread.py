"""The parts of a game text that the reference does not read, without a message (language, 14).

A section whose header is misspelt or indented too little is read here as it was meant, so that other mistakes in it are
found too.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from .description import Section, SectionKind, Source
from .errors import TruncatedGameWarning, VGDLWarning
from .headers import HEADERS, intended_header
from .records import Line, read_entry
from .tree import Node, blanks, close_sprites, tab_hint


class UnreadParts:
    """The unread parts of one text, and the warnings about them.

    Args:
        source: the text.
        root: the game line, with the tree below it.
        lines: all lines of the text that are not blank, in order.
        shallow: headers that are indented no deeper than the game line, and therefore not in the tree.
        logged: the warnings of the parser.
    """

    def __init__(
        self,
        source: Source,
        root: Node,
        lines: Sequence[Line],
        shallow: Sequence[Line],
        logged: Sequence[VGDLWarning],
    ) -> None:
        self.sections: list[Section] = []  #: sections whose header is not read
        self.warnings: list[VGDLWarning] = []
        self.explained: set[int] = set()  #: numbers of lines to which a new warning applies instead of the old ones
        self._source = source
        self._root = root
        self._lines = lines
        self._numbers = [line.number for line in lines]
        self._messages: Counter[int] = Counter()  # line number -> messages of the reference
        for warning in logged:
            if warning.place is not None:
                self._messages[warning.place.line] += warning.messages
        self._find(shallow)

    def _find(self, shallow: Sequence[Line]) -> None:
        read = {node.line.number: node for node in self._root.children if node.line.first_word in HEADERS}
        starts = sorted([*(node.line for node in self._root.children), *shallow], key=lambda line: line.number)
        groups: list[tuple[Line, list[Line]]] = []  # header -> other lines that are as shallow
        for line in starts:
            if line.number in read or intended_header(line.text) is not None:
                groups.append((line, []))
            elif groups:
                groups[-1][1].append(line)
        ends = [*(header.number for header, _ in groups[1:]), len(self._source.lines) + 1]
        for (header, others), end in zip(groups, ends, strict=False):
            if header.number not in read:
                self._lose(header, self._between(header.number + 1, end))
                continue
            if others:
                self._warn_of_shallow(header, others[0], len(self._between(others[0].number, end)))
            if HEADERS[header.first_word] is not SectionKind.SPRITES:
                self._warn_of_deeper(read[header.number])

    def _between(self, first: int, end: int) -> Sequence[Line]:
        return self._lines[bisect_left(self._numbers, first) : bisect_left(self._numbers, end)]

    # ---------------------------------------------------------------------------------------------- sections

    def _lose(self, header: Line, lines: Sequence[Line]) -> None:
        """Add a section that is not read; its warning replaces those about its lines, which were read as others."""
        kind = intended_header(header.text)
        assert kind is not None
        expected: tuple[str, ...] = ()
        suggestion: str | None = kind.value
        if header.text == kind.value:
            reason = f"{header.text} is not indented deeper than the game line (line {self._root.line.number})"
            expected, suggestion = (f"at least {blanks(self._root.line.indentation + 1)}",), None
        elif header.text.lower() == kind.value.lower():
            reason = f"{header.text!r} is not the header of a section, as capital letters matter"
        else:
            reason = f"{header.text!r} is not the header of a section"
        numbers = [header.number, *(line.number for line in lines)]
        self.explained.update(numbers)
        messages = sum(self._messages[number] for number in numbers)
        message = f"{reason}: the section is not read{tab_hint(header)}"
        place = header.place(0, len(header.text))
        self.warnings.append(TruncatedGameWarning(message, self._source, place, expected, suggestion, messages))
        self.sections.append(self._read(kind, header, lines))

    def _read(self, kind: SectionKind, header: Line, lines: Sequence[Line]) -> Section:
        """Read lines as a section; mistakes in them are no messages of the reference, which does not read them."""
        top = Node(header)
        nodes, path = [top], [top]
        shallowest = min((line.indentation for line in lines), default=0)
        for line in lines:
            try:
                node = Node(line, read_entry(line, kind))
            except VGDLWarning as warning:
                self.warnings.append(warning.without_messages())
                continue
            while len(path) > 1 and path[-1].line.indentation >= line.indentation:
                path.pop()
            parent = path[-1] if kind is SectionKind.SPRITES and line.indentation > shallowest else top
            parent.children.append(node)
            path.append(node)
            nodes.append(node)
        close_sprites(nodes)
        return Section(kind, header.start, top.entries)

    # ---------------------------------------------------------------------------------------------- lines

    def _warn_of_shallow(self, header: Line, first: Line, count: int) -> None:
        """Warn of lines that are as shallow as the header above them."""
        if first.text == first.first_word:
            reason, expected = f"{first.text!r} is not the header of a section", tuple(HEADERS)
        else:
            reason = f"indented no deeper than {header.first_word} (line {header.number})"
            expected = (f"at least {blanks(header.indentation + 1)}",)
        self._warn_of_lines(reason, first, count, expected, header)

    def _warn_of_deeper(self, section: Node) -> None:
        """Warn of lines below an entry: they are its children, which only sprites can have (language, 3)."""
        for entry in section.children:
            below = list(entry.children)
            if below and intended_header(entry.line.text, nested=True) is None:
                for node in below:
                    below += node.children
                reason = f"indented deeper than line {entry.line.number}"
                expected = (blanks(entry.line.indentation),)
                self._warn_of_lines(reason, below[0].line, len(below), expected, entry.line)

    def _warn_of_lines(self, reason: str, first: Line, count: int, expected: tuple[str, ...], other: Line) -> None:
        lines = "this line is" if count == 1 else f"this line and {count - 1} more are"
        message = f"{reason}: {lines} not read{tab_hint(first, other)}"
        self.warnings.append(TruncatedGameWarning(message, self._source, first.start, expected, messages=0))
