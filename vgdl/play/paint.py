"""Draws text, panels, keys and buttons on a pygame surface."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pygame
from numpy.typing import NDArray
from pygame import Rect, Surface

from vgdl import StateObservation
from vgdl.play.settings import Settings
from vgdl.render import frame
from vgdl.render.drawings import SIZE

INK = (23, 20, 31)
NIGHT = (42, 41, 69)
SLATE = (70, 85, 138)
STEEL = (116, 132, 163)
SILVER = (174, 187, 208)
WHITE = (251, 246, 234)
YELLOW = (255, 216, 79)
GREEN = (114, 184, 76)
RED = (208, 58, 65)

Color = tuple[int, int, int]

_LARGE = 3 * SIZE  #: pixels of a cell; from this size on, smooth scaling is slow and not visible
_FINE = 4  #: text is drawn so many times larger and scaled down: small letters would be spaced unevenly
_ARROWS = {"UP": 90, "LEFT": 180, "DOWN": 270, "RIGHT": 0}  #: degrees


def unit(surface: Surface) -> float:
    """The factor that sizes are multiplied by: 1 in a window of 800 by 600.

    It depends on the area, so that text in a flat window stays legible, and is limited by the shorter side.
    """
    across, down = surface.get_width() / 800, surface.get_height() / 600
    return max(0.7, min(math.sqrt(across * down), 1.35 * min(across, down), 3.0))


@lru_cache(maxsize=64)
def _font(size: int) -> pygame.font.Font:
    """The font included in pygame; ``size`` is in pixels."""
    pygame.font.init()
    return pygame.font.Font(None, size)


@lru_cache(maxsize=512)
def _drawn(words: str, size: float, color: Color) -> Surface:
    """A line of text, drawn large and scaled down."""
    large = _font(round(_FINE * size)).render(words, True, color)
    shown = large.width // _FINE, large.height // _FINE
    return pygame.transform.smoothscale(large, shown) if all(shown) else Surface(shown)


def text(
    surface: Surface, words: str, size: float, place: tuple[float, float], color: Color = WHITE, anchor: str = "topleft"
) -> Rect:
    """Draw a line of text with its ``anchor``, an attribute of a pygame ``Rect`` such as "midleft", at ``place``."""
    drawn = _drawn(words.replace("\0", " "), size, color)
    rect = drawn.get_rect()
    setattr(rect, anchor, (round(place[0]), round(place[1])))
    surface.blit(drawn, rect)
    return rect


def width_of(words: str, size: float) -> int:
    """The width of a line of text, in pixels."""
    return _font(round(_FINE * size)).size(words)[0] // _FINE


def shortened(words: str, size: float, width: float) -> str:
    """The text, cut off if it is wider than ``width`` pixels."""
    if width_of(words, size) <= width:
        return words
    while words and width_of(words + "…", size) > width:
        words = words[:-1]
    return words + "…"


def wrapped(words: str, size: float, width: float) -> list[str]:
    """The text in lines of at most ``width`` pixels; longer words are cut off."""
    lines: list[str] = []
    for paragraph in words.split("\n"):
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}".strip()
            if width_of(longer, size) <= width:
                line = longer
            else:
                lines += [line] if line else []
                line = shortened(word, size, width)
        lines.append(line)
    return lines


def shade(surface: Surface, strength: int = 150) -> None:
    """Darken the whole surface; ``strength`` is 0 to 255."""
    veil = Surface(surface.get_size(), pygame.SRCALPHA)
    veil.fill((*INK, strength))
    surface.blit(veil, (0, 0))


def panel(surface: Surface, rect: Rect, border: Color = SLATE) -> None:
    """Draw a box with a border."""
    pygame.draw.rect(surface, NIGHT, rect, border_radius=10)
    pygame.draw.rect(surface, border, rect, width=2, border_radius=10)


def message(surface: Surface, words: str, center: tuple[float, float], width: float) -> None:
    """Draw a line in its own box, legible on any background; it is cut off at ``width`` pixels."""
    size = 18 * unit(surface)
    line = shortened(words, size, width - size)
    box = Rect(0, 0, round(width_of(line, size) + size), round(1.5 * size))
    box.center = round(center[0]), round(center[1])
    panel(surface, box)
    text(surface, line, size, box.center, YELLOW, "center")


def keycap(surface: Surface, key: str, size: float, place: tuple[float, float]) -> Rect:
    """Draw a keycap with its left middle at ``place``; the name of a direction gives an arrow."""
    side = round(size * 1.25)
    width = side if key in _ARROWS or len(key) == 1 else width_of(key, size * 0.8) + round(size * 0.7)
    rect = Rect(round(place[0]), round(place[1] - side / 2), width, side)
    pygame.draw.rect(surface, SLATE, rect.move(0, 2), border_radius=4)
    pygame.draw.rect(surface, WHITE, rect, border_radius=4)
    if key in _ARROWS:
        _triangle(surface, rect.center, size * 0.38, _ARROWS[key], INK)
    else:
        text(surface, key, size * 0.8, rect.center, INK, "center")
    return rect


def _triangle(surface: Surface, center: tuple[int, int], radius: float, degrees: float, color: Color) -> None:
    angles = [math.radians(degrees + turn) for turn in (0, 130, 230)]
    corners = [(center[0] + radius * math.cos(angle), center[1] - radius * math.sin(angle)) for angle in angles]
    pygame.draw.polygon(surface, color, corners)


class Button:
    """A button; its place is set each time it is drawn."""

    def __init__(self, words: str, key: str = "") -> None:
        self.words = words
        self.key = key  #: the key that does the same; shown on the button
        self.rect = Rect(0, 0, 0, 0)

    def draw(self, surface: Surface, rect: Rect, size: float, *, focused: bool) -> None:
        self.rect = rect
        color = YELLOW if focused else SILVER
        pygame.draw.rect(surface, SLATE if focused else INK, rect, border_radius=8)
        pygame.draw.rect(surface, color, rect, width=2, border_radius=8)
        words = f"{self.words} ({self.key})" if self.key else self.words
        text(surface, shortened(words, size, rect.width - 12), size, rect.center, WHITE, "center")


def buttons(surface: Surface, row: Sequence[Button], area: Rect, size: float, focus: int) -> None:
    """Draw buttons side by side in an area."""
    gap = round(size / 2)
    width = (area.width - gap * (len(row) - 1)) // len(row)
    for number, button in enumerate(row):
        rect = Rect(area.left + number * (width + gap), area.top, width, area.height)
        button.draw(surface, rect, size, focused=number == focus)


def as_surface(image: NDArray[np.uint8]) -> Surface:
    """A surface with the pixels of an RGB array."""
    height, width, _ = image.shape
    return pygame.image.frombuffer(np.ascontiguousarray(image).tobytes(), (width, height), "RGB")


class BoardView:
    """The picture of a state, as large as fits into an area; redrawn only after changes."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._state: StateObservation | None = None
        self._shown: object = None
        self._surface = Surface((1, 1))
        self.rect = Rect(0, 0, 1, 1)  #: where the board is

    def draw(self, surface: Surface, area: Rect, state: StateObservation) -> None:
        key = state.tick, state.is_over, area.size, self._settings.palette
        if state is not self._state or key != self._shown:
            self._state, self._shown = state, key
            self._surface = scaled(state, area.size, self._settings)
        self.rect = self._surface.get_rect(center=area.center)
        surface.blit(self._surface, self.rect)


def scaled(state: StateObservation, size: tuple[int, int], settings: Settings) -> Surface:
    """The picture of a state, as large as fits into ``size``.

    Large cells are drawn as they are. Small ones, where a pixel of a drawing that is wider than its neighbour would
    catch the eye, are drawn at the next multiple of the drawings' own size, and shrunk smoothly from there.
    """
    columns, rows = (side / state.block_size for side in state.world_dimension)
    scale = max(1.0, min(size[0] / columns, size[1] / rows))
    if scale >= _LARGE:
        return as_surface(frame(state, int(scale), settings.images, settings.palette))
    block = SIZE * math.ceil(scale / SIZE)
    drawn = as_surface(frame(state, block, settings.images, settings.palette))
    wanted = max(1, round(columns * scale)), max(1, round(rows * scale))
    return drawn if drawn.get_size() == wanted else pygame.transform.smoothscale(drawn, wanted)
