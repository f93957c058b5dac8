"""Grid and continuous physics, the cooldown and the first tick (sprites, 7 to 9)."""

import struct
from math import sqrt

import pytest

from semantics.harness import DOWN, LEFT, NONE, RIGHT, JavaRandom, after, game, level, play, start
from semantics.sprites_harness import accelerate, draw_direction, moved
from vgdl import Action

ROW = level("s.........", "A.........")


def xs(parameters: str, ticks: int, *, kind: str = "Missile") -> list[int]:
    """Where a sprite of class ``kind`` that starts at 0 and looks RIGHT is after each tick, in pixels."""
    world = start(game(f"shot > {kind} orientation=RIGHT {parameters}"), ROW)
    return [world.wait(1).only("shot").x for _ in range(ticks)]


# --- grid ---


def test_the_first_passive_movement_is_suppressed() -> None:
    """From the second update on it moves a cell per tick (sprites, 9.1)."""
    assert xs("", 4) == [0, 10, 20, 30]


def test_steps_are_cut_to_whole_pixels() -> None:
    """trunc(0.8 * 32) = 25 pixels, again and again: fractions are not kept (sprites, 1 and 9.1)."""
    world = play(game("shot > Missile orientation=RIGHT speed=0.8", options="square_size=32"), ROW, ticks=4)
    assert world.only("shot").x == 75


def test_steps_are_cut_twice() -> None:
    """trunc(0.99 * 10) = 9, then trunc(-0.43496 * 9) = trunc(-3.91) = -3, where 9.9 would give -4 (9.1).

    The cannon, three UP turned, aims along (0.90044, -0.43496); the first update of a shot is still.
    """
    rules = game("ball > Missile speed=0.99\navatar > AimedAvatar stype=ball")
    world = play(rules, level("....", "....", "A..."), actions=[Action.UP, Action.UP, Action.UP, Action.USE])
    x, y = world.all("ball")[0].position
    assert world.wait(1).all("ball")[0].position == (x + 8, y - 3)


def test_a_step_of_less_than_a_pixel_does_not_move() -> None:
    """trunc(0.05 * 10) = 0, and trunc(0.05) = 0, too (sprites, 8.4)."""
    assert xs("speed=0.05", 4) == [0, 0, 0, 0]


def test_speed_zero_does_not_move_passively() -> None:
    """Only active movement takes it for a full cell (sprites, quirk 1)."""
    assert xs("speed=0", 3) == [0, 0, 0]


def test_speed_minus_one_is_plus_one_passively_and_other_negative_ones_run_backwards() -> None:
    """v = 1 if ``speed`` is exactly -1 (sprites, 9.1)."""
    assert xs("speed=-1", 3) == [0, 10, 20]
    assert xs("speed=-0.5", 3) == [0, -5, -10]


def test_nil_is_a_diagonal() -> None:
    """The direction NIL is (-1, -1) (sprites, 3.1)."""
    world = play(game("shot > Missile orientation=NIL"), level("...", "...", "..s", "A.."), ticks=3)
    assert world.only("shot").position == (0, 0)


def test_cooldown_is_the_least_number_of_ticks_between_two_steps() -> None:
    """``lastmove`` starts at 0 and grows before each update: the third update moves first (sprites, 8.4)."""
    assert xs("cooldown=3", 9) == [0, 0, 10, 10, 10, 20, 20, 20, 30]
    assert xs("cooldown=2", 5) == [0, 10, 10, 20, 20]
    assert xs("cooldown=0", 3) == xs("cooldown=-4", 3) == [0, 10, 20]


def test_lastmove_can_start_higher() -> None:
    """``lastmove`` is a parameter (sprites, 5.1): at 4 a cooldown of 6 is over in the second update."""
    assert xs("cooldown=6 lastmove=4", 8) == [0, 10, 10, 10, 10, 10, 10, 20]


def test_the_first_tick_can_be_over() -> None:
    """``isFirstTick`` is a parameter (sprites, 5.1)."""
    assert xs("isFirstTick=False", 2) == [10, 20]


def test_only_active_and_is_static_stop_passive_movement_alone() -> None:
    """Active movement ignores both (sprites, 8.2 and 9.1)."""
    assert xs("only_active=True", 3) == [0, 0, 0]
    assert xs("is_static=True", 3) == [0, 0, 0]
    for flag in ("only_active", "is_static"):
        world = play(game(f"npc > RandomNPC {flag}=True"), level("...", ".n.", "..A"))
        assert world.only("npc").position == moved((10, 10), draw_direction(JavaRandom()))


