"""Pictures in a terminal: two pixels per character, one above the other, and only what has changed is written."""

from __future__ import annotations

import functools
import math
import os
import sys

import numpy as np
from numpy.typing import NDArray
from rich.color import Color, ColorSystem
from rich.color_triplet import ColorTriplet

from vgdl.core.state import StateObservation
from vgdl.render import frame
from vgdl.render.drawings import SIZE
from vgdl.render.palettes import Palette

UPPER_HALF = "▀"
_RESET = "\x1b[0m"


def has_display() -> bool:
    """Whether a window can be expected to open; SDL is not asked, which would write to standard error otherwise."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("SDL_VIDEODRIVER"))


def thumbnail(
    state: StateObservation, columns: int, lines: int, palette: Palette = Palette.STANDARD
) -> NDArray[np.uint8]:
    """The picture of a state for a part of a terminal: two pixels per line, one per column.

    A board that is larger than that, with a pixel per cell, is cut off around the avatar.

    Args:
        state: of a game that is running or over.
        columns: available characters in a line.
        lines: available lines.
        palette: colours, as for `vgdl.render.frame`.

    Returns:
        uint8, (height, width, 3), with an even height of at most ``2 * lines`` and a width of at most ``columns``.
    """
    width, height = (length // state.block_size for length in state.world_dimension)
    block = max(1, min(columns // width, 2 * lines // height))
    factor = math.ceil(SIZE / block)  # drawn at the size of the drawings, and averaged
    large = frame(state, block * factor, palette=palette)
    rows, across = height * block, width * block
    small = large.reshape(rows, factor, across, factor, 3).mean(axis=(1, 3)).astype(np.uint8)
    avatar = state.avatars[0]
    x, y = (0, 0) if avatar is None else (place * block // state.block_size for place in avatar.position)
    small = small[_window(y, rows, 2 * lines), _window(x, across, columns)]
    return np.pad(small, ((0, len(small) % 2), (0, 0), (0, 0)))


def _window(centre: int, length: int, room: int) -> slice:
    """The part of a length that is shown, around a centre."""
    start = max(0, min(centre - room // 2, length - room))
    return slice(start, start + min(length, room))


class Canvas:
    """An area of a terminal that shows pictures of one size."""

    def __init__(self, system: ColorSystem, left: int, top: int) -> None:
        """Set up an area with its corner at a column and a line, counted from 0."""
        self._system = system
        self._left, self._top = left, top
        self._shown: NDArray[np.uint8] | None = None

    def draw(self, picture: NDArray[np.uint8]) -> str:
        """The characters that turn the picture shown so far into another one, (height, width, 3) with even height."""
        height, width, _ = picture.shape
        cells = picture.reshape(height // 2, 2, width, 3).transpose(0, 2, 1, 3).reshape(height // 2, width, 6)
        if self._shown is None or self._shown.shape != cells.shape:
            changed = np.ones(cells.shape[:2], np.bool_)
        else:
            changed = (cells != self._shown).any(axis=2)
        self._shown = cells
        return "".join(
            self._line(line, cells[line], changed[line]) for line in np.flatnonzero(changed.any(axis=1)).tolist()
        )

    def _line(self, line: int, cells: NDArray[np.uint8], changed: NDArray[np.bool_]) -> str:
        parts: list[str] = []
        last, style = -2, ""
        for column in np.flatnonzero(changed).tolist():
            if column != last + 1:
                parts.append(f"\x1b[{self._top + line + 1};{self._left + column + 1}H")
            own = _style(self._system, tuple(cells[column].tolist()))
            parts.append(UPPER_HALF if own == style else own + UPPER_HALF)
            last, style = column, own
        return "".join([*parts, _RESET])


@functools.lru_cache(maxsize=4096)
def _style(system: ColorSystem, pixels: tuple[int, ...]) -> str:
    """The escape sequence for the colours of an upper and a lower pixel."""
    upper, lower = (Color.from_triplet(ColorTriplet(*pixels[k : k + 3])).downgrade(system) for k in (0, 3))
    return f"\x1b[{';'.join((*upper.get_ansi_codes(), *lower.get_ansi_codes(foreground=False)))}m"
