"""LanderAvatar (sprites, 13.14): turns by a rotation and thrusts along it, upwards only."""

from math import cos, sin

import pytest

from semantics.harness import DOWN, NONE, RIGHT, game, level, start
from semantics.sprites_harness import accelerate
from vgdl import Action

LANDER = "avatar > LanderAvatar physicstype=CONT"
SPACE = level("......", "......", "..A...", "......")


def test_thrusts_on_up_and_not_on_down() -> None:
    """DOWN has no effect; UP adds (cos r, sin r) with r = 0 (sprites, 13.14)."""
    world = start(game(LANDER), SPACE)
    assert world.state.available_actions == (Action.LEFT, Action.RIGHT, Action.DOWN, Action.UP)
    assert world.advance(Action.DOWN).avatar.orientation == NONE
    assert world.advance(Action.UP).avatar.orientation == RIGHT
    assert world.avatar.speed == 1
    assert world.advance(Action.NIL).avatar.position == (21, 20)


def test_left_turns_it_against_the_clock() -> None:
    """LEFT takes ``angle_diff`` (0.3) off the rotation (sprites, 13.14)."""
    world = start(game(LANDER), SPACE).advance(Action.UP).advance(Action.LEFT).advance(Action.UP)
    orientation, speed = accelerate(RIGHT, 1.0, (cos(-0.3), sin(-0.3)))
    assert world.avatar.orientation == pytest.approx(orientation)
    assert world.avatar.speed == pytest.approx(speed)


def test_gravity_pulls_it_while_its_speed_is_not_zero() -> None:
    """Its speed 5 along NONE is not a movement, but lets gravity act: (0, 0.5), then (0, 1) (sprites, 9.2)."""
    world = start(game(f"{LANDER} gravity=0.5"), SPACE).wait(2)
    assert world.avatar.orientation == DOWN
    assert world.avatar.speed == 0.5
    assert world.wait(1).avatar.speed == 1
    assert world.avatar.position == (20, 20)
    assert world.wait(1).avatar.position == (20, 21)
