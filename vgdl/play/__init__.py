"""Games in a window: to play, to watch, to edit their levels. ``vgdl-play`` is the command, `main` its function.

`keys`, `match`, `players`, `saving` and `sketch` need no window. `app` passes events and time to the `Screen` on top:
`menu`, `playing`, `watching` or `editor`.
"""

import os

from vgdl.play.cli import main

__all__ = ["main"]

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # this runs before any module here imports pygame
