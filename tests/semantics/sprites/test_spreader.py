"""Spreader (sprites, 12.7): a Flicker that spreads once, in its second update."""

from semantics.harness import JavaRandom, after, game, level, play
from semantics.sprites_harness import BASE, moved


def test_spreads_to_the_four_sides_in_its_second_update() -> None:
    """Four ``nextDouble``, in the order UP, LEFT, DOWN, RIGHT; a draw below ``spreadprob`` adds one."""
    rules = game("fire > Spreader stype=ash spreadprob=0.74 limit=9\nash > Immovable")
    world = play(rules, level("....", ".f..", "...A"), ticks=1)
    assert world.count("ash") == 0
    assert world.rng == after()
    random = JavaRandom()
    spread = [moved((10, 10), direction) for direction in BASE if random.next_double() < 0.74]
    assert 0 < len(spread) < 4
    assert world.wait(1).positions("ash") == spread
    assert world.rng == random.state
    assert world.wait(1).rng == random.state


def test_new_sprites_take_the_next_ids_in_order() -> None:
    """The fire has id 0, the avatar 1; then UP, LEFT, DOWN, RIGHT (sprites, 6.2 and 12.7)."""
    rules = game("fire > Spreader stype=ash limit=9\nash > Immovable")
    world = play(rules, level("...", ".f.", "..A"), ticks=2)
    assert [(ash.id, ash.position) for ash in world.all("ash")] == [
        (2, (10, 0)),
        (3, (0, 10)),
        (4, (10, 20)),
        (5, (20, 10)),
    ]


def test_spreads_though_it_dies_in_the_same_update() -> None:
    """With limit 0 it is killed in the update in which it spreads (sprites, 12.7)."""
    rules = game("fire > Spreader stype=ash limit=0\nash > Immovable")
    world = play(rules, level("...", ".f.", "..A"), ticks=2)
    assert world.count("fire") == 0
    assert world.count("ash") == 4
    assert world.rng == after(("double", 4))


def test_steps_are_as_wide_as_its_last_rectangle() -> None:
    """Offsets are multiples of the width and height of ``lastrect`` (sprites, 12.7)."""
    rules = game("fire > Spreader stype=ash limit=9 wMult=2\nash > Immovable")
    world = play(rules, level(".....", "..f..", "....A"), ticks=2)
    assert world.positions("ash") == [(20, 0), (0, 10), (20, 20), (40, 10)]


def test_spreading_its_own_type_is_fatal() -> None:
    """Without ``stype`` it adds to the list that is being walked (sprites, 7 and 12.7)."""
    rules = game("fire > Spreader limit=9")
    world = play(rules, level("...", ".f.", "..A"), ticks=1)
    assert not world.crashed
    assert world.wait(1).crashed
    assert world.is_over
