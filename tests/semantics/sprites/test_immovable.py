"""Immovable (sprites, 12.1 and 12.2): static, with the standard update."""

from semantics.harness import RIGHT, game, level, play


def test_does_not_drift_even_with_an_orientation_and_a_speed() -> None:
    """It is static, so that there is no passive movement (sprites, 8.2)."""
    world = play(game("block > Immovable orientation=RIGHT speed=1"), level("b..A"), ticks=3)
    assert world.only("block").position == (0, 0)
    assert world.only("block").orientation == RIGHT
    assert world.only("block").speed == 1


def test_drifts_when_the_text_says_that_it_is_not_static() -> None:
    """``is_static`` is an ordinary parameter (sprites, 5.1); the first update is still (9.1)."""
    world = play(game("block > Immovable orientation=RIGHT speed=1 is_static=False"), level("b..A"), ticks=3)
    assert world.only("block").position == (20, 0)


def test_time_to_live_is_counted_though_it_is_static() -> None:
    """``timeToLive=n`` kills in the (n+1)-th update (sprites, 7)."""
    rules = game("block > Immovable timeToLive=2")
    assert play(rules, level("b.A"), ticks=2).count("block") == 1
    assert play(rules, level("b.A"), ticks=3).count("block") == 0
