"""RandomMissile (sprites, 12.8): a Missile that draws its direction."""

from semantics.harness import RIGHT, JavaRandom, after, game, level, play, start
from semantics.sprites_harness import draw_direction, moved


def test_draws_its_direction_once_in_its_first_update() -> None:
    """``nextInt(4)`` while the orientation is NIL; it moves from the second update on (sprites, 12.8)."""
    rules, lines = game("shot > RandomMissile"), level(".....", ".....", "..s.A")
    assert start(rules, lines).only("shot").orientation == (-1, -1)
    random = JavaRandom()
    direction = draw_direction(random)
    world = play(rules, lines, ticks=1)
    assert world.only("shot").orientation == direction
    assert world.only("shot").position == (20, 20)
    assert world.wait(1).only("shot").position == moved((20, 20), direction)
    assert world.wait(1).only("shot").position == moved((20, 20), direction, 20)
    assert world.rng == random.state


def test_does_not_draw_when_it_has_an_orientation() -> None:
    """The orientation of the text is not NIL, so that nothing is drawn (sprites, 12.8)."""
    world = play(game("shot > RandomMissile orientation=RIGHT"), level("s..A"), ticks=2)
    assert world.only("shot").orientation == RIGHT
    assert world.only("shot").position == (10, 0)
    assert world.rng == after()


def test_ignores_time_to_live() -> None:
    """Its update replaces the standard one (sprites, 11)."""
    world = play(game("shot > RandomMissile timeToLive=0"), level("s..A"), ticks=3)
    assert world.count("shot") == 1


def test_a_spawner_does_not_hand_its_orientation_on_to_it() -> None:
    """NIL is not NONE (sprites, quirk 19): it draws its own, before the spawner's next float."""
    rules = game("shot > RandomMissile\nbase > SpawnPoint stype=shot orientation=RIGHT total=1")
    world = play(rules, level("b..A"), ticks=1)
    random = JavaRandom()
    random.next_float()
    assert world.only("shot").orientation == draw_direction(random)
    assert world.rng == random.state
