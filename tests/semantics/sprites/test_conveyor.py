"""Conveyor (sprites, 12.1 and 12.2): static and oriented, with the standard update."""

from semantics.harness import NONE, RIGHT, game, level, play


def test_points_somewhere_but_does_not_move() -> None:
    """Orientation NONE unless given; static (sprites, 12.1)."""
    rules = game("belt > Conveyor orientation=RIGHT speed=1\nplain > Conveyor")
    world = play(rules, level("b.p.A"), ticks=3)
    assert world.only("belt").position == (0, 0)
    assert world.only("belt").orientation == RIGHT
    assert world.only("plain").orientation == NONE


def test_honours_time_to_live() -> None:
    """It is killed in the second update with ``timeToLive=1`` (sprites, 7 and 11)."""
    rules = game("belt > Conveyor timeToLive=1")
    assert play(rules, level("b.A"), ticks=1).count("belt") == 1
    assert play(rules, level("b.A"), ticks=2).count("belt") == 0
