"""Determines the storage of each type's sprites, and the parts of sprite records.

The `writes` of all effects and classes that can reach a type decide its storage: *static* (its sprites never change),
*vanishing* (they can only die) or *dynamic* (records in the state). The analysis is conservative.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from vgdl.compiler.interactions import Interactions, Use
from vgdl.compiler.reading import split
from vgdl.compiler.sprites import WALL, SpriteTypes
from vgdl.core.data import layout
from vgdl.ontology.rows import What

_DEATH = What.KILL | What.REMOVE
_CHANGE = ~(_DEATH | What.RESTORE)
Storage = layout.Storage
_Op = layout.SpriteOp
#: classes that keep numbers in the `Inner` part; NPCs do so only if they repeat moves
_COUNTING = {
    _Op.FLICKER, _Op.SPREADER, _Op.SPAWN_POINT, _Op.RANDOM_BOMBER, _Op.BOMBER_RANDOM_MISSILE,
    _Op.SPAWN_POINT_MULTI_SPRITE, _Op.LOS_CHASER, _Op.WIZARD_AVATAR,
}  # fmt: skip
_REPEATING = {_Op.RANDOM_NPC, _Op.CHASER, _Op.PATH_CHASER}
LARGEST_CHOSEN_BLOCK = 800  # pixels per cell if the game line does not fix it
FASTEST = 2.0**18  # pixels per tick
HARDEST = 50.0  # pixels per tick, added to the speed in a tick
MOST_CHANGES = 20  # of the speeds of a type, per tick
_FOLLOWING = {_Op.PATH_ALT_CHASER, _Op.RANDOM_PATH_ALT_CHASER}


@dataclass(frozen=True)
class RecordLayout:
    """Offsets of the optional parts of a sprite record, 0 for parts the game does not need, and its size."""

    motion_at: int
    vital_at: int
    size_at: int
    inner_at: int
    target_at: int
    missiles_at: int
    resources_at: int
    stride: int
    resources: tuple[int, ...]  # types that sprites can hold, by slot
    n_missiles: int


class Analysis:
    """The possible changes of the sprites of each type."""

    def __init__(self, types: SpriteTypes, table: np.ndarray, interactions: Interactions, square_size: int) -> None:
        self.types = types
        self.table = table
        self.interactions = interactions
        self.square_size = square_size  # pixels per cell, -1 if each level determines it
        self.writes = [What(0)] * len(table)
        self.created: set[int] = set()
        for use in interactions.uses:
            self._follow_effect(use)
        for definition in types.definitions.values():
            self._follow_class(definition.number)

    # ---------------------------------------------------------------------------------------------- following

    def _subtypes(self, number: int) -> list[int]:
        definition = self.types.definitions.get(number)
        return definition.subtypes if definition else []

    def _write(self, numbers: Iterable[int], what: What) -> None:
        for number in numbers:
            self.writes[number] |= what

    def _follow_effect(self, use: Use) -> None:
        """Add the writes and creations of an effect; writes at edges do not count: stored sprites never get there."""
        firsts = {u for first, _ in use.pairs for u in self._subtypes(first)}
        seconds = {u for _, second in use.pairs for u in self._subtypes(second)}
        if use.timed is not None and use.timed >= 0:
            firsts.update(self._subtypes(use.timed))
        if not (use.pairs or use.edges or use.timed is not None or use.free):
            return
        for write in use.row.writes:
            if write.when is not None and not use.settings[write.when]:
                continue
            if write.target == "first":
                self._write(firsts, write.what)
            elif write.target == "second":
                self._write(seconds, write.what)
            elif write.target == "all":
                self._write(range(len(self.writes)), write.what)
            else:
                self._write(self._subtypes(use.names[write.target]), write.what)
        for source in use.row.creates:
            if source == "first":
                self.created |= firsts | {u for edge in use.edges for u in self._subtypes(edge)}
            elif use.row.relatives:
                self.created.update(self._subtypes(use.names[source]))
            elif use.names[source] >= 0:
                self.created.add(use.names[source])

    def _follow_class(self, number: int) -> None:
        definition = self.types.definitions[number]
        row = definition.row
        if row is None:
            return
        for source in row.creates:
            if source == "self":
                self.created.add(number)
            elif source == "wall":
                self.created.add(WALL)
            elif definition.settings[source] is not None:
                self.created.update(self.types.find(name) for name in split(definition.settings[source]))
        t = self.table[number]
        if t["is_spawner"] or t["op"] == _Op.SPREADER:
            self.created.add(int(t["itype"]))
        self.created = {made for made in self.created if made >= 0}

    # ---------------------------------------------------------------------------------------------- distances

    def is_far_flung(self) -> bool:
        """Whether sprites may get so far in a play that a coordinate leaves 32 bits.

        A sprite is displaced once per tick, and continuous physics speed it up by a few pushes per tick. With speeds
        and pushes below these bounds, 2,000 ticks do not lead as far as 2**30 pixels beyond a screen of that size.
        """
        block = self.square_size if self.square_size > 0 else LARGEST_CHOSEN_BLOCK
        cells = np.array([self.table[name] for name in ("speed", "max_speed", "w_mult", "h_mult")])
        with np.errstate(all="ignore"):  # comparisons with NaN and infinity give what is wanted
            calm = (np.abs(cells * block) <= FASTEST).all() and (np.abs(self._pushes()) <= HARDEST).all()
        return not calm or any(self._flings(use, block) for use in self.interactions.uses)

    def _pushes(self) -> np.ndarray:
        """What continuous physics can add to the speed of each type in a tick, from several causes, in pixels.

        A friction that increases the speed counts as infinite.
        """
        t = self.table[(self.table["continuous"] != 0) & (self.table["creatable"] != 0)]
        runs = np.isin(t["op"], [_Op.PLATFORMER_AVATAR, _Op.WIZARD_AVATAR])
        steered = np.where(
            runs, np.maximum(np.abs(t["ground_speedup_factor"]), np.abs(1 / t["air_slowdown_factor"])), 1
        )
        grows = np.where(np.abs(1 - t["friction"]) <= 1, 0, np.inf)
        return np.array([1 / t["mass"], steered / t["mass"], t["jump_strength"] / t["mass"], t["gravity"], grows])

    def _flings(self, use: Use, block: int) -> bool:
        """Whether an effect may make sprites too fast, or put them too far away."""
        name, settings = use.row.name, use.settings
        if name == "wrapAround":
            return not abs(settings["offset"]) * block <= FASTEST
        if name == "setSpeedForAll":
            return not abs(settings["value"]) * block <= FASTEST
        if name in ("increaseSpeedToAll", "decreaseSpeedToAll"):
            return not abs(settings["value"]) * block <= HARDEST * MOST_CHANGES
        return False

    # ---------------------------------------------------------------------------------------------- results

    def storage(self) -> np.ndarray:
        """`Storage` of the level-born sprites of every type."""
        return np.array([self._storage(number) for number in range(len(self.table))], np.int32)

    def _storage(self, number: int) -> int:
        t = self.table[number]
        writes = self.writes[number]
        drifts = (
            not t["is_static"] and not t["only_active"] and t["speed"] != 0 and (t["is_oriented"] or t["continuous"])
        )
        sized = t["w_mult"] != 1 or t["h_mult"] != 1
        if (
            t["op"] != _Op.STANDARD
            or t["is_avatar"]
            or t["time_to_live"] > -1
            or drifts
            or sized
            or writes & _CHANGE
            or t["messages"]
        ):
            return int(Storage.STORED_DYNAMIC)
        return int(Storage.STORED_VANISHING if writes & _DEATH else Storage.STORED_STATIC)

    def _resources(self) -> tuple[int, ...]:
        """Types that some effect can give to a sprite as a resource, sorted."""
        held: set[int] = set()
        for use in self.interactions.uses:
            if use.row.name in ("changeResource", "spawnIfHasMore") or (
                use.row.name == "killIfOtherHasMore" and use.settings["subtract"]
            ):
                held.add(use.names["resource"])
            elif use.row.name in ("collectResource", "collectResourceIfHeld"):
                firsts = {u for first, _ in use.pairs for u in self._subtypes(first)}
                held.update(int(self.table[u]["resource_type"]) for u in firsts if self.table[u]["is_resource"])
        held.discard(-1)
        return tuple(sorted(held))

    def record_layout(self) -> RecordLayout:
        """The layout with only the parts that this game needs, as larger records make copies slower."""
        table = self.table
        ops = {int(op) for op in table["op"]}
        written = What(0)
        for use in self.interactions.uses:
            for write in use.row.writes:
                written |= write.what
        for definition in self.types.definitions.values():
            for write in definition.row.writes if definition.row else ():
                written |= write.what & (What.SPEED | What.ROTATION)
        repeats = any(int(t["op"]) in _REPEATING and t["cons"] != 0 for t in table)
        n_missiles = max((int(t["shots_len"]) for t in table if t["op"] == _Op.BOMBER_RANDOM_MISSILE), default=0)
        resources = self._resources()
        wanted = {
            "motion_at": bool(table["continuous"].any() or written & (What.SPEED | What.GRAVITY | What.ROTATION)),
            "vital_at": bool(written & What.HEALTH or table["health_points"].any()),
            "size_at": bool((table["w_mult"] != 1).any() or (table["h_mult"] != 1).any() or self.is_far_flung()),
            "inner_at": bool(ops & {int(op) for op in _COUNTING})
            or repeats
            or bool((table["time_to_live"] > -1).any()),
            "target_at": bool(ops & {int(op) for op in _FOLLOWING}),
            "missiles_at": n_missiles > 0,
            "resources_at": bool(resources),
        }
        sizes = {
            "motion_at": layout.MOTION.itemsize,
            "vital_at": layout.VITAL.itemsize,
            "size_at": layout.SIZE.itemsize,
            "inner_at": layout.INNER.itemsize,
            "target_at": layout.TARGET.itemsize,
            "missiles_at": 4 * n_missiles,
            "resources_at": 4 * len(resources),
        }
        offsets = {}
        end = layout.SPRITE.itemsize
        for part, size in sizes.items():
            offsets[part] = end if wanted[part] else 0
            end += size if wanted[part] else 0
        return RecordLayout(**offsets, stride=(end + 7) & ~7, resources=resources, n_missiles=n_missiles)
