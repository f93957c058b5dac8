"""Pictures of a game: ``frame(state)`` gives an RGB array. Headless; numpy is all it needs.

Sprites with a drawing of ours (``img=<sheet>/<name>``, see ``vgdl.render.drawings``) show it; all others are plain
shapes in their colour. ``vgdl.render.png`` writes an array to a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vgdl.render import png
from vgdl.render.pictures import Look, Picture, picture, quarter_turns

__all__ = ["BLOCK", "frame", "png"]

BLOCK = 24  #: pixels of a grid cell in a frame, unless told otherwise

#: A sprite to draw: type, rectangle (x, y, width, height in the level's pixels), orientation (x, y).
Sprite = tuple[int, int, int, int, int, float, float]


class _Game(Protocol):
    @property
    def looks(self) -> Sequence[Look]: ...


class _State(Protocol):
    """What a frame needs to know of a ``StateObservation``."""

    @property
    def game(self) -> _Game: ...
    @property
    def block_size(self) -> int: ...
    @property
    def world_dimension(self) -> tuple[int, int]: ...
    def _drawing(self) -> Iterable[Sprite]: ...


def frame(state: _State, block: int = BLOCK) -> NDArray[np.uint8]:
    """What a player sees of a state.

    Sprites are drawn in the order of the rules, later ones on top, without disabled and invisible ones (engine, 15.4).

    Args:
        state: of a game that is running or over.
        block: width and height of a grid cell in the picture, in pixels; at least 1.

    Returns:
        uint8, (height, width, 3): red, green, blue; black where there is no sprite.
    """
    if block < 1:
        raise ValueError(f"block must be at least 1 pixel, got {block}")
    size = state.block_size
    world_width, world_height = state.world_dimension
    width, height = world_width * block // size, world_height * block // size
    canvas = np.zeros((height, 3 * width), dtype=np.uint8)
    looks = state.game.looks
    pictures: dict[tuple[int, int, int, int | None], Picture] = {}
    for kind, x, y, sprite_width, sprite_height, orientation_x, orientation_y in state._drawing():
        key = kind, sprite_width, sprite_height, quarter_turns(orientation_x, orientation_y)
        shown = pictures.get(key)
        if shown is None:
            drawn_width, drawn_height = max(1, sprite_width * block // size), max(1, sprite_height * block // size)
            shown = pictures[key] = picture(looks[kind], drawn_width, drawn_height, key[3])
        _put(canvas, shown, x * block // size + shown.left, y * block // size + shown.top)
    return canvas.reshape(height, width, 3)


def _put(canvas: NDArray[np.uint8], shown: Picture, x: int, y: int) -> None:
    """Put a picture on the canvas with its corner at pixel (x, y); parts outside are cut off."""
    rgb, mask = shown.rgb, shown.mask
    rows, columns = rgb.shape
    left = 3 * x
    if x < 0 or y < 0 or left + columns > canvas.shape[1] or y + rows > canvas.shape[0]:
        cut = slice(max(0, -y), max(0, canvas.shape[0] - y)), slice(max(0, -left), max(0, canvas.shape[1] - left))
        rgb, mask = rgb[cut], None if mask is None else mask[cut]
        rows, columns = rgb.shape
        left, y = max(0, left), max(0, y)
    place = canvas[y : y + rows, left : left + columns]
    if mask is None:
        place[...] = rgb
    else:
        np.copyto(place, rgb, where=mask)
