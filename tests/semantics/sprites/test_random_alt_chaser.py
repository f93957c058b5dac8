"""RandomAltChaser (sprites, 12.21): an AlternateChaser that sometimes moves at random."""

from semantics.harness import RIGHT, JavaRandom, game, level, play
from semantics.sprites_harness import draw_direction, draw_from, moved

FAR = level("c" + "." * 30 + "A")


def test_moves_at_random_when_the_double_is_below_epsilon() -> None:
    """``nextDouble``; then ``nextInt(4)`` if below epsilon, else the AlternateChaser's draw (sprites, 12.21)."""
    world = play(game("cat > RandomAltChaser stype1=avatar epsilon=0.5"), level("c..", "...", "..A"), ticks=0)
    random = JavaRandom()
    place = (0, 0)
    kinds = set()
    for _ in range(3):
        wanders = random.next_double() < 0.5
        kinds.add(wanders)
        if wanders:
            place = moved(place, draw_direction(random))
        else:
            good = [step for step in ((0.0, -1.0), (-1.0, 0.0), (0.0, 1.0), RIGHT) if _nearer(place, step)]
            place = moved(place, draw_from(random, good * 2))
        assert world.wait(1).only("cat").position == place
        assert world.rng == random.state
    assert kinds == {True, False}


def _nearer(place: tuple[int, int], step: tuple[float, float]) -> bool:
    """Whether a pixel in that direction leads nearer to the avatar at (20, 20)."""
    x, y = moved(place, step, 1)
    return abs(20 - x) + abs(20 - y) < abs(20 - place[0]) + abs(20 - place[1])


def test_with_epsilon_zero_the_double_is_still_drawn() -> None:
    """The default epsilon is 0.0; [RIGHT, RIGHT] follows (sprites, 12.21)."""
    world = play(game("cat > RandomAltChaser stype1=avatar"), FAR, ticks=5)
    random = JavaRandom()
    for _ in range(5):
        random.next_double()
        draw_from(random, [RIGHT, RIGHT])
    assert world.only("cat").position == (50, 0)
    assert world.rng == random.state
