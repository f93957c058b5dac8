"""Chaser (sprites, 12.17): draws among the directions that bring it nearer to its closest targets."""

import pytest

from semantics.harness import DOWN, LEFT, RIGHT, JavaRandom, after, game, level, play, start
from semantics.sprites_harness import assert_fatal, draw_direction, draw_from, moved
from vgdl import Action


def test_needs_a_type_to_chase() -> None:
    """``stype`` is required (sprites, 12.17)."""
    assert_fatal(game("cat > Chaser"), level("c.A"))


def test_a_single_good_direction_is_drawn_too() -> None:
    """In line with its target: ``nextInt(1)`` and one cell per update (sprites, 12.17 and quirk 22)."""
    world = play(game("cat > Chaser stype=avatar"), level("c...A"), ticks=2)
    assert world.only("cat").position == (20, 0)
    assert world.rng == after(("int 1", 2))


def test_draws_between_two_good_directions_in_base_order() -> None:
    """Target below and to the right: DOWN comes before RIGHT (sprites, 3.1 and 12.17)."""
    world = play(game("cat > Chaser stype=avatar"), level("c....", *["....."] * 3, "....A"), ticks=0)
    random = JavaRandom()
    place = (0, 0)
    while place[0] < 40 and place[1] < 40:
        place = moved(place, draw_from(random, [DOWN, RIGHT]))
        assert world.wait(1).only("cat").position == place
    assert world.rng == random.state


def test_targets_at_the_same_distance_add_their_directions() -> None:
    """LEFT to the mouse made first, RIGHT to the other: ``nextInt(2)`` (sprites, 12.17 and quirk 23)."""
    rules = game("mouse > Immovable\ncat > Chaser stype=mouse")
    world = play(rules, level("m..c..m", "A......"))
    assert world.only("cat").position == moved((30, 0), draw_from(JavaRandom(), [LEFT, RIGHT]))
    assert world.rng == after(("int 2", 1))


def test_one_direction_can_be_listed_twice() -> None:
    """Two mice on the same spot: [RIGHT, RIGHT], ``nextInt(2)`` (sprites, 12.17)."""
    rules = game("mouse > Immovable\ncat > Chaser stype=mouse", mapping="m > mouse mouse\nc > cat")
    world = play(rules, level("c..m", "A..."))
    assert world.only("cat").position == (10, 0)
    assert world.rng == after(("int 2", 1))


def test_only_the_closest_target_counts() -> None:
    """The nearer mouse to the left hides the one to the right (sprites, 12.17)."""
    rules = game("mouse > Immovable\ncat > Chaser stype=mouse")
    world = play(rules, level("m..c...m", "A......."))
    assert world.only("cat").position == (20, 0)
    assert world.rng == after(("int 1", 1))


def test_the_closest_of_many_targets_count() -> None:
    """Nine mice, of which two are closest, to the left and to the right: ``nextInt(2)`` (sprites, 12.17)."""
    rules = game("mouse > Immovable\ncat > Chaser stype=mouse")
    world = play(rules, level("mmm.m.c.m.m", "A..........", "mmm........"))
    assert world.only("cat").position == moved((60, 0), draw_from(JavaRandom(), [LEFT, RIGHT]))
    assert world.rng == after(("int 2", 1))


def test_a_close_target_hides_many_that_are_very_far_away() -> None:
    """Eight mice fly millions of pixels to the right, and one stays on the left (sprites, 12.17)."""
    animals = "mouse >\n    still > Immovable\n    flying > Missile orientation=RIGHT speed=2000000"
    rules = game(f"{animals}\ncat > Chaser stype=mouse", mapping="s > still\nf > flying\nc > cat")
    world = play(rules, level("s........cA", "ffffffff..."), ticks=4)
    assert world.only("cat").position[0] < 90
    assert world.all("flying")[0].position[0] > 10_000_000


@pytest.mark.parametrize(("limit", "good"), [("20", False), ("30", True), ("20.5", True)])
def test_max_distance_is_a_whole_number(limit: str, good: bool) -> None:
    """Farther than ``maxDistance`` it moves at random; a decimal value is ignored (sprites, 5.2 and quirk 29)."""
    world = play(game(f"cat > Chaser stype=avatar maxDistance={limit}"), level("c..A"))
    random = JavaRandom()
    direction = draw_from(random, [RIGHT]) if good else draw_direction(random)
    assert world.only("cat").position == moved((0, 0), direction)
    assert world.rng == random.state


def test_moves_at_random_on_top_of_its_target() -> None:
    """No direction brings it nearer: ``nextInt(4)`` (sprites, 12.17)."""
    rules = game("mouse > Immovable\ncat > Chaser stype=mouse", mapping="m > mouse cat")
    world = play(rules, level("...", ".m.", "..A"))
    random = JavaRandom()
    assert world.only("cat").position == moved((10, 10), draw_direction(random))
    assert world.rng == random.state


def test_cons_idles_and_repeats_random_moves_only() -> None:
    """Without targets it is a RandomNPC: with ``cons=1`` one idle update, then a draw every second (12.15)."""
    rules = game("mouse > Immovable\ncat > Chaser stype=mouse cons=1")
    world = play(rules, level("...", ".c.", "..A"), ticks=1)
    assert world.only("cat").position == (10, 10)
    assert world.rng == after()
    random = JavaRandom()
    direction = draw_direction(random)
    assert world.wait(2).only("cat").position == moved((10, 10), direction, 20)
    assert world.rng == random.state


