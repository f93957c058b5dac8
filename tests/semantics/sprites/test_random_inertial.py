"""RandomInertial (sprites, 12.16): a RandomNPC with continuous physics."""

import pytest

from semantics.harness import NONE, JavaRandom, game, level, start
from semantics.sprites_harness import accelerate, draw_direction


def test_its_random_direction_is_an_acceleration() -> None:
    """Passive movement by trunc(speed), then velocity + direction (sprites, 9.2 and 12.16).

    Speed 1 and orientation NONE by default: the first update makes the velocity the drawn direction.
    """
    rules, lines = game("drifter > RandomInertial"), level(*["....."] * 2, "..d..", "....A")
    world = start(rules, lines)
    assert world.only("drifter").orientation == NONE
    random = JavaRandom()
    x, y, orientation, speed = 20, 20, NONE, 1.0
    for tick in range(12):
        if tick > 0:
            x, y = x + int(orientation[0] * int(speed)), y + int(orientation[1] * int(speed))
        orientation, speed = accelerate(orientation, speed, draw_direction(random))
        drifter = world.wait(1).only("drifter")
        assert drifter.position == (x, y)
        assert drifter.orientation == pytest.approx(orientation, abs=1e-12)
        assert drifter.speed == pytest.approx(speed)
        assert world.rng == random.state
    assert (x, y) != (20, 20)
