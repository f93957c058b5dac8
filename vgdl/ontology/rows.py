"""The schema of the ontology.

A word of VGDL (a sprite class, an effect, a termination, a game class) is one row: its parent, its parameters with
types and defaults, its opcode in the core, what it writes, a line of documentation, and the clause of the
specification. The compiler, `vgdl.lint` and the reference pages are all driven by these rows.
"""

from __future__ import annotations

import enum
import functools
import re
from dataclasses import dataclass
from typing import Any


class Kind(enum.Enum):
    """Type of a parameter's field; it determines the accepted values (language, 5.1)."""

    INT = "int"
    FLOAT = "float"  #: binary32: accepts integers only
    DOUBLE = "double"
    BOOL = "bool"
    TEXT = "text"
    DIRECTION = "direction"
    COLOR = "color"
    OPAQUE = "opaque"  #: a field whose type no VGDL value fits; accepted and ignored


class Refers(enum.Enum):
    """The content of a text parameter."""

    SPRITE = "sprite"  #: one sprite type
    SPRITES = "sprites"  #: a comma list of sprite types
    EFFECT = "effect"  #: the name of an effect
    SCORES = "scores"  #: a comma list of integers, one per player or counter
    FLAGS = "flags"  #: a comma list of booleans, one per player
    PICTURE = "picture"  #: an image or a drawing


class Lookup(enum.Enum):
    """Treatment of missing and unknown names (effects, 2.3)."""

    REQUIRED = "required"  #: missing or unknown: fatal for sprites, parse abort for effects and terminations
    UNCHECKED = "unchecked"  #: missing: as REQUIRED; unknown: stored as type -1
    OPTIONAL = "optional"  #: may be missing; unknown: see the row's documentation
    CHECKED = "checked"  #: may be missing; unknown: as REQUIRED


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a word, set by ``name=value`` in a game text."""

    name: str
    kind: Kind
    default: Any = None
    doc: str = ""
    refers: Refers | None = None
    lookup: Lookup = Lookup.OPTIONAL
    low: float | None = None  #: smallest sensible value; smaller ones are accepted, with a warning
    high: float | None = None  #: largest sensible value
    drawing: bool = False  #: affects only drawing, not play
    internal: bool = False  #: assignable, but overwritten or unused: accepted without a message, has no effect

    @property
    def column(self) -> str:
        """Name of the column of the compiled table that holds the value: the parameter's name in snake case."""
        return _snake_case(self.name)

    @property
    def span(self) -> str:
        """The sensible range as text; empty if there is no limit."""
        if self.low is not None and self.high is not None:
            return f"{self.low:g} to {self.high:g}"
        if self.low is not None:
            return f"at least {self.low:g}"
        return "" if self.high is None else f"at most {self.high:g}"


@functools.cache
def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


class What(enum.Flag):
    """Changes that an effect or a sprite's own update can make to a sprite."""

    KILL = enum.auto()  #: disable it (avatars) or put it on the kill list
    REMOVE = enum.auto()  #: the same with the "transformed" mark: an avatar is really removed
    RESTORE = enum.auto()  #: reset the rectangle to the last one; matters only if the sprite has moved in this tick
    RECT = enum.auto()  #: position or size
    ORIENTATION = enum.auto()
    PUSH = enum.auto()  #: active movement: under continuous physics it changes the speed as well
    SPEED = enum.auto()
    GRAVITY = enum.auto()
    HEALTH = enum.auto()
    RESOURCES = enum.auto()
    SPAWN_TYPE = enum.auto()  #: which type a spawner produces
    ROTATION = enum.auto()  #: the angle of the classes that steer
    INNER = enum.auto()  #: state specific to its class (age, counters, remembered targets ...)


@dataclass(frozen=True, slots=True)
class Write:
    """One kind of change that a word makes: ``what``, to the sprites that ``target`` designates.

    ``target`` is ``"first"`` or ``"second"`` (the sprites of the interaction), ``"self"`` (a sprite class's own
    update), ``"all"`` (every sprite) or the name of a parameter that names a type (the type, its ancestors and its
    descendants).
    """

    target: str
    what: What
    when: str | None = None  #: happens only if this boolean parameter is true; None: always possible


@dataclass(frozen=True, slots=True)
class Word:
    """Base class of all rows."""

    name: str
    parent: str | None
    doc: str
    clause: str  #: clause of the specification that describes it, such as ``"effects 10.1"``
    parameters: tuple[Parameter, ...] = ()
    opcode: str | None = None  #: enumerator in the core; None for abstract rows and game classes


@dataclass(frozen=True, slots=True)
class SpriteClass(Word):
    """A class of sprites. ``defaults`` overrides the defaults of inherited parameters."""

    defaults: tuple[tuple[str, Any], ...] = ()
    avatar: bool = False  #: an avatar class: its sprites are avatar objects (engine, 2.5)
    actions: tuple[str, ...] = ()  #: action list of an avatar class, in the reference's order (sprites, 13.1)
    ground_test: bool = False  #: its intersection test looks for ground (sprites, 10)
    time_to_live: bool = True  #: whether its update honours timeToLive (sprites, 11)
    writes: tuple[Write, ...] = ()  #: changes by its update, apart from the passive movement of all classes
    creates: tuple[str, ...] = ()  #: parameters that name the types it spawns; "self": its own type; "wall": type 0
    draws: str = ""  #: description of its draws from the random generator


class Null(enum.Enum):
    """Behaviour of an effect when a sprite is absent (effects, 12)."""

    FIRST = "first"  #: logs a message if there is no first sprite
    SECOND = "second"  #: logs a message if there is no second sprite
    BOTH = "both"  #: logs a message if either is absent
    NONE = "none"  #: needs no sprites
    FATAL_FIRST = "fatal first"  #: no check: without a first sprite the game fails
    FATAL_SECOND = "fatal second"  #: likewise for the second


@dataclass(frozen=True, slots=True)
class Effect(Word):
    """An effect of the InteractionSet."""

    null: Null = Null.FIRST
    writes: tuple[Write, ...] = ()
    creates: tuple[str, ...] = ()  #: parameters that name the types it creates; "first" for the first sprite's own type
    relatives: bool = False  #: creates an ancestor or descendant of the named type, not the type itself
    gates: tuple[str, ...] = ()  #: which of applyScore, count, countElse, scoreChange it rewrites
    draws: str = ""
    batch: bool = False  #: has a batch routine, used by default


@dataclass(frozen=True, slots=True)
class Termination(Word):
    """A class of the TerminationSet."""


@dataclass(frozen=True, slots=True)
class GameClass(Word):
    """A game class, named in the game line."""
