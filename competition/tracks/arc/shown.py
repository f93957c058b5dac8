"""Frames as pictures, in the colours of the pages."""

from __future__ import annotations

import functools
import re
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from vgdl.competition.tracks.arc.frame import COLORS, Layer

_COLOR = re.compile(r'"#([0-9a-f]{6})"')


@functools.cache
def colors() -> NDArray[np.uint8]:
    """Red, green and blue of each colour, shape (16, 3): those of the script that draws frames on the pages."""
    script = files("vgdl.competition.tracks.arc") / "pages" / "static" / "arc.js"
    found = _COLOR.findall(script.read_text(encoding="utf-8"))[:COLORS]
    shown = np.frombuffer(bytes.fromhex("".join(found)), np.uint8)
    return shown.reshape(COLORS, 3)


def image(layer: Layer, scale: int = 1) -> NDArray[np.uint8]:
    """A picture of a layer, shape (64 * scale, 64 * scale, 3)."""
    return np.repeat(np.repeat(colors()[layer], scale, axis=0), scale, axis=1)
