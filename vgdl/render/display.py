"""Opening windows, for the players of games and for environments; the only module of this package that needs pygame."""

from __future__ import annotations

import os

import pygame

from vgdl.render.ansi import has_display

_INVISIBLE = "offscreen"  #: the driver that SDL falls back on where there is no display


class NoDisplay(RuntimeError):
    """No window can be opened here; the message says why."""


def open_window(title: str, size: tuple[int, int], flags: int = 0) -> pygame.Surface:
    """Open pygame's window, or change its size; returns its surface.

    Raises:
        NoDisplay: there is no display, so SDL would draw into memory without showing it.
    """
    if not has_display():
        raise NoDisplay("no window can be opened here: there is no display")
    os.environ.setdefault("SDL_NO_SIGNAL_HANDLERS", "1")  # else SIGTERM does nothing while a controller hangs
    try:
        pygame.display.init()
        if pygame.display.get_driver() == _INVISIBLE and not os.environ.get("SDL_VIDEODRIVER"):
            pygame.display.quit()
            raise NoDisplay("no window can be opened here: there is no display")
        pygame.display.set_caption(title)
        return pygame.display.set_mode(size, flags)
    except pygame.error as error:
        raise NoDisplay(f"no window can be opened here: {error}. Is there a display?") from error
