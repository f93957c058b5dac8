"""The palette for colour-blind people: fewer colours look alike in it than in the standard one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

import vgdl
from vgdl.ontology.constants import CONSTANTS, RANDOM_COLOR
from vgdl.render import Palette, drawings, frame
from vgdl.render.palettes import Color, recolored, safe

Floats = NDArray[np.float64]

# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision deficiency" (2009),
# tables for a severity of 1, on linear RGB.
PROTANOPIA = np.array(
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
)
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
)
NORMAL = np.eye(3)
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.180437], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])

FAR = 25.0  #: colours at this distance in CIELAB are clearly different
NEAR = 12.0  #: small sprites whose colours are closer are easily confused


def lab(color: Color, vision: Floats) -> Floats:
    """A colour in CIELAB, as seen with a given vision."""
    channels = np.array(color) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ (vision @ linear).clip(0, 1) / WHITE
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one: Color, other: Color, vision: Floats) -> float:
    return float(np.linalg.norm(lab(one, vision) - lab(other, vision)))


def confused(colors: Iterable[Color], shown: Callable[[Color], Color]) -> int:
    """The number of pairs of clearly different colours that a colour-blind person confuses."""
    pairs = [pair for pair in combinations(colors, 2) if difference(*pair, NORMAL) >= FAR]
    assert len(pairs) > 100
    return sum(
        min(difference(shown(one), shown(other), vision) for vision in (PROTANOPIA, DEUTERANOPIA)) < NEAR
        for one, other in pairs
    )


def colors_of_the_drawings() -> list[Color]:
    found: set[Color] = set()
    for name in drawings.names():
        pixels = drawings.find(name)
        assert pixels is not None
        opaque = pixels[pixels[..., 3] > 0][:, :3]
        found |= {(int(red), int(green), int(blue)) for red, green, blue in np.unique(opaque, axis=0)}
    return sorted(found)


def colors_of_the_language() -> list[Color]:
    values = [value.content for value in CONSTANTS.values() if isinstance(value.content, tuple)]
    return [color for color in values if len(color) == 3 and color != RANDOM_COLOR]


@pytest.mark.parametrize("colors", [colors_of_the_drawings(), colors_of_the_language()], ids=["drawings", "language"])
def test_colour_blind_people_confuse_far_fewer_colours(colors: list[Color]) -> None:
    standard, changed = confused(colors, lambda color: color), confused(colors, safe)
    assert standard >= 4
    assert changed <= standard / 5


def test_no_two_colours_of_the_drawings_become_one() -> None:
    colors = colors_of_the_drawings()
    assert len({safe(color) for color in colors}) == len(colors)


@pytest.mark.parametrize("level", [0, 20, 128, 255])
def test_greys_stay_as_they_are(level: int) -> None:
    assert safe((level, level, level)) == (level, level, level)


def test_transparent_pixels_stay_transparent() -> None:
    drawn = drawings.find("plants/pea")
    assert drawn is not None
    changed = recolored(drawn, Palette.SAFE)
    assert np.array_equal(changed[..., 3], drawn[..., 3])
    assert not np.array_equal(changed, drawn)
    assert recolored(drawn, Palette.STANDARD) is drawn


def test_a_frame_has_the_palette_that_is_asked_for() -> None:
    state = vgdl.load("frogs").start(level=0, seed=1)
    standard, changed = frame(state), frame(state, palette=Palette.SAFE)
    assert np.array_equal(standard, state.render())
    assert not np.array_equal(changed, standard)
    mapped = {
        tuple(pixel): safe((int(pixel[0]), int(pixel[1]), int(pixel[2])))
        for pixel in np.unique(standard.reshape(-1, 3), axis=0)
    }
    expected = np.array([mapped[tuple(pixel)] for pixel in standard.reshape(-1, 3)], dtype=np.uint8)
    assert np.array_equal(changed.reshape(-1, 3), expected)


def test_a_plain_shape_has_the_palette_too() -> None:
    game = vgdl.loads(
        "BasicGame\n    SpriteSet\n        rock > Immovable color=RED\n    LevelMapping\n        r > rock\n"
    )
    state = game.start("r", seed=1)
    red, green, blue = (int(channel) for channel in frame(state)[12, 12])
    assert tuple(frame(state, palette=Palette.SAFE)[12, 12]) == safe((red, green, blue))
