"""WizardAvatar (sprites, 13.18): a PlatformerAvatar that puts blocks beside itself."""

from semantics.harness import NONE, RIGHT, game, level, start
from semantics.sprites_harness import assert_fatal
from vgdl import Action

WIZARD = "box > Immovable\nrope > Immovable\navatar > WizardAvatar stype=box,rope physicstype=CONT"
ROOM = level(".....", "..A..", ".....")


def test_up_makes_one_of_each_type_beside_it_from_tick_five_on() -> None:
    """At (x + 1.2 widths, y), if ``last_block_time`` (0) is 5 ticks ago; the thrust up is taken back (13.18)."""
    world = start(game(WIZARD), ROOM).wait(5)
    assert world.state.available_actions == (Action.LEFT, Action.RIGHT, Action.USE, Action.UP)
    world.advance(Action.UP)
    assert world.positions("box") == [(32, 10)]
    assert world.positions("rope") == [(32, 10)]
    assert world.only("box").id < world.only("rope").id
    assert (world.avatar.orientation, world.avatar.speed) == (NONE, 0)


def test_before_that_up_is_only_a_direction() -> None:
    """In tick 4 nothing is made, and it accelerates by (0, -1) (sprites, 13.18)."""
    world = start(game(WIZARD), ROOM).wait(4).advance(Action.UP)
    assert world.count("box") == 0
    assert (world.avatar.orientation, world.avatar.speed) == ((0, -1), 1)


def test_five_ticks_lie_between_two_blocks() -> None:
    """Blocks in ticks 5 and 10, none in between (sprites, 13.18)."""
    world = start(game(WIZARD), ROOM).wait(5)
    assert [world.advance(Action.UP).count("box") for _ in range(6)] == [1, 1, 1, 1, 1, 2]


def test_faces_the_way_it_went_last() -> None:
    """LEFT turns its facing; the next block stands on its left (sprites, 13.18)."""
    world = start(game(WIZARD), ROOM).wait(4).advance(Action.LEFT).advance(Action.UP)
    assert world.positions("box") == [(8, 10)]


def test_facing_and_time_can_be_given() -> None:
    """``facing_dir`` and ``last_block_time`` are parameters (sprites, 13.18)."""
    world = start(game(f"{WIZARD} facing_dir=DOWN last_block_time=-5"), ROOM).advance(Action.UP)
    assert world.positions("box") == [(20, 20)]


def test_jumps_like_a_platformer() -> None:
    """Falls with gravity 1 from speed 1 to y = 10 in six ticks, then USE lifts it (sprites, 13.17 and 13.18)."""
    rules = game(f"{WIZARD} gravity=1 speed=1", "avatar wall > stepBack")
    world = start(rules, level("A..", "...", "www")).wait(6)
    assert world.avatar.position == (0, 10)
    world.advance(Action.USE)
    assert world.avatar.position == (0, 10)
    assert world.avatar.orientation == (0, -1)
    assert world.avatar.speed == 10


def test_steers_in_the_air() -> None:
    """Half of the direction, as a PlatformerAvatar (sprites, 13.18)."""
    world = start(game(WIZARD), ROOM).advance(Action.RIGHT)
    assert (world.avatar.orientation, world.avatar.speed) == (RIGHT, 0.5)


def test_needs_something_to_make() -> None:
    """``stype`` is required (sprites, 13.18)."""
    assert_fatal(game("avatar > WizardAvatar"), ROOM)
