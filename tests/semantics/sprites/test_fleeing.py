"""Fleeing (sprites, 12.17): draws among the directions that lead away from its closest targets."""

import pytest

from semantics.harness import DOWN, LEFT, UP, JavaRandom, after, game, level, play
from semantics.sprites_harness import assert_fatal, draw_direction, draw_from, moved


def test_needs_a_type_to_flee_from() -> None:
    """``stype`` is required (sprites, 12.17)."""
    assert_fatal(game("mouse > Fleeing"), level("m.A"))


def test_runs_in_any_direction_that_leads_away() -> None:
    """The avatar to the right: UP, LEFT and DOWN are good, ``nextInt(3)`` (sprites, 12.17)."""
    world = play(game("mouse > Fleeing stype=avatar"), level(".....", ".m..A", "....."))
    random = JavaRandom()
    assert world.only("mouse").position == moved((10, 10), draw_from(random, [UP, LEFT, DOWN]))
    assert world.rng == random.state


def test_in_a_diagonal_two_directions_lead_away() -> None:
    """The avatar below and to the right: UP or LEFT, every time (sprites, 12.17)."""
    world = play(game("mouse > Fleeing stype=avatar"), level("...", ".m.", "..A"), ticks=0)
    random = JavaRandom()
    place = (10, 10)
    for _ in range(5):
        place = moved(place, draw_from(random, [UP, LEFT]))
        assert world.wait(1).only("mouse").position == place
    assert world.rng == random.state


@pytest.mark.parametrize(("limit", "bound"), [("30", 3), ("29", 4)])
def test_beyond_its_max_distance_it_moves_at_random(limit: str, bound: int) -> None:
    """At a distance of exactly ``maxDistance`` it still flees (sprites, 12.17)."""
    world = play(game(f"mouse > Fleeing stype=avatar maxDistance={limit}"), level("m..A"))
    assert world.rng == after((f"int {bound}", 1))


def test_in_the_same_place_every_direction_leads_away() -> None:
    """Four good directions, ``nextInt(4)`` over UP, LEFT, DOWN, RIGHT (sprites, 12.17)."""
    rules = game("mouse > Fleeing stype=hawk\nhawk > Immovable", mapping="m > mouse hawk")
    world = play(rules, level("...", ".m.", "..A"))
    random = JavaRandom()
    assert world.only("mouse").position == moved((10, 10), draw_direction(random))
    assert world.rng == random.state
