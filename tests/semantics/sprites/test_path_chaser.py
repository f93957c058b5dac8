"""PathChaser (sprites, 12.19): walks the precomputed path to its closest target."""

from semantics.harness import JavaRandom, after, game, level, play
from semantics.sprites_harness import assert_fatal, draw_direction, moved

MAZE = level("c.w..", ".ww..", "...A.")
WAY = [(0, 10), (0, 20), (10, 20), (20, 20), (30, 20)]


def test_follows_the_path_without_draws() -> None:
    """One step of the path per update, around the walls; nothing is drawn with a target (sprites, 12.19)."""
    world = play(game("cat > PathChaser stype=avatar", options="obs=wall"), MAZE, ticks=0)
    for place in WAY:
        assert world.wait(1).only("cat").position == place
    assert world.rng == after()


def test_stops_on_its_target() -> None:
    """From a cell to itself there is no path, hence no move and no draw (sprites, 12.19 and 15)."""
    world = play(game("cat > PathChaser stype=avatar", options="obs=wall"), MAZE, ticks=8)
    assert world.only("cat").position == (30, 20)
    assert world.rng == after()


def test_the_first_of_many_closest_targets_counts() -> None:
    """Two of eight mice are closest: that on the left, which was made first (sprites, 12.19)."""
    rules = game("mouse > Immovable\ncat > PathChaser stype=mouse", options="obs=wall")
    world = play(rules, level("mmm.m.c.m.mmm", "A............"))
    assert world.only("cat").position == (50, 0)
    assert world.rng == after()


def test_ignores_fleeing_and_max_distance() -> None:
    """Both parameters are accepted and have no effect (sprites, quirk 28)."""
    rules = game("cat > PathChaser stype=avatar fleeing=True maxDistance=10", options="obs=wall")
    assert play(rules, MAZE, ticks=3).only("cat").position == WAY[2]


def test_moves_at_random_without_a_target() -> None:
    """Then it is a RandomNPC (sprites, 12.19)."""
    rules = game("mouse > Immovable\ncat > PathChaser stype=mouse", options="obs=wall")
    world = play(rules, level("...", ".c.", "..A"), ticks=2)
    random = JavaRandom()
    place = moved((10, 10), draw_direction(random))
    assert world.only("cat").position == moved(place, draw_direction(random))
    assert world.rng == random.state


def test_the_cell_of_a_sprite_between_cells_is_that_of_its_corner() -> None:
    """Positions are cut to cells: half a step into a cell it still plans from the one before (sprites, 15)."""
    world = play(game("cat > PathChaser stype=avatar speed=0.5", options="obs=wall"), MAZE, ticks=4)
    assert world.only("cat").position == (0, 20)
    assert world.wait(1).only("cat").position == (5, 20)


def test_needs_the_option_obs() -> None:
    """Without a path finder the first request is fatal (sprites, 12.19 and 15)."""
    assert play(game("cat > PathChaser stype=avatar"), MAZE).crashed


def test_needs_a_type_to_chase() -> None:
    """``stype`` is required (language, 7.8)."""
    assert_fatal(game("cat > PathChaser", options="obs=wall"), MAZE)
