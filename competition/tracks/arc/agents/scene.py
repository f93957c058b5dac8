"""Frames as grids of cells: the playfield, the kind in each cell, and changes between frames."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.grid import Cell, Grid
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import EDGE, mask_of, segments, status_bars
from vgdl.competition.tracks.arc.frame import COLORS, SIZE

ALIGNED = 0.93  #: share of the colour changes that must lie between cells
LARGEST, SMALLEST = 16, 2  #: pixels per side of a cell
Kind = int  #: the look of a cell: a colour, and perhaps another one in its lower right quarter


@dataclass(frozen=True, slots=True)
class Field(Grid):
    """The part of the frame that is divided into cells."""

    size: int  #: pixels per side of a cell
    left: int
    top: int
    columns: int
    rows: int


def find_field(pixels: Pixels) -> Field | None:
    """Find the playfield of a level's first frame; None if no cells can be seen.

    The colour of the first pixel surrounds the playfield. The result has the largest cells for which nearly all changes
    of colour are between cells.
    """
    plain = pixels.copy()
    plain[mask_of(status_bars(segments(pixels)))] = pixels[0, 0]
    inner = plain != pixels[0, 0]
    rows = _without_bars(np.flatnonzero(inner.any(axis=1)))
    columns = _without_bars(np.flatnonzero(inner[rows].any(axis=0)))
    if not len(columns):
        return None
    left, right, top, bottom = int(columns[0]), int(columns[-1]) + 1, int(rows[0]), int(rows[-1]) + 1
    part = pixels[top:bottom, left:right]
    across = (part[:, 1:] != part[:, :-1]).sum(axis=0)
    down = (part[1:] != part[:-1]).sum(axis=1)
    for size in range(LARGEST, SMALLEST - 1, -1):
        if (right - left) % size or (bottom - top) % size:
            continue
        between = across[size - 1 :: size].sum() + down[size - 1 :: size].sum()
        if between >= ALIGNED * (across.sum() + down.sum()):
            return Field(size, left, top, (right - left) // size, (bottom - top) // size)
    return None


class Scene:
    """One frame, cell by cell."""

    def __init__(self, pixels: Pixels, field: Field, composites: frozenset[Kind] | None = None) -> None:
        """Divide a frame of a level into cells.

        Args:
            pixels: the frame.
            field: the playfield.
            composites: the kinds of two colours in the level's first frame; others are sprites between cells, and count
                as the colour that covers most of the cell. None for the first frame, where all sprites are in cells.
        """
        size = field.size
        self.field = field
        self.pixels = pixels
        inside = pixels[field.top : field.top + field.rows * size, field.left : field.left + field.columns * size]
        squares = inside.reshape(field.rows, size, field.columns, size).transpose(0, 2, 1, 3)
        blocks = squares.reshape(field.n_cells, size * size)
        codes = blocks + COLORS * np.arange(field.n_cells)[:, None]
        self.colours = np.bincount(codes.ravel(), minlength=field.n_cells * COLORS).reshape(-1, COLORS)
        kinds = self.colours.argmax(axis=1)
        corner = blocks[:, -1].astype(np.intp)
        quarter = (-(-size // 2)) ** 2
        cells = np.arange(field.n_cells)
        two = (self.colours[cells, corner] == quarter) & (self.colours[cells, kinds] == size * size - quarter)
        two &= corner != kinds
        combined = kinds + COLORS * (corner + 1)
        if composites is not None:
            two &= np.isin(combined, list(composites))
        self.kinds: list[Kind] = np.where(two, combined, kinds).tolist()
        self.counts = Counter(self.kinds)
        self.blocks = blocks
        outside = pixels.copy()
        outside[field.top : field.top + field.rows * size, field.left : field.left + field.columns * size] = 0
        self.hud = hash(outside.tobytes()) if outside.any() else 0

    @property
    def composites(self) -> frozenset[Kind]:
        """The kinds of two colours."""
        return frozenset(kind for kind in self.counts if kind >= COLORS)

    def where(self, kind: Kind) -> list[Cell]:
        """The cells that show a kind, in ascending order."""
        return [cell for cell, shown in enumerate(self.kinds) if shown == kind]

    def touched_by(self, kind: Kind) -> list[Cell]:
        """The cells with at least one pixel of a kind's colour."""
        found: list[Cell] = np.flatnonzero(self.colours[:, kind % COLORS]).tolist()
        return found

    def changed(self, other: Scene) -> list[Cell]:
        """The cells that look different in another frame."""
        found: list[Cell] = np.flatnonzero((self.blocks != other.blocks).any(axis=1)).tolist()
        return found


def _without_bars(lines: NDArray[np.intp]) -> NDArray[np.intp]:
    """The non-empty rows or columns, without thin groups of them next to the frame's edges."""
    groups = np.split(lines, np.flatnonzero(np.diff(lines) > 1) + 1)
    while len(groups) > 1 and len(groups[-1]) <= EDGE and groups[-1][-1] == SIZE - 1:
        groups.pop()
    while len(groups) > 1 and len(groups[0]) <= EDGE and groups[0][0] == 0:
        groups.pop(0)
    return np.concatenate(groups)
