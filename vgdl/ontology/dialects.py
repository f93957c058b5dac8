"""Words of other dialects of VGDL, and what to write instead.

`SUBSTITUTES` has one row per word. Error messages suggest from it, ``vgdl-check --fix`` replaces by it, and the page
"Games from elsewhere" of the documentation lists it. A replacement is a text as in a game: ``PathChaser``, or
``addHealthPoints value=0`` with parameters that the line is to have as well.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


class Role(enum.Enum):
    """Where a word stands."""

    SPRITE_CLASS = "sprite class"
    EFFECT = "effect"
    TERMINATION = "termination"
    GAME_PARAMETER = "parameter of the game line"
    PARAMETER = "parameter"
    PHYSICS = "value of physicstype"
    COLOR = "colour"


@dataclass(frozen=True, slots=True)
class Substitute:
    """What to write instead of a word."""

    role: Role
    word: str
    instead: str | None  #: replacement; empty: the word is left out; None: there is none
    note: str = ""  #: how the replacement differs, or what can be done without one
    renamed: tuple[tuple[str, str], ...] = ()  #: parameters of the line with another name: old, new
    game: str = ""  #: a parameter that the game line needs for it, such as ``obs=wall``
    without: bool = False  #: the line has no effect unless it changes the score, and can be left out


_NO_EFFECT = "addHealthPoints value=0"  # an effect that changes nothing, and applies scoreChange=
_SCORE = (("value", "scoreChange"), ("score", "scoreChange"))
_TURNS = "it turns and moves at once, by the four directions"

SUBSTITUTES: tuple[Substitute, ...] = (
    # --- effects
    Substitute(Role.EFFECT, "nothing", _NO_EFFECT, "without scoreChange=, leave the line out", without=True),
    Substitute(Role.EFFECT, "NullEffect", _NO_EFFECT, "without scoreChange=, leave the line out", without=True),
    Substitute(Role.EFFECT, "scoreChange", _NO_EFFECT, "scoreChange=N is a parameter of every effect", renamed=_SCORE),
    Substitute(Role.EFFECT, "changeScore", _NO_EFFECT, "scoreChange=N is a parameter of every effect", renamed=_SCORE),
    Substitute(Role.EFFECT, "killIfOtherHasLess", None, "killIfHasLess looks at the sprite itself"),
    Substitute(Role.EFFECT, "conveySprite", None, "give the sprites a speed, or push them with bounceForward"),
    Substitute(Role.EFFECT, "windGust", None, "nothing moves a sprite by a random distance"),
    Substitute(Role.EFFECT, "slipForward", None, "nothing moves a sprite on in its direction"),
    Substitute(Role.EFFECT, "destroySprite", "killSprite"),
    Substitute(Role.EFFECT, "removeSprite", "killSprite"),
    Substitute(Role.EFFECT, "collect", "collectResource"),
    # --- sprite classes
    Substitute(Role.SPRITE_CLASS, "AStarChaser", "PathChaser", "the game line needs obs=", game="obs=wall"),
    Substitute(Role.SPRITE_CLASS, "WalkJumper", "WalkerJumper"),
    Substitute(Role.SPRITE_CLASS, "MarioAvatar", "PlatformerAvatar physicstype=CONT", "set gravity= and speed="),
    Substitute(Role.SPRITE_CLASS, "InertialAvatar", "MovingAvatar physicstype=CONT", "speeds are in pixels per tick"),
    Substitute(Role.SPRITE_CLASS, "AimedFlakAvatar", "AimedAvatar"),
    Substitute(Role.SPRITE_CLASS, "RotatingAvatar", "OrientedAvatar", _TURNS),
    Substitute(Role.SPRITE_CLASS, "RotatingFlippingAvatar", "OrientedAvatar", _TURNS),
    Substitute(Role.SPRITE_CLASS, "NoisyRotatingFlippingAvatar", "OrientedAvatar", _TURNS + ", without noise"),
    Substitute(Role.SPRITE_CLASS, "OrientedSprite", "Passive is_oriented=True"),
    Substitute(Role.SPRITE_CLASS, "VGDLSprite", "Passive"),
    Substitute(Role.SPRITE_CLASS, "Avatar", "MovingAvatar"),
    # --- terminations
    Substitute(Role.TERMINATION, "NoveltyTermination", None, "nothing ends a game when something new has happened"),
    # --- parameters
    Substitute(Role.GAME_PARAMETER, "block_size", "square_size"),
    Substitute(Role.GAME_PARAMETER, "frame_rate", "", "the speed of a window is an option of vgdl-play"),
    Substitute(Role.PARAMETER, "bonus", "", "give points with scoreChange= where the game is decided"),
    Substitute(Role.PARAMETER, "changeScore", "scoreChange"),
    Substitute(Role.PARAMETER, "score_change", "scoreChange"),
    Substitute(Role.PARAMETER, "scorechange", "scoreChange"),
    Substitute(Role.PARAMETER, "res_type", "resource_name"),
    # --- values
    Substitute(Role.PHYSICS, "GridPhysics", "GRID"),
    Substitute(Role.PHYSICS, "ContinuousPhysics", "CONT", "speeds are in pixels per tick"),
    Substitute(Role.PHYSICS, "NoFrictionPhysics", "CONT friction=0", "speeds are in pixels per tick"),
    Substitute(Role.PHYSICS, "GravityPhysics", "CONT gravity=1", "speeds are in pixels per tick"),
    Substitute(Role.PHYSICS, "GRAVITY", "CONT gravity=1", "speeds are in pixels per tick"),
    Substitute(Role.COLOR, "GREY", "GRAY"),
    Substitute(Role.COLOR, "LIGHTGREY", "LIGHTGRAY"),
    Substitute(Role.COLOR, "DARKGREY", "DARKGRAY"),
    Substitute(Role.COLOR, "SILVER", "LIGHTGRAY"),
    Substitute(Role.COLOR, "PURPLE", "PINK"),
    Substitute(Role.COLOR, "VIOLET", "PINK"),
    Substitute(Role.COLOR, "MAGENTA", "PINK"),
    Substitute(Role.COLOR, "CYAN", "LIGHTBLUE"),
    Substitute(Role.COLOR, "TURQUOISE", "LIGHTBLUE"),
    Substitute(Role.COLOR, "NAVY", "DARKBLUE"),
    Substitute(Role.COLOR, "DARKRED", "RED"),
    Substitute(Role.COLOR, "LIGHTBROWN", "BROWN"),
    Substitute(Role.COLOR, "DARKBROWN", "BROWN"),
    Substitute(Role.COLOR, "TAN", "LIGHTORANGE"),
    Substitute(Role.COLOR, "DARKORANGE", "ORANGE"),
    Substitute(Role.COLOR, "LIME", "LIGHTGREEN"),
    Substitute(Role.COLOR, "OLIVE", "DARKGREEN"),
)

_BY_WORD: Mapping[tuple[Role, str], Substitute] = MappingProxyType({(row.role, row.word): row for row in SUBSTITUTES})


def substitute(role: Role, word: str) -> Substitute | None:
    """What to write instead of a word that is unknown here; colours in any case."""
    return _BY_WORD.get((role, word.upper() if role is Role.COLOR else word))
