"""Games in a window: playing, watching, and editing levels. The command is ``vgdl-play``, its function `main`.

`keys`, `match`, `players`, `saving` and `sketch` need no window. `app` passes events and time to the `Screen` on top:
`menu`, `playing`, `watching` or `editor`.
"""

import os

from vgdl.play.cli import main

__all__ = ["main"]

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # must run before any module here imports pygame
