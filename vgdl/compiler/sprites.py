"""SpriteSet: type numbers, inheritance, and one row of numbers per type (language, 7)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vgdl import ontology
from vgdl.compiler.pool import Pool
from vgdl.compiler.reading import Log, PassAborted, is_true, piece, place_of, split, unknown_parameter, unknown_word
from vgdl.core.data import layout
from vgdl.language import Argument, Entry, Place, SpriteLine
from vgdl.ontology import values
from vgdl.ontology.dialects import Role
from vgdl.ontology.rows import Kind, Lookup, Parameter, Refers, SpriteClass

WALL, AVATAR = 0, 1
NO_SUCH_TYPE = -2  # unlike -1, which means a Spreader's own type
DEEPEST, MOST_TYPES = 200, 3000  # bounds on the memory that a hostile text can use
_COLUMNS = frozenset(layout.TYPE_ROW.names or ())


@dataclass
class Definition:
    """A sprite type after inheritance."""

    name: str
    number: int
    at: Place | None  # None for the two built-in types
    class_name: str | None
    class_at: Place | None
    arguments: Mapping[str, Argument]
    itypes: list[int]
    subtypes: list[int]
    settings: dict[str, Any] = field(default_factory=dict)  # parameter name -> stored value, once read
    written: frozenset[str] = frozenset()  # names of the parameters given in the text
    problem: str | None = None  # why no sprite of this type can be created

    @property
    def row(self) -> SpriteClass | None:
        return ontology.sprite_class(self.class_name) if self.class_name else None

    @property
    def complaint(self) -> tuple[str, Place | None, tuple[str, ...], str | None]:
        """The problem as the arguments of a message: text, place, expected words and suggestion."""
        expected: tuple[str, ...] = ()
        suggestion = None
        if self.row is None:
            expected = ("a sprite class",)
            known = [row.name for row in ontology.ALL_SPRITE_CLASSES]
            _, suggestion = unknown_word(Role.SPRITE_CLASS, self.class_name or "", known)
        return self.problem or "", self.class_at or self.at, expected, suggestion


@dataclass(frozen=True, slots=True)
class Look:
    """How a type is drawn; not part of the rules."""

    name: str
    img: str | None
    color: tuple[int, int, int] | None
    color_written: bool  #: whether the game text gives the colour; otherwise it is the default of the class
    shrinkfactor: float
    oriented: bool
    avatar: bool
    invisible: bool


def unread_block(line: SpriteLine) -> tuple[str, Place, list[str]]:
    """The message about a sprite line without ``>``, its place, and the expected text."""
    message = f"{line.name.text!r} has no '>': this line and the rest of its block are not read"
    return message, line.name.at, [f"{line.name.text} > {line.class_name or '<class>'}"]


class SpriteTypes:
    """All types of a game: numbers, definitions, order, subtypes."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.numbers: dict[str, int] = {"wall": WALL, "avatar": AVATAR}
        self.definitions: dict[int, Definition] = {}
        self.order: list[int] = [WALL, AVATAR]
        self.singletons: set[int] = set()
        self.unread: dict[str, SpriteLine] = {}  # names without a definition -> the line without `>` that caused it
        self.complete = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.numbers)

    def find(self, name: str) -> int:
        """The number of a type, -1 for an unknown name."""
        return self.numbers.get(name, -1)

    def read(self, entries: tuple[Entry, ...], at: Place) -> None:
        """Read a SpriteSet section."""
        if self.complete:
            raise self.log.error("a second SpriteSet", at, ["one SpriteSet with all sprites"])
        self._visit(entries, None, {}, [], 0)
        self._finish()

    def _visit(
        self,
        siblings: tuple[Entry, ...],
        inherited: tuple[str, Place] | None,
        arguments: Mapping[str, Argument],
        ancestors: list[int],
        depth: int,
    ) -> list[Definition]:
        """Read one sibling list (language, 7.2); returns its definitions, for the parent's subtypes."""
        made: list[Definition] = []
        for place, line in enumerate(siblings):
            if not isinstance(line, SpriteLine):
                raise PassAborted("a line that is not a sprite in the SpriteSet", place_of(line))
            if not line.is_definition:
                self._leave_unread(line, siblings[place:])
                return made
            if depth > DEEPEST or len(self.numbers) > MOST_TYPES:
                raise self.log.error("too many sprite types, or too deeply nested", line.name.at)
            number = self.numbers.setdefault(line.name.text, len(self.numbers))
            own = (line.class_name.text, line.class_name.at) if line.class_name else None
            used = inherited or own  # an ancestor's class overrides the one written here
            definition = Definition(
                line.name.text,
                number,
                line.name.at,
                used[0] if used else None,
                used[1] if used else None,
                {**arguments, **line.arguments},
                [*ancestors, number],
                [*ancestors, number],
            )
            self.definitions[number] = definition
            singleton = line.arguments.get("singleton")
            if singleton and is_true(singleton.value):
                self.singletons.add(number)
            if line.children:
                below = self._visit(line.children, own or inherited, definition.arguments, definition.itypes, depth + 1)
                known = set(definition.subtypes)
                for child in below:
                    for subtype in child.subtypes:
                        if subtype not in known:
                            known.add(subtype)
                            definition.subtypes.append(subtype)
            else:
                if number in self.order:
                    self.order.remove(number)
                self.order.append(number)
            made.append(definition)
        return made

    def _leave_unread(self, line: SpriteLine, left: Sequence[Entry]) -> None:
        """Note the names after a line without `>`: it ends its block, and the rest of the block is not read."""
        below = list(left)
        for entry in below:
            if isinstance(entry, SpriteLine):
                self.unread.setdefault(entry.name.text, line)
                below += entry.children

    def _finish(self) -> None:
        """Add the built-in types (language, 7.6) and move the avatar to the end of the order."""
        self.complete = True
        if WALL not in self.definitions:
            here = Place(1, 1)
            solid = {"solid": Argument("solid", "True", here, here)}
            self.definitions[WALL] = Definition("wall", WALL, None, "Immovable", None, solid, [WALL], [WALL])
        if AVATAR not in self.definitions:
            self.definitions[AVATAR] = Definition("avatar", AVATAR, None, "MovingAvatar", None, {}, [AVATAR], [AVATAR])
        self.order = [number for number in self.order if number != AVATAR] + [AVATAR]

    def definition(self, number: int) -> Definition:
        return self.definitions[number]


