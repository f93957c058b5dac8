"""What an avatar of each class is when the text says nothing else (sprites, 13.1)."""

import pytest

from semantics.harness import NONE, RIGHT, game, level, play, start
from vgdl import Action

NIL, UP, DOWN, LEFT, EAST, USE = Action.NIL, Action.UP, Action.DOWN, Action.LEFT, Action.RIGHT, Action.USE
FOUR = (LEFT, EAST, DOWN, UP)

DEFAULTS = [
    # class, action list, speed, orientation
    ("MovingAvatar", FOUR, 1, NONE),
    ("HorizontalAvatar", (LEFT, EAST), 1, NONE),
    ("VerticalAvatar", (UP, DOWN), 1, NONE),
    ("NullAvatar", (NIL,), 1, NONE),
    ("FlakAvatar", (USE, LEFT, EAST), 1, NONE),
    ("OrientedAvatar", FOUR, 1, RIGHT),
    ("MissileAvatar", FOUR, 1, RIGHT),
    ("OngoingAvatar", FOUR, 1, RIGHT),
    ("OngoingTurningAvatar", FOUR, 1, RIGHT),
    ("ShootAvatar", (USE, *FOUR), 1, RIGHT),
    ("OngoingShootAvatar", (USE, *FOUR), 1, RIGHT),
    ("ShootOnlyAvatar", (LEFT, UP, EAST, DOWN, USE), 1, RIGHT),
    ("AimedAvatar", (USE, DOWN, UP), 0, RIGHT),
    ("SpaceshipAvatar", (USE, *FOUR), 5, NONE),
    ("CarAvatar", FOUR, 0, RIGHT),
    ("LanderAvatar", FOUR, 5, NONE),
    ("BirdAvatar", (USE,), 1, RIGHT),
    ("PlatformerAvatar", (LEFT, EAST, USE), 1, NONE),
    ("WizardAvatar", (LEFT, EAST, USE, UP), 0, NONE),
]
CLASSES = pytest.mark.parametrize("row", DEFAULTS, ids=[str(row[0]) for row in DEFAULTS])

Row = tuple[str, tuple[Action, ...], float, tuple[float, float]]


def test_there_are_nineteen_classes() -> None:
    """All of sprites, 13.1."""
    assert len({row[0] for row in DEFAULTS}) == 19


@CLASSES
def test_actions_speed_and_orientation(row: Row) -> None:
    """The table of sprites, 13.1. A ``stype`` is given to those that need one."""
    needs = {
        "FlakAvatar",
        "ShootAvatar",
        "OngoingShootAvatar",
        "ShootOnlyAvatar",
        "AimedAvatar",
        "SpaceshipAvatar",
        "WizardAvatar",
    }
    world = start(game(f"avatar > {row[0]} {'stype=wall' if row[0] in needs else ''}"), level("A.."))
    assert world.state.available_actions == row[1]
    assert (world.avatar.speed, world.avatar.orientation) == row[2:]


@CLASSES
def test_time_to_live_does_not_count(row: Row) -> None:
    """No avatar uses the standard update (sprites, 11)."""
    world = play(game(f"avatar > {row[0]} stype=wall timeToLive=0"), level("A.."), ticks=3)
    assert not world.avatar.disabled
