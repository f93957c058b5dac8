"""Game texts of authors as rules that predict observations; sprite types correspond by name.

Recorded plays have type numbers. An author gets a name for each, and may add types anywhere, which shifts the numbers;
plays are therefore renumbered for a candidate before they are compared with it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

import vgdl
from vgdl.competition.tracks.worldmodels.errors import Kind, WorldModelError
from vgdl.competition.tracks.worldmodels.search.hypothesis import AVATAR, WALL, Cellful, Layout, symbols
from vgdl.competition.tracks.worldmodels.search.records import Frame, Play
from vgdl.game import Board, Game
from vgdl.ontology import ALL_EFFECTS, ALL_SPRITE_CLASSES
from vgdl.placing import open_board

MAX_CHARACTERS = 64 * 1024
"""Longest text, in characters."""

_HEADER = re.compile(r"^[ \t]*(SpriteSet|LevelMapping)[ \t]*(?:#.*)?$", re.MULTILINE)
_DRAWING = frozenset(row.name for rows in (ALL_SPRITE_CLASSES, ALL_EFFECTS) for row in rows if row.draws)


class Candidate:
    """A game text with known names of types.

    Its LevelMapping is ignored: the contents of the cells of a level are observed.
    """

    def __init__(self, source: str, names: Mapping[int, str], *, required: Collection[int] = ()) -> None:
        """Check and compile a text.

        Args:
            source: the text.
            names: names of the types, by their numbers in the recorded plays.
            required: numbers of types that the text has to define; other missing types of ``names`` are added as
                `Immovable`.

        Raises:
            VGDLError: it is not a valid game.
            WorldModelError: it is too long, not for one player, or lacks a type.
        """
        if len(source) > MAX_CHARACTERS:
            raise WorldModelError(
                Kind.CONTRACT, "", f"the text has {len(source)} characters, {MAX_CHARACTERS} are allowed"
            )
        self.source, self.names = source, names
        game = vgdl.loads(source)
        if game.n_players != 1:
            raise WorldModelError(Kind.CONTRACT, "", f"the game is for {game.n_players} players instead of one")
        missing = [names[number] for number in sorted(names) if names[number] not in game.types]
        lacking = [name for name in missing if name in {names[number] for number in required}]
        if lacking:
            raise WorldModelError(Kind.MISSING, "", f"the SpriteSet does not define {', '.join(lacking)}")
        self._text = _with_types(_without_mapping(source), missing)
        if missing:
            game = vgdl.loads(self._text)
        self.types = game.types
        self.numbers = {WALL: WALL, AVATAR: AVATAR}
        self.numbers |= {number: game.types.index(name) for number, name in names.items()}
        self._table = np.arange(max(self.numbers) + 1)
        self._table[list(self.numbers)] = list(self.numbers.values())

    @property
    def has_chance(self) -> bool:
        """Whether a class or an effect of the text draws random numbers."""
        return not _DRAWING.isdisjoint(re.findall(r"\w+", self._text))

    def renumbered(self, frame: Frame) -> Frame:
        """An observed state with the numbers that types have in this text."""
        arrays, avatar = frame.arrays.copy(), frame.avatar
        arrays["type"] = self._table[arrays["type"]]
        if avatar is not None:
            held = {self.numbers.get(number, number): amount for number, amount in avatar.resources.items()}
            avatar = avatar._replace(type=self.numbers.get(avatar.type, avatar.type), resources=held)
        return replace(frame, arrays=arrays, avatar=avatar)

    def renumbered_play(self, play: Play) -> Play:
        """A recorded play with the numbers that types have in this text."""
        return replace(play, frames=tuple(self.renumbered(frame) for frame in play.frames))

    def level(self, shown: Layout) -> Layout:
        """A level unchanged, since no hidden types are assumed."""
        return shown

    def text(self, cells: Iterable[Cellful] = ()) -> str:
        """The game with a generated LevelMapping: a symbol for each set of types that shares a cell."""
        header = next((m for m in _HEADER.finditer(self._text) if m[1] == "SpriteSet"), None)
        indent = _indent(header[0]) if header else "    "
        lines = [f"{indent}LevelMapping"]
        for standing, symbol in symbols(cells).items():
            if standing:
                lines.append(f"{indent}    {symbol} > " + " ".join(self.types[number] for number in standing))
        return f"{self._text.rstrip()}\n" + "\n".join(lines) + "\n"

    def game(self, cells: Iterable[Cellful] = ()) -> Game:
        """The compiled game. Raises VGDLError if it cannot be built."""
        return vgdl.loads(self.text(cells), name="learnt")

    def board(self, level: Layout, cells: Iterable[Cellful] | None = None) -> Board:
        """The game on a level, whose types have the numbers of this text."""
        used = level.sets if cells is None else tuple(cells)
        return open_board(self.game(used), level.text(symbols(used)), "learnt", block_size=level.block_size)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _without_mapping(source: str) -> str:
    """The text without its LevelMapping sections."""
    kept: list[str] = []
    within: int | None = None
    for line in source.splitlines():
        width = len(_indent(line).expandtabs(4))
        if within is not None and line.strip() and width <= within:
            within = None
        found = _HEADER.match(line)
        if found and found[1] == "LevelMapping":
            within = width
        elif within is None:
            kept.append(line)
    return "\n".join(kept) + "\n"


def _with_types(text: str, names: Iterable[str]) -> str:
    """The text with further types at the head of its SpriteSet."""
    header = next((m for m in _HEADER.finditer(text) if m[1] == "SpriteSet"), None)
    if header is None or not names:
        return text
    rest = text[header.end() :]
    first = next((line for line in rest.splitlines() if line.strip()), "")
    indent = _indent(first) if len(_indent(first)) > len(_indent(header[0])) else _indent(header[0]) + "    "
    return text[: header.end()] + "".join(f"\n{indent}{name} > Immovable" for name in names) + rest
