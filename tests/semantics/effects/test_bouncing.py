"""The effects of walls and bounces (effects, 10.5 and 9.4 to 9.6)."""

import math

import pytest

from semantics.harness import DOWN, LEFT, NONE, RIGHT, UP, World, game, level, play

BALL = "ball > Missile orientation=RIGHT speed=0.7"
"""At rest in tick 0, then 7 pixels a tick: from x = 0 it runs into a wall at x = 20 in tick 2, coming from x = 7."""

THROW = "ball > Passive physicstype=CONT orientation=RIGHT speed=6 gravity=8"
"""Tick 1: to the right by 6, then gravity turns it to (6, 8). Tick 2: by (6, 8), then it is turned to (6, 16)."""


def test_wallStop_ends_a_straight_move_at_the_wall() -> None:
    """10.5: to the wall as in stepBack pixelPerfect; nothing of the orientation is left, nor of the speed."""
    ball = play(game(BALL, "ball wall > wallStop"), level("b.w", "A.."), ticks=3).only("ball")
    assert (ball.position, ball.orientation, ball.speed) == ((10, 0), NONE, 0)


def test_wallStop_leaves_a_speed_of_at_least_the_gravity() -> None:
    """10.5: if speed < gravity, it is the gravity."""
    world = play(game(f"{BALL} gravity=0.3", "ball wall > wallStop"), level("b.w", "A.."), ticks=3)
    assert world.only("ball").speed == 0.3


