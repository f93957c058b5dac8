"""Missile (sprites, 12.1 and 12.2): flies in its orientation, one cell per tick by default."""

from semantics.harness import LEFT, NONE, game, level, play


def test_flies_on_from_its_second_update() -> None:
    """Speed 1 by default; no passive movement in the first update (sprites, 9.1 and quirk 5)."""
    world = play(game("shot > Missile orientation=LEFT"), level("A..s"), ticks=1)
    assert world.only("shot").position == (30, 0)
    assert world.only("shot").speed == 1
    assert world.wait(1).only("shot").position == (20, 0)
    assert world.wait(1).only("shot").position == (10, 0)
    assert world.only("shot").orientation == LEFT


def test_without_an_orientation_it_stays() -> None:
    """It is oriented, with NONE; a displacement by NONE is refused (sprites, 8.4)."""
    world = play(game("shot > Missile"), level("A..s"), ticks=3)
    assert world.only("shot").position == (30, 0)
    assert world.only("shot").orientation == NONE


def test_leaves_the_screen() -> None:
    """Nothing clamps positions (sprites, 8.4)."""
    world = play(game("shot > Missile orientation=LEFT"), level("s.A"), ticks=4)
    assert world.only("shot").position == (-30, 0)


def test_dies_of_its_time_to_live() -> None:
    """``timeToLive=n`` kills in the (n+1)-th update, moves included until then (sprites, 7)."""
    rules = game("shot > Missile orientation=LEFT timeToLive=2")
    assert play(rules, level("A...s"), ticks=2).only("shot").position == (30, 0)
    assert play(rules, level("A...s"), ticks=3).count("shot") == 0
