"""OrientedFlicker (sprites, 12.6): a Flicker that takes its shooter's direction."""

from semantics.harness import LEFT, NONE, game, level, play
from vgdl import Action


def test_takes_the_direction_of_the_one_who_swings_it() -> None:
    """Oriented by default, so that shooting sets its orientation (sprites, 12.6 and 13.6)."""
    rules = game("slash > OrientedFlicker\navatar > ShootAvatar stype=slash")
    world = play(rules, level("..A"), actions=[Action.LEFT, Action.USE])
    assert world.only("slash").position == (10, 0)
    assert world.only("slash").orientation == LEFT


def test_a_plain_flicker_does_not() -> None:
    """A Flicker is not oriented (sprites, 12.1)."""
    rules = game("slash > Flicker\navatar > ShootAvatar stype=slash")
    world = play(rules, level("..A"), actions=[Action.LEFT, Action.USE])
    assert world.only("slash").orientation == NONE


def test_lives_as_long_as_a_flicker() -> None:
    """Created in the avatar phase of tick t with limit 1, it is gone after tick t+2 (sprites, 12.5)."""
    rules = game("slash > OrientedFlicker limit=1\navatar > ShootAvatar stype=slash")
    world = play(rules, level("A.."), actions=[Action.USE])
    assert world.wait(1).count("slash") == 1
    assert world.wait(1).count("slash") == 0
