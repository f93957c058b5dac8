"""Door (sprites, 12.1 and 12.2): an Immovable that is a portal."""

from semantics.harness import game, level, play


def test_stands_still_and_honours_time_to_live() -> None:
    """Static by default; killed in its first update with ``timeToLive=0`` (sprites, 7 and 11)."""
    rules = game("door > Door orientation=RIGHT speed=1\nexit > Door timeToLive=0")
    world = play(rules, level("d.e.A"), ticks=1)
    assert world.count("exit") == 0
    assert world.wait(2).only("door").position == (0, 0)


def test_is_observed_as_a_portal() -> None:
    """PORTAL comes before STATIC among the categories (sprites, 11)."""
    world = play(game("door > Door\nblock > Immovable"), level("d.b.A"))
    assert [seen.position for group in world.state.portals for seen in group] == [(0, 0)]
    assert [seen.position for group in world.state.immovables for seen in group] == [(20, 0)]
