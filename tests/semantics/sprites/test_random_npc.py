"""RandomNPC (sprites, 12.15): a random direction, kept for some updates."""

from semantics.harness import RIGHT, JavaRandom, after, game, level, play
from semantics.sprites_harness import draw_direction, moved

FIELD = level(*["....."] * 2, "..n..", "....A")
MIDDLE = (20, 20)


def test_draws_and_moves_in_every_update() -> None:
    """``nextInt(4)`` and active movement, from the first update on (sprites, 12.15 and quirk 5)."""
    world = play(game("npc > RandomNPC"), FIELD, ticks=0)
    random = JavaRandom()
    place = MIDDLE
    for _ in range(8):
        place = moved(place, draw_direction(random))
        assert world.wait(1).only("npc").position == place
        assert world.rng == random.state


def test_cons_makes_it_idle_first_and_then_repeat() -> None:
    """With ``cons=2``: two idle updates, then one draw for every three moves (sprites, 12.15 and quirk 21)."""
    world = play(game("npc > RandomNPC cons=2"), FIELD, ticks=2)
    assert world.only("npc").position == MIDDLE
    assert world.rng == after()
    random = JavaRandom()
    place = MIDDLE
    for _ in range(3):
        direction = draw_direction(random)
        for _ in range(3):
            place = moved(place, direction)
            assert world.wait(1).only("npc").position == place
            assert world.rng == random.state


def test_draws_while_the_cooldown_forbids_moving() -> None:
    """With cooldown 3 it moves in its third update, as drawn in that one (sprites, 8.4 and quirk 22)."""
    world = play(game("npc > RandomNPC cooldown=3"), FIELD, ticks=0)
    random = JavaRandom()
    place = MIDDLE
    for tick in range(9):
        direction = draw_direction(random)
        if tick % 3 == 2:
            place = moved(place, direction)
        assert world.wait(1).only("npc").position == place


def test_with_an_orientation_it_drifts_but_keeps_drawing() -> None:
    """The drift takes every displacement but the first, in which it is suppressed (sprites, quirk 3)."""
    world = play(game("npc > RandomNPC orientation=RIGHT"), FIELD, ticks=1)
    random = JavaRandom()
    place = moved(MIDDLE, draw_direction(random))
    assert world.only("npc").position == place
    for _ in range(3):
        draw_direction(random)
        place = moved(place, RIGHT)
        assert world.wait(1).only("npc").position == place
        assert world.rng == random.state


def test_ignores_time_to_live() -> None:
    """Its update is not the standard one (sprites, 11)."""
    assert play(game("npc > RandomNPC timeToLive=0"), FIELD, ticks=3).count("npc") == 1
