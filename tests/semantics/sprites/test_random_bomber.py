"""RandomBomber (sprites, 12.12): a Bomber that moves at random first."""

from semantics.harness import RIGHT, JavaRandom, game, level, play
from semantics.sprites_harness import draw_direction, moved


def test_moves_at_random_then_spawns_where_it_came_to() -> None:
    """``nextInt(4)``, active movement, then SpawnPoint's ``nextFloat`` at the new place (sprites, 12.12)."""
    rules = game("egg > Immovable\nhen > RandomBomber stype=egg prob=0.6")
    world = play(rules, level(*["....."] * 2, "..h..", "....A"), ticks=0)
    random = JavaRandom()
    place, eggs = (20, 20), []
    for _ in range(8):
        place = moved(place, draw_direction(random))
        if random.next_float() < 0.6:
            eggs.append(place)
        assert world.wait(1).only("hen").position == place
        assert world.rng == random.state
    assert 0 < len(eggs) < 8
    assert world.positions("egg") == eggs


def test_the_passive_move_needs_an_active_one_that_did_nothing() -> None:
    """``stationary`` stops the active one only: it drifts RIGHT from the second update on (sprites, 12.12)."""
    rules = game("egg > Immovable\nhen > RandomBomber stype=egg stationary=True prob=0")
    world = play(rules, level("h...A"), ticks=4)
    random = JavaRandom()
    for _ in range(4):
        draw_direction(random)
        random.next_float()
    assert world.only("hen").position == (30, 0)
    assert world.rng == random.state


def test_a_cooldown_wastes_draws() -> None:
    """With cooldown 2 only every second direction is walked, though all are drawn (sprites, quirk 22)."""
    rules = game("egg > Immovable\nhen > RandomBomber stype=egg cooldown=2 prob=0")
    world = play(rules, level(*["....."] * 2, "..h..", "....A"), ticks=0)
    random = JavaRandom()
    place = (20, 20)
    for tick in range(6):
        direction = draw_direction(random)
        random.next_float()
        if tick % 2 == 1:
            place = moved(place, direction)
        assert world.wait(1).only("hen").position == place


def test_rotating_in_place_it_turns_actively_and_drifts_passively() -> None:
    """A new direction only turns it; then, but for the first tick, the passive move goes that way (9.1, 12.12)."""
    rules = game("egg > Immovable\nhen > RandomBomber stype=egg prob=0 rotateInPlace=True")
    world = play(rules, level(*["....."] * 2, "..h..", "....A"), ticks=0)
    random = JavaRandom()
    place, orientation = (20, 20), RIGHT
    for tick in range(8):
        direction = draw_direction(random)
        random.next_float()
        if direction == orientation or tick > 0:
            place = moved(place, direction)
        orientation = direction
        hen = world.wait(1).only("hen")
        assert (hen.position, hen.orientation) == (place, orientation)
