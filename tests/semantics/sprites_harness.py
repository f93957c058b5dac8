"""Small additions to :mod:`semantics.harness` for the tests of sprites, physics and levels."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import pytest

import vgdl
from semantics.harness import BLOCK, DOWN, LEFT, NONE, RIGHT, UP, JavaRandom, World, start

Point = tuple[int, int]  #: pixels
Vector = tuple[float, float]

BASE: tuple[Vector, ...] = (UP, LEFT, DOWN, RIGHT)
"""The four directions in the order of every draw and every search (sprites, 3.1)."""


def moved(point: Point, direction: Vector, pixels: int = BLOCK) -> Point:
    """``point`` after a step in a base direction."""
    return point[0] + int(direction[0] * pixels), point[1] + int(direction[1] * pixels)


def draw_direction(random: JavaRandom) -> Vector:
    """A random base direction: one ``nextInt(4)`` (sprites, 3.1)."""
    return BASE[random.next_int(4)]


def draw_from(random: JavaRandom, choices: Sequence[Vector]) -> Vector:
    """``choice(list)``: one ``nextInt``, also for a single element (sprites, 2)."""
    return choices[random.next_int(len(choices))]


def accelerate(
    orientation: Vector, speed: float, push: Vector, *, mass: float = 1.0, max_speed: float = -1.0
) -> tuple[Vector, float]:
    """Orientation and speed after an active movement of continuous physics, in the written order (sprites, 9.2)."""
    x = push[0] / mass + orientation[0] * speed
    y = push[1] / mass + orientation[1] * speed
    size = sqrt(x * x + y * y)
    return ((x / size, y / size) if size else NONE), (size if max_speed == -1 else min(size, max_speed))


def messages(world: World, lines: str) -> int:
    """Entries of the message log after reading the game and building the level ``lines`` (language, 12)."""
    warnings = (*world.game.warnings, *world.game.board(lines).warnings)
    return sum(warning.messages for warning in warnings)


def assert_fatal(rules: str, lines: str) -> None:
    """Assert an error of the game or level that the specification calls fatal before the first tick."""
    with pytest.raises(vgdl.VGDLError):
        start(rules, lines)
