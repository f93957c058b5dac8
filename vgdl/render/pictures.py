"""The picture of a sprite: its drawing, or a plain shape in its colour, scaled and turned."""

from __future__ import annotations

import colorsys
import math
import zlib
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from vgdl.render import drawings
from vgdl.render.images import Images
from vgdl.render.palettes import Color, Palette, recolored, safe

_LARGEST_FACTOR = 4.0  #: largest ratio of a picture to the rectangle of its sprite
_LEFT = 2  #: quarter turns
_REDRAWN = {1: "up", 3: "down"}  #: suffixes of drawings for other directions, by quarter turns
_SHADE = 0.3  #: share of the colour derived from the name, for types with the colour of their class


class Look(Protocol):
    """The appearance of a sprite type, as the game text gives it."""

    @property
    def name(self) -> str: ...
    @property
    def img(self) -> str | None: ...
    @property
    def color(self) -> Color | None: ...
    @property
    def color_written(self) -> bool: ...
    @property
    def shrinkfactor(self) -> float: ...
    @property
    def oriented(self) -> bool: ...
    @property
    def avatar(self) -> bool: ...
    @property
    def invisible(self) -> bool: ...


class Picture(NamedTuple):
    """Pixels to be copied to a frame.

    Both arrays are (height, 3 * width), the channels of a pixel side by side, since numpy copies two dimensions faster.
    """

    rgb: NDArray[np.uint8]
    mask: NDArray[np.bool_] | None  #: opaque pixels; None: all
    left: int  #: offset inside the sprite's rectangle, in pixels of the frame: more than 0 for shrunken sprites
    top: int


def quarter_turns(x: float, y: float) -> int | None:
    """Counter-clockwise quarter turns from RIGHT to the direction nearest to (x, y), y downwards; None for (0, 0)."""
    if x == 0 and y == 0:
        return None
    if abs(x) >= abs(y):
        return 0 if x > 0 else 2
    return 1 if y < 0 else 3


def picture(
    look: Look,
    width: int,
    height: int,
    turns: int | None,
    *,
    shape: str | None = None,
    images: Images | None = None,
    tile: int = 0,
    palette: Palette = Palette.STANDARD,
) -> Picture:
    """The picture of a sprite whose rectangle measures ``width`` by ``height`` pixels of the frame.

    Args:
        look: of its type.
        width: at least 1.
        height: at least 1.
        turns: the direction of an oriented sprite, as returned by ``quarter_turns``.
        shape: the drawing of the sheet ``plain`` for a type without one; by default a person or a square.
        images: a collection that takes precedence over the bundled drawings.
        tile: number of the image of a tiled sprite.
        palette: colours of drawings and plain shapes; those of images stay as they are.
    """
    shrunk_width = _shrunk(width, look.shrinkfactor)
    shrunk_height = _shrunk(height, look.shrinkfactor)
    plain = shape or ("person" if look.avatar else "square")
    facing = turns if look.oriented else None
    pixels = _pixels(_color(look), look.img, look.avatar, facing, plain, images, tile, palette)
    scaled = scale(pixels, shrunk_width, shrunk_height)
    drawn = (scaled[..., 3:] > 0).repeat(3, axis=2)
    return Picture(
        rgb=scaled[..., :3].reshape(shrunk_height, 3 * shrunk_width),
        mask=None if drawn.all() else drawn.reshape(shrunk_height, 3 * shrunk_width),
        left=(width - shrunk_width) // 2,
        top=(height - shrunk_height) // 2,
    )


def _shrunk(pixels: int, factor: float) -> int:
    """The length of a side. Any ``shrinkfactor`` is allowed in a text: NaN is ignored, and large ones are limited."""
    if math.isnan(factor):
        return pixels
    return max(1, round(pixels * min(max(factor, 0.0), _LARGEST_FACTOR)))


@lru_cache(maxsize=1024)
def _pixels(
    color: Color,
    img: str | None,
    avatar: bool,
    turns: int | None,
    shape: str,
    images: Images | None,
    tile: int,
    palette: Palette,
) -> drawings.Pixels:
    """The sprite at the size of its drawing or image."""
    turning = turns if avatar else None  # only avatars are turned
    image = images.find(img, tile) if images and img else None
    if image is not None:
        return _turned(image, turning)
    drawn = drawings.find(img or "")
    if drawn is None:
        return _plain(safe(color) if palette is Palette.SAFE else color, shape, turns)
    redrawn = drawings.find(f"{img} {_REDRAWN[turning]}") if turning in _REDRAWN else None
    return recolored(_turned(drawn, turning) if redrawn is None else redrawn, palette)


def _turned(pixels: drawings.Pixels, turns: int | None) -> drawings.Pixels:
    """A picture that faces right, turned by quarters, or mirrored to face left."""
    return pixels[:, ::-1] if turns == _LEFT else np.rot90(pixels, turns or 0)


def _plain(color: Color, shape: str, turns: int | None) -> drawings.Pixels:
    """A shape of the sheet ``plain``, tinted, with a tick mark for the direction."""
    pixels = _plain_drawing(shape).copy()
    tinted = pixels[..., :3].astype(np.uint16) * np.array(color, dtype=np.uint16) // _plain_drawing("square")[6, 6, :3]
    pixels[..., :3] = tinted.clip(max=255)  # the middle of the square has exactly this colour
    if turns is not None:
        tick = np.rot90(_plain_drawing("tick"), turns)
        np.copyto(pixels, tick, where=tick[..., 3:] > 0)
    return pixels


def _plain_drawing(shape: str) -> drawings.Pixels:
    pixels = drawings.find(f"plain/{shape}")
    assert pixels is not None, f"the sheet 'plain' has no {shape!r}"
    return pixels


def _color(look: Look) -> Color:
    """The colour in the game text, or else one derived from the type's name, mixed with that of its class."""
    if look.color is None:
        return _color_of(look.name)
    if look.color_written:
        return look.color
    channels = zip(look.color, _color_of(look.name), strict=True)
    red, green, blue = (round((1 - _SHADE) * channel + _SHADE * other) for channel, other in channels)
    return red, green, blue


def _color_of(name: str) -> Color:
    """A bright colour derived from the name of a type that has none."""
    hue = zlib.crc32(name.encode()) / 2**32
    red, green, blue = colorsys.hsv_to_rgb(hue, 0.6, 0.9)
    return round(red * 255), round(green * 255), round(blue * 255)


def scale(pixels: drawings.Pixels, width: int, height: int) -> drawings.Pixels:
    """Nearest-neighbour scaling."""
    rows = (np.arange(height) * 2 + 1) * pixels.shape[0] // (height * 2)
    columns = (np.arange(width) * 2 + 1) * pixels.shape[1] // (width * 2)
    scaled: drawings.Pixels = pixels[rows[:, None], columns[None, :]]
    return scaled
