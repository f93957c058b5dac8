"""GIF files, read back by an independent reading of the format."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vgdl.render import gif

Image = NDArray[np.uint8]


@dataclass
class Film:
    """The frames that a viewer would show."""

    frames: list[Image]
    centiseconds: list[int]
    stored: list[int]  #: pixels that each frame takes in the file


def read(data: bytes) -> Film:
    """The animation in a GIF file with one palette and nothing but frames, controls and a loop."""
    assert data[:6] == b"GIF89a"
    width, height, flags, _, _ = struct.unpack_from("<HHBBB", data, 6)
    assert flags == 0xF7, "a palette of 256 colours"
    palette = np.frombuffer(data, np.uint8, 768, 13).reshape(256, 3)
    screen = np.zeros((height, width, 3), np.uint8)
    film = Film([], [], [])
    at, transparent, delay = 13 + 768, -1, 0
    while data[at] != 0x3B:
        if data[at] == 0x21:
            label, body, at = data[at + 1], *parts(data, at + 2)
            if label == 0xF9:
                packed, delay, transparent = struct.unpack("<BHBx", body + b"\0")[:3]
                assert packed == 0x05, "transparent, and left in place"
            continue
        assert data[at] == 0x2C
        left, top, columns, rows, _ = struct.unpack_from("<HHHHB", data, at + 1)
        assert data[at + 10] == 8
        body, at = parts(data, at + 11)
        pixels = np.array(list(unpacked(body)), np.uint8).reshape(rows, columns)
        screen = screen.copy()
        seen = pixels != transparent
        screen[top : top + rows, left : left + columns][seen] = palette[pixels[seen]]
        film.frames.append(screen)
        film.centiseconds.append(delay)
        film.stored.append(rows * columns)
    assert at == len(data) - 1
    return film


def parts(data: bytes, at: int) -> tuple[bytes, int]:
    """The content of a chain of blocks, and where it ends."""
    found = b""
    while size := data[at]:
        found += data[at + 1 : at + 1 + size]
        at += 1 + size
    return found, at + 1


def unpacked(data: bytes) -> Iterator[int]:
    """Lempel, Ziv and Welch, backwards."""
    held = int.from_bytes(data, "little")
    at, bits = 0, 9
    table: list[bytes] = []
    before = b""
    while True:
        code = held >> at & (1 << bits) - 1
        at += bits
        if code == 257:
            assert len(data) * 8 - at < 8, "nothing follows the end"
            return
        if code == 256:
            table, before, bits = [bytes([k]) for k in range(256)] + [b"", b""], b"", 9
            continue
        phrase = table[code] if code < len(table) else before + before[:1]
        if before and len(table) < 4096:
            table.append(before + phrase[:1])
            if len(table) == 1 << bits and bits < 12:
                bits += 1
        before = phrase
        yield from phrase


def noise(seed: int, shape: tuple[int, int], colors: int = 200) -> Image:
    """Random pixels of some colours."""
    generator = np.random.default_rng(seed)
    palette = generator.integers(0, 256, (colors, 3), dtype=np.uint8)
    found: Image = palette[generator.integers(0, colors, shape)]
    return found


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (20, 30), (150, 200)])
def test_an_animation_is_read_back_exactly(shape: tuple[int, int]) -> None:
    """The largest fills the table of codes many times over."""
    first = noise(1, shape)
    second = first.copy()
    second[-1, -1] = 255 - second[-1, -1]
    film = read(gif.encode([first, second], milliseconds=80, hold=500))
    assert all(np.array_equal(a, b) for a, b in zip(film.frames, [first, second], strict=True))
    assert film.centiseconds == [8, 50]
    assert film.stored == [shape[0] * shape[1], 1]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=600), min_size=1, max_size=1), st.integers(1, 255))
def test_any_row_of_pixels_is_read_back_exactly(rows: list[bytes], colors: int) -> None:
    values = np.frombuffer(rows[0], np.uint8) % colors
    image = np.stack([values] * 3, axis=1)[None]
    assert np.array_equal(read(gif.encode([image])).frames[0], image)


@pytest.mark.parametrize("length", [*range(250, 260), *range(505, 520), *range(1020, 1030)])
def test_the_width_of_the_codes_grows_in_time(length: int) -> None:
    """Rows without repetition make a new phrase with every pixel."""
    values = np.array([(k * k + k // 7) % 251 for k in range(length)], np.uint8)
    image = np.stack([values] * 3, axis=1)[None]
    assert np.array_equal(read(gif.encode([image])).frames[0], image)


def test_an_unchanged_frame_extends_the_one_before() -> None:
    image, other = np.zeros((4, 4, 3), np.uint8), np.full((4, 4, 3), 9, np.uint8)
    film = read(gif.encode([image, image, image, other], milliseconds=40, hold=1000))
    assert (len(film.frames), film.centiseconds) == (2, [12, 100])


def test_too_many_colours_are_reduced() -> None:
    image = noise(3, (40, 40), colors=1500)
    (shown,) = read(gif.encode([image])).frames
    assert len(np.unique(shown.reshape(-1, 3), axis=0)) <= 255
    assert np.abs(shown.astype(int) - image.astype(int)).max() < 64


def test_an_animation_is_written_to_a_file(tmp_path: Path) -> None:
    gif.write(tmp_path / "film.gif", iter([np.zeros((4, 4, 3), np.uint8)]))
    assert len(read((tmp_path / "film.gif").read_bytes()).frames) == 1


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        ([], "at least one frame"),
        ([np.zeros((4, 4), np.uint8)], "expected a uint8 array"),
        ([np.zeros((4, 4, 3))], "expected a uint8 array"),
        ([np.zeros((0, 4, 3), np.uint8)], "expected a uint8 array"),
        ([np.zeros((4, 4, 3), np.uint8), np.zeros((4, 5, 3), np.uint8)], "of one size"),
    ],
)
def test_invalid_animations_are_refused(frames: list[Image], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gif.encode(frames)


def test_the_duration_of_a_frame_is_written() -> None:
    with pytest.raises(ValueError, match="at least 10 milliseconds"):
        gif.encode([np.zeros((4, 4, 3), np.uint8)], milliseconds=4)
