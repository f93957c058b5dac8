"""The constants that a parameter value may name (language, 5.2).

Every parameter reads such a name as the constant; a field of another type ignores it.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

Direction = tuple[float, float]  #: x to the right, y down
Color = tuple[int, int, int]  #: red, green, blue, 0 to 255

NONE: Direction = (0.0, 0.0)
NIL: Direction = (-1.0, -1.0)
UP: Direction = (0.0, -1.0)
DOWN: Direction = (0.0, 1.0)
LEFT: Direction = (-1.0, 0.0)
RIGHT: Direction = (1.0, 0.0)

GRID = 0
CONT = 1
PHYSICS_NONE = -1

GREEN: Color = (0, 200, 0)
BLUE: Color = (0, 0, 200)
RED: Color = (200, 0, 0)
GRAY: Color = (90, 90, 90)
WHITE: Color = (250, 250, 250)
BLACK: Color = (0, 0, 0)
ORANGE: Color = (250, 160, 0)
DARKGRAY: Color = (30, 30, 30)

RANDOM_COLOR: Color = (-1, -1, -1)  #: marks the colour RANDOM, which the renderer chooses


class Form(enum.Enum):
    """The type as which the text of a value is read (language, 5.1)."""

    INTEGER = "integer"
    DOUBLE = "double"
    BOOLEAN = "boolean"
    TEXT = "text"
    DIRECTION = "direction"
    COLOR = "color"
    LIST = "list"  #: a constant list: no field has this type


@dataclass(frozen=True, slots=True)
class Value:
    """A value as read from a game text: its form and its content in Python."""

    form: Form
    content: int | float | bool | str | Direction | Color | None


_DIRECTIONS: Mapping[str, Direction] = {
    "NONE": NONE,
    "NIL": NIL,
    "UP": UP,
    "DOWN": DOWN,
    "LEFT": LEFT,
    "RIGHT": RIGHT,
}

_INTEGERS: Mapping[str, int] = {
    "GRID": GRID,
    "CONT": CONT,
    "PHYSICS_NONE": PHYSICS_NONE,
    "VGDL_GAME_DEF": 0,
    "VGDL_SPRITE_SET": 1,
    "VGDL_INTERACTION_SET": 2,
    "VGDL_LEVEL_MAPPING": 3,
    "VGDL_TERMINATION_SET": 4,
    "VGDL_PARAMETER_SET": 5,
    "NUM_LEARNING_LEVELS": 5,
    "NUM_TRAINING_LEVELS": 3,
    "LEARNING_RESULT_DISQ": -1,
    "LEARNING_FINISH_ROUND": -2,
    "DEFAULT_SINGLE_PLAYER_KEYIDX": 0,
    "SCORE_DISQ": -1000,
    "TYPE_AVATAR": 0,
    "TYPE_RESOURCE": 1,
    "TYPE_PORTAL": 2,
    "TYPE_NPC": 3,
    "TYPE_STATIC": 4,
    "TYPE_FROMAVATAR": 5,
    "TYPE_MOVABLE": 6,
}

_COLORS: Mapping[str, Color] = {
    "GREEN": GREEN,
    "BLUE": BLUE,
    "RED": RED,
    "GRAY": GRAY,
    "WHITE": WHITE,
    "BROWN": (140, 120, 100),
    "BLACK": BLACK,
    "ORANGE": ORANGE,
    "YELLOW": (250, 250, 0),
    "PINK": (250, 200, 200),
    "GOLD": (250, 212, 0),
    "LIGHTRED": (250, 50, 50),
    "LIGHTORANGE": (250, 200, 100),
    "LIGHTBLUE": (50, 100, 250),
    "LIGHTGREEN": (50, 250, 50),
    "DARKGREEN": (35, 117, 29),
    "LIGHTYELLOW": (255, 250, 128),
    "LIGHTGRAY": (238, 238, 238),
    "DARKGRAY": DARKGRAY,
    "DARKBLUE": (20, 20, 100),
    "RANDOM": RANDOM_COLOR,
}

_LISTS = ("BASEDIRS", "DBASEDIRS", "ALL_ACTIONS", "COLOR_DISC")

CONSTANTS: Mapping[str, Value] = MappingProxyType(
    {name: Value(Form.DIRECTION, direction) for name, direction in _DIRECTIONS.items()}
    | {f"D{name}": Value(Form.DIRECTION, direction) for name, direction in _DIRECTIONS.items()}
    | {name: Value(Form.INTEGER, number) for name, number in _INTEGERS.items()}
    | {name: Value(Form.COLOR, color) for name, color in _COLORS.items()}
    | {name: Value(Form.LIST, None) for name in _LISTS}
)
