"""PNG files, read back by an independent reading of the format."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vgdl.render import png


def read(data: bytes) -> NDArray[np.uint8]:
    """The image in a PNG file that uses no filters, with all checksums verified."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks = {}
    at = 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length) == (zlib.crc32(kind + body),)
        chunks[kind] = body
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, color_type, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, rest) == (8, [0, 0, 0])
    channels = {2: 3, 6: 4}[color_type]
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), dtype=np.uint8).reshape(height, 1 + width * channels)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, channels)


@pytest.mark.parametrize("shape", [(1, 1, 3), (5, 7, 3), (7, 5, 4)])
def test_written_files_can_be_read(tmp_path: Path, shape: tuple[int, int, int]) -> None:
    image = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    png.write(tmp_path / "image.png", image)
    assert np.array_equal(read((tmp_path / "image.png").read_bytes()), image)


def test_a_view_that_is_not_contiguous_is_written_too() -> None:
    image = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)[::2, ::-1]
    assert np.array_equal(read(png.encode(image)), image)


@pytest.mark.parametrize(
    "image",
    [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 2), np.uint8), np.zeros((4, 4, 3)), np.zeros((0, 4, 3), np.uint8)],
)
def test_other_arrays_are_refused(image: NDArray[np.uint8]) -> None:
    with pytest.raises(ValueError, match="expected a uint8 array"):
        png.encode(image)
