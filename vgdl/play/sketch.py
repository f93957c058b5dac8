"""A level in the editor: a grid of characters with undo, which can be rendered like a state."""

from __future__ import annotations

from collections.abc import Mapping as Mapping_
from collections.abc import Sequence
from pathlib import Path

from vgdl import Game
from vgdl.core.data.tables import BoardTables
from vgdl.language import MappingLine, SectionKind, parse, read_level_file
from vgdl.render import Sprite, shape

CELL = 10  #: pixels of a cell in the coordinates of the level; any number works
MOST_CELLS = 100  #: columns or rows
_UNDOS = 500
_EVERYWHERE = {"w": ("wall",), "A": ("avatar",)}


Mapping = Mapping_[str, tuple[str, ...]]  #: sprite types by character, from back to front


def mapping_of(game: Game) -> Mapping:
    """The level mapping of a game, including the two default characters (language, 11.1)."""
    entries = parse(game.text)[0].entries(SectionKind.MAPPING)
    lines = [line for line in entries if isinstance(line, MappingLine)]
    own = {line.character: tuple(name.text for name in line.names) for line in lines if line.character is not None}
    return own | {character: names for character, names in _EVERYWHERE.items() if character not in own}


def topmost(game: Game, names: Sequence[str]) -> str:
    """Of the types that a character stands for, the one that is drawn on top of the others (engine, 15.4)."""
    depth = {game.types[number]: place for place, number in enumerate(game.order)}
    return max(names, key=lambda name: depth.get(name, -1), default="")


def background_of(game: Game, mapping: Mapping) -> str:
    """The character of an empty cell: ``.`` if it is mapped, else the first one that is ground, else a blank."""
    if "." in mapping:
        return "."
    tables = _tables(game)
    ground = {name for number, name in enumerate(game.types) if shape(tables, number) == "ground"}
    return next((character for character, names in mapping.items() if set(names) <= ground), " ")


def _tables(game: Game) -> BoardTables:
    """The tables of the game on an empty level."""
    return game.board(" \n").tables


class Sketch:
    """The characters of a level."""

    def __init__(self, rows: Sequence[str], background: str) -> None:
        """Make a sketch of rows of text; short ones are padded with blanks, as the parser does.

        Args:
            rows: at least one.
            background: the character of a cell that is erased, or new.
        """
        width = max(1, len(rows[0]))
        self.cells = [list(row[:width].ljust(width)) for row in rows]
        self.background = background
        self.saved = True  #: whether the sketch is unchanged since it was made or saved
        self._undo: list[list[list[str]]] = []
        self._stroke = False

    @classmethod
    def empty(cls, columns: int, rows: int, background: str) -> Sketch:
        """An empty level."""
        return cls([background * columns] * rows, background)

    @classmethod
    def of_file(cls, path: Path, background: str) -> Sketch:
        """The level in a file.

        Raises:
            VGDLError: it cannot be read.
        """
        return cls(read_level_file(path).lines, background)

    @property
    def columns(self) -> int:
        return len(self.cells[0])

    @property
    def rows(self) -> int:
        return len(self.cells)

    @property
    def text(self) -> str:
        """The text of the level file."""
        return "".join("".join(row) + "\n" for row in self.cells)

    def put(self, column: int, row: int, character: str) -> None:
        """Change a cell; places outside the level are ignored. Changes until `lift` are undone together."""
        if not (0 <= column < self.columns and 0 <= row < self.rows) or self.cells[row][column] == character:
            return
        if not self._stroke:
            self._remember()
            self._stroke = True
        self.cells[row][column] = character

    def erase(self, column: int, row: int) -> None:
        """Set a cell to the background."""
        self.put(column, row, self.background)

    def lift(self) -> None:
        """End a stroke."""
        self._stroke = False

    def resize(self, columns: int, rows: int) -> None:
        """Add or remove columns on the right and rows at the bottom."""
        columns, rows = max(1, min(columns, MOST_CELLS)), max(1, min(rows, MOST_CELLS))
        if (columns, rows) == (self.columns, self.rows):
            return
        self._remember()
        cells = [(row + [self.background] * columns)[:columns] for row in self.cells[:rows]]
        self.cells = cells + [[self.background] * columns for _ in range(rows - len(cells))]

    def undo(self) -> None:
        """Undo the last stroke or change of size, if there is one."""
        self.lift()
        if self._undo:
            self.cells = self._undo.pop()
            self.saved = False

    def _remember(self) -> None:
        self._undo = [*self._undo[-_UNDOS:], [row.copy() for row in self.cells]]
        self.saved = False

    def save(self, path: Path) -> None:
        """Write the level file.

        Raises:
            OSError: it cannot be written.
        """
        path.write_text(self.text, encoding="utf-8")
        self.saved = True


class SketchState:
    """The part of a state that `vgdl.render.frame` needs, made from characters; works without an avatar."""

    block_size = CELL

    def __init__(self, game: Game, mapping: Mapping, cells: Sequence[Sequence[str]]) -> None:
        self.game = game
        self.tables = _tables(game)
        self._mapping = mapping
        self._cells = cells

    @property
    def world_dimension(self) -> tuple[int, int]:
        return len(self._cells[0]) * CELL, len(self._cells) * CELL

    def _drawing(self) -> list[Sprite]:
        numbers = {name: number for number, name in enumerate(self.game.types)}
        depth = {number: place for place, number in enumerate(self.game.order)}
        sprites = [
            (numbers[name], column * CELL, row * CELL, CELL, CELL, 0.0, 0.0)
            for row, line in enumerate(self._cells)
            for column, character in enumerate(line)
            for name in self._mapping.get(character, ())
            if name in numbers
        ]
        return sorted(sprites, key=lambda sprite: depth.get(sprite[0], -1))
