"""CarAvatar (sprites, 13.15): always accelerates; UP and DOWN choose forwards or backwards."""

from math import cos, sin

import pytest

from semantics.harness import RIGHT, game, level, start
from semantics.sprites_harness import accelerate
from vgdl import Action

CAR = "avatar > CarAvatar physicstype=CONT"
ROAD = level("A.......", "........")


def test_accelerates_in_every_tick_from_a_constant_five() -> None:
    """The velocity becomes 5 * orientation + thrust: 6 pixels per tick, never more (sprites, quirk 33)."""
    world = start(game(CAR), ROAD)
    assert world.state.available_actions == (Action.LEFT, Action.RIGHT, Action.DOWN, Action.UP)
    assert world.avatar.speed == 0
    assert world.wait(1).avatar.speed == 6
    assert world.avatar.position == (0, 0)
    assert world.wait(1).avatar.position == (6, 0)
    assert world.wait(1).avatar.position == (12, 0)
    assert world.avatar.orientation == RIGHT
    assert world.avatar.speed == 6


def test_down_goes_into_reverse_until_up() -> None:
    """DOWN sets ``facing`` to 1, which stays: 5 - 1 = 4 pixels per tick; UP makes it 6 again (13.15)."""
    world = start(game(CAR), ROAD).wait(1)
    assert world.advance(Action.DOWN).avatar.position == (6, 0)
    assert world.avatar.speed == pytest.approx(4)
    assert world.advance(Action.NIL).avatar.speed == pytest.approx(4)
    assert world.advance(Action.UP).avatar.speed == pytest.approx(6)


def test_left_and_right_turn_the_thrust() -> None:
    """RIGHT adds 0.15 to the rotation before the thrust (sprites, 13.15)."""
    world = start(game(CAR), ROAD).wait(1).advance(Action.RIGHT)
    orientation, speed = accelerate(RIGHT, 5.0, (cos(0.15), sin(0.15)))
    assert world.avatar.orientation == pytest.approx(orientation)
    assert world.avatar.speed == pytest.approx(speed)
