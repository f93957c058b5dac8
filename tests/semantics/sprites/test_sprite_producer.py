"""SpriteProducer (sprites, 12.2): despite its name it produces nothing."""

from semantics.harness import after, game, level, play


def test_produces_nothing_and_draws_nothing() -> None:
    """Standard update only (sprites, 12.2); ids 0 and 1 stay the only ones."""
    world = play(game("plant > SpriteProducer"), level("p.A"), ticks=4)
    assert [sprite.id for sprite in world.sprites] == [0, 1]
    assert world.rng == after()


def test_is_not_static_and_honours_time_to_live() -> None:
    """It drifts when oriented (sprites, quirk 7) and dies in its third update with ``timeToLive=2`` (11)."""
    rules = game("plant > SpriteProducer orientation=RIGHT speed=1 timeToLive=2")
    assert play(rules, level("p..A"), ticks=2).only("plant").position == (10, 0)
    assert play(rules, level("p..A"), ticks=3).count("plant") == 0