def test_a_chaser_that_covers_its_own_type_targets_itself() -> None:
    """Its own distance 0 is the least: it moves at random (sprites, 12.17 and quirk 23)."""
    rules = game("cat > Chaser stype=cat")
    world = play(rules, level("c..c", "...A"))
    random = JavaRandom()
    assert world.positions("cat") == [moved((0, 0), draw_direction(random)), moved((30, 0), draw_direction(random))]


def test_a_parent_type_stands_for_its_children() -> None:
    """Without sprites of the exact type the subtypes are searched (sprites, 12.17)."""
    rules = game(
        """
        prey >
            mouse > Immovable
            rat > Immovable
        cat > Chaser stype=prey
        """
    )
    world = play(rules, level("r...c..m", "A......."))
    assert world.only("cat").position == (50, 0)
    assert world.rng == after(("int 1", 1))


def test_can_be_told_to_flee() -> None:
    """``fleeing`` is a parameter of the Chaser, too: all but RIGHT lead away (sprites, 12.17)."""
    world = play(game("cat > Chaser stype=avatar fleeing=True"), level("c..A"))
    assert world.rng == after(("int 3", 1))


def test_a_dead_avatar_is_chased_on() -> None:
    """Disabled avatars stay where they died and remain candidates (sprites, 7 and quirk 18)."""
    rules = game("spike > Immovable\ncat > Chaser stype=avatar", "avatar spike > killSprite")
    world = play(rules, level("c...s", "....A"), actions=[Action.UP])
    assert world.avatar.disabled
    assert world.wait(2).avatar.position == (40, 0)
    # Avatars move first: the cat never saw it anywhere else.
    assert world.only("cat").position == (30, 0)
    assert world.rng == after(("int 1", 3))


@pytest.mark.parametrize(
    ("cat", "line", "draw"),
    [
        ("stype=avatar", "c..A", "int 1"),
        ("stype=avatar fleeing=True", "c..A", "int 3"),
        ("stype=avatar maxDistance=20", "c..A", "int 4"),
        ("stype=avatar", "b...", "int 4"),
        ("stype=ghost", "c..A", "int 4"),
    ],
)
@pytest.mark.parametrize("rest", ["cooldown=3", "speed=0.01"])
def test_draws_its_direction_while_it_cannot_move(rest: str, cat: str, line: str, draw: str) -> None:
    """The cooldown, or a speed of less than a pixel, only holds back the step itself (sprites, 8.4 and 12.17)."""
    rules = game(f"ghost > Immovable\ncat > Chaser {cat} {rest}", mapping="c > cat\nb > cat avatar")
    world = play(rules, level(line), ticks=2)
    assert world.only("cat").position == (0, 0)
    assert world.rng == after((draw, 2))


def test_repeats_random_moves_while_it_cools_down() -> None:
    """With ``cons=1`` an idle update comes before each draw, cooldown or not (sprites, 12.15)."""
    rules = game("mouse > Immovable\ncat > Chaser stype=mouse cons=1 cooldown=9")
    world = play(rules, level("c.A"), ticks=5)
    assert world.only("cat").position == (0, 0)
    assert world.rng == after(("int 4", 2))


@pytest.mark.parametrize("drawn", [2**31 - 1, 2**31 - 2, 2**31 - 3, 0])
def test_a_draw_that_is_repeated_is_repeated_while_it_cools_down(drawn: int) -> None:
    """``nextInt(3)`` of the highest draws takes another step of the generator (engine, 1.2)."""
    seed = ((drawn << 17) - 0xB) * pow(0x5DEECE66D, -1, 2**48) % 2**48 ^ 0x5DEECE66D
    assert JavaRandom(seed).step(31) == drawn
    assert (after(("int 3", 1), seed=seed) != after(("int 4", 1), seed=seed)) == (drawn > 2**31 - 3)
    world = start(game("cat > Chaser stype=avatar fleeing=True cooldown=3"), level("c..A"))
    world.state.reseed(seed)
    assert world.wait(1).rng == after(("int 3", 1), seed=seed)


def test_chasing_a_type_that_does_not_exist_is_fatal_in_play() -> None:
    """An unknown name is type -1, and looking that up is fatal (sprites, 1)."""
    assert play(game("cat > Chaser stype=nobody"), level("c.A")).crashed


def test_sprites_of_the_exact_type_hide_those_of_its_children() -> None:
    """The children are only searched when the exact group is empty (sprites, 12.17)."""
    rules = game(
        """
        prey > Immovable
            mouse > Immovable
        cat > Chaser stype=prey
        """
    )
    world = play(rules, level("m.c....p", "A......."))
    assert world.only("cat").position == (30, 0)
    assert world.rng == after(("int 1", 1))


def test_a_parent_stands_in_for_a_child_that_is_absent() -> None:
    """``subtypes`` begins with the ancestors (sprites, 1): without mice the prey itself is chased."""
    rules = game(
        """
        prey > Immovable
            mouse > Immovable
        cat > Chaser stype=mouse
        """
    )
    world = play(rules, level("..c..p", "A....."))
    assert world.only("cat").position == (30, 0)
    assert world.rng == after(("int 1", 1))
