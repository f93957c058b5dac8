"""Videos as MP4 files (H.264). Needs the extra ``video``: ``pip install "vgdl[video]"``."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vgdl.extras import needs

__all__ = ["MissingExtra", "Writer", "write"]


class MissingExtra(RuntimeError):
    """The library that writes MP4 files is not installed; the message says how to install it.

    >>> from vgdl import render
    >>> issubclass(render.mp4.MissingExtra, RuntimeError)
    True
    """


class Writer:
    """An MP4 file that is written frame by frame.

    >>> from vgdl import render
    >>> writer = render.mp4.Writer("sokoban.mp4")
    >>> writer.add(render.frame(vgdl.load("sokoban").start(level=0, seed=7)))
    >>> writer.close()
    """

    def __init__(self, path: str | os.PathLike[str], fps: float = 25) -> None:
        """Begin a file; it is created with the first frame.

        Args:
            path: of the file; an existing one is replaced.
            fps: frames per second.

        Raises:
            MissingExtra: the extra is not installed.
        """
        self._library = _library()
        self._path, self._fps = os.fspath(path), fps
        self._writer: Any = None

    def add(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame, uint8, (height, width, 3), all of one size.

        If height or width is odd, the last row or column is doubled, since the format needs even sizes.
        """
        height, width, _ = frame.shape
        even = np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
        if self._writer is None:
            size = even.shape[1], even.shape[0]
            self._writer = self._library.write_frames(self._path, size, fps=self._fps, macro_block_size=2, quality=8)
            self._writer.send(None)
        self._writer.send(np.ascontiguousarray(even))

    def close(self) -> None:
        """Complete the file.

        Raises:
            ValueError: there are no frames.
        """
        if self._writer is None:
            raise ValueError("a film needs at least one frame")
        self._writer.close()


def check() -> None:
    """Raise MissingExtra unless the library that writes MP4 files is installed."""
    _library()


def write(path: str | os.PathLike[str], frames: Iterable[NDArray[np.uint8]], fps: float = 25) -> None:
    """Write frames to an MP4 file: see `Writer`.

    >>> from vgdl import render
    >>> render.mp4.write("sokoban.mp4", [render.frame(vgdl.load("sokoban").start(level=0, seed=7))])

    Raises:
        MissingExtra: the extra is not installed.
        ValueError: there are no frames.
    """
    writer = Writer(path, fps)
    for frame in frames:
        writer.add(frame)
    writer.close()


def _library() -> ModuleType:
    try:
        return importlib.import_module("imageio_ffmpeg")
    except ImportError as error:
        raise MissingExtra(needs("MP4 output", "imageio-ffmpeg", "video")) from error
