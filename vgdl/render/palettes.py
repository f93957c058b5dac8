"""Palettes for drawings and plain shapes: the standard colours, or ones that colour-blind people can tell apart."""

from __future__ import annotations

import colorsys
import enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Color = tuple[int, int, int]  #: red, green, blue, each 0 to 255


class Palette(enum.StrEnum):
    """Colours of pictures.

    >>> from vgdl import render
    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> render.frame(state, block=10, palette=render.Palette.SAFE).shape
    (80, 130, 3)
    """

    STANDARD = "standard"  #: as in drawings and game texts
    SAFE = "safe"  #: almost no pairs that look alike with protanopia or deuteranopia


# Changes of hue, saturation and value by hue in degrees, with linear interpolation. A random search minimised the
# number of colour pairs that are far apart in CIELAB but look alike to dichromats, as simulated by Machado, Oliveira
# and Fernandes (2009): reds become lighter, greens darker or more yellow, and cyan moves towards blue.
_HUES = (0, 30, 50, 90, 120, 160, 185, 220, 270, 325, 360)
_SHIFTS = (-8, 0, 6, -25, -10, 40, 26, -2, -10, 6, -8)  #: degrees that are added to the hue
_SATURATIONS = (0.5, 1.06, 1.03, 0.63, 1.4, 0.89, 1.02, 1.05, 1.15, 1.29, 0.5)  #: factors, like those of the values
_VALUES = (1.5, 0.92, 0.97, 1.5, 0.55, 1.4, 1.31, 1.5, 0.93, 0.86, 1.5)
_GREY = 1.5  #: greys keep their value; colours with a saturation of 1 / 1.5 or more take the full change


def recolored(pixels: NDArray[np.uint8], palette: Palette) -> NDArray[np.uint8]:
    """Pixels in the colours of a palette.

    Args:
        pixels: (height, width, 4), red, green, blue, alpha, in standard colours.
        palette: to be used.

    Returns:
        The same array for standard colours, else a new one.
    """
    if palette is Palette.STANDARD:
        return pixels
    colors, places = np.unique(pixels.reshape(-1, 4), axis=0, return_inverse=True)
    changed = [(*safe((int(red), int(green), int(blue))), int(alpha)) for red, green, blue, alpha in colors]
    return np.array(changed, dtype=np.uint8)[places.reshape(-1)].reshape(pixels.shape)


@lru_cache(maxsize=4096)
def safe(color: Color) -> Color:
    """The colour of the safe palette for a standard colour."""
    hue, saturation, value = colorsys.rgb_to_hsv(*(channel / 255 for channel in color))
    degrees = 360 * hue
    change = 1 + (np.interp(degrees, _HUES, _VALUES) - 1) * min(1.0, _GREY * saturation)
    shifted = (degrees + np.interp(degrees, _HUES, _SHIFTS)) % 360 / 360
    saturated = min(1.0, saturation * np.interp(degrees, _HUES, _SATURATIONS))
    red, green, blue = colorsys.hsv_to_rgb(float(shifted), float(saturated), float(min(1.0, value * change)))
    return round(255 * red), round(255 * green), round(255 * blue)
