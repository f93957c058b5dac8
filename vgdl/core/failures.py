"""Why a game fails, in words."""

from collections.abc import Mapping
from typing import Final

from vgdl.core.data.layout import Failure

FAILURES: Final[Mapping[int, str]] = {
    Failure.OUT_OF_MEMORY: "out of memory",
    Failure.CANNOT_CREATE: "a sprite was to be created of a type that is unknown or has no usable class",
    Failure.GROUP_CHANGED: "a sprite was added to the list of sprites that was being walked",
    Failure.NO_AVATAR: "a player's score was to change, but the player's avatar is gone",
    Failure.NO_SPRITE: "an effect was executed without a sprite or type that it needs",
    Failure.NO_PATHS: "a path was asked for, but the game line has no obs= parameter",
    Failure.NO_TARGET: "a sprite was to choose among no targets",
    Failure.NO_COUNTERS: "counters were compared that do not exist",
    Failure.ZERO_HEIGHT: "a sprite's height became 0",
    Failure.ENDLESS_TIMER: "a repeating time effect has no positive timer",
    Failure.WRONG_ANALYSIS: (
        "a sprite was made or killed that the compiler had found cannot be: please report this game"
    ),
    Failure.FALSE_AVATAR: "a sprite has is_avatar, but its class is not an avatar class",
    Failure.NO_PHYSICS: "a sprite was pulled whose physicstype is neither GRID nor CONT",
    Failure.TOO_MUCH_WORK: (
        "the effects of one tick need more work than the limit of some seconds: too many sprites meet"
    ),
}
"""By the number in a state's header."""
