"""The window, and the loop that passes events and time to the screen on top."""

from __future__ import annotations

from typing import Protocol

import pygame
from pygame import Surface
from pygame.event import Event

from vgdl.render.display import open_window

FRAMES_PER_SECOND = 60


class Screen(Protocol):
    """The content of the window."""

    def handle(self, app: App, event: Event) -> None:
        """Handle an event."""

    def pass_time(self, app: App, milliseconds: float) -> None:
        """Advance by an amount of real time."""

    def draw(self, surface: Surface) -> None:
        """Draw the screen on a surface of any size."""

    def leave(self) -> None:
        """Called when another screen is shown on top, or the window loses the keyboard focus."""


class App:
    """A window with a stack of screens; it closes when none are left.

    Only display and font are initialised: no sound device is touched until sounds are switched on.
    """

    def __init__(self, title: str, size: tuple[int, int] = (960, 720)) -> None:
        """Open the window.

        Raises:
            NoDisplay: there is no display.
        """
        self.surface = open_window(title, size, pygame.RESIZABLE)
        pygame.font.init()
        pygame.key.set_repeat()
        self._screens: list[Screen] = []

    @property
    def top(self) -> Screen | None:
        """The visible screen; None if there is none."""
        return self._screens[-1] if self._screens else None

    def push(self, screen: Screen) -> None:
        """Show a screen on top of the others."""
        if self._screens:
            self._screens[-1].leave()
        self._screens.append(screen)

    def pop(self) -> None:
        """Go back to the screen below."""
        self._screens.pop().leave()

    def run(self) -> None:
        """Run until the window is closed."""
        clock = pygame.time.Clock()
        while self._screens:
            self.turn(clock.tick(FRAMES_PER_SECOND))
        self.close()

    def turn(self, milliseconds: float) -> None:
        """Run the loop once: handle all events, let time pass, and draw."""
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self._screens.clear()
            elif event.type == pygame.KEYDOWN and event.key == pygame.K_F11:
                pygame.display.toggle_fullscreen()
            elif event.type == pygame.WINDOWFOCUSLOST and self.top:
                self.top.leave()
            elif self.top:
                self.top.handle(self, event)
        if self.top:
            self.top.pass_time(self, milliseconds)
        self.surface = pygame.display.get_surface() or self.surface
        if self.top:
            self.top.draw(self.surface)
            pygame.display.flip()

    def close(self) -> None:
        """Close the window."""
        self._screens.clear()
        pygame.mixer.quit()
        pygame.display.quit()
