"""Walker (sprites, 12.24): walks sideways at its top speed, turning only where it gets stuck."""

from math import sqrt

import pytest

from semantics.harness import LEFT, RIGHT, JavaRandom, after, game, level, play
from semantics.sprites_harness import accelerate

FIELD = level("....w....", "A........")
WALKS = "walker > Walker physicstype=CONT"


def test_chooses_a_side_once_and_walks_on() -> None:
    """``nextInt(2)`` over [-1, +1] while it has no direction; then 5 pixels per tick (sprites, 12.24)."""
    world = play(game(WALKS), FIELD, ticks=1)
    random = JavaRandom()
    side = (-1, 1)[random.next_int(2)]
    assert world.only("walker").position == (40, 0)
    assert world.only("walker").orientation == (side, 0)
    assert world.only("walker").speed == 5
    assert world.wait(3).only("walker").position == (40 + 15 * side, 0)
    assert world.rng == random.state


def test_speed_becomes_max_speed() -> None:
    """``speed = max_speed`` at the end of every update (sprites, 12.24)."""
    world = play(game(f"{WALKS} orientation=RIGHT max_speed=3"), FIELD, ticks=1)
    assert world.only("walker").speed == 3
    assert world.wait(2).only("walker").position == (46, 0)
    assert world.rng == after()


def test_keeps_its_side_when_the_cooldown_stops_it() -> None:
    """No sideways movement in this update: the sign of its orientation decides, without a draw (12.24)."""
    world = play(game(f"{WALKS} orientation=LEFT cooldown=2"), FIELD, ticks=0)
    path = []
    for _ in range(5):
        path.append(world.wait(1).only("walker").x)
    assert path == [40, 35, 35, 30, 30]
    assert world.only("walker").orientation == LEFT
    assert world.rng == after()


def test_falling_it_keeps_a_slanted_direction() -> None:
    """Gravity turns its direction; without airsteering nothing turns it back while it moves (12.24 and 9.2)."""
    world = play(game(f"{WALKS} orientation=RIGHT gravity=1"), FIELD, ticks=2)
    orientation, speed = accelerate(RIGHT, 5.0, (0.0, 1.0), max_speed=5.0)
    assert orientation == pytest.approx((5 / sqrt(26), 1 / sqrt(26)))
    assert world.only("walker").orientation == pytest.approx(orientation)
    assert world.only("walker").speed == speed == 5
    # trunc(0.98 * 5) = 4 and trunc(0.196 * 5) = 0
    assert world.wait(1).only("walker").position == (49, 0)


def test_air_steering_levels_it_in_every_update() -> None:
    """With ``airsteering`` its direction is set to the side it moves to (sprites, 12.24)."""
    world = play(game(f"{WALKS} orientation=RIGHT gravity=1 airsteering=True"), FIELD, ticks=4)
    assert world.only("walker").orientation == RIGHT
    assert world.only("walker").position == (55, 0)
    assert world.rng == after()


def test_is_no_npc_and_ignores_time_to_live() -> None:
    """Category MOVABLE (sprites, quirk 30); its update replaces the standard one (11)."""
    world = play(game(f"{WALKS} timeToLive=0"), FIELD, ticks=2)
    assert not any(group for group in world.state.npcs)
    assert world.state.movables[0][0].type == world.game.types.index("walker")
