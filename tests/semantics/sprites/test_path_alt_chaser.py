"""PathAltChaser (sprites, 12.22): walks to a target and keeps it until it stands on it."""

from semantics.harness import JavaRandom, after, game, level, play, start
from semantics.sprites_harness import draw_direction, moved
from vgdl import Action


def test_follows_the_path_without_draws() -> None:
    """With a target and without ``randomTarget`` nothing is drawn (sprites, 12.22)."""
    rules = game("cat > PathAltChaser stype1=avatar stype2=avatar", options="obs=wall")
    world = play(rules, level("c.w..", ".ww..", "...A."), ticks=0)
    for place in [(0, 10), (0, 20), (10, 20), (20, 20), (30, 20)]:
        assert world.wait(1).only("cat").position == place
    assert world.rng == after()


def test_goes_on_to_where_its_target_died() -> None:
    """The target is kept until its last rectangle is reached; then a random move (sprites, quirk 25)."""
    rules = game(
        "cheese > Flicker limit=0\ncat > PathAltChaser stype1=cheese",
        options="obs=wall",
        mapping="""
        f > cheese
        c > cat
    """,
    )
    world = play(rules, level("c...f", "....A"), ticks=4)
    assert world.count("cheese") == 0
    assert world.only("cat").position == (40, 0)
    assert world.rng == after()
    random = JavaRandom()
    assert world.wait(1).only("cat").position == moved((40, 0), draw_direction(random))
    assert world.rng == random.state


def test_a_nearer_target_does_not_distract_it() -> None:
    """The target is chosen again only when the old one is contained in its own rectangle (sprites, 12.22)."""
    rules = game(
        """
        cheese > Immovable
        lure > SpawnPoint stype=cheese cooldown=9
        cat > PathAltChaser stype1=cheese
        """,
        options="obs=wall",
        mapping="f > cheese\nl > lure\nc > cat",
    )
    # The cat is updated before the lure: in tick 0 it chooses the cheese on the left, the only one.
    world = play(rules, level("f....cl", "A......"), ticks=2)
    assert world.positions("cheese") == [(0, 0), (60, 0)]
    assert world.only("cat").position == (30, 0)


def test_random_target_draws_among_all_of_them_twice() -> None:
    """Two targets, each listed twice in the order s1, s2, s1, s2: ``nextInt(4)``, then none (sprites, 12.22)."""
    rules = game("mouse > Immovable\ncat > PathAltChaser stype1=mouse randomTarget=True", options="obs=wall")
    world = play(rules, level("m..c...m", "A......."), ticks=1)
    random = JavaRandom()
    left_or_right = (-10, 10, -10, 10)[random.next_int(4)]
    assert world.only("cat").position == (30 + left_or_right, 0)
    assert world.wait(1).only("cat").position == (30 + 2 * left_or_right, 0)
    assert world.rng == random.state


def test_random_target_without_any_is_fatal() -> None:
    """``nextInt(0)`` (sprites, 12.20 step 5)."""
    rules = game("mouse > Immovable\ncat > PathAltChaser stype1=mouse randomTarget=True", options="obs=wall")
    assert play(rules, level("c.A")).crashed


def test_moves_at_random_without_a_target() -> None:
    """One ``nextInt(4)`` per update (sprites, 12.22)."""
    rules = game("mouse > Immovable\ncat > PathAltChaser stype1=mouse cons=2", options="obs=wall")
    world = play(rules, level("...", ".c.", "..A"), ticks=2)
    random = JavaRandom()
    place = moved((10, 10), draw_direction(random))
    assert world.only("cat").position == moved(place, draw_direction(random))
    assert world.rng == random.state


def test_a_dead_target_is_kept_though_others_appear() -> None:
    """It goes on to the last rectangle of the dead one and only then chooses again (sprites, 12.22)."""
    rules = game(
        """
        cheese > Flicker limit=0
        cat > PathAltChaser stype1=cheese
        avatar > FlakAvatar stype=cheese
        """,
        options="obs=wall",
        mapping="f > cheese\nc > cat\nA > avatar",
    )
    # With FlakAvatars only left and right are searched: enough for a corridor.
    world = start(rules, level("f.....c.A")).wait(3)
    assert world.count("cheese") == 0
    assert world.only("cat").position == (30, 0)
    world.advance(Action.USE)
    assert world.count("cheese") == 1
    assert world.only("cat").position == (20, 0)
    assert world.wait(2).only("cat").position == (0, 0)
    assert world.rng == after()


def test_follows_a_target_that_moves() -> None:
    """The path leads to where the target is now (sprites, 12.22)."""
    rules = game("cat > PathAltChaser stype1=avatar", options="obs=wall")
    world = start(rules, level("c...A", "....."))
    assert [world.advance(Action.LEFT).only("cat").x for _ in range(2)] == [10, 20]
    assert world.advance(Action.DOWN).only("cat").position == (20, 10)
    assert world.rng == after()
