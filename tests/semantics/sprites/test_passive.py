"""Passive (sprites, 12.2): does nothing of itself, but is not static."""

from semantics.harness import RIGHT, game, level, play


def test_drifts_like_a_missile_once_it_has_an_orientation_and_a_speed() -> None:
    """An orientation makes any sprite oriented (sprites, 5.3 and quirk 7); the first update is still."""
    world = play(game("ball > Passive orientation=RIGHT speed=0.5"), level("b...A"), ticks=1)
    assert world.only("ball").position == (0, 0)
    assert world.wait(1).only("ball").position == (5, 0)
    assert world.wait(1).only("ball").position == (10, 0)
    assert world.only("ball").orientation == RIGHT


def test_stays_without_a_speed_and_without_an_orientation() -> None:
    """GRID passive movement asks for a speed other than 0 and for ``is_oriented`` (sprites, 9.1)."""
    rules = game("turned > Passive orientation=RIGHT\nfast > Passive speed=1")
    world = play(rules, level("t.f.A"), ticks=4)
    assert world.only("turned").position == (0, 0)
    assert world.only("fast").position == (20, 0)
