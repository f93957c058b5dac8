"""RandomPathAltChaser (sprites, 12.23): a PathAltChaser that sometimes moves at random."""

from semantics.harness import RIGHT, JavaRandom, after, game, level, play
from semantics.sprites_harness import draw_direction, moved


def test_draws_a_double_in_every_update_even_with_epsilon_zero() -> None:
    """The default epsilon is 0.0; the path itself needs no draw (sprites, 12.23 and quirk 26)."""
    world = play(game("cat > RandomPathAltChaser stype1=avatar", options="obs=wall"), level("c....A"), ticks=3)
    assert world.only("cat").position == (30, 0)
    assert world.rng == after(("double", 3))


def test_below_epsilon_it_moves_at_random() -> None:
    """``nextDouble``, then ``nextInt(4)`` if it was below epsilon, else a step of the path (sprites, 12.23).

    In a corridor of one row, so that every step of the path leads RIGHT while the cat is on it.
    """
    rules = game("cat > RandomPathAltChaser stype1=avatar epsilon=0.5", "cat wall > stepBack", options="obs=wall")
    corridor = level("w" * 16, "w...c.........Aw", "w" * 16)
    world = play(rules, corridor, ticks=0)
    random = JavaRandom()
    x, kinds = 40, set()
    for _ in range(6):
        wanders = random.next_double() < 0.5
        kinds.add(wanders)
        direction = draw_direction(random) if wanders else RIGHT
        x = moved((x, 10), direction)[0]  # steps up and down are undone by the wall
        assert world.wait(1).only("cat").position == (x, 10)
        assert world.rng == random.state
    assert kinds == {True, False}