@pytest.mark.parametrize(
    ("wall", "orientation", "along"),
    [
        pytest.param((20, 0), DOWN, 16, id="wall beside it: slides on downwards"),
        pytest.param((10, 10), RIGHT, 6, id="wall below it: slides on sideways"),
    ],
)
def test_wallStop_keeps_what_goes_along_the_wall(
    wall: tuple[int, int], orientation: tuple[float, float], along: float
) -> None:
    """10.5: the speed becomes the part along the wall; an oblique mover is put back to its last rectangle (9.4).

    A thrown ball is at (12, 8) in tick 2, coming from (6, 0). Of its motion (6, 16) 16 are downwards and 6 sideways,
    which the gravity raises to 8.
    """
    grid = [list("b..."), list("...."), list("...."), list("...A")]
    grid[wall[1] // 10][wall[0] // 10] = "w"
    world = play(game(THROW, "ball wall > wallStop"), level(*("".join(row) for row in grid)), ticks=3)
    ball = world.only("ball")
    assert (ball.position, ball.orientation) == ((6, 0), orientation)
    assert ball.speed == pytest.approx(max(along, 8), rel=1e-12)


def test_wallStop_has_no_guard_against_stopping_twice() -> None:
    """10.5 and quirk 27: a tall ball is stopped by a wall and, still overlapping it, by a post that flies at it.

    Tick 2: from x = 7 to 14, by the wall at 20 back to 10, by the post, then at 16, back to 6. One effect, two scores.
    """
    rules = game(
        f"{BALL} hMult=2\npost > Missile orientation=LEFT speed=0.7", "ball wall post > wallStop scoreChange=1"
    )
    world = play(rules, level("b.w.", "...p", "A..."), ticks=3)
    assert (world.only("ball").position, world.score) == ((6, 0), 2)


def _bounce(effect: str, ball: str = BALL, rows: tuple[str, ...] = ("b.w", "A.."), ticks: int = 3) -> World:
    return play(game(ball, f"ball wall > {effect} scoreChange=1"), level(*rows), ticks=ticks)


BOUNCES = [
    ("RIGHT", ("b.w", "A.."), (7, 0), LEFT),
    ("LEFT", ("w.b", "A.."), (13, 0), RIGHT),
    ("DOWN", ("bA", "..", "w."), (0, 7), UP),
    ("UP", ("wA", "..", "b."), (0, 13), DOWN),
]
"""A ball at 7 pixels a tick, where it is put back to and where it turns to when it meets a wall in tick 2."""


@pytest.mark.parametrize(("orientation", "rows", "position", "turned"), BOUNCES)
def test_wallBounce(
    orientation: str, rows: tuple[str, ...], position: tuple[int, int], turned: tuple[float, float]
) -> None:
    """10.5 and 9.6: back to the last rectangle, with the component across the wall turned round."""
    world = _bounce("wallBounce", f"ball > Missile orientation={orientation} speed=0.7", rows)
    ball = world.only("ball")
    assert (ball.position, ball.orientation, ball.speed, world.score) == (position, turned, 0.7, 1)


def test_wallBounce_doubles_the_score_for_a_pair_of_aligned_walls() -> None:
    """10.5, 9.5 and quirk 28: a ball of two cells meets two walls, taken as one of twice the height: n is 2."""
    world = _bounce("wallBounce", f"{BALL} hMult=2", ("b.w", "..w", "A.."))
    assert (world.only("ball").position, world.only("ball").orientation, world.score) == ((7, 0), LEFT, 2)


def test_wallBounce_takes_the_nearest_of_three_walls() -> None:
    """9.5 and 9.6: sorted by distance the middle one comes first, and n is 1.

    Neither side of the overlap is a whole side of the ball, so it counts which wall was reached first: in x 3 pixels
    at 0.7, in y never; so it bounces horizontally.
    """
    world = _bounce("wallBounce", f"{BALL} hMult=3", ("b.w", "..w", "..w", "A.."))
    assert (world.only("ball").position, world.only("ball").orientation, world.score) == ((7, 0), LEFT, 1)


def test_wallBounce_puts_the_other_sprite_back_too() -> None:
    """10.5 and quirk 28: both fly at each other at 7 pixels a tick, from x = 0 and 30; they meet in tick 2."""
    rules = game(f"{BALL}\nother > Missile orientation=LEFT speed=0.7", "ball other > wallBounce")
    world = play(rules, level("b..o", "A..."), ticks=3)
    assert (world.only("ball").position, world.only("other").position) == ((7, 0), (23, 0))
    assert (world.only("ball").orientation, world.only("other").orientation) == (LEFT, LEFT)


def test_wallBounce_runs_for_a_first_sprite_that_is_dead() -> None:
    """10.5, 6.1 and quirk 28: batch effects do not ask whether the first sprite was killed in this tick."""
    rules = game(BALL, "ball wall > killSprite\nball wall > wallBounce scoreChange=1")
    world = play(rules, level("b.w", "A.."), ticks=3)
    assert (world.count("ball"), world.score) == (0, 1)


def test_wallBounce_one_by_one() -> None:
    """10.5: with ``inBatch=False`` the first wall puts the ball back, so it no longer meets the second."""
    world = _bounce("wallBounce inBatch=False", f"{BALL} hMult=2", ("b.w", "..w", "A.."))
    assert (world.only("ball").position, world.score) == ((7, 0), 1)


def test_wallBounce_one_by_one_kicks_a_heavy_ball_up_first() -> None:
    """10.5: with gravity there is an active movement UP before the bounce, which changes orientation and speed.

    Tick 1: by (3, 0) into the wall, turned to (3, 8) by gravity, to (3, 7) by the kick, to (-3, 7) by the bounce.
    """
    rules = game(
        "ball > Passive physicstype=CONT orientation=RIGHT speed=3 gravity=8",
        "ball wall > wallBounce inBatch=False",
    )
    ball = play(rules, level("bw", "A."), ticks=2).only("ball")
    assert ball.position == (0, 0)
    assert ball.orientation == pytest.approx((-3 / math.hypot(3, 7), 7 / math.hypot(3, 7)), rel=1e-12)
    assert ball.speed == pytest.approx(math.hypot(3, 7), rel=1e-12)


@pytest.mark.parametrize(
    ("orientation", "rows", "position", "turned", "speed"),
    [
        ("RIGHT", ("b.w", "A.."), (7, 0), LEFT, 0.7),
        ("LEFT", ("w.b", "A.."), (13, 0), RIGHT, 0.7),
        ("DOWN", ("bA", "..", "w."), (0, 7), NONE, 0),
        ("UP", ("wA", "..", "b."), (0, 13), NONE, 0),
    ],
)
def test_wallReverse(
    orientation: str, rows: tuple[str, ...], position: tuple[int, int], turned: tuple[float, float], speed: float
) -> None:
    """10.5: only the horizontal part is kept, turned round at a wall beside it; a vertical move ends."""
    world = _bounce("wallReverse", f"ball > Missile orientation={orientation} speed=0.7", rows)
    ball = world.only("ball")
    assert (ball.position, ball.orientation, ball.speed, world.score) == (position, turned, speed, 1)


def test_wallReverse_leaves_a_speed_of_at_least_the_gravity() -> None:
    """10.5: as wallStop."""
    world = _bounce("wallReverse", "ball > Missile orientation=DOWN speed=0.7 gravity=0.3", ("bA", "..", "w."))
    assert world.only("ball").speed == 0.3


def test_wallReverse_doubles_the_score_for_a_pair_of_aligned_walls() -> None:
    """10.5 and quirk 28: sorting and return value are those of wallBounce."""
    world = _bounce("wallReverse", f"{BALL} hMult=2", ("b.w", "..w", "A.."))
    assert (world.only("ball").orientation, world.score) == (LEFT, 2)


def test_wallReverse_keeps_the_horizontal_part_of_an_oblique_move_on_a_floor() -> None:
    """10.5 and 9.6: the ball thrown to (12, 8) from (6, 0) overlaps one wall of four cells below over its whole width.

    vertical: (o.x, 0) with o = (6, 16) / hypot, hence speed 6, which the gravity of 8 raises to 8.
    """
    rules = game(f"{THROW}\nfloor > Immovable wMult=4", "ball floor > wallReverse")
    ball = play(rules, level("b...", "f...", "...A"), ticks=3).only("ball")
    assert (ball.position, ball.orientation, ball.speed) == ((6, 0), RIGHT, 8)


def _paddle(ball: str, paddle: str, rows: tuple[str, ...], arguments: str = "") -> tuple[float, float]:
    """Orientation of a ball after it met a paddle in tick 2."""
    rules = game(f"ball > Missile {ball}\npaddle > Immovable {paddle}", f"ball paddle > bounceDirection {arguments}")
    return play(rules, level(*rows), ticks=3).only("ball").orientation


FORTY = math.radians(40)


@pytest.mark.parametrize(
    ("ball", "paddle", "rows", "arguments", "orientation"),
    [
        pytest.param("orientation=RIGHT speed=0.7", "", ("b.p", "A.."), "", LEFT, id="centre: straight back"),
        pytest.param(
            "orientation=RIGHT speed=0.7",
            "hMult=3",
            ("b.p", "...", "..A"),
            "",
            (-math.cos(FORTY), -math.sin(FORTY)),
            id="right: centres 10 of 15 apart, so 2/3 of 60 degrees up",
        ),
        pytest.param(
            "orientation=LEFT speed=0.7",
            "hMult=3",
            ("p..", "...", "A.b"),
            "maxBounceAngleDeg=30",
            (math.cos(FORTY / 2), math.sin(FORTY / 2)),
            id="left: below the centre, 2/3 of 30 degrees down",
        ),
        pytest.param(
            "orientation=DOWN speed=0.7",
            "wMult=3",
            ("b.A", "...", "p.."),
            "",
            (-math.sin(FORTY), -math.cos(FORTY)),
            id="down: left of the centre",
        ),
        pytest.param(
            "orientation=UP speed=0.7",
            "wMult=3",
            ("p..", "...", "A.b"),
            "",
            (math.sin(FORTY), math.cos(FORTY)),
            id="up: right of the centre",
        ),
    ],
)
def test_bounceDirection(
    ball: str, paddle: str, rows: tuple[str, ...], arguments: str, orientation: tuple[float, float]
) -> None:
    """10.5: the angle grows with the distance of the centres, up to ``maxBounceAngleDeg`` at the paddle's end."""
    assert _paddle(ball, paddle, rows, arguments) == pytest.approx(orientation, abs=1e-12)


def test_bounceDirection_clamps_the_angle() -> None:
    """10.5: a ball of three cells, centre at y = 15, against a paddle of one, centre at y = 5: 60 degrees down."""
    sixty = math.radians(60)
    down = _paddle("orientation=RIGHT speed=0.7 hMult=3", "", ("b.p", "...", "...", "A.."))
    assert down == pytest.approx((-math.cos(sixty), math.sin(sixty)), abs=1e-12)


def test_bounceDirection_of_a_ball_at_rest_turns_its_x_round() -> None:
    """10.5: with velocity (0,0) both times are infinite: a tie. Position and speed are left alone in any case."""
    rules = game(
        "ball > Missile orientation=RIGHT speed=0\npaddle > Immovable",
        "ball paddle > bounceDirection",
        mapping="x > ball paddle",
    )
    ball = play(rules, level("A.", "x.")).only("ball")
    assert (ball.position, ball.orientation, ball.speed) == ((0, 10), LEFT, 0)
