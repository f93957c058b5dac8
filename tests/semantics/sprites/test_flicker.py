"""Flicker (sprites, 12.5): lives for a number of ticks."""

import pytest

from semantics.harness import game, level, play


@pytest.mark.parametrize(("parameters", "updates"), [("", 3), ("limit=0", 2), ("limit=4", 6), ("limit=2 age=1", 3)])
def test_dies_in_the_update_in_which_its_age_exceeds_the_limit(parameters: str, updates: int) -> None:
    """Killed in its (limit+2)-th update, earlier by the age it starts with (sprites, 12.5 and quirk 16)."""
    rules = game(f"spark > Flicker {parameters}")
    assert play(rules, level("s.A"), ticks=updates - 1).count("spark") == 1
    assert play(rules, level("s.A"), ticks=updates).count("spark") == 0


def test_still_meets_others_in_the_tick_in_which_it_dies() -> None:
    """On the kill list it is still a second partner of pair effects (sprites, 7; engine, 7.4).

    The car reaches the spark's cell in the third update of both, in which the spark dies.
    """
    rules = game("spark > Flicker limit=1\ncar > Missile orientation=RIGHT", "car spark > killSprite")
    world = play(rules, level("c.s.A"), ticks=3)
    assert world.count("spark") == 0
    assert world.count("car") == 0


def test_a_time_to_live_can_end_it_sooner() -> None:
    """Its update begins with the standard one (sprites, 12.5)."""
    rules = game("spark > Flicker limit=9 timeToLive=1")
    assert play(rules, level("s.A"), ticks=1).count("spark") == 1
    assert play(rules, level("s.A"), ticks=2).count("spark") == 0
