"""AimedAvatar (sprites, 13.12): a cannon that stands and aims."""

from math import cos, sin

import pytest

from semantics.harness import RIGHT, game, level, start
from vgdl import Action

CANNON = "ball > Missile speed=0\navatar > AimedAvatar stype=ball"
YARD = level("......", "......", "..A...", "......")


def test_up_and_down_turn_it_by_a_small_angle() -> None:
    """-0.15 radians for UP, +0.15 for DOWN, from RIGHT (sprites, 13.12)."""
    world = start(game(CANNON), YARD)
    assert world.avatar.orientation == RIGHT
    assert world.state.available_actions == (Action.USE, Action.DOWN, Action.UP)
    assert world.advance(Action.UP).avatar.orientation == pytest.approx((cos(0.15), -sin(0.15)))
    assert world.advance(Action.UP).avatar.orientation == pytest.approx((cos(0.30), -sin(0.30)))
    assert world.advance(Action.DOWN).avatar.orientation == pytest.approx((cos(0.15), -sin(0.15)))
    assert world.avatar.position == (20, 20)


def test_angle_diff_is_the_angle() -> None:
    """The parameter ``angle_diff`` (sprites, 13.12)."""
    world = start(game(f"{CANNON} angle_diff=0.5"), YARD)
    assert world.advance(Action.DOWN).avatar.orientation == pytest.approx((cos(0.5), sin(0.5)))


def test_shoots_twice_per_use() -> None:
    """``use`` runs twice in its update: two balls in the direction it aims at (sprites, quirk 32).

    After three UP the angle is 0.45: (20 + 9.004.., 20 - 4.349..) is cut to (29, 15).
    """
    world = start(game(CANNON), YARD)
    for _ in range(3):
        world.advance(Action.UP)
    world.advance(Action.USE)
    assert world.positions("ball") == [(29, 15), (29, 15)]
    assert world.all("ball")[0].orientation == pytest.approx((cos(0.45), -sin(0.45)))


def test_a_singleton_is_shot_once() -> None:
    """The second attempt is refused (sprites, 13.12 and 6.2)."""
    world = start(game(CANNON.replace("speed=0", "speed=0 singleton=True")), YARD)
    assert world.advance(Action.USE).count("ball") == 1


def test_ammunition_can_run_out_between_the_two_shots() -> None:
    """Each of the two shots needs and pays its own (sprites, 13.12 and 13.6)."""
    rules = game(
        "gold > Resource\nball > Immovable\navatar > AimedAvatar stype=ball ammo=gold",
        "gold avatar > collectResource",
        mapping="g > gold avatar",
    )
    world = start(rules, level("g..")).wait(1)
    assert world.advance(Action.USE).count("ball") == 1
    assert world.avatar.resources == {"gold": 0}
