"""ErraticMissile (sprites, 12.2): nothing but a Missile."""

from semantics.harness import after, game, level, play


def test_flies_like_a_missile_and_draws_nothing() -> None:
    """Still in the first update, then one cell per tick, without draws (sprites, 12.2 and 16.1)."""
    world = play(game("shot > ErraticMissile orientation=DOWN"), level("s.", "..", ".A"), ticks=3)
    assert world.only("shot").position == (0, 20)
    assert world.rng == after()
