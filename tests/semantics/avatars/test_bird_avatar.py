"""BirdAvatar (sprites, 13.16): flaps on USE, and is pushed on while it does not fly forwards."""

from math import sqrt

import pytest

from semantics.harness import RIGHT, game, level, start
from vgdl import Action

BIRD = "avatar > BirdAvatar physicstype=CONT gravity=1"
SKY = level("......", "......", "......", "A.....")


def test_flap_fall_and_push() -> None:
    """Velocities by hand: (1, 0); gravity (1, 1); the flap replaces y by -10; gravity and push (2, -9).

    The third tick moves by trunc(10.05) = 10 pixels along (0.0995, -0.995): 0 and -9.
    """
    world = start(game(BIRD), SKY)
    assert world.state.available_actions == (Action.USE,)
    world.advance(Action.NIL)
    assert world.avatar.position == (0, 30)
    assert (world.avatar.orientation, world.avatar.speed) == (RIGHT, 1)
    world.advance(Action.USE)
    assert world.avatar.position == (1, 30)
    assert world.avatar.orientation == pytest.approx((1 / sqrt(101), -10 / sqrt(101)))
    assert world.avatar.speed == pytest.approx(sqrt(101))
    world.advance(Action.NIL)
    assert world.avatar.position == (1, 21)
    assert world.avatar.orientation == pytest.approx((2 / sqrt(85), -9 / sqrt(85)))
    assert world.avatar.speed == pytest.approx(sqrt(85))


def test_jump_strength_is_the_flap() -> None:
    """The parameter replaces the default 10 (sprites, 13.16)."""
    world = start(game(f"{BIRD} jump_strength=3"), SKY).advance(Action.NIL).advance(Action.USE)
    assert world.avatar.orientation == pytest.approx((1 / sqrt(10), -3 / sqrt(10)))


def test_only_use_is_an_action() -> None:
    """Directions become NIL (sprites, 13.1 and 14.2)."""
    world = start(game("avatar > BirdAvatar physicstype=CONT"), SKY)
    world.advance(Action.UP).advance(Action.DOWN)
    assert (world.avatar.position, world.avatar.orientation, world.avatar.speed) == ((1, 30), RIGHT, 1)