def test_stationary_stops_active_movement_alone() -> None:
    """It still draws, and a passive movement is not blocked (sprites, 9.1)."""
    world = play(game("npc > RandomNPC stationary=True"), level("...", ".n.", "..A"), ticks=3)
    assert world.only("npc").position == (10, 10)
    assert world.rng == after(("int 4", 3))
    assert xs("stationary=True", 3) == [0, 10, 20]


def test_steps_do_not_grow_with_the_rectangle() -> None:
    """The grid's cell is the block, whatever wMult and hMult (sprites, quirk 8)."""
    assert xs("wMult=2 hMult=2", 3) == [0, 10, 20]


def test_a_sprite_without_height_cannot_move() -> None:
    """``bucket`` divides by the height: fatal when it moves (sprites, 5.1 and quirk 49)."""
    world = play(game("shot > Missile orientation=RIGHT hMult=0.05"), ROW, ticks=1)
    assert not world.crashed
    assert world.wait(1).crashed


def test_rotate_in_place_needs_an_oriented_sprite() -> None:
    """A sprite that is not oriented does not turn, it moves (sprites, 8.3 and quirk 6)."""
    rules = game("avatar > MovingAvatar rotateInPlace=True")
    world = play(rules, level("..A"), actions=[Action.LEFT])
    assert (world.avatar.position, world.avatar.orientation) == ((10, 0), NONE)
    rules = game("avatar > MovingAvatar rotateInPlace=True is_oriented=True")
    world = play(rules, level("..A"), actions=[Action.LEFT])
    assert (world.avatar.position, world.avatar.orientation) == ((20, 0), LEFT)


def test_other_physics_leave_the_grid_physics() -> None:
    """Neither GRID nor CONT: the grid physics object stays (sprites, 5.3)."""
    assert xs("physicstype=PHYSICS_NONE", 3) == xs("physicstype=7", 3) == [0, 10, 20]


def test_grid_distance_counts_both_axes_and_continuous_distance_is_straight() -> None:
    """The cat's way: 30 + 30 = 60 against 50 on the grid, 42.4 against 50 in space (sprites, 9.1 and 9.2)."""
    lines = level("c....m", *["......"] * 2, "...m..", "A.....")
    rules = "mouse > Immovable\ncat > Chaser stype=mouse {}"
    assert play(game(rules.format("")), lines).rng == after(("int 1", 1))
    assert play(game(rules.format("physicstype=CONT")), lines).rng == after(("int 2", 1))


# --- continuous ---


def test_continuous_speed_is_in_pixels_and_cut() -> None:
    """trunc(2.97) = 2 pixels per tick, still in the first update (sprites, 9.2)."""
    assert xs("physicstype=CONT speed=2.97", 4) == [0, 2, 4, 6]


def test_speed_is_cut_before_the_direction_is_applied() -> None:
    """Speed 2.97 along (0.995, 0.100): trunc(0.995 * 2) = 1, trunc(0.1 * 2) = 0 (sprites, 9.2)."""
    world = start(game("shot > Missile physicstype=CONT orientation=RIGHT speed=2.955 gravity=0.298"), ROW).wait(2)
    assert world.only("shot").position == (2, 0)
    orientation, speed = accelerate(RIGHT, 2.955, (0.0, 0.298))
    assert world.only("shot").orientation == pytest.approx(orientation)
    assert world.only("shot").speed == pytest.approx(speed)
    assert speed == pytest.approx(2.97, abs=0.001)
    assert world.wait(1).only("shot").position == (3, 0)


def test_steps_saturate_only_beyond_what_an_int_holds() -> None:
    """trunc keeps every value above -2^31 - 1 and below 2^31 as it is (sprites, 1): one step to the end of the ints."""
    assert xs("physicstype=CONT speed=-2147483647.5", 2) == [0, -2147483647]
    assert xs("physicstype=CONT speed=2147483647.5", 2) == [0, 2147483647]
    assert xs("physicstype=CONT speed=-1e300", 2) == [0, -2147483648]


def test_friction_brakes_after_the_step() -> None:
    """Steps of 8, 6, trunc(4.5), trunc(3.375) (sprites, 9.2)."""
    assert xs("physicstype=CONT speed=8 friction=0.25", 5) == [0, 8, 14, 18, 21]


def test_gravity_adds_to_the_velocity() -> None:
    """(4, 0), (4, 1), (4, 2): steps along it cut on each axis (sprites, 9.2).

    Speed sqrt(17) = 4.1 along (0.970, 0.243): trunc(3.88) = 3, trunc(0.97) = 0.
    """
    world = start(game("shot > Missile physicstype=CONT orientation=RIGHT speed=4 gravity=1"), ROW).wait(2)
    assert world.only("shot").position == (4, 0)
    assert world.only("shot").orientation == pytest.approx((4 / sqrt(17), 1 / sqrt(17)))
    world.wait(1)
    assert world.only("shot").position == (7, 0)
    assert world.only("shot").orientation == pytest.approx((4 / sqrt(20), 2 / sqrt(20)))
    assert world.only("shot").speed == pytest.approx(sqrt(20))


