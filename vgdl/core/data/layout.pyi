"""The memory layout as Python sees it: the numbers that the tables hold, and numpy types derived from the C structs."""

# Generated from layout.pxd and layout.pyx by: python .ci/layout_stub.py

from enum import IntEnum
from typing import Any, Final

import numpy as np

class Action(IntEnum):
    """A player's action in a tick: NIL does nothing, ESCAPE ends the game.

    >>> vgdl.Action.UP, vgdl.Action["UP"] == 1
    (<Action.UP: 1>, True)
    """

    NIL = 0
    UP = 1
    LEFT = 2
    DOWN = 3
    RIGHT = 4
    USE = 5
    ESCAPE = 6

class SpriteOp(IntEnum):
    """The update routine of a sprite: one value per group of classes that behave alike."""

    NO_CLASS = 0
    STANDARD = 1
    FLICKER = 2
    SPREADER = 3
    RANDOM_MISSILE = 4
    SPAWN_POINT = 5
    RANDOM_BOMBER = 6
    BOMBER_RANDOM_MISSILE = 7
    SPAWN_POINT_MULTI_SPRITE = 8
    RANDOM_NPC = 9
    CHASER = 10
    LOS_CHASER = 11
    PATH_CHASER = 12
    ALTERNATE_CHASER = 13
    RANDOM_ALT_CHASER = 14
    PATH_ALT_CHASER = 15
    RANDOM_PATH_ALT_CHASER = 16
    WALKER = 17
    WALKER_JUMPER = 18
    MOVING_AVATAR = 19
    FLAK_AVATAR = 20
    ORIENTED_AVATAR = 21
    MISSILE_AVATAR = 22
    ONGOING_AVATAR = 23
    ONGOING_TURNING_AVATAR = 24
    SHOOT_AVATAR = 25
    ONGOING_SHOOT_AVATAR = 26
    SHOOT_ONLY_AVATAR = 27
    AIMED_AVATAR = 28
    SPACESHIP_AVATAR = 29
    CAR_AVATAR = 30
    LANDER_AVATAR = 31
    BIRD_AVATAR = 32
    PLATFORMER_AVATAR = 33
    WIZARD_AVATAR = 34
    CLICK_AVATAR = 35

class EffectOp(IntEnum):
    """The effect of an interaction."""

    TIME_EFFECT = 0
    STEP_BACK = 1
    TURN_AROUND = 2
    KILL_SPRITE = 3
    KILL_BOTH = 4
    KILL_ALL = 5
    KILL_IF_ALIVE = 6
    KILL_IF_FROM_ABOVE = 7
    KILL_IF_FRONTAL = 8
    KILL_IF_NOT_FRONTAL = 9
    KILL_IF_HAS_LESS = 10
    KILL_IF_HAS_MORE = 11
    KILL_IF_OTHER_HAS_MORE = 12
    KILL_IF_SLOW = 13
    KILL_IF_FAST = 14
    KILL_IF_NOT_UPRIGHT = 15
    SUBTRACT_HEALTH_POINTS = 16
    TRANSFORM_TO = 17
    TRANSFORM_IF_COUNT = 18
    TRANSFORM_TO_ALL = 19
    TRANSFORM_TO_RANDOM_CHILD = 20
    TRANSFORM_TO_SINGLETON = 21
    SPAWN = 22
    SPAWN_IF_HAS_MORE = 23
    SPAWN_IF_HAS_LESS = 24
    SPAWN_IF_COUNTER_SUB_TYPES = 25
    SPAWN_BEHIND = 26
    SPAWN_ABOVE = 27
    SPAWN_BELOW = 28
    SPAWN_LEFT = 29
    SPAWN_RIGHT = 30
    CLONE_SPRITE = 31
    UNDO_ALL = 32
    REVERSE_DIRECTION = 33
    FLIP_DIRECTION = 34
    ATTRACT_GAZE = 35
    ALIGN = 36
    WRAP_AROUND = 37
    BOUNCE_FORWARD = 38
    PULL_WITH_IT = 39
    TELEPORT_TO_EXIT = 40
    WALL_STOP = 41
    WALL_BOUNCE = 42
    WALL_REVERSE = 43
    BOUNCE_DIRECTION = 44
    CHANGE_RESOURCE = 45
    COLLECT_RESOURCE = 46
    COLLECT_RESOURCE_IF_HELD = 47
    ADD_HEALTH_POINTS = 48
    ADD_HEALTH_POINTS_TO_MAX = 49
    REMOVE_SCORE = 50
    HALF_SPEED = 51
    WATER_PHYSICS = 52
    INCREASE_SPEED_TO_ALL = 53
    DECREASE_SPEED_TO_ALL = 54
    SET_SPEED_FOR_ALL = 55
    SHIELD_FROM = 56
    UPDATE_SPAWN_TYPE = 57
    ADD_TIMER = 58

