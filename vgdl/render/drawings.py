"""The bundled pixel drawings, as text: ``sprites/<sheet>.txt``, one sheet per game.

A sheet contains drawings separated by blank lines: a line with the drawing's name, then ``SIZE`` rows of ``SIZE``
letters. An avatar that turns is drawn facing right. It is mirrored when it faces left, and rotated by a quarter turn
when it faces up or down, unless the sheet has drawings ``<name> up`` and ``<name> down``.
Every letter is a colour of ``sprites/palette.txt`` (``letter #rrggbb name``), shared by all sheets; ``.`` is
transparent. A game text refers to a drawing as ``img=<sheet>/<name>``.

A sheet is read when one of its drawings is first used.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SIZE = 12  #: width and height of a drawing in pixels
TRANSPARENT = "."

Pixels = NDArray[np.uint8]  #: (height, width, 4), red green blue alpha; alpha is 0 or 255

_SHEETS = Path(__file__).parent / "sprites"
_PALETTE = "palette"


class DrawingError(ValueError):
    """A sheet or the palette is malformed."""


def names() -> tuple[str, ...]:
    """The names of all drawings, as ``sheet/name``, sorted."""
    return tuple(
        f"{sheet}/{name}" for sheet in sorted(_sheet_names()) for name in sorted(_sheet(sheet)) if " " not in name
    )


def find(name: str) -> Pixels | None:
    """The drawing called ``sheet/name``, or None if there is none. Read-only, shared."""
    sheet, _, drawing = name.partition("/")
    # names come from game texts and may be anything: only those of known sheets become paths
    return _sheet(sheet).get(drawing) if sheet in _sheet_names() else None


def parse_palette(text: str) -> dict[str, tuple[int, int, int, int]]:
    """Colour (red, green, blue, alpha) of every letter of a palette text."""
    palette = {TRANSPARENT: (0, 0, 0, 0)}
    for line in filter(None, text.splitlines()):
        letter, value, *_ = line.split()
        if value == "transparent":
            continue
        if letter in palette or len(letter) != 1:
            raise DrawingError(f"palette: {letter!r} must be one new letter")
        red, green, blue = bytes.fromhex(value.removeprefix("#"))
        palette[letter] = (red, green, blue, 255)
    return palette


def parse_sheet(text: str, palette: dict[str, tuple[int, int, int, int]]) -> dict[str, Pixels]:
    """The drawings of a sheet text by name.

    Raises:
        DrawingError: a drawing is not ``SIZE`` by ``SIZE``, has the name of another, or a letter is not in the palette.
    """
    drawings: dict[str, Pixels] = {}
    for block in text.strip().split("\n\n"):
        name, *rows = block.split("\n")
        if name in drawings:
            raise DrawingError(f"{name}: drawn twice")
        if len(rows) != SIZE or any(len(row) != SIZE for row in rows):
            raise DrawingError(f"{name}: expected {SIZE} rows of {SIZE} letters")
        unknown = set().union(*rows) - palette.keys()
        if unknown:
            raise DrawingError(f"{name}: letters {sorted(unknown)} are not in the palette")
        pixels = np.array([[palette[letter] for letter in row] for row in rows], dtype=np.uint8)
        pixels.flags.writeable = False
        drawings[name] = pixels
    return drawings


@cache
def _palette() -> dict[str, tuple[int, int, int, int]]:
    return parse_palette((_SHEETS / f"{_PALETTE}.txt").read_text(encoding="ascii"))


@cache
def _sheet_names() -> frozenset[str]:
    return frozenset(file.stem for file in _SHEETS.glob("*.txt")) - {_PALETTE}


@cache
def _sheet(name: str) -> dict[str, Pixels]:
    return parse_sheet((_SHEETS / f"{name}.txt").read_text(encoding="ascii"), _palette())
