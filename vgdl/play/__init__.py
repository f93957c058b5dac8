"""Games in a window: to play, to watch, to draw levels for. ``vgdl-play`` is the command, `main` its function.

What does not need a window stands apart from what does: `keys`, `match`, `players`, `saving` and `sketch` know of no
screen; `app` turns events and time into calls of the `Screen` on top: `menu`, `playing`, `watching` or `editor`.
"""

import os

from vgdl.play.cli import main

__all__ = ["main"]

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # this runs before any module here imports pygame