# ---------------------------------------------------------------------------------------------- rows


def _blank(size: int) -> np.ndarray:
    """Rows without values."""
    rows = np.zeros(size, layout.TYPE_ROW)
    rows["w_mult"] = rows["h_mult"] = 1.0
    rows["time_to_live"] = -1
    return rows


@functools.cache
def _by_default(row: SpriteClass) -> np.ndarray:
    """The row of a type of a class whose line has no parameters, as an array of one row."""
    rows = _blank(1)
    for parameter in ontology.parameters(row).values():
        _store(parameter, parameter.default, rows[0])
    return rows


def _store(parameter: Parameter, value: Any, record: np.void) -> None:
    """Write a value into the column of its parameter, if it has one."""
    if value is None or parameter.refers or parameter.internal:
        return
    if parameter.kind is Kind.DIRECTION:
        record[f"{parameter.column}_x"], record[f"{parameter.column}_y"] = value
    elif parameter.column in _COLUMNS and parameter.kind is not Kind.TEXT:
        record[parameter.column] = value


class RowWriter:
    """Fills the table of types."""

    def __init__(self, types: SpriteTypes, log: Log, pool: Pool, decorated: Callable[[str], str]) -> None:
        self.types = types
        self.log = log
        self.pool = pool
        self.decorated = decorated
        self.table = _blank(len(types.numbers))
        self.unknown: dict[int, list[tuple[Argument, tuple[str, ...]]]] = {}

    def write(self) -> np.ndarray:
        for number in range(len(self.table)):
            definition = self.types.definitions.get(number)
            if definition is not None:
                self._write(definition)
        self._limits()
        self.table["in_order"][self.types.order] = True
        for number in range(len(self.table)):  # from the line itself, not from the inherited parameter
            self.table[number]["singleton"] = number in self.types.singletons
        return self.table

    def _write(self, definition: Definition) -> None:
        t = self.table[definition.number]
        row = definition.row
        if row is not None:
            self.table[definition.number] = _by_default(row)[0]
        t["itypes_start"], t["itypes_len"] = self.pool.add(definition.itypes)
        t["subtypes_start"], t["subtypes_len"] = self.pool.add(definition.subtypes)
        t["resource_slot"] = t["itype"] = t["ammo_id"] = t["resource_type"] = -1
        if row is None:
            definition.problem = (
                f"sprite {definition.name!r} has no class"
                if definition.class_name is None
                else unknown_word(Role.SPRITE_CLASS, definition.class_name, ())[0]
            )
            return
        t["op"] = getattr(layout.SpriteOp, row.opcode or "NO_CLASS")
        t["creatable"] = True
        t["avatar_object"] = row.avatar
        t["ground_test"] = row.ground_test
        t["honours_time_to_live"] = row.time_to_live
        t["is_spawner"] = any(ancestor.name == "SpawnPoint" for ancestor in ontology.lineage(row))
        parameters = ontology.parameters(row)
        t["has_itype"] = "itype" in parameters and parameters["itype"].kind is Kind.INT
        self._assign(definition, row, t)
        self._resolve(definition, row, t)
        self._settle(definition, row, t)

    def _assign(self, definition: Definition, row: SpriteClass, record: np.void) -> None:
        """Assign every parameter: the default, or the value in the text (language, 5.1)."""
        parameters = ontology.parameters(row)
        settings = definition.settings
        for key, argument in definition.arguments.items():
            parameter = parameters.get(key)
            if parameter is None:
                self.unknown.setdefault(definition.number, []).append((argument, tuple(parameters)))
                record["messages"] += 1
                continue
            stored = values.store(parameter.kind, values.convert(key, self.decorated(argument.value)))
            if stored is not None and not parameter.internal:
                settings[key] = stored
                _store(parameter, stored, record)
        definition.written = frozenset(settings)
        for key, parameter in parameters.items():
            settings.setdefault(key, parameter.default)

    def _resolve(self, definition: Definition, row: SpriteClass, record: np.void) -> None:
        """Replace names of types by numbers (sprites, 12 and 13)."""
        find = self.types.find
        settings = definition.settings
        for key, parameter in ontology.parameters(row).items():
            text = settings[key]
            if parameter.refers not in (Refers.SPRITE, Refers.SPRITES):
                continue
            if text is None and parameter.lookup in (Lookup.REQUIRED, Lookup.UNCHECKED):
                definition.problem = f"sprite {definition.name!r} of class {row.name} needs {key}="
                record["creatable"] = False
            if key == "ammo" and text is not None:
                record["has_ammo"] = True
            if parameter.refers is Refers.SPRITES:
                numbers = [find(name) for name in split(text)] if text is not None else [-1]
                if key == "ammo":
                    record["ammos_start"], record["ammos_len"] = self.pool.add(numbers if text is not None else [])
                elif key != "stype2":
                    record["shots_start"], record["shots_len"] = self.pool.add(numbers)
            elif key == "ammo":
                record["ammo_id"] = find(text) if text is not None else -1
            elif key == "resource_name":
                record["resource_type"] = definition.number if text is None else find(text)
            elif key == "spawnBehind":
                record["itype"] = WALL if text is None else find(text)
            elif key == "stype" and text is not None:
                record["itype"] = find(text)
        if not -1 <= record["itype"] < len(self.table):  # given as a number that is not a type
            record["itype"] = NO_SUCH_TYPE

    def _settle(self, definition: Definition, row: SpriteClass, record: np.void) -> None:
        """Set the fields derived from the parameters (sprites, 5.3)."""
        settings = definition.settings
        record["grid"] = settings["physicstype"] == 0
        record["continuous"] = settings["physicstype"] == 1
        if record["orientation_x"] or record["orientation_y"]:
            record["is_oriented"] = True
        if not record["max_health_points"]:
            record["max_health_points"] = record["health_points"]
        record["health_points"] = min(record["health_points"], record["max_health_points"])
        record["cooldown"] = max(1, record["cooldown"])
        if not record["honours_time_to_live"]:
            record["time_to_live"] = -1
        hidden = settings["hidden"]
        record["hidden"] = hidden is not None and is_true(piece(hidden, 0))
        category = next(
            (
                number
                for number, flag in enumerate(("is_avatar", "is_resource", "portal", "is_npc", "is_static"))
                if record[flag]
            ),
            -1,
        )
        record["category_static"] = category
        actions = [getattr(layout.Action, name) for name in row.actions]
        record["actions_start"], record["actions_len"] = self.pool.add([int(action) for action in actions])
        record["action_bits"] = sum(1 << action for action in set(actions))

    def _limits(self) -> None:
        """Set resource limits, and log the messages of the reference's temporary resources (language, 7.6)."""
        for number, definition in self.types.definitions.items():
            if definition.class_name != "Resource":
                continue
            reported = int(self.table[number]["resource_type"])
            if reported >= 0:
                self.table[reported]["resource_limit"] = definition.settings["limit"]
            for argument, known in self.unknown.get(number, ()):
                self.warn_unknown(argument, known, f"a {definition.class_name}")

    def warn_unknown(self, argument: Argument, known: tuple[str, ...], owner: str) -> None:
        message, suggestion = unknown_parameter(owner, argument.key, known)
        self.log.warn(message, argument.at, suggestion=suggestion)

    def looks(self) -> tuple[Look, ...]:
        """How each type is drawn, by number."""
        looks = []
        for name, number in self.types.numbers.items():
            definition = self.types.definitions.get(number)
            settings = definition.settings if definition else {}
            color = settings.get("color")
            invisible = settings.get("invisible")
            looks.append(
                Look(
                    name,
                    settings.get("img"),
                    tuple(color) if color is not None and min(color) >= 0 else None,
                    definition is not None and "color" in definition.written,
                    float(settings.get("shrinkfactor", 1.0)),
                    bool(self.table[number]["is_oriented"]),
                    bool(self.table[number]["is_avatar"]),
                    invisible is not None and is_true(piece(invisible, 0)),
                )
            )
        return tuple(looks)
