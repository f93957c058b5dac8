"""Compiles rules and a level to a board: the level's sprites, their storage, and the initial state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vgdl.compiler.reading import Log, unknown_parameter
from vgdl.compiler.rules import CompiledRules
from vgdl.compiler.sprites import Definition, unread_block
from vgdl.core.data import layout
from vgdl.core.data.tables import BoardTables
from vgdl.core.rules.paths import first_steps
from vgdl.language import Level, Place, VGDLWarning, nearest

SPRITE_LIMIT = 10_000
MOST_CELLS = 1_000_000
MOST_PATH_CELLS = 10_000
MOST_PIXELS = 65_536  # largest screen width or height, in pixels, for which `_places` builds tables
CLASS_BITS = 64  # number of collision classes that a mask of the index can distinguish
MOST_PLACED = 200_000  # maximum placements in a level, far above the sprite limit
Storage = layout.Storage

UPDATE_KINDS = {
    layout.SpriteOp.STANDARD: layout.UpdateKind.DRIFTING,
    layout.SpriteOp.RANDOM_MISSILE: layout.UpdateKind.SCATTERING,
    layout.SpriteOp.FLICKER: layout.UpdateKind.FLICKERING,
    layout.SpriteOp.SPAWN_POINT: layout.UpdateKind.SPAWNING,
    layout.SpriteOp.RANDOM_BOMBER: layout.UpdateKind.BOMBING,
    layout.SpriteOp.RANDOM_NPC: layout.UpdateKind.ROAMING,
    layout.SpriteOp.CHASER: layout.UpdateKind.CHASING,
    layout.SpriteOp.PATH_CHASER: layout.UpdateKind.PATHING,
}  #: specialised loops of the sprite phase for common classes with ordinary physics and speed


@dataclass(frozen=True, slots=True)
class Born:
    """A sprite placed by the level."""

    id: int
    type: int
    row: int
    column: int
    first: bool  # first of its type: built from the definition, not copied from the template


@dataclass(frozen=True)
class CompiledBoard:
    tables: BoardTables
    warnings: tuple[VGDLWarning, ...]


class _Building:
    """Compilation of one level."""

    def __init__(self, rules: CompiledRules, level: Level, open_to_all: bool, block_size: int | None) -> None:
        self.rules = rules
        self.block_size = block_size
        self.level = level
        self.open_to_all = open_to_all
        self.log = Log(level.source)
        self.types = rules.tables.table["types"]
        self.messages = sum(warning.messages for warning in rules.warnings)
        self.sprite_count = 0
        self.counts = [0] * len(self.types)
        self.built: set[int] = set()
        self.refused: dict[str, list[Place]] = {}  # places of sprites beyond the limit, by the names of their types
        self.subtypes = {n: d.subtypes for n, d in rules.definitions.items()}
        self._size()
        with np.errstate(over="ignore"):  # `_truncated` clamps the overflow
            self.heights = _truncated(self.block * self.types["h_mult"])

    def _size(self) -> None:
        """Set the block size in pixels, and the columns and rows of the grid (language, 11.2)."""
        columns, rows = self.level.width, self.level.height
        if columns == 0:
            raise self.log.error("the first line of the level is empty", Place(1, 1), ["at least one cell"])
        if (columns + 2) * (rows + 2) > MOST_CELLS:
            raise self.log.error(f"the level has more than {MOST_CELLS} cells", Place(1, 1))
        size = self.rules.square_size
        self.block = size if size != -1 else self.block_size or max(2, 800 // max(columns, rows))
        most = min(100_000, 2**30 // max(columns, rows))
        if not 1 <= self.block <= most:
            line = self.rules.description.game
            at = line.arguments["square_size"].value_at if "square_size" in line.arguments else line.class_name.at
            raise Log(self.rules.description.source).error(
                f"square_size={size} is out of range", at, [f"pixels per cell, from 1 to {most}"]
            )
        self.columns, self.rows = columns, rows
        self._check_rows()

    def _check_rows(self) -> None:
        """Warn of rows of another length than the first, and of columns that were taken for indentation."""
        shorter = [number for number, line in enumerate(self.level.lines, 1) if len(line) < self.columns]
        longer = [number for number, line in enumerate(self.level.lines, 1) if len(line) > self.columns]
        for numbers, what in (
            (shorter, "is shorter than the first: blanks are added"),
            (longer, "is longer than the first: the rest is ignored"),
        ):
            if numbers:
                more = f" (and {len(numbers) - 1} more rows)" if len(numbers) > 1 else ""
                line = self.level.lines[numbers[0] - 1]
                at = Place(numbers[0], min(len(line), self.columns) + 1, max(1, len(line) - self.columns))
                self.log.warn(f"this row {what}{more}", at, [f"{self.columns} characters"], messages=0)
        if self.level.height > 1 and self.level.margin > 1:
            message = f"every row begins with {self.level.margin} blanks, which are cells: is the text indented?"
            at = Place(1, 1, min(self.level.margin, self.columns))
            self.log.warn(message, at, ["rows that begin at the first column"], messages=0)

    # ---------------------------------------------------------------------------------------------- placing

    def place(self) -> list[Born]:
        """Create all sprites of the level, in order of id (language, 11.3)."""
        born: list[Born] = []
        unmapped: dict[str, list[Place]] = {}
        placed = 0
        for row in range(self.rows):
            line = self.level.lines[row][: self.columns]
            for column, character in enumerate(line):
                mapped = self.rules.mapping.get(character)
                if mapped is None or character == " ":
                    if character != " ":
                        unmapped.setdefault(character, []).append(Place(row + 1, column + 1))
                    continue
                placed += len(mapped.names)
                if placed > MOST_PLACED:
                    at = Place(row + 1, column + 1)
                    raise self.log.error(f"the level places more than {MOST_PLACED} sprites", at)
                for name in mapped.names:
                    self._create(born, name, row, column)
        known = [repr(mapped) for mapped in sorted(self.rules.mapping)]
        for character, cells in unmapped.items():
            self._warn(f"{character!r} is not defined in the level mapping", cells, "cells", known)
        for name, cells in self.refused.items():
            self._warn(f"more than {SPRITE_LIMIT} sprites: {name!r} is not created", cells, "times")
        return born

    def _warn(self, message: str, cells: list[Place], counted: str, expected: Iterable[str] = ()) -> None:
        """Report what happens in several cells once, at the first; the reference logs a message for each."""
        message += f" ({len(cells)} {counted}, the first one here)" if len(cells) > 1 else ""
        self.log.warn(message, cells[0], expected, messages=len(cells))

    def _create(self, born: list[Born], name: str, row: int, column: int) -> None:
        number = self.rules.names.index(name) if name in self.rules.names else -1
        definition = self._definition(number, name, row, column)
        if self.sprite_count > SPRITE_LIMIT:
            self.refused.setdefault(name, []).append(Place(row + 1, column + 1))
            return
        for above in definition.itypes:
            if self.types[above]["singleton"] and sum(self.counts[u] for u in self.subtypes[above]) > 0:
                return
        self._check_creatable(definition)
        first = number not in self.built
        if not first and self.heights[number] == 0:
            raise self.log.error(
                f"the second {name!r} has a height of 0", Place(row + 1, column + 1), ["a larger hMult"]
            )
        if first:
            self.built.add(number)
            self._report_unknown(number, name)
        born.append(Born(len(born), number, row, column, first))
        self.counts[number] += 1
        self.sprite_count += 1

    def _definition(self, number: int, name: str, row: int, column: int) -> Definition:
        """The definition of a type placed by the level; a name without one is an error (language, 12)."""
        at = Place(row + 1, column + 1)
        if number < 0 and name in self.rules.unread:
            raise Log(self.rules.description.source).error(*unread_block(self.rules.unread[name]))
        if number < 0:
            suggestion = nearest(name, self.rules.names)
            raise self.log.error(f"the level mapping names an unknown sprite {name!r}", at, suggestion=suggestion)
        definition = self.rules.definitions.get(number)
        if definition is None:
            raise self.log.error(f"sprite {name!r} is not defined", at)
        return definition

    def _check_creatable(self, definition: Definition) -> None:
        """Raise for a type that cannot be built; sprites refused as singletons are not checked (engine, 3.1)."""
        if definition.problem is not None:
            raise Log(self.rules.description.source).error(*definition.complaint)

    def _report_unknown(self, number: int, name: str) -> None:
        """Report unknown parameters; called when the first sprite of a type is built (language, 7.9)."""
        source = Log(self.rules.description.source)
        definition = self.rules.definitions[number]
        for argument, known in self.rules.unknown.get(number, ()):
            owner = f"sprite {name!r} of class {definition.class_name}"
            message, suggestion = unknown_parameter(owner, argument.key, known)
            source.warn(message, argument.at, suggestion=suggestion)
        self.log.warnings += source.warnings

    # ---------------------------------------------------------------------------------------------- avatars

    def avatars(self, born: list[Born]) -> tuple[list[Born], list[Born]]:
        """The level's sprites without surplus avatars, and the players' avatars by slot (language, 11.4; engine, 6)."""
        players = self.rules.n_players
        avatars = [b for b in born if self.types[b.type]["is_avatar"]]
        for b in avatars[:players]:
            if not self.types[b.type]["avatar_object"]:
                name = self.rules.names[b.type]
                raise self.log.error(
                    f"{name!r} has is_avatar, but its class is not an avatar class", Place(b.row + 1, b.column + 1)
                )
        surplus = set(avatars[players:])
        if surplus:
            first = avatars[players]
            self.log.warn(f"no more than {players} avatar(s) allowed", Place(first.row + 1, first.column + 1))
        kept = [b for b in born if b not in surplus]
        ordered: list[Born] = []
        order = [int(number) for number in self.rules.tables.table["order"]]
        for number in reversed(order[1:]):  # the reference skips index 0
            ordered += [b for b in kept if b.type == number and self.types[number]["is_avatar"]]
        slots = ordered[::-1][:players]
        if not slots:
            self.log.warn("no avatars found", Place(1, 1), ["a cell with an avatar"])
            self.log.warn("no avatars found at the start of the game", Place(1, 1), ["a cell with an avatar"])
        return kept, slots

    # ---------------------------------------------------------------------------------------------- storage

    def storage(self, born: list[Born]) -> np.ndarray:
        """Storage of each type on this board; of two types that collide in the level, the rarer one becomes dynamic."""
        storage = self.rules.storage.copy()
        if self.open_to_all:  # a placed state may lack any sprite of the level
            storage[storage == Storage.STORED_STATIC] = Storage.STORED_VANISHING
        classes = self.types["collision_class"]
        may_change = ((storage != int(Storage.STORED_DYNAMIC)) & (classes != 0)).tolist()
        n = self.rules.tables.number["n_classes"]
        contacts = self.rules.tables.table["contacts"]
        by_cell: dict[tuple[int, int], set[int]] = {}
        for b in born:
            if may_change[b.type]:
                by_cell.setdefault((b.row, b.column), set()).add(b.type)
        couples = {
            (one, other)
            for types in by_cell.values()
            if len(types) > 1
            for one in types
            for other in types
            if one < other
        }
        # several sprites of one type in a cell can also collide
        seen: set[tuple[int, int, int]] = set()
        for b in born:
            key = (b.row, b.column, b.type)
            if key in seen:
                couples.add((b.type, b.type))
            seen.add(key)
        for one, other in sorted(couples):
            keys = (classes[one] * n + classes[other], classes[other] * n + classes[one])
            if any(contacts[key + 1] > contacts[key] for key in keys):
                fewer = one if self.counts[one] <= self.counts[other] else other
                storage[fewer] = Storage.STORED_DYNAMIC
        return storage


class _Memory:
    """Byte layout of a board's tables and of its initial state."""

    def __init__(self, building: _Building, born: list[Born], slots: list[Born], storage: np.ndarray) -> None:
        self.building = building
        self.rules = building.rules
        self.types = building.types
        self.n_types = len(self.types)
        self.record = building.rules.record
        self.slots = slots
        self.storage = storage
        stored: dict[int, list[Born]] = {int(kind): [] for kind in Storage}
        kinds = storage.tolist()
        for b in born:
            stored[kinds[b.type]].append(b)
        dynamic, vanishing, static = (
            stored[kind] for kind in (Storage.STORED_DYNAMIC, Storage.STORED_VANISHING, Storage.STORED_STATIC)
        )
        self.dynamic, self.vanishing, self.level = dynamic, vanishing, vanishing + static
        self.counts = np.bincount([b.type for b in born], minlength=self.n_types).astype(np.int32)
        present = {b.type for b in dynamic} | {b.type for b in vanishing} | set(self.rules.created)
        if building.open_to_all:
            present |= {int(number) for number in np.flatnonzero(self.types["creatable"])}
        grouped = sorted(present)
        self.group_of = np.full(self.n_types, -1, np.int32)
        self.group_of[grouped] = np.arange(len(grouped))
        self.n_groups = len(grouped)
        self.templates = self._templates()

    # ---------------------------------------------------------------------------------------------- records

    def _templates(self) -> np.ndarray:
        """One record per type, as a fresh copy of its template (sprites, 6.2)."""
        r = self.record
        block = self.building.block
        memory = np.zeros((self.n_types, r.stride), np.uint8)
        t = self.types
        base = _part(memory, 0, layout.SPRITE)
        base["type"] = np.arange(self.n_types)
        base["next"] = -1
        base["lastmove"] = t["lastmove"]
        base["orientation_x"] = t["orientation_x"] + 0.0
        base["orientation_y"] = t["orientation_y"] + 0.0
        flags = layout.SPRITE_FLAGS
        base["flags"] = (
            flags["FIRST_TICK"] * t["is_first_tick"]
            + flags["ORIENTED"] * t["is_oriented"]
            + flags["FROM_AVATAR"] * t["is_from_avatar"]
            + flags["ON_GROUND"] * t["on_ground"]
        ).astype(np.uint16)
        if r.motion_at:
            motion = _part(memory, r.motion_at, layout.MOTION)
            for column in ("speed", "gravity", "rotation", "facing"):
                motion[column] = t[column]
        if r.vital_at:
            vital = _part(memory, r.vital_at, layout.VITAL)
            vital["health"], vital["max_health"] = t["health_points"], t["max_health_points"]
        if r.size_at:
            size = _part(memory, r.size_at, layout.SIZE)
            with np.errstate(over="ignore"):  # `_truncated` clamps the overflow
                size["w"] = size["last_w"] = _truncated(block * t["w_mult"])
                size["h"] = size["last_h"] = _truncated(block * t["h_mult"])
        if r.inner_at:
            inner = _part(memory, r.inner_at, layout.INNER)
            op = layout.SpriteOp
            spawner = np.isin(
                t["op"], [op.SPAWN_POINT, op.RANDOM_BOMBER, op.BOMBER_RANDOM_MISSILE, op.SPAWN_POINT_MULTI_SPRITE]
            )
            inner["time_to_live"] = t["time_to_live"]
            inner["clock"] = np.where(
                spawner, -1, np.where(t["op"] == op.WIZARD_AVATAR, t["last_block_time"], t["age"])
            )
            inner["itype"] = t["itype"]
        if r.target_at:
            _part(memory, r.target_at, layout.TARGET)["id"] = -1
        if r.missiles_at:
            self._missiles(memory)
        if r.resources_at:
            for slot in range(len(r.resources)):
                _part(memory, r.resources_at + 4 * slot, np.dtype(np.int32))[:] = layout.NEVER_HELD
        return memory

    def _missiles(self, memory: np.ndarray) -> None:
        pool = self.rules.tables.table["pool"]
        for number in np.flatnonzero(self.types["op"] == layout.SpriteOp.BOMBER_RANDOM_MISSILE):
            start, length = self.types[number]["shots_start"], self.types[number]["shots_len"]
            for k in range(length):
                _part(memory, self.record.missiles_at + 4 * k, np.dtype(np.int32))[number] = pool[start + k]

    def records(self, born: list[Born]) -> np.ndarray:
        """Records of the given sprites of the level, in order: uint8, shape (sprites, stride)."""
        memory = self.templates[[b.type for b in born]].copy() if born else np.zeros((0, self.record.stride), np.uint8)
        base = _part(memory, 0, layout.SPRITE)
        base["id"] = [b.id for b in born]
        base["x"] = base["last_x"] = [b.column * self.building.block for b in born]
        base["y"] = base["last_y"] = [b.row * self.building.block for b in born]
        first = np.array([b.first for b in born], bool)
        if self.record.size_at:
            size = _part(memory, self.record.size_at, layout.SIZE)
            size["last_w"][first] = size["last_h"][first] = self.building.block
        if self.rules.tables.number["needs_built"]:
            base["flags"] |= (layout.SPRITE_FLAGS["ORIGINAL"] * first).astype(np.uint16)
        return memory

    # ---------------------------------------------------------------------------------------------- state

    def initial(self, offsets: dict[str, int]) -> np.ndarray:
        """The bytes of the initial state; its random generator is not seeded yet."""
        records = self.records(self.dynamic)
        base = _part(records, 0, layout.SPRITE)
        groups = np.zeros((self.n_groups, 3), np.int32)
        groups[:, :2] = -1
        for index, b in enumerate(self.dynamic):
            group = groups[self.group_of[b.type]]
            if group[1] >= 0:
                base["next"][group[1]] = index
            else:
                group[0] = index
            group[1] = index
        for number in np.flatnonzero(self.group_of >= 0):
            groups[self.group_of[number], 2] = self.counts[number]
        memory = np.zeros(offsets["records_at"] + records.size, np.uint8)
        header = memory[: layout.HEADER.itemsize].view(layout.HEADER)[0]
        position = {b.id: index for index, b in enumerate(self.dynamic)}
        header["avatar"] = [position[self.slots[p].id] if p < len(self.slots) else -1 for p in range(2)]
        for player, b in enumerate(self.slots):
            if player == 1:
                base["flags"][position[b.id]] |= layout.SPRITE_FLAGS["SECOND_PLAYER"]
        header["size"] = memory.size
        header["n_sprites"] = len(self.dynamic)
        header["next_id"] = header["sprite_count"] = self.building.sprite_count
        header["messages"] = self.building.messages + self.building.log.messages
        header["winner"] = -1
        header["can_end"] = self.rules.can_end
        header["n_timers"] = len(self.rules.tables.table["timers"])
        header["records_at"] = offsets["records_at"]
        _put(memory, offsets["gates_at"], self._gates())
        _put(memory, offsets["built_at"], self._built())
        _put(memory, offsets["groups_at"], groups)
        _put(memory, offsets["alive_at"], self._alive())
        _put(memory, offsets["timers_at"], self.rules.tables.table["timers"])
        _put(memory, offsets["records_at"], records)
        return memory

    def _gates(self) -> np.ndarray:
        gates = np.zeros(self.rules.tables.number["n_gates"], np.uint8)
        for e in self.rules.tables.table["effects"]:
            if e["gate"] >= 0:
                gates[e["gate"]] = e["gates"]
        return gates

    def _built(self) -> np.ndarray:
        built = np.zeros((self.n_types + 7) // 8 if self.rules.tables.number["needs_built"] else 0, np.uint8)
        if built.size:
            for number in self.building.built:
                built[number // 8] |= 1 << (number % 8)
        return built

    def _alive(self) -> np.ndarray:
        n = len(self.vanishing)
        words = np.zeros((n + 63) // 64, np.uint64)
        words[: n // 64] = np.iinfo(np.uint64).max
        if n % 64:
            words[-1] = np.uint64((1 << (n % 64)) - 1)
        return words

    def offsets(self) -> dict[str, int]:
        """Byte offset of each section of the state.

        Sections of fixed length come first, larger items before smaller ones to keep them aligned; timers and records,
        whose numbers vary, follow on an 8-byte boundary.
        """
        number = self.rules.tables.number
        built = (self.n_types + 7) // 8 if number["needs_built"] else 0
        sizes = [
            ("alive_at", 8 * ((len(self.vanishing) + 63) // 64)),
            ("timers_at", 0),
            ("counters_at", 4 * number["n_counters"]),
            ("groups_at", 12 * self.n_groups),
            ("gates_at", number["n_gates"]),
            ("built_at", built),
        ]
        offsets = {}
        end = layout.HEADER.itemsize
        for name, size in sizes:
            offsets[name] = end
            end += size
        end = (end + 7) & ~7
        offsets["timers_at"] = end
        offsets["records_at"] = end + 8 * len(self.rules.tables.table["timers"])
        return offsets

    # ---------------------------------------------------------------------------------------------- iteration orders

    def updates(self) -> np.ndarray:
        """Types that the sprite phase updates, in reverse sprite order, without avatars (engine, 7.3)."""
        order = self.rules.tables.table["order"][::-1]
        walked = [u for u in order if self.group_of[u] >= 0 and not self.types[u]["avatar_object"]]
        rows, t = np.zeros(len(walked), layout.UPDATE_ROW), self.types[walked]
        rows["type"] = walked
        rows["group"] = [self.group_of[u] for u in walked]
        rows["kind"] = [self.update_kind(u) for u in walked]
        rows["drifts"] = (t["is_static"] | t["only_active"]) == 0
        rows["drift"] = self._pixels(np.where(t["speed"] == -1.0, 1.0, t["speed"]), t["speed"])
        rows["step"] = self._pixels(np.where(t["speed"] == 0.0, 1.0, t["speed"]), t["speed"])
        rows["step"][t["stationary"] != 0] = 0
        rows["cooldown"] = t["cooldown"]
        rows["period"] = [-(-(2**64) // max(1, cooldown)) % 2**64 for cooldown in t["cooldown"].tolist()]
        return rows

    def _pixels(self, cells: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Convert speeds in cells to pixels; below one pixel, a type's own speed is taken as pixels (sprites, 8.4)."""
        with np.errstate(over="ignore"):
            pixels = _truncated(cells * self.building.block)
        return np.where(pixels == 0, _truncated(own), pixels)

    def update_kind(self, number: int) -> layout.UpdateKind:
        """The loop of the sprite phase that fits a type."""
        row = self.types[number]
        kind = UPDATE_KINDS.get(layout.SpriteOp(row["op"]), layout.UpdateKind.GENERAL)
        if row["continuous"] or row["rotate_in_place"] or row["time_to_live"] > -1 or self.record.motion_at:
            return layout.UpdateKind.GENERAL
        if self.rules.tables.number["far_flung"]:
            return layout.UpdateKind.GENERAL
        chases = kind in (layout.UpdateKind.CHASING, layout.UpdateKind.PATHING)
        if chases and (row["itype"] < 0 or number in self.under(row["itype"])):
            return layout.UpdateKind.GENERAL  # targets that move during the update are looked up each time
        return kind

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """The tables `edge_turns` and `edge_walks`: per line, the effects of its type for each type with records.

        A line stands for the effects of all lines with its type (engine, 7.4); their walks are stored once.
        """
        tables = self.rules.tables.table
        pool, enabled = tables["pool"], tables["effects"]["enabled"]
        walks: list[tuple[int, int, int]] = []
        turns: list[tuple[int, int]] = []
        stored: dict[int, tuple[int, int]] = {}
        for number, start, length in tables["edges"].tolist():
            if number < 0:
                turns.append((len(walks), 1))
                walks.append((-1, -1, -1))
                break
            if number not in stored:
                types = [u for u in self.under(number).tolist() if self.group_of[u] >= 0]
                effects = [effect for effect in pool[start : start + length].tolist() if enabled[effect]]
                stored[number] = len(walks), len(effects) * len(types)
                walks += [(effect, u, self.group_of[u]) for effect in effects for u in types]
            turns.append(stored[number])
        return np.array(turns, layout.EDGE_TURN), np.array(walks, layout.EDGE_WALK)

    def _in_level(self) -> np.ndarray:
        """Whether each type has sprites that live in the board."""
        in_level = np.zeros(self.n_types, np.bool_)
        in_level[[b.type for b in self.level]] = True
        return in_level

    def _steps_back_only(self, pair: np.void) -> bool:
        """Whether all effects of a pair are plain `stepBack`s."""
        tables = self.rules.tables.table
        uses = tables["pool"][pair["effects_start"] : pair["effects_start"] + pair["effects_len"]]
        return not pair["in_full"] and all(_only_steps_back(tables["effects"][use]) for use in uses)

    def _walls(self) -> np.ndarray:
        """Per type: level sprites that can only step it back in its first collisions, as bits of their classes.

        Considers the leading pairs that consist of plain `stepBack` effects. For each type, it collects the level
        sprites of the pairs in which the type is first, up to the pair in which it is second: until then, the type can
        only return to its last position or stay.
        """
        walls = np.zeros(self.n_types, np.uint64)
        in_level = self._in_level()
        if self.rules.tables.number["n_classes"] > CLASS_BITS or np.any(self.types["is_avatar"][in_level]):
            return walls
        met: set[int] = set()
        for pair in self.rules.tables.table["pairs"]:
            if not self._steps_back_only(pair):
                break
            seconds = self.under(pair["second"])
            met.update(seconds.tolist())
            level = np.bitwise_or.reduce(self._class_bits()[seconds[in_level[seconds]]], initial=np.uint64(0))
            firsts = [u for u in self.under(pair["first"]).tolist() if u not in met and self.group_of[u] >= 0]
            walls[firsts] |= level
        return walls

    def blocked(self) -> np.ndarray:
        """Types whose first collisions in the pair effects, if with certain level sprites, only step them back."""
        walls = self._walls()
        types = np.flatnonzero(walls)
        rows = np.zeros(len(types), layout.BLOCKED)
        rows["walls"] = walls[types]
        rows["group"] = self.group_of[types]
        return rows

    def mixing(self) -> np.ndarray:
        """What the records of each group can meet; empty if there are too many groups for a mask."""
        types = np.flatnonzero(self.group_of >= 0)
        if len(types) > CLASS_BITS:
            return np.zeros(0, layout.MIXING)
        met, walls = self.encounters()[types], self._walls()[types]
        bits = np.uint64(1) << self.group_of[types].astype(np.uint64)
        in_level = np.flatnonzero(self._in_level())
        own = self._class_bits()[in_level]
        rows = np.zeros(len(types), layout.MIXING)
        rows["group"] = self.group_of[types]
        for row, stype, meets, wall in zip(rows, types, met, walls, strict=True):
            row["partners"] = np.bitwise_or.reduce(bits[met["own"] & meets["recorded"] != 0], initial=np.uint64(0))
            level = own & meets["partners"] != 0
            row["level"] = np.bitwise_or.reduce(own[level], initial=np.uint64(0))
            others = zip(in_level.tolist(), own, strict=True)
            more = [not (bit & wall and self._is_wall_only(int(stype), other)) for other, bit in others]
            row["unblocked"] = np.bitwise_or.reduce(own[level & np.array(more, np.bool_)], initial=np.uint64(0))
        return rows[np.argsort([-int(partners).bit_count() for partners in rows["partners"]], kind="stable")]

    def _is_wall_only(self, stype: int, wall: int) -> bool:
        """Whether sprites of a type that meet a wall only ever step back, in all pairs."""
        tables, n_classes = self.rules.tables.table, self.rules.tables.number["n_classes"]
        own, other = self.types["collision_class"][[stype, wall]].tolist()
        contacts = tables["contacts"]
        pairs = tables["contact_pairs"][contacts[own * n_classes + other] : contacts[own * n_classes + other + 1]]
        turned = contacts[other * n_classes + own] < contacts[other * n_classes + own + 1]
        return not turned and all(self._steps_back_only(tables["pairs"][pair]) for pair in pairs)

    # ---------------------------------------------------------------------------------------------- indexes

    def under(self, number: int) -> np.ndarray:
        """A type's subtypes list: its ancestors, itself and its descendants."""
        first, n = self.types[number][["subtypes_start", "subtypes_len"]]
        return self.rules.tables.table["pool"][first : first + n]

    def level_by_type(self) -> tuple[np.ndarray, np.ndarray]:
        """Indices of the level sprites of each type, in order of id, as start offsets and a flat list."""
        lists: list[list[int]] = [[] for _ in range(self.n_types)]
        for index, b in sorted(enumerate(self.level), key=lambda item: item[1].id):
            lists[b.type].append(index)
        return _flattened(lists)

    def groups_under(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The terms of each type's sprite count (engine, 2.2): a fixed number, and groups (start offsets and list)."""
        under = [self.under(number) for number in range(self.n_types)]
        fixed = np.array([sum(self.counts[u] for u in types if self.group_of[u] < 0) for types in under], np.int32)
        return fixed, *_flattened([[self.group_of[u] for u in types if self.group_of[u] >= 0] for types in under])

    def _class_bits(self) -> np.ndarray:
        """The bit of each type's collision class in the masks of the index."""
        return np.uint64(1) << (self.types["collision_class"].astype(np.uint64) % np.uint64(64))

    def encounters(self) -> np.ndarray:
        """The collision classes that each type can meet on this board, as bit masks."""
        classes = self.types["collision_class"]
        in_level = self._in_level()

        def bits(present: np.ndarray) -> np.uint64:
            return np.uint64(np.bitwise_or.reduce(self._class_bits()[present & (classes > 0)], initial=np.uint64(0)))

        with_records = bits(self.group_of >= 0)
        partners = self.rules.tables.table["partners"][classes] & (with_records | bits(in_level))
        encounters = np.zeros(self.n_types, layout.ENCOUNTERS)
        encounters["own"] = own = self._class_bits()
        encounters["partners"] = partners
        encounters["recorded"] = partners & with_records
        alike = np.bitwise_or.reduce(own[own & partners != 0], initial=np.uint64(0))
        encounters["hidden"] = partners & with_records & ~alike
        encounters["collision_class"] = classes
        return encounters

    def cell_masks(self, cells: np.ndarray, cell_list: np.ndarray) -> np.ndarray:
        """The collision classes of the level sprites in each cell, as bit masks."""
        masks = np.zeros(len(cells) - 1, np.uint64)
        bits = self._class_bits()
        for cell in np.flatnonzero(np.diff(cells)):
            for index in cell_list[cells[cell] : cells[cell + 1]]:
                masks[cell] |= bits[self.level[index].type]
        return masks

    def level_by_cell(self) -> tuple[np.ndarray, np.ndarray]:
        """Indices of the level sprites in each cell of the bordered grid, without types that cannot collide."""
        columns = self.building.columns + 2
        collides = self.types["collision_class"]
        indices = [index for index, b in enumerate(self.level) if collides[b.type]]
        cells = np.array([(b.row + 1) * columns + b.column + 1 for b in map(self.level.__getitem__, indices)], np.int64)
        starts = np.zeros(columns * (self.building.rows + 2) + 1, np.int32)
        starts[1:] = np.cumsum(np.bincount(cells, minlength=len(starts) - 1))
        return starts, np.array(indices, np.int32)[np.argsort(cells, kind="stable")]


def _only_steps_back(effect: np.void) -> bool:
    """Whether an effect is a plain `stepBack`, enabled for single partners, that changes no score and no counter."""
    numbers = ("score", "score_messages", "killed_score", "killed_score_messages")
    return bool(
        effect["op"] == layout.EffectOp.STEP_BACK
        and effect["enabled"]
        and not (effect["pixel_perfect"] or effect["in_batch"])
        and effect["gate"] < 0
        and effect["counters"] < 0
        and not any(effect[name].any() for name in numbers)
    )


def _part(memory: np.ndarray, offset: int, dtype: np.dtype) -> np.ndarray:
    """A view of one part of every record."""
    return (
        np.ndarray(len(memory), dtype, buffer=memory, offset=offset, strides=memory.strides[:1])
        if len(memory)
        else np.zeros(0, dtype)
    )


def _places(building: _Building) -> dict[str, np.ndarray]:
    """The tables `across` and `down`, by pixel: see `LevelTables` in layout.pxd; empty for very large screens."""
    further = building.columns + 2
    if max(building.columns, building.rows) * building.block > MOST_PIXELS:
        return {"across": np.zeros(0, np.uint32), "down": np.zeros(0, np.uint32)}
    across, wide = _covered(building.columns, building.block)
    down, high = _covered(building.rows, building.block)
    return {"across": 4 * across + 2 * wide, "down": 4 * further * down + high}


def _covered(cells: int, block: int) -> tuple[np.ndarray, np.ndarray]:
    """Per pixel of an axis, from -block on: the first bordered cell that a sprite covers, and whether it covers two."""
    pixels = np.arange(-block, cells * block + 1)
    first = np.clip(pixels // block + 1, 0, cells + 1)
    last = np.clip((pixels + block - 1) // block + 1, 0, cells + 1)
    return first.astype(np.uint32), (last - first).astype(np.uint32)


def _truncated(values: np.ndarray) -> np.ndarray:
    """Convert doubles to ints as the reference does: toward zero, saturating, NaN to 0."""
    low, high = -(2**31), 2**31 - 1
    whole: np.ndarray = np.clip(np.nan_to_num(values, nan=0.0, posinf=high, neginf=low), low, high).astype(np.int32)
    return whole


def _put(memory: np.ndarray, offset: int, values: np.ndarray) -> None:
    raw = np.ascontiguousarray(values).view(np.uint8).reshape(-1) if values.size else np.zeros(0, np.uint8)
    memory[offset : offset + raw.size] = raw


def _flattened(lists: Iterable[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Start offsets and concatenated contents of a list of lists."""
    lists = list(lists)
    starts = np.zeros(len(lists) + 1, np.int32)
    starts[1:] = np.cumsum([len(part) for part in lists])
    return starts, np.array([index for part in lists for index in part], np.int32)


def _path_table(building: _Building, born: list[Born], slots: list[Born]) -> np.ndarray:
    """First steps between free cells, if the game line names obstacles (sprites, 15)."""
    names = building.rules.obstacles
    if names is None:
        return np.zeros(0, np.int16)
    if building.rows * building.columns > MOST_PATH_CELLS:
        raise building.log.error(f"a level with path finding can have at most {MOST_PATH_CELLS} cells", Place(1, 1))
    blocked = np.zeros((building.rows, building.columns), np.uint8)
    obstacles = {building.rules.names.index(name) for name in names if name in building.rules.names}
    for b in born:
        if b.type in obstacles and not building.types[b.type]["hidden"]:
            blocked[b.row, b.column] = 1
    three = bool(slots) and building.types[slots[0].type]["actions_len"] == 3
    return first_steps(blocked, three)


def compile_board(
    rules: CompiledRules, level: Level, owner: Any, *, open_to_all: bool = False, block_size: int | None = None
) -> CompiledBoard:
    """Compile a level.

    Args:
        rules: the rules of the game.
        level: the level to compile.
        owner: the `Board` that the tables belong to.
        open_to_all: allow states with sprites of any type, even types that no rule creates, and without any of the
            level's sprites, as `vgdl.placing` needs.
        block_size: pixels per cell if the rules do not set it; None: what follows from the size of the level.

    Raises:
        VGDLError: the level cannot be built (language, 11 and 12).
    """
    building = _Building(rules, level, open_to_all, block_size)
    born, slots = building.avatars(building.place())
    memory = _Memory(building, born, slots, building.storage(born))
    offsets = memory.offsets()
    cells, cell_list = memory.level_by_cell()
    type_level, type_level_list = memory.level_by_type()
    fixed_under, groups_under, groups_under_list = memory.groups_under()
    edge_turns, edge_walks = memory.edges()
    arrays = {
        "templates": memory.templates.reshape(-1),
        "level": memory.records(memory.level).reshape(-1),
        "cells": cells,
        "cell_list": cell_list,
        "cell_masks": memory.cell_masks(cells, cell_list),
        "encounters": memory.encounters(),
        "type_level": type_level,
        "type_level_list": type_level_list,
        "group_of": memory.group_of,
        "fixed_count": memory.counts,
        "fixed_under": fixed_under,
        "groups_under": groups_under,
        "groups_under_list": groups_under_list,
        "updates": memory.updates(),
        "edge_turns": edge_turns,
        "edge_walks": edge_walks,
        "blocked": memory.blocked(),
        "mixing": memory.mixing(),
        "paths": _path_table(building, born, slots).reshape(-1),
        "initial": memory.initial(offsets),
        **_places(building),
    }
    numbers = {
        "block": building.block,
        "columns": building.columns,
        "rows": building.rows,
        "n_vanishing": len(memory.vanishing),
        "n_level": len(memory.level),
        "n_groups": memory.n_groups,
        **offsets,
    }
    return CompiledBoard(BoardTables(rules.tables, arrays, numbers, owner), tuple(building.log.warnings))