class TerminationOp(IntEnum):
    """The condition that ends a game."""

    SPRITE_COUNTER = 0
    SPRITE_COUNTER_MORE = 1
    MULTI_SPRITE_COUNTER = 2
    MULTI_SPRITE_COUNTER_SUB_TYPES = 3
    TIMEOUT = 4
    STOP_COUNTER = 5

class Winner(IntEnum):
    """Win state of a player.

    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> state.winner, state.winner == vgdl.Winner.NO_WINNER
    (<Winner.NO_WINNER: -1>, True)
    """

    PLAYER_DISQ = -100
    NO_WINNER = -1
    PLAYER_LOSES = 0
    PLAYER_WINS = 1

class Category(IntEnum):
    """The category of a sprite, as controllers see it (engine, 2.6).

    >>> state = vgdl.load("sokoban").start(level=0, seed=7)
    >>> state.grid[0][0][0].category == vgdl.Category.STATIC
    True
    """

    AVATAR = 0
    RESOURCE = 1
    PORTAL = 2
    NPC = 3
    STATIC = 4
    FROM_AVATAR = 5
    MOVABLE = 6

class Failure(IntEnum):
    """Why a state ended in an error: what the specification calls a crash."""

    NO_FAILURE = 0
    OUT_OF_MEMORY = 1
    CANNOT_CREATE = 2
    GROUP_CHANGED = 3
    NO_AVATAR = 4
    NO_SPRITE = 5
    NO_PATHS = 6
    NO_TARGET = 7
    NO_COUNTERS = 8
    ZERO_HEIGHT = 9
    ENDLESS_TIMER = 10
    WRONG_ANALYSIS = 11
    TOO_MUCH_WORK = 12
    FALSE_AVATAR = 13
    NO_PHYSICS = 14

class NullPolicy(IntEnum):
    """Bits: what an effect does about a sprite that is absent."""

    NULL_NONE = 0
    NULL_FIRST = 1
    NULL_SECOND = 2
    NULL_BOTH = 3
    NULL_FATAL_FIRST = 4
    NULL_FATAL_SECOND = 8

class Storage(IntEnum):
    """Where the level-born sprites of a type live."""

    STORED_STATIC = 0
    STORED_VANISHING = 1
    STORED_DYNAMIC = 2

class UpdateKind(IntEnum):
    """How the sprite phase updates a type: common kinds a whole type at a time (`bulk.pyx`, `npcs.pyx`)."""

    GENERAL = 0
    DRIFTING = 1
    SCATTERING = 2
    FLICKERING = 3
    SPAWNING = 4
    BOMBING = 5
    ROAMING = 6
    CHASING = 7
    PATHING = 8

TYPE_ROW: Final[np.dtype[Any]]
EFFECT_ROW: Final[np.dtype[Any]]
PAIR_ROW: Final[np.dtype[Any]]
EDGE_ROW: Final[np.dtype[Any]]
TERMINATION_ROW: Final[np.dtype[Any]]
TIMER_ROW: Final[np.dtype[Any]]
UPDATE_ROW: Final[np.dtype[Any]]
EDGE_TURN: Final[np.dtype[Any]]
EDGE_WALK: Final[np.dtype[Any]]
BLOCKED: Final[np.dtype[Any]]
MIXING: Final[np.dtype[Any]]
ENCOUNTERS: Final[np.dtype[Any]]
SPRITE: Final[np.dtype[Any]]
SIZE: Final[np.dtype[Any]]
MOTION: Final[np.dtype[Any]]
VITAL: Final[np.dtype[Any]]
INNER: Final[np.dtype[Any]]
TARGET: Final[np.dtype[Any]]
HEADER: Final[np.dtype[Any]]
SPRITE_FLAGS: Final[dict[str, int]]
GATES: Final[dict[str, int]]
NEVER_HELD: Final[int]

__test__: dict[str, str]
