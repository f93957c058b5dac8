"""LOSChaser (sprites, 12.18): a Chaser that only sees along its last random direction."""

from semantics.harness import JavaRandom, game, level, play
from semantics.sprites_harness import draw_direction, draw_from, moved

CROSS = ("..g..", ".....", "g.h.g", ".....", "..g.A")


def test_is_blind_until_it_has_drawn_then_sees_along_that_draw() -> None:
    """First a random move; then the goal in that direction, by ``nextInt(1)``; on it, random again (12.18)."""
    rules = game("goal > Immovable\nhound > LOSChaser stype=goal")
    world = play(rules, level(*CROSS), ticks=0)
    random = JavaRandom()
    direction = draw_direction(random)
    place = moved((20, 20), direction)
    assert world.wait(1).only("hound").position == place
    place = moved(place, draw_from(random, [direction]))
    assert world.wait(1).only("hound").position == place
    assert place in world.positions("goal")
    assert world.rng == random.state
    place = moved(place, draw_direction(random))
    assert world.wait(1).only("hound").position == place
    assert world.rng == random.state


def test_does_not_see_what_is_out_of_line() -> None:
    """No goal in its row or column: it moves at random (sprites, 12.18)."""
    rules = game("goal > Immovable\nhound > LOSChaser stype=goal", mapping="g > goal\nh > hound")
    world = play(rules, level("h......", *["......."] * 6, "......g", "A......"), ticks=0)
    random = JavaRandom()
    place = (0, 0)
    for _ in range(4):
        place = moved(place, draw_direction(random))
        assert world.wait(1).only("hound").position == place
        assert world.rng == random.state


def test_sees_through_walls() -> None:
    """Walls do not block the view (sprites, 12.18 and quirk 27)."""
    rules = game("goal > Immovable\nhound > LOSChaser stype=goal")
    # Seed 7 draws DOWN first: the wall lies between the hound and the only goal.
    world = play(rules, level("h.", "..", "w.", "g.", ".A"), ticks=2)
    random = JavaRandom()
    down = draw_direction(random)
    draw_from(random, [down])
    assert world.only("hound").position == (0, 20)
    assert world.rng == random.state


def test_max_distance_still_counts() -> None:
    """The rest of the update is the Chaser's: beyond ``maxDistance`` nothing is good (sprites, 12.18)."""
    rules = game("goal > Immovable\nhound > LOSChaser stype=goal maxDistance=15")
    world = play(rules, level("h.", "..", "..", "g.", ".A"), ticks=0)
    random = JavaRandom()
    place = (0, 0)
    for _ in range(2):  # 30, then 20 pixels away: too far
        place = moved(place, draw_direction(random))
        assert world.wait(1).only("hound").position == place
    assert place == (0, 20)
    draw_from(random, [(0.0, 1.0)])
    assert world.wait(1).only("hound").position == (0, 30)
    assert world.rng == random.state
