"""Views of frames for agents: the last layer, keys for dictionaries, and the size of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.frame import COLORS, Frame

Pixels = NDArray[np.uint8]  #: shape (64, 64), indexed [y, x], values 0..15


def last_layer(frame: Frame) -> Pixels:
    """The layer that shows the present state."""
    return np.ascontiguousarray(frame.layers[-1], dtype=np.uint8)


def key_of(pixels: Pixels) -> bytes:
    """A hash of 16 bytes as the key of a frame in dictionaries."""
    return blake2b(pixels.tobytes(), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class Grid:
    """The square blocks that a frame is made of."""

    size: int  #: pixels per side of a block
    x: int  #: column of the first whole block
    y: int  #: row of the first whole block

    def reduce(self, pixels: Pixels) -> Pixels:
        """One pixel per block, its top left one, shape (rows, columns)."""
        return np.ascontiguousarray(pixels[self.y :: self.size, self.x :: self.size])

    def planes(self, frames: Sequence[Pixels], pool: int) -> NDArray[np.float32]:
        """Frames as images of 16 channels: the share of each colour in ``pool`` × ``pool`` blocks.

        Returns:
            shape (frames, rows, columns, 16); incomplete squares at the right and bottom are left out.
        """
        blocks = np.stack([self.reduce(pixels) for pixels in frames])
        n, rows, columns = len(blocks), blocks.shape[1] // pool, blocks.shape[2] // pool
        blocks = blocks[:, : rows * pool, : columns * pool].reshape(n, rows, pool, columns, pool)
        squares = blocks.transpose(0, 1, 3, 2, 4).reshape(-1, pool * pool)
        codes = squares + COLORS * np.arange(len(squares))[:, None]
        counts = np.bincount(codes.ravel(), minlength=len(squares) * COLORS)
        return (counts / (pool * pool)).astype(np.float32).reshape(n, rows, columns, COLORS)

    def pool(self, pixels: Pixels, most: int) -> int:
        """The number of blocks per side of a square, for at most ``most`` squares per side of the frame."""
        return max(1, -(-int(max(self.reduce(pixels).shape)) // most))


def find_grid(pixels: Pixels) -> Grid:
    """The largest blocks of 8, 4, 2 or 1 pixels on which a frame is constant (arc, 10.6)."""
    columns = np.flatnonzero((pixels[:, 1:] != pixels[:, :-1]).any(axis=0)) + 1
    rows = np.flatnonzero((pixels[1:] != pixels[:-1]).any(axis=1)) + 1
    for size in (8, 4, 2):
        if len(set(columns % size)) <= 1 and len(set(rows % size)) <= 1:
            x = int(columns[0] % size) if len(columns) else 0
            y = int(rows[0] % size) if len(rows) else 0
            return Grid(size, x, y)
    return Grid(1, 0, 0)
