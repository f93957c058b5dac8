"""Portal (sprites, 12.9): static, and names the type of its exits."""

from semantics.harness import after, game, level, play
from semantics.sprites_harness import assert_fatal


def test_needs_a_type_of_exits() -> None:
    """``stype`` is required (sprites, 12.9)."""
    assert_fatal(game("portal > Portal"), level("p.A"))


def test_sends_to_a_sprite_of_its_type() -> None:
    """teleportToExit reads ``itype``; one draw of ``nextInt(number of exits)`` (effects, 10.4)."""
    rules = game(
        "portal > Portal stype=exit\nexit > Immovable",
        "avatar portal > teleportToExit",
        mapping="""
        p > portal avatar
        e > exit
    """,
    )
    world = play(rules, level("p..e"), ticks=1)
    assert world.avatar.position == (30, 0)
    assert world.rng == after(("int 1", 1))


def test_is_static_and_honours_time_to_live() -> None:
    """Static by default (sprites, 12.1); standard update (12.9)."""
    rules = game("portal > Portal stype=portal orientation=RIGHT speed=1 timeToLive=3")
    assert play(rules, level("p..A"), ticks=3).only("portal").position == (0, 0)
    assert play(rules, level("p..A"), ticks=4).count("portal") == 0


def test_is_observed_as_a_portal() -> None:
    """PORTAL comes before STATIC among the categories (sprites, 11)."""
    world = play(game("portal > Portal stype=portal"), level("p.A"))
    assert [seen.position for group in world.state.portals for seen in group] == [(0, 0)]
    assert not any(group for group in world.state.immovables)
