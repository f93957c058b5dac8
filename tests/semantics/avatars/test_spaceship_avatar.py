"""SpaceshipAvatar (sprites, 13.13): turns by a rotation, thrusts along it, shoots twice."""

from math import cos, sin

import pytest

from semantics.harness import NONE, RIGHT, game, level, start
from semantics.sprites_harness import accelerate
from vgdl import Action

SHIP = "beam > Missile speed=0\navatar > SpaceshipAvatar stype=beam physicstype=CONT"
SPACE = level("......", "......", "..A...", "......")


def test_thrust_follows_the_rotation_and_moves_a_tick_later() -> None:
    """Speed 5 and orientation NONE give no velocity; UP adds (cos 0, sin 0), then 1 pixel per tick (13.13)."""
    world = start(game(SHIP), SPACE)
    assert world.state.available_actions == (Action.USE, Action.LEFT, Action.RIGHT, Action.DOWN, Action.UP)
    assert world.avatar.orientation == NONE
    assert world.avatar.speed == 5
    world.advance(Action.UP)
    assert world.avatar.position == (20, 20)
    assert world.avatar.orientation == RIGHT
    assert world.avatar.speed == 1
    assert world.advance(Action.NIL).avatar.position == (21, 20)
    assert world.avatar.speed == 1


def test_left_and_right_turn_it_for_the_next_thrust() -> None:
    """RIGHT adds 0.3 to the rotation; the velocity stays until UP adds to it (sprites, 13.13)."""
    world = start(game(SHIP), SPACE)
    for action in (Action.UP, Action.RIGHT, Action.RIGHT, Action.LEFT):
        world.advance(action)
    assert world.avatar.orientation == RIGHT
    orientation, speed = accelerate(RIGHT, 1.0, (cos(0.3), sin(0.3)))
    world.advance(Action.UP)
    assert world.avatar.orientation == pytest.approx(orientation)
    assert world.avatar.speed == pytest.approx(speed)


def test_down_thrusts_backwards() -> None:
    """The same with rotation + pi (sprites, 13.13)."""
    world = start(game(SHIP), SPACE).advance(Action.DOWN)
    assert world.avatar.orientation == pytest.approx((-1, 0), abs=1e-12)
    assert world.advance(Action.NIL).avatar.position == (19, 20)


def test_shoots_twice_along_its_rotation() -> None:
    """Two beams per USE at (x + cos r * 10, y + sin r * 10) with r = 0.6: (28.2, 25.6) cut (sprites, 13.13)."""
    world = start(game(SHIP), SPACE)
    for action in (Action.RIGHT, Action.RIGHT, Action.USE):
        world.advance(action)
    assert world.positions("beam") == [(28, 25), (28, 25)]
    assert world.all("beam")[1].orientation == pytest.approx((cos(0.6), sin(0.6)))
