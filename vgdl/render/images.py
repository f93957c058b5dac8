"""Image collections: a folder of PNG files with the names that game texts use, as in ``img=oryx/wall3``.

PNG files are read with pygame, which is imported on first use; no window is opened.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from vgdl.render.drawings import Pixels

TILES = 16  #: images of a tiled sprite: one per combination of neighbours of the same type
_OPAQUE = 128  #: pixels of at least this alpha are drawn


class Images:
    """A collection in a folder: ``<name>.png``, or ``<name>_0.png``, ``<name>_1.png`` ... for several images.

    Sixteen images are tiles (language, ``autotiling``), whose number is the sum of 1, 2, 4 and 8 for neighbours of the
    same type to the left, to the right, above and below. Fewer images are an animation, whose first image is shown.

    >>> from pathlib import Path
    >>> from vgdl import render
    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> Path("sprites").mkdir()
    >>> render.png.write("sprites/box.png", render.frame(state)[:24, :24])
    >>> render.frame(state, images=render.Images(Path("sprites"))).shape
    (192, 312, 3)
    """

    def __init__(self, folder: Path) -> None:
        """Use a folder.

        Raises:
            NotADirectoryError: there is no such folder.
        """
        if not folder.is_dir():
            raise NotADirectoryError(f"there is no folder {folder}")
        self._folder = folder.resolve()
        self._path = cache(self._find_path)
        self.find = cache(self._find)

    def is_tiled(self, name: str) -> bool:
        """Whether there is an image for each combination of neighbours."""
        return self._path(name) is None and self._path(f"{name}_{TILES - 1}") is not None

    def _find(self, name: str, tile: int = 0) -> Pixels | None:
        """The image with a name; None if there is none. ``tile`` selects among the images of a tiled sprite."""
        path = self._path(name) or self._path(f"{name}_{tile}") or self._path(f"{name}_0")
        return _read(path) if path else None

    def _find_path(self, name: str) -> Path | None:
        """The file of an image. Names are from untrusted game texts, and must not lead out of the folder."""
        try:
            path = (self._folder / f"{name.removesuffix('.png')}.png").resolve()
            return path if path.is_relative_to(self._folder) and path.is_file() else None
        except (OSError, ValueError):
            return None


def _read(path: Path) -> Pixels | None:
    """The pixels of an image file; None if it is not one."""
    import pygame  # takes a tenth of a second, and is only needed for images

    try:
        surface = pygame.image.load(path)
    except pygame.error:
        return None
    width, height = surface.get_size()
    pixels = np.frombuffer(pygame.image.tobytes(surface, "RGBA"), dtype=np.uint8).reshape(height, width, 4).copy()
    pixels[..., 3] = np.where(pixels[..., 3] >= _OPAQUE, 255, 0)
    pixels.flags.writeable = False
    return pixels
