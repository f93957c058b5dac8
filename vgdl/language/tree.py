"""The indentation tree of a game text (language, 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .description import Entry, Place, SpriteLine
from .records import Line


@dataclass(slots=True)
class Node:
    """A line in the tree; the root, the game line, has no entry."""

    line: Line
    entry: Entry | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def first_word(self) -> Place:
        return self.line.start

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries of the children."""
        return tuple(child.entry for child in self.children if child.entry is not None)


def close_sprites(nodes: Sequence[Node]) -> None:
    """Add children to the sprite entries, from the last line to the first, as children follow their parents."""
    for node in reversed(nodes):
        if node.children and isinstance(node.entry, SpriteLine):
            node.entry = replace(node.entry, children=node.entries)


def tab_hint(*lines: Line) -> str:
    """A hint about tabs, which editors usually show four or eight columns wide (language, 2.4)."""
    tabs = any(line.has_tabs for line in lines)
    return " (a tab counts as one blank; vgdl-check --fix expands tabs)" if tabs else ""


def blanks(count: int) -> str:
    """An amount of indentation in words."""
    return f"{count} {'blank' if count == 1 else 'blanks'} of indentation"
