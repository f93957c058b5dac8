"""Videos as MP4 files (H.264). Needs the extra ``video``: ``pip install "vgdl[video]"``."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from vgdl.extras import needs


class MissingExtra(RuntimeError):
    """The library that writes MP4 files is not installed; the message says how to install it."""


def write(path: str | os.PathLike[str], frames: Iterable[NDArray[np.uint8]], fps: float = 25) -> None:
    """Write frames to an MP4 file.

    Args:
        path: of the file; an existing one is replaced.
        frames: uint8, (height, width, 3), all of one size; at least one. If height or width is odd, the last row or
            column is doubled, since the format needs even sizes.
        fps: frames per second.

    Raises:
        MissingExtra: the extra is not installed.
        ValueError: there are no frames.
    """
    try:
        imageio_ffmpeg = importlib.import_module("imageio_ffmpeg")
    except ImportError as error:
        raise MissingExtra(needs("MP4 output", "imageio-ffmpeg", "video")) from error
    writer = None
    for frame in frames:
        height, width, _ = frame.shape
        even = np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
        if writer is None:
            size = even.shape[1], even.shape[0]
            writer = imageio_ffmpeg.write_frames(os.fspath(path), size, fps=fps, macro_block_size=2, quality=8)
            writer.send(None)
        writer.send(np.ascontiguousarray(even))
    if writer is None:
        raise ValueError("a film needs at least one frame")
    writer.close()
