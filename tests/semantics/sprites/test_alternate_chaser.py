"""AlternateChaser (sprites, 12.20): a Chaser that counts its targets twice and never flees from them."""

import pytest

from semantics.harness import DOWN, RIGHT, JavaRandom, after, game, level, play
from semantics.sprites_harness import assert_fatal, draw_direction, draw_from, moved


def test_lists_each_target_twice() -> None:
    """One target, two good directions: [DOWN, RIGHT, DOWN, RIGHT], ``nextInt(4)`` (sprites, 12.20)."""
    world = play(game("cat > AlternateChaser stype1=avatar"), level("c...", *["...."] * 2, "...A"), ticks=0)
    random = JavaRandom()
    place = (0, 0)
    for _ in range(3):
        place = moved(place, draw_from(random, [DOWN, RIGHT, DOWN, RIGHT]))
        assert world.wait(1).only("cat").position == place
        assert world.rng == random.state


def test_in_line_it_draws_between_two_equal_directions() -> None:
    """[RIGHT, RIGHT]: ``nextInt(2)`` (sprites, 12.20)."""
    world = play(game("cat > AlternateChaser stype1=avatar"), level("c..A"))
    assert world.only("cat").position == (10, 0)
    assert world.rng == after(("int 2", 1))


def test_does_not_flee_while_there_is_a_target() -> None:
    """``fleeing`` becomes false as soon as a target exists (sprites, 12.20 and quirk 24)."""
    world = play(game("cat > AlternateChaser stype1=avatar fleeing=True"), level("c..A"))
    assert world.only("cat").position == (10, 0)
    assert world.rng == after(("int 2", 1))


@pytest.mark.parametrize("parameters", ["", "cons=3", "stype2=avatar"])
def test_without_a_target_it_moves_at_random(parameters: str) -> None:
    """``nextInt(4)`` in every update: neither ``cons`` nor ``stype2`` is used (sprites, 12.20)."""
    rules = game(f"mouse > Immovable\ncat > AlternateChaser stype1=mouse {parameters}")
    world = play(rules, level("...", ".c.", "..A"), ticks=2)
    random = JavaRandom()
    place = moved((10, 10), draw_direction(random))
    assert world.only("cat").position == moved(place, draw_direction(random))
    assert world.rng == random.state


def test_sees_at_any_distance() -> None:
    """``maxDistance`` is none of its parameters and not tested (sprites, 12.20): it stays an unknown field."""
    world = play(game("cat > AlternateChaser stype1=avatar maxDistance=10"), level("c....A"))
    assert world.only("cat").position == (10, 0)
    assert world.rng == after(("int 2", 1))


def test_needs_its_types() -> None:
    """``stype1`` is required (sprites, 12.20)."""
    assert_fatal(game("cat > AlternateChaser"), level("c.A"))


FAMILY = """
prey > Immovable
    mouse > Immovable
cat > AlternateChaser stype1={}
"""


def test_children_of_its_type_are_listed_once() -> None:
    """Only sprites of exactly the target type come twice (sprites, 1 and 12.20)."""
    world = play(game(FAMILY.format("prey")), level("c..m", "A..."))
    assert world.rng == after(("int 1", 1))
    world = play(game(FAMILY.format("prey")), level("c..p", "A..."))
    assert world.rng == after(("int 2", 1))


def test_ancestors_of_its_type_are_targets_too() -> None:
    """A nearer sprite of the parent type draws it away, once (sprites, 1 and 12.20)."""
    world = play(game(FAMILY.format("mouse")), level("p..c.....m", "A........."))
    assert world.only("cat").position == (20, 0)
    assert world.rng == after(("int 1", 1))
