"""PlatformerAvatar (sprites, 13.17): runs on solid ground, jumps from it, steers half as well in the air."""

from semantics.harness import DOWN, LEFT, NONE, RIGHT, UP, game, level, start
from vgdl import Action

HERO = "avatar > PlatformerAvatar physicstype=CONT"
FALLS = f"{HERO} gravity=1"
ROOM = level(".A..", "....", "wwww")


def test_steers_in_the_air_with_half_the_strength() -> None:
    """a = d / ``air_slowdown_factor`` (2): velocity (0.5, 0), then (1, 0) (sprites, 13.17)."""
    world = start(game(HERO), ROOM)
    assert world.state.available_actions == (Action.LEFT, Action.RIGHT, Action.USE)
    world.advance(Action.RIGHT)
    assert (world.avatar.orientation, world.avatar.speed) == (RIGHT, 0.5)
    world.advance(Action.RIGHT)
    assert (world.avatar.orientation, world.avatar.speed) == (RIGHT, 1)
    assert world.advance(Action.NIL).avatar.position == (11, 0)


def test_air_slowdown_factor() -> None:
    """The parameter divides (sprites, 13.17)."""
    world = start(game(f"{HERO} air_slowdown_factor=4"), ROOM).advance(Action.LEFT)
    assert (world.avatar.orientation, world.avatar.speed) == (LEFT, 0.25)


def test_falls_faster_and_faster() -> None:
    """Speed 1 along NONE; gravity turns it DOWN, then adds 1 per tick (sprites, 9.2)."""
    world = start(game(FALLS), ROOM)
    assert [world.wait(1).avatar.y for _ in range(6)] == [0, 0, 1, 3, 6, 10]
    assert world.avatar.orientation == DOWN
    assert world.avatar.speed == 5


def test_jumps_when_the_ground_was_near_at_the_end_of_the_last_tick() -> None:
    """At y = 10 a probe of 3 pixels finds the wall (sprites, 10).

    The next update falls 5 more, without gravity; the jump lifts it by 5 and leaves speed 10 upwards.
    """
    world = start(game(FALLS, "avatar wall > stepBack"), ROOM).wait(6)
    world.advance(Action.USE)
    assert world.avatar.position == (10, 10)
    assert (world.avatar.orientation, world.avatar.speed) == (UP, 10)
    assert world.wait(1).avatar.position == (10, 0)
    assert (world.avatar.orientation, world.avatar.speed) == (UP, 9)


def test_does_not_jump_in_the_air() -> None:
    """USE needs ``on_ground`` (sprites, 13.17)."""
    world = start(game(FALLS, "avatar wall > stepBack"), ROOM).wait(4).advance(Action.USE)
    assert world.avatar.position == (10, 6)
    assert (world.avatar.orientation, world.avatar.speed) == (DOWN, 4)


def test_the_ground_holds_it() -> None:
    """On the ground there is no gravity: it sinks in by 5 and steps back, again and again (sprites, 9.2, 10)."""
    world = start(game(FALLS, "avatar wall > stepBack"), ROOM).wait(10)
    assert world.avatar.position == (10, 10)
    assert (world.avatar.orientation, world.avatar.speed) == (DOWN, 5)


def test_ground_must_be_solid() -> None:
    """A wall that the game defines is only solid if it says so (sprites, 10): gravity goes on."""
    rules = game(f"{FALLS}\nwall > Immovable", "avatar wall > stepBack")
    world = start(rules, ROOM).wait(7)
    assert world.avatar.position == (10, 10)
    assert world.avatar.speed == 6


def test_runs_on_the_ground_with_its_ground_factor() -> None:
    """a = (d.x * ``ground_speedup_factor``, d.y) added to the fall (0, 5) (sprites, 13.17)."""
    rules = game(f"{FALLS} ground_speedup_factor=12", "avatar wall > stepBack")
    world = start(rules, ROOM).wait(6).advance(Action.RIGHT)
    assert world.avatar.speed == 13
    assert world.avatar.orientation == (12 / 13, 5 / 13)


def test_at_rest_it_hangs_in_the_air() -> None:
    """Gravity needs a speed other than 0 (sprites, 9.2 and quirk 10)."""
    world = start(game(f"{FALLS} speed=0"), ROOM).wait(5)
    assert world.avatar.position == (10, 0)
    assert world.avatar.orientation == NONE
