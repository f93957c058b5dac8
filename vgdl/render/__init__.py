"""Pictures of a game: ``frame(state)`` returns an RGB array; needs no display and only NumPy.

Sprites are shown as their bundled drawing (``img=<sheet>/<name>``, see ``vgdl.render.drawings``) if they have one;
all others are plain shapes in their colour that depend on their kind: persons, creatures, gems, doors, squares, balls.
``vgdl.render.png`` writes one frame to a file, ``vgdl.render.gif`` and ``vgdl.render.mp4`` write many.

>>> from vgdl import render
>>> state = vgdl.load("sokoban").start(level=0, seed=7)
>>> render.frame(state).shape == (8 * render.BLOCK, 13 * render.BLOCK, 3)
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from vgdl.render import gif, mp4, png
from vgdl.render.images import Images
from vgdl.render.palettes import Palette
from vgdl.render.pictures import Look, Picture, picture, quarter_turns

__all__ = ["BLOCK", "Images", "Palette", "frame", "gif", "mp4", "png", "shape", "sprites"]

BLOCK = 24  #: default size of a grid cell in a frame, in pixels

#: A sprite to draw: type, rectangle (x, y, width, height in the level's pixels), orientation (x, y).
Sprite = tuple[int, int, int, int, int, float, float]


class _Game(Protocol):
    @property
    def looks(self) -> Sequence[Look]: ...


class _Rules(Protocol):
    @property
    def table(self) -> Mapping[str, NDArray[Any]]: ...


class _Tables(Protocol):
    @property
    def rules(self) -> _Rules: ...


class _State(Protocol):
    """The part of a ``StateObservation`` that a frame needs."""

    @property
    def game(self) -> _Game: ...
    @property
    def tables(self) -> _Tables: ...
    @property
    def block_size(self) -> int: ...
    @property
    def world_dimension(self) -> tuple[int, int]: ...
    def _drawing(self) -> Sequence[Sprite]: ...


def sprites(state: _State) -> Sequence[Sprite]:
    """The sprites in a frame, in drawing order, including hidden but not disabled ones (engine, 15.4).

    >>> from vgdl import render
    >>> len(render.sprites(vgdl.load("sokoban").start(level=0, seed=7)))
    111

    Args:
        state: of a game that is running or over.

    Returns:
        For each sprite its type, its rectangle (x, y, width, height in the level's pixels) and its orientation (x, y).

    Raises:
        AttributeError: the state is one shown to a controller in a competition, where hidden sprites are withheld.
    """
    return state._drawing()


def frame(
    state: _State, block: int = BLOCK, images: Images | None = None, palette: Palette = Palette.STANDARD
) -> NDArray[np.uint8]:
    """Render a state.

    Sprites are drawn in the order of the rules, later ones on top, without disabled and invisible ones (engine, 15.4).

    >>> from vgdl import render
    >>> render.frame(vgdl.load("sokoban").start(level=0, seed=7), block=10).shape
    (80, 130, 3)

    Args:
        state: of a game that is running or over.
        block: width and height of a grid cell in the picture, in pixels; at least 1.
        images: a collection of images that takes precedence over the bundled drawings.
        palette: colours of drawings and plain shapes; ``Palette.SAFE`` is for colour-blind viewers.

    Returns:
        uint8, (height, width, 3): red, green, blue; black where there is no sprite.

    Raises:
        ValueError: ``block`` is less than 1.
        AttributeError: the state is one shown to a controller in a competition, where hidden sprites are withheld.
    """
    if block < 1:
        raise ValueError(f"block must be at least 1 pixel, got {block}")
    size = state.block_size
    world_width, world_height = state.world_dimension
    width, height = world_width * block // size, world_height * block // size
    canvas = np.zeros((height, 3 * width), dtype=np.uint8)
    looks = state.game.looks
    shown_sprites = sprites(state)
    tiles = _tiles(shown_sprites, looks, images, size) if images else {}
    pictures: dict[tuple[int, int, int, int | None, int], Picture] = {}
    for kind, x, y, sprite_width, sprite_height, orientation_x, orientation_y in shown_sprites:
        if looks[kind].invisible:
            continue
        turns, tile = quarter_turns(orientation_x, orientation_y), tiles.get((kind, x, y), 0)
        key = kind, sprite_width, sprite_height, turns, tile
        shown = pictures.get(key)
        if shown is None:
            # a sprite may be millions of cells large, but its picture need not be much larger than the canvas
            drawn_width = max(1, min(sprite_width * block // size, 2 * width))
            drawn_height = max(1, min(sprite_height * block // size, 2 * height))
            plain = shape(state.tables, kind)
            shown = pictures[key] = picture(
                looks[kind], drawn_width, drawn_height, turns, shape=plain, images=images, tile=tile, palette=palette
            )
        _put(canvas, shown, x * block // size + shown.left, y * block // size + shown.top)
    return canvas.reshape(height, width, 3)


def shape(tables: _Tables, kind: int) -> str:
    """The plain drawing for a type without a drawing of its own.

    >>> from vgdl import render
    >>> game = vgdl.load("sokoban")
    >>> render.shape(game.board(level=0).tables, game.types.index("box"))
    'ball'
    """
    row = tables.rules.table["types"][kind]
    for shape, column in _SHAPES:
        if row[column]:
            return "ground" if shape == "square" and row["hidden"] else shape
    return "ball"


_SHAPES = (
    ("person", "is_avatar"),
    ("creature", "is_npc"),
    ("gem", "is_resource"),
    ("door", "portal"),
    ("square", "is_static"),
)


def _tiles(
    sprites: Iterable[Sprite], looks: Sequence[Look], images: Images, size: int
) -> dict[tuple[int, int, int], int]:
    """For each tiled sprite, by type and position, the number of the image that fits its neighbours of that type."""
    tiled = {kind for kind, look in enumerate(looks) if look.img and images.is_tiled(look.img)}
    places = {(kind, x, y) for kind, x, y, *_ in sprites if kind in tiled}
    return {
        (kind, x, y): ((kind, x - size, y) in places)
        + 2 * ((kind, x + size, y) in places)
        + 4 * ((kind, x, y - size) in places)
        + 8 * ((kind, x, y + size) in places)
        for kind, x, y in places
    }


def _put(canvas: NDArray[np.uint8], shown: Picture, x: int, y: int) -> None:
    """Draw a picture on the canvas with its corner at pixel (x, y); parts outside are cut off."""
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
