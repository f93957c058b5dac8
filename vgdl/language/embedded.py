"""Finds game and level texts inside other files: Python sources, HTML pages, and fenced blocks of Markdown.

The texts keep the line numbers of their file: empty lines stand for the lines before them.
"""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser

from vgdl import python_source

_GAME = re.compile(r"^[ \t]*(?:BasicGame|GameSpace)\b[^\n]*$", re.MULTILINE)
_GAME_IN_LINE = re.compile(r"""(?P<before>.*[`"'>])?(?P<game>[ \t]*(?:BasicGame|GameSpace)\b.*)""")
_SPRITES = re.compile(r"^[ \t]*SpriteSet\b", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(r"^(?P<margin>[ \t]*)(?P<fence>`{3,}|~{3,})[^\n`]*$")
_KEPT = ("pre", "code", "textarea", "script", "xmp")  # elements of a page that keep line breaks


@dataclass(frozen=True, slots=True)
class Block:
    """A text inside a file, and the number of its first line, from 1."""

    text: str
    line: int

    @property
    def in_place(self) -> str:
        """The text after as many empty lines as there are lines before it."""
        return "\n" * (self.line - 1) + self.text

    @property
    def is_game(self) -> bool:
        """Whether the text looks like a game: a game line, and sprites below."""
        return is_game(self.text) and _SPRITES.search(self.text) is not None


@dataclass(frozen=True, slots=True)
class EmbeddedGame:
    """A game text in a file, and the texts after it that look like its levels."""

    game: Block
    levels: tuple[Block, ...]


def is_game(text: str) -> bool:
    """Whether a text begins with a game line, comments and empty lines aside."""
    return bool(_GAME.match(_first_line(text)))


def find_games(text: str, suffix: str) -> list[EmbeddedGame]:
    """The games inside a text that is not itself a game.

    Args:
        text: the file's text.
        suffix: of the file's name, such as ``.py`` or ``.html``; texts of other kinds are searched for fenced blocks,
            and then for lines from a game line on.

    Returns:
        The games, each with the blocks between it and the next game that may be levels.
    """
    blocks = list(READERS.get(suffix.lower(), _fenced)(text))
    if not any(block.is_game for block in blocks):
        inner = [Block(part.text, block.line + part.line - 1) for block in blocks for part in _bare(block.text)]
        blocks = inner or list(_fenced(text)) or []
    if not any(block.is_game for block in blocks):
        blocks = list(_bare(html.unescape(text) if suffix.lower().endswith(("html", "htm")) else text))
    found: list[tuple[Block, list[Block]]] = []
    for block in blocks:
        if block.is_game:
            found.append((block, []))
        elif found and _may_be_level(block.text):
            found[-1][1].append(block)
    return [EmbeddedGame(game, tuple(levels)) for game, levels in found]


def _first_line(text: str) -> str:
    """The first line that is neither empty nor a comment."""
    for line in text.splitlines():
        if line.partition("#")[0].strip():
            return line
    return ""


def _may_be_level(text: str) -> bool:
    """Whether a text may be a level: several rows of about the same length, as short as rows are."""
    rows = [row.strip() for row in text.splitlines() if row.strip()]
    return len(rows) > 1 and max(map(len, rows)) - min(map(len, rows)) <= 2 and len({*"".join(rows)}) > 1


# ---------------------------------------------------------------------------------------------- kinds of files


def _python(text: str) -> Iterator[Block]:
    """The strings of a Python source that span lines; those written with escapes have their own line numbers."""
    try:
        tree = python_source.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value:
            is_verbatim = node.end_lineno is not None and node.end_lineno - node.lineno >= node.value.count("\n") - 1
            yield Block(node.value, node.lineno if is_verbatim else 1)


class _Page(HTMLParser):
    """Collects the texts of the elements of a page that keep line breaks."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self._open: list[str] = []
        self._text = ""
        self._line = 1

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in _KEPT:
            self._open.append(tag)
        elif tag == "br" and self._open:
            self._text += "\n"

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass
            if not self._open:
                self.close_block()

    def handle_data(self, data: str) -> None:
        if self._open:
            if not self._text:
                self._line = self.getpos()[0]
            self._text += data

    def close_block(self) -> None:
        if self._text.strip():
            self.blocks.append(Block(self._text, self._line))
        self._text = ""


def _page(text: str) -> Iterator[Block]:
    page = _Page()
    page.feed(text)
    page.close()
    page.close_block()
    for block in page.blocks:
        yield block
        yield from (Block(inner.text, block.line + inner.line - 1) for inner in _fenced(block.text))


def _fenced(text: str) -> Iterator[Block]:
    """The blocks between fences, as in Markdown and in answers of language models; the last may lack its end."""
    fence, start = "", 0
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        found = _FENCE.match(line)
        if fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            yield Block("\n".join(lines) + "\n", start)
            fence = ""
        elif fence:
            lines.append(line)
        elif found:
            fence, lines, start = found["fence"], [], number + 1
    if fence:
        yield Block("\n".join(lines) + "\n", start)


def _bare(text: str) -> Iterator[Block]:
    """Games between other lines: from the game line, or what follows a quote, to a line that is not indented deeper."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        found = _GAME_IN_LINE.match(line)
        if found:
            depth = 0 if found["before"] else len(line) - len(line.lstrip())
            end = number + 1
            while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > depth):
                end += 1
            yield Block("\n".join([found["game"], *lines[number + 1 : end]]) + "\n", number + 1)


READERS: Mapping[str, Callable[[str], Iterator[Block]]] = {
    ".py": _python,
    ".html": _page,
    ".htm": _page,
    ".xhtml": _page,
}
"""How files of a kind are read, by the suffix of their names."""
