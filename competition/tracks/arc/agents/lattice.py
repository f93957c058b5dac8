"""Readings of a frame as a lattice of places that a body can be in, and the kind of what is at each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.agents.grid import Cell, Grid
from vgdl.competition.tracks.arc.agents.screen import Pixels
from vgdl.competition.tracks.arc.agents.segments import Segment
from vgdl.competition.tracks.arc.frame import COLORS, SIZE

PLAIN = 0.9  #: share of places of one colour in a level of plain colours
MOST_CELLS = 1200
Kind = int  #: the look of a place; equal numbers look equal


@dataclass(frozen=True, slots=True)
class Lattice(Grid):
    """The places of a body.

    Attributes:
        pitch: pixels per step.
        width: pixels that are looked at in each place; more than ``pitch`` for a body larger than its step.
        height: likewise.
        left: of the first place.
        top: likewise.
        columns: places in a row.
        rows: likewise.
        dx: pixels from a place's left to the left of the body's main area.
        dy: likewise.
    """

    pitch: int
    width: int
    height: int
    left: int
    top: int
    columns: int
    rows: int
    dx: int
    dy: int

    @property
    def overlaps(self) -> bool:
        """Whether places share pixels."""
        return max(self.width, self.height) > self.pitch

    def cell_of(self, body: Segment) -> Cell | None:
        """The place of a body; None if it is between places, or outside."""
        (column, off_x) = divmod(body.left - self.dx - self.left, self.pitch)
        (row, off_y) = divmod(body.top - self.dy - self.top, self.pitch)
        inside = 0 <= column < self.columns and 0 <= row < self.rows
        return row * self.columns + column if inside and not off_x and not off_y else None

    def blocks(self, pixels: Pixels) -> NDArray[np.uint8]:
        """The pixels of each place, shape (cells, height × width)."""
        windows = sliding_window_view(pixels[self.top :, self.left :], (self.height, self.width))
        chosen = windows[:: self.pitch, :: self.pitch][: self.rows, : self.columns]
        return np.ascontiguousarray(chosen).reshape(self.n_cells, self.height * self.width)


def lattice_of(pixels: Pixels, body: Segment, step: int) -> Lattice | None:
    """The lattice of a body that moves by ``step`` pixels; None if there are too many places.

    If the body fits into a step, the cells around it are those that leave the fewest different looks.
    """
    choices = []
    across = range(max(step - body.width, 0) + 1)
    down = range(max(step - body.height, 0) + 1)
    for dx in across:
        for dy in down:
            width, height = max(step, body.width), max(step, body.height)
            left, top = (body.left - dx) % step, (body.top - dy) % step
            columns, rows = (SIZE - left - width) // step + 1, (SIZE - top - height) // step + 1
            if columns > 0 and rows > 0 and columns * rows <= MOST_CELLS:
                choices.append(Lattice(step, width, height, left, top, columns, rows, dx, dy))
    if not choices:
        return None
    if len(choices) == 1:
        return choices[0]
    middle = (max(across) / 2, max(down) / 2)

    def cost(lattice: Lattice) -> tuple[int, float]:
        n_looks = len(np.unique(_as_rows(lattice.blocks(pixels))))
        return n_looks, abs(lattice.dx - middle[0]) + abs(lattice.dy - middle[1])

    return min(choices, key=cost)


@dataclass(slots=True)
class Kinds:
    """Numbers for the looks of places, the same in all levels of a game."""

    numbers: dict[tuple[int, int, bytes], Kind] = field(default_factory=dict)
    coarse: dict[tuple[object, ...], list[tuple[int, Kind]]] = field(default_factory=dict)
    n: int = 0
    settled: bool = False  #: whether the level's first frame has been read; later, things may be between places
    plain: bool = False  #: whether nearly all places of that frame have one colour each

    def start_level(self) -> None:
        """Forget the first frame of the level before."""
        self.settled = False

    def of(self, lattice: Lattice, blocks: NDArray[np.uint8]) -> list[Kind]:
        """The kind of each place: by its pixels, or by its colours alone if places share pixels."""
        if lattice.overlaps:
            colours = np.bitwise_or.reduce(np.left_shift(1, blocks.astype(np.int64)), axis=1)
            return [self._number(0, 0, int(mask).to_bytes(2, "big"), None) for mask in colours.tolist()]
        if not self.settled:
            self.plain = (blocks == blocks[:, :1]).all(axis=1).mean() >= PLAIN
        _, first, inverse = np.unique(_as_rows(blocks), return_index=True, return_inverse=True)
        size = lattice.pitch
        numbers = [self._number(size, size, blocks[k].tobytes(), blocks[k]) for k in first.tolist()]
        return [numbers[k] for k in inverse.ravel().tolist()]

    def _number(self, width: int, height: int, look: bytes, block: NDArray[np.uint8] | None) -> Kind:
        known = self.numbers.get((width, height, look))
        if known is not None:
            return known
        number = self.n
        if block is not None and (between := self._between(width, block)) is not None:
            return between
        if block is not None:
            coarse = _coarse(block.reshape(height, width))
            others = self.coarse.setdefault(coarse, [])
            taken = {kind for size, kind in others if size == width}
            number = next((kind for size, kind in others if size != width and kind not in taken), self.n)
            others.append((width, number))
        self.n += number == self.n
        self.numbers[width, height, look] = number
        return number

    def _between(self, size: int, block: NDArray[np.uint8]) -> Kind | None:
        """The kind of a new look in a level of plain colours, where things may be between places: its main colour."""
        if not (self.settled and self.plain):
            return None
        main = int(np.bincount(block, minlength=COLORS).argmax())
        whole = np.full_like(block, main)
        return self._number(size, size, whole.tobytes(), whole) if (whole != block).any() else None


class Scene:
    """One frame, place by place."""

    def __init__(self, pixels: Pixels, lattice: Lattice, kinds: Kinds) -> None:
        self.field = lattice
        self.blocks = lattice.blocks(pixels)
        self.kinds = kinds.of(lattice, self.blocks)
        kinds.settled = True
        self.counts = Counter(self.kinds)

    def where(self, kind: Kind) -> list[Cell]:
        """The cells that show a kind, in ascending order."""
        return [cell for cell, shown in enumerate(self.kinds) if shown == kind]

    def touched_by(self, kind: Kind) -> list[Cell]:
        """The cells in which something of a kind may be: no more than those that show it."""
        return self.where(kind)

    def changed(self, other: Scene) -> list[Cell]:
        """The cells that look different in another frame."""
        found: list[Cell] = np.flatnonzero((self.blocks != other.blocks).any(axis=1)).tolist()
        return found


def _as_rows(blocks: NDArray[np.uint8]) -> NDArray[np.void]:
    """One element per row, for `numpy.unique`."""
    rows: NDArray[np.void] = blocks.view(np.dtype((np.void, blocks.shape[1]))).ravel()
    return rows


def _coarse(block: NDArray[np.uint8]) -> tuple[object, ...]:
    """What a look has in common with the same one in cells of another size: colours by area, and of the quarters."""
    counts = np.bincount(block.ravel(), minlength=COLORS)
    order = np.argsort(-counts, kind="stable")
    colours = tuple(int(colour) for colour in order if counts[colour] > 0.07 * block.size)
    half = max(block.shape[0] // 2, 1)
    quarters = (block[:half, :half], block[:half, -half:], block[-half:, :half], block[-half:, -half:])
    return colours, tuple(int(np.bincount(quarter.ravel()).argmax()) for quarter in quarters)
