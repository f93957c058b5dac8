"""PNG files, written without a library: the few chunks that an RGB image needs."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["encode", "write"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def encode(image: NDArray[np.uint8]) -> bytes:
    """The PNG file of an image.

    >>> from vgdl import render
    >>> render.png.encode(render.frame(vgdl.load("sokoban").start(level=0, seed=7)))[1:4]
    b'PNG'

    Args:
        image: uint8, (height, width, 3) for RGB or (height, width, 4) for RGBA; neither side may be 0.

    Raises:
        ValueError: the array has another type or shape.
    """
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] not in (3, 4) or 0 in image.shape:
        raise ValueError(f"expected a uint8 array (height, width, 3 or 4), got {image.dtype} {image.shape}")
    height, width, channels = image.shape
    color_type = 2 if channels == 3 else 6
    header = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    # Every row is preceded by the number of its filter; 0 is none.
    rows = np.pad(image.reshape(height, width * channels), ((0, 0), (1, 0))).tobytes()
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def write(path: str | os.PathLike[str], image: NDArray[np.uint8]) -> None:
    """Write an image to a PNG file; see ``encode`` for the arrays that are accepted.

    >>> from vgdl import render
    >>> render.png.write("sokoban.png", render.frame(vgdl.load("sokoban").start(level=0, seed=7)))
    """
    Path(path).write_bytes(encode(image))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