@pytest.mark.parametrize("mass", ["1", "4", "0.25"])
def test_gravity_does_not_depend_on_the_mass(mass: str) -> None:
    """gravity * mass / mass (sprites, 9.2), with masses that binary32 holds exactly."""
    world = start(game(f"shot > Missile physicstype=CONT orientation=DOWN speed=2 gravity=1 mass={mass}"), ROW).wait(3)
    assert world.only("shot").speed == 4
    assert world.only("shot").orientation == DOWN


def test_nothing_without_mass_falls() -> None:
    """Gravity asks for a mass above 0 (sprites, 9.2)."""
    assert xs("physicstype=CONT speed=2 gravity=1 mass=0", 4) == [0, 2, 4, 6]


def test_at_rest_there_is_no_gravity() -> None:
    """Speed 0: no movement at all, gravity included (sprites, quirk 10)."""
    world = start(game("shot > Missile physicstype=CONT orientation=RIGHT speed=0 gravity=1"), ROW).wait(4)
    assert world.only("shot").position == (0, 0)
    assert world.only("shot").orientation == RIGHT


def test_cooldown_blocks_the_step_but_not_gravity_and_a_step_of_no_pixels_counts() -> None:
    """Velocities (1, 1), (1, 2), (1, 3), (1, 4) although nothing moves (sprites, 9.2, quirks 4 and 10).

    With cooldown 3 the third update may move: trunc(1.41) = 1 pixel along (0.71, 0.71), cut to nothing, which
    still starts the cooldown anew. So the sixth is next: 4 pixels along (0.243, 0.970), cut to (0, 3).
    """
    rules = game("shot > Missile physicstype=CONT orientation=RIGHT speed=1 gravity=1 cooldown=3")
    world = start(rules, ROW).wait(2)
    assert world.only("shot").speed == pytest.approx(sqrt(2))
    world.wait(3)
    assert world.only("shot").speed == pytest.approx(sqrt(17))
    assert world.only("shot").position == (0, 0)
    assert world.wait(1).only("shot").position == (0, 3)


def test_active_movement_accelerates_and_does_not_displace() -> None:
    """The direction over the mass is added to the velocity (sprites, 9.2)."""
    world = start(game("avatar > MovingAvatar physicstype=CONT mass=4"), level("A....", "....."))
    world.advance(Action.RIGHT)
    assert (world.avatar.position, world.avatar.orientation, world.avatar.speed) == ((0, 0), RIGHT, 0.25)
    world.advance(Action.DOWN)
    assert world.avatar.speed == pytest.approx(sqrt(0.125))


def test_mass_is_rounded_to_single_precision() -> None:
    """1 / binary32(0.1) is not 10 (sprites, quirk 10)."""
    world = start(game("avatar > MovingAvatar physicstype=CONT mass=0.1"), ROW).advance(Action.RIGHT)
    (mass,) = struct.unpack("f", struct.pack("f", 0.1))
    assert world.avatar.speed == pytest.approx(1 / mass, rel=1e-13)
    assert world.avatar.speed != pytest.approx(10, rel=1e-9)


def test_no_mass_gives_no_numbers_and_no_movement() -> None:
    """1/0 and 0/0: components that are not numbers displace by 0 (sprites, 9.2)."""
    world = start(game("avatar > MovingAvatar physicstype=CONT mass=0"), level("A....")).advance(Action.RIGHT)
    assert world.wait(2).avatar.position == (0, 0)


def test_max_speed_caps_acceleration() -> None:
    """1, 2, then min(3, 2.5) (sprites, 9.2)."""
    world = start(game("avatar > MovingAvatar physicstype=CONT max_speed=2.5"), level("A...."))
    assert [world.advance(Action.RIGHT).avatar.speed for _ in range(4)] == [1, 2, 2.5, 2.5]


def test_no_direction_is_an_active_movement_too() -> None:
    """At speed 0 even NIL rewrites the orientation, to (0, 0) (sprites, 9.2 and quirk 10)."""
    world = start(game("avatar > MovingAvatar physicstype=CONT orientation=RIGHT speed=0"), level("A....")).wait(1)
    assert world.avatar.orientation == NONE


def test_the_continuous_movement_of_an_avatar_is_passive_first() -> None:
    """A MovingAvatar drifts along its orientation by its speed (sprites, 13.2), not in its first update."""
    world = start(game("avatar > MovingAvatar physicstype=CONT orientation=RIGHT speed=3"), level("A...."))
    assert [world.wait(1).avatar.x for _ in range(3)] == [0, 3, 6]
