"""Animated GIF files, written without a library.

Made for drawings with few colours: up to 255 in a whole film are kept exactly. For every frame, only the rectangle that
differs from the previous frame is stored, with equal pixels transparent; a frame without differences extends the
duration of the previous one.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["encode", "write"]

Image = NDArray[np.uint8]  #: (height, width, 3): red, green, blue

_COLORS = 255  #: in the palette; the last of its 256 entries is the transparent one
_TRANSPARENT = 255
_CODE_BITS = 8
_CLEAR, _END, _FIRST_FREE = 256, 257, 258
_MOST_CODES = 4096
_ENDLESS = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"


@dataclass(slots=True)
class _Patch:
    """The change made by a frame: colour numbers of the rectangle whose corner is (left, top), and its duration."""

    left: int
    top: int
    pixels: NDArray[np.uint8]
    centiseconds: int


def write(path: str | os.PathLike[str], frames: Iterable[Image], milliseconds: int = 40, hold: int = 1500) -> None:
    """Write frames to a GIF file that repeats forever; see ``encode``.

    >>> from vgdl import render
    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> frames = [render.frame(state)]
    >>> for _ in range(3):
    ...     state.advance(vgdl.Action.LEFT)
    ...     frames.append(render.frame(state))
    >>> render.gif.write("sokoban.gif", frames)
    """
    Path(path).write_bytes(encode(frames, milliseconds, hold))


def encode(frames: Iterable[Image], milliseconds: int = 40, hold: int = 1500) -> bytes:
    """Encode a film as a GIF file.

    >>> from vgdl import render
    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> render.gif.encode([render.frame(state)])[:6]
    b'GIF89a'

    Args:
        frames: uint8, (height, width, 3), all of one size; at least one.
        milliseconds: duration of a frame, in steps of 10; players show less than 20 as 100.
        hold: duration of the last frame in milliseconds.

    Raises:
        ValueError: there are no frames, one is not such an array, or a duration is less than 10 milliseconds.
    """
    if milliseconds < 10 or hold < 10:
        raise ValueError("a frame is shown for at least 10 milliseconds")
    packed = [_packed(frame) for frame in frames]
    if not packed:
        raise ValueError("a film needs at least one frame")
    if any(frame.shape != packed[0].shape for frame in packed):
        raise ValueError("the frames of a film must be of one size")
    palette, numbered = _numbered(packed)
    height, width = packed[0].shape
    header = b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0)
    patches = _patches(numbered, milliseconds // 10)
    patches[-1].centiseconds = hold // 10
    return b"".join([header, palette, _ENDLESS, *(_block(patch) for patch in patches), b"\x3b"])


def _packed(frame: Image) -> NDArray[np.uint32]:
    """A colour per pixel as one number, 0xRRGGBB."""
    if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3 or 0 in frame.shape:
        raise ValueError(f"expected a uint8 array (height, width, 3), got {frame.dtype} {frame.shape}")
    packed: NDArray[np.uint32] = frame.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    return packed


def _numbered(frames: list[NDArray[np.uint32]]) -> tuple[bytes, list[NDArray[np.uint8]]]:
    """The palette, 256 colours of three bytes, and the frames as indices into it.

    If there are too many colours, as many low bits of all colours are dropped as necessary.
    """
    colors = np.unique(np.concatenate([np.unique(frame) for frame in frames]))
    mask = np.uint32(0xFFFFFF)
    for bits in range(1, 8):
        if len(np.unique(colors & mask)) <= _COLORS:
            break
        mask = np.uint32((0xFF << bits & 0xFF) * 0x010101)
    palette = np.unique(colors & mask)
    table = np.zeros((_COLORS + 1, 3), dtype=np.uint8)
    table[: len(palette)] = np.stack([palette >> 16, palette >> 8 & 255, palette & 255], axis=1)
    return table.tobytes(), [np.searchsorted(palette, frame & mask).astype(np.uint8) for frame in frames]


def _patches(frames: list[NDArray[np.uint8]], centiseconds: int) -> list[_Patch]:
    """The first frame, and the differences between consecutive frames."""
    patches = [_Patch(0, 0, frames[0], centiseconds)]
    for before, after in pairwise(frames):
        changed = before != after
        if not changed.any():
            patches[-1].centiseconds = min(patches[-1].centiseconds + centiseconds, 0xFFFF)
            continue
        rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
        cut = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        pixels = np.where(changed[cut], after[cut], np.uint8(_TRANSPARENT))
        patches.append(_Patch(int(columns[0]), int(rows[0]), pixels, centiseconds))
    return patches


def _block(patch: _Patch) -> bytes:
    """The blocks of a frame: duration and disposal, place, and pixels."""
    height, width = patch.pixels.shape
    control = b"\x21\xf9\x04" + struct.pack("<BHBB", 0x05, patch.centiseconds, _TRANSPARENT, 0)
    place = b"\x2c" + struct.pack("<HHHHB", patch.left, patch.top, width, height, 0)
    data = _bits(_codes(patch.pixels.tobytes()))
    parts = (data[at : at + 255] for at in range(0, len(data), 255))
    return b"".join([control, place, bytes([_CODE_BITS]), *(bytes([len(part)]) + part for part in parts), b"\x00"])


def _codes(pixels: bytes) -> Iterator[tuple[int, int]]:
    """The LZW codes of the pixels, each with its number of bits."""
    known: dict[int, int] = {}  # code of a phrase << 8 | next pixel -> code of the longer phrase
    free, bits = _FIRST_FREE, _CODE_BITS + 1
    yield _CLEAR, bits
    phrase = pixels[0]
    for pixel in pixels[1:]:
        key = phrase << 8 | pixel
        longer = known.get(key)
        if longer is not None:
            phrase = longer
            continue
        yield phrase, bits
        phrase = pixel
        if free < _MOST_CODES:
            known[key] = free
            bits += free == 1 << bits  # the decoder is one code behind
            free += 1
        else:
            yield _CLEAR, bits
            known.clear()
            free, bits = _FIRST_FREE, _CODE_BITS + 1
    yield phrase, bits
    if free == 1 << bits and bits < 12:
        bits += 1
    yield _END, bits


def _bits(codes: Iterable[tuple[int, int]]) -> bytes:
    """The concatenated codes, least significant bit first."""
    found = bytearray()
    waiting = held = 0
    for code, bits in codes:
        waiting |= code << held
        held += bits
        while held >= 8:
            found.append(waiting & 255)
            waiting >>= 8
            held -= 8
    if held:
        found.append(waiting)
    return bytes(found)
