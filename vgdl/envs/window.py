"""The render modes, and the window of the mode ``human``."""

from __future__ import annotations

import numpy as np
import pygame
from numpy.typing import NDArray

from vgdl import StateObservation, text
from vgdl.render import frame
from vgdl.render.display import open_window

FPS = 20  #: ticks shown per second
RENDER_MODES = ("human", "rgb_array", "ansi")


class Screen:
    """Renders the states of one environment in its render mode."""

    def __init__(self, mode: str | None, title: str) -> None:
        """Set up; the first `update` opens a window. Raises ValueError for an unknown mode."""
        if mode is not None and mode not in RENDER_MODES:
            raise ValueError(f"no render mode {mode!r}; there are {', '.join(RENDER_MODES)}, and None")
        self._mode = mode
        self._title = title
        self._clock: pygame.time.Clock | None = None  # once there is a window

    def update(self, state: StateObservation) -> None:
        """Show a new state in the mode ``human``, at most `FPS` per second.

        Raises:
            NoDisplay: no window can be opened.
        """
        if self._mode != "human":
            return
        picture = frame(state)
        size = picture.shape[1], picture.shape[0]
        surface = pygame.display.get_surface()
        if surface is None or surface.get_size() != size:
            surface = open_window(self._title, size)
        if self._clock is None:
            self._clock = pygame.time.Clock()
        pygame.surfarray.blit_array(surface, picture.swapaxes(0, 1))
        pygame.display.flip()
        pygame.event.pump()
        self._clock.tick(FPS)

    def picture(self, state: StateObservation) -> NDArray[np.uint8] | str | None:
        """With ``rgb_array`` the frame, 24 pixels per cell; with ``ansi`` the state as text; else None."""
        if self._mode == "ansi":
            return text.read(state)
        return frame(state) if self._mode == "rgb_array" else None

    def __reduce__(self) -> tuple[object, ...]:  # a copy opens its own window
        return Screen, (self._mode, self._title)

    def close(self) -> None:
        """Close the window."""
        if self._clock is not None:
            pygame.display.quit()
            self._clock = None
