"""Owners of the immutable tables and of the memory for states and ticks.

The compiler passes numpy arrays and numbers under the names of the fields of `Rules` and `LevelTables`;
here they become pointers.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

import hashlib

import numpy as np

from vgdl.core.data import layout

from vgdl.core.data.layout cimport (
    Blocked, Encounters, EdgeTurn, EdgeWalk, EffectRow, Mixing, PairRow, TerminationRow, TimerRow, TypeRow, UpdateRow,
)
from vgdl.core.data.scratch cimport set_up


cdef enum:
    MOST_FREE_MEMORY = 1 << 26  # bytes that a board keeps for states to come
    CACHE_LINE = 64


#: numpy types of the arrays of `RulesTables` and of `BoardTables`
RULES = {
    "types": layout.TYPE_ROW, "effects": layout.EFFECT_ROW, "pairs": layout.PAIR_ROW, "edges": layout.EDGE_ROW,
    "terminations": layout.TERMINATION_ROW, "timers": layout.TIMER_ROW, "pool": np.dtype(np.int32), "order": np.dtype(np.int32),
    "places": np.dtype(np.int16), "contacts": np.dtype(np.int32), "contact_pairs": np.dtype(np.int32), "partners": np.dtype(np.uint64),
    "resources": np.dtype(np.int32), "full_pairs": np.dtype(np.uint64),
}
BOARD = {
    "templates": np.dtype(np.uint8), "level": np.dtype(np.uint8), "cells": np.dtype(np.int32), "cell_masks": np.dtype(np.uint64),
    "encounters": layout.ENCOUNTERS, "cell_list": np.dtype(np.int32), "type_level": np.dtype(np.int32), "type_level_list": np.dtype(np.int32),
    "group_of": np.dtype(np.int32), "fixed_count": np.dtype(np.int32), "fixed_under": np.dtype(np.int32),
    "groups_under": np.dtype(np.int32), "groups_under_list": np.dtype(np.int32), "updates": layout.UPDATE_ROW,
    "edge_turns": layout.EDGE_TURN, "edge_walks": layout.EDGE_WALK, "blocked": layout.BLOCKED, "mixing": layout.MIXING,
    "paths": np.dtype(np.int16), "initial": np.dtype(np.uint8), "across": np.dtype(np.uint32), "down": np.dtype(np.uint32),
}


cdef int _freeze(dict arrays, dict dtypes) except -1:
    """Check that the arrays are those of a table, and write-protect them."""
    for name, dtype in dtypes.items():
        array = arrays[name]
        if array.dtype != dtype or not array.flags.c_contiguous:
            raise TypeError(f"table {name!r}: expected a contiguous array of {dtype}, got {array.dtype}")
        array.flags.writeable = False
    return 0


cdef void *_data(dict arrays, str name) except? NULL:
    """Address of an array's data, NULL for an empty one."""
    array = arrays[name]
    return <void *><size_t>array.ctypes.data if array.size else NULL


def _digest(dict arrays, dict numbers, digest=b""):
    """Eight-byte fingerprint of tables and of ``digest``, that of the tables that they build on.

    Padding is left out, as are the path table, which is large, `blocked` and `mixing`: they follow from the rest.
    """
    digest = hashlib.blake2b(digest, digest_size=8)
    for name in sorted(arrays.keys() - {"paths", "blocked", "mixing"}):
        array = arrays[name]
        for column in [array[field] for field in array.dtype.names] if array.dtype.names else [array]:
            digest.update(column.tobytes())
    digest.update(repr(sorted(numbers.items())).encode())
    return digest.digest()


def _packed(dict arrays, dict dtypes, dict numbers):
    """Tables as they are pickled: bytes per array, the numbers, and a checksum over all of them."""
    data = {name: arrays[name].tobytes() for name in dtypes}
    return data, numbers, _checksum(data, numbers)


def _checksum(dict data, dict numbers):
    checksum = hashlib.blake2b(repr(sorted(numbers.items())).encode(), digest_size=16)
    for name, content in sorted(data.items()):
        checksum.update(repr((name, len(content))).encode())
        checksum.update(content)
    return checksum.digest()


def _unpacked(dict dtypes, dict data not None, dict numbers not None, bytes checksum not None):
    """The arrays of pickled tables.

    Raises:
        ValueError: damaged tables, which must not be used: their numbers are indices and offsets into memory.
    """
    whole = data.keys() == dtypes.keys() and all([type(content) is bytes for content in data.values()])
    if not whole or _checksum(data, numbers) != checksum:
        raise ValueError("the pickled tables of a game are damaged, or those of another version")
    return {name: np.frombuffer(content, dtypes[name]) for name, content in data.items()}


def _rules(dict data, dict numbers, bytes checksum, bytes digest):
    """Unpickle `RulesTables`."""
    return RulesTables(_unpacked(RULES, data, numbers, checksum), numbers, digest)


def _board(RulesTables rules not None, bytes rules_digest not None, dict data, dict numbers, bytes checksum, digest=None):
    """Unpickle `BoardTables` without an owner."""
    if rules.digest != rules_digest:
        raise ValueError("the pickled tables of a level are of another game")
    return BoardTables(rules, _unpacked(BOARD, data, numbers, checksum), numbers, None, digest)


cdef dict _nameless(dict arrays, bytes salt):
    """The arrays of rules without line numbers, and with keyed hashes of effect names; equal ones stay equal."""
    arrays = dict(arrays)
    effects, terminations = arrays["effects"].copy(), arrays["terminations"].copy()
    effects["line"] = 0
    terminations["line"] = 0
    for field in ("hash", "shield_hash"):
        for row in effects:
            name = hashlib.blake2b(int(row[field]).to_bytes(8, "little", signed=True), key=salt[:64], digest_size=8)
            row[field] = int.from_bytes(name.digest(), "little", signed=True)
    return arrays | {"effects": effects, "terminations": terminations}


def _sealed_board(RulesTables rules not None, bytes rules_digest not None, dict data, dict numbers, bytes checksum, digest):
    """Unpickle an anonymous board."""
    cdef BoardTables board = _board(rules, rules_digest, data, numbers, checksum, digest)
    board.sealed = rules.sealed = True
    return board


cdef int _check_open(bint sealed) except -1:
    if sealed:
        raise AttributeError("the rules are withheld from controllers: learn them by the forward model")
    return 0


cdef class RulesTables:
    """The rules of a game as numbers; immutable, shared by all its boards and states."""

    def __cinit__(self, dict arrays not None, dict numbers not None, bytes digest=None):
        _freeze(arrays, RULES)
        self.arrays = arrays
        self.numbers = numbers
        self.digest = _digest(arrays, numbers) if digest is None else digest
        cdef Rules *r = &self.rules
        memset(r, 0, sizeof(Rules))
        r.types = <TypeRow *>_data(arrays, "types")
        r.effects = <EffectRow *>_data(arrays, "effects")
        r.pairs = <PairRow *>_data(arrays, "pairs")
        r.terminations = <TerminationRow *>_data(arrays, "terminations")
        r.timers = <TimerRow *>_data(arrays, "timers")
        r.pool = <int32_t *>_data(arrays, "pool")
        r.order = <int32_t *>_data(arrays, "order")
        r.places = <int16_t *>_data(arrays, "places")
        r.contacts = <int32_t *>_data(arrays, "contacts")
        r.contact_pairs = <int32_t *>_data(arrays, "contact_pairs")
        r.resources = <int32_t *>_data(arrays, "resources")
        r.full_pairs = <uint64_t *>_data(arrays, "full_pairs")
        r.n_types = len(arrays["types"])
        r.n_effects = len(arrays["effects"])
        r.n_pairs = len(arrays["pairs"])
        r.n_terminations = len(arrays["terminations"])
        r.n_timers = len(arrays["timers"])
        r.n_order = len(arrays["order"])
        r.n_resources = len(arrays["resources"])
        r.n_classes = numbers["n_classes"]
        r.n_players = numbers["n_players"]
        r.n_counters = numbers["n_counters"]
        r.n_gates = numbers["n_gates"]
        r.n_missiles = numbers["n_missiles"]
        r.needs_built = numbers["needs_built"]
        r.has_targets = numbers["has_targets"]
        r.has_stops = numbers["has_stops"]
        r.has_false_avatars = numbers["has_false_avatars"]
        r.far_flung = numbers["far_flung"]
        r.size_at = numbers["size_at"]
        r.motion_at = numbers["motion_at"]
        r.vital_at = numbers["vital_at"]
        r.inner_at = numbers["inner_at"]
        r.target_at = numbers["target_at"]
        r.missiles_at = numbers["missiles_at"]
        r.resources_at = numbers["resources_at"]
        r.stride = numbers["stride"]

    def __reduce__(self):
        _check_open(self.sealed)
        return _rules, (*_packed(self.arrays, RULES, self.numbers), self.digest)

    @property
    def table(self):
        """The arrays by name; read only. AttributeError where the rules are withheld."""
        _check_open(self.sealed)
        return dict(self.arrays)

    @property
    def number(self):
        """The numbers by name. AttributeError where the rules are withheld."""
        _check_open(self.sealed)
        return dict(self.numbers)


cdef class BoardTables:
    """The rules on one level as numbers; immutable. It also keeps the free memory of its states."""

    def __cinit__(self, RulesTables rules not None, dict arrays not None, dict numbers not None, object owner=None, digest=None):
        _freeze(arrays, BOARD)
        self.rules = rules
        self.arrays = arrays
        self.numbers = numbers
        self.owner = owner
        if digest is None:
            digest = int.from_bytes(_digest(arrays, numbers, rules.digest), "little")
        self.digest = digest
        cdef LevelTables *b = &self.level
        b.rules = &rules.rules
        b.templates = <char *>_data(arrays, "templates")
        b.level = <char *>_data(arrays, "level")
        b.cells = <int32_t *>_data(arrays, "cells")
        b.cell_masks = <uint64_t *>_data(arrays, "cell_masks")
        b.encounters = <Encounters *>_data(arrays, "encounters")
        b.cell_list = <int32_t *>_data(arrays, "cell_list")
        b.type_level = <int32_t *>_data(arrays, "type_level")
        b.type_level_list = <int32_t *>_data(arrays, "type_level_list")
        b.group_of = <int32_t *>_data(arrays, "group_of")
        b.fixed_count = <int32_t *>_data(arrays, "fixed_count")
        b.fixed_under = <int32_t *>_data(arrays, "fixed_under")
        b.groups_under = <int32_t *>_data(arrays, "groups_under")
        b.groups_under_list = <int32_t *>_data(arrays, "groups_under_list")
        b.updates = <UpdateRow *>_data(arrays, "updates")
        b.edge_turns = <EdgeTurn *>_data(arrays, "edge_turns")
        b.edge_walks = <EdgeWalk *>_data(arrays, "edge_walks")
        b.blocked = <Blocked *>_data(arrays, "blocked")
        b.mixing = <Mixing *>_data(arrays, "mixing")
        b.n_updates = len(arrays["updates"])
        b.n_edge_turns = len(arrays["edge_turns"])
        b.n_edge_walks = len(arrays["edge_walks"])
        b.n_blocked = len(arrays["blocked"])
        b.n_mixing = len(arrays["mixing"])
        b.paths = <int16_t *>_data(arrays, "paths")
        b.initial = <char *>_data(arrays, "initial")
        b.initial_size = len(arrays["initial"])
        b.block = numbers["block"]
        b.columns = numbers["columns"]
        b.rows = numbers["rows"]
        if len(arrays["across"]):
            b.across = <uint32_t *>_data(arrays, "across") + b.block
            b.down = <uint32_t *>_data(arrays, "down") + b.block
        b.width = b.columns * b.block
        b.height = b.rows * b.block
        b.last_x = b.width - b.block
        b.last_y = b.height - b.block
        b.n_cells = (b.columns + 2) * (b.rows + 2)
        b.n_vanishing = numbers["n_vanishing"]
        b.n_level = numbers["n_level"]
        b.n_groups = numbers["n_groups"]
        b.counters_at = numbers["counters_at"]
        b.gates_at = numbers["gates_at"]
        b.built_at = numbers["built_at"]
        b.groups_at = numbers["groups_at"]
        b.alive_at = numbers["alive_at"]
        b.timers_at = numbers["timers_at"]
        b.records_at = numbers["records_at"]
        self.usual_capacity = b.initial_size + 16 * rules.rules.stride

    def __dealloc__(self):
        cdef int k
        for k in range(self.n_free):
            free(self.free_blocks[k])
        free(self.free_blocks)
        for k in range(self.n_scratches):
            _free_scratch(self.free_scratches[k])
        free(self.free_scratches)

    def __reduce__(self):
        _check_open(self.sealed)
        if self.owner is not None:  # a board is pickled by its texts, and rebuilds its tables
            return getattr, (self.owner, "tables")
        packed = (self.rules, self.rules.digest, *_packed(self.arrays, BOARD, self.numbers))
        if self.origin:
            return _sealed_board, (*packed, self.digest)
        return _board, packed

    def anonymous(self, bytes salt=b""):
        """A copy of the board with only what the forward model needs: no names, texts, line numbers or hashes of names.

        Digests depend on ``salt`` as well, so they do not match between salts. States of the copy are made by
        `StateObservation.transfer`. Unpickled, the copy is sealed: it serves the forward model but does not show its
        tables.
        """
        cdef RulesTables rules = RulesTables(
            _nameless(self.rules.arrays, salt), self.rules.numbers, _digest(self.rules.arrays, self.rules.numbers, salt)
        )
        board = BoardTables(
            rules, self.arrays, self.numbers, None, int.from_bytes(_digest(self.arrays, self.numbers, rules.digest), "little")
        )
        board.origin = self.digest
        return board

    @property
    def visible_types(self):
        """Numbers of the types that observations show, in the order of the types."""
        cdef int stype
        cdef Rules *r = &self.rules.rules
        return tuple([stype for stype in range(r.n_types) if r.types[stype].creatable and not r.types[stype].hidden])

    @property
    def drawing_order(self):
        """Numbers of the types from back to front."""
        cdef int k
        return tuple([self.rules.rules.order[k] for k in range(self.rules.rules.n_order)])

    @property
    def table(self):
        """The arrays by name; read only. AttributeError where the rules are withheld."""
        _check_open(self.sealed)
        return dict(self.arrays)

    @property
    def number(self):
        """The numbers by name. AttributeError where the rules are withheld."""
        _check_open(self.sealed)
        return dict(self.numbers)

    @property
    def steps(self):
        """For tests: cost of all event phases on this board, in sprites looked at, hits listed and effects executed."""
        return sum([self.free_scratches[k].steps for k in range(self.n_scratches)])

    cdef char *take_block(self, int64_t size, int64_t *capacity) except NULL:
        """Memory for a state of ``size`` bytes; blocks of the usual size come from the free list."""
        cdef char *block
        if size <= self.usual_capacity:
            capacity[0] = self.usual_capacity
            if self.n_free > 0:
                self.n_free -= 1
                return self.free_blocks[self.n_free]
        else:
            capacity[0] = size + (size >> 3)
        block = <char *>malloc(capacity[0])
        if block == NULL:
            raise MemoryError("no memory for a game state")
        return block

    cdef void give_block(self, char *block, int64_t capacity) noexcept:
        cdef char **grown
        if block == NULL:
            return
        if capacity != self.usual_capacity:
            free(block)
            return
        if self.n_free * self.usual_capacity > MOST_FREE_MEMORY:
            free(block)
            return
        if self.n_free == self.room_free:
            grown = <char **>malloc((2 * self.room_free + 64) * sizeof(char *))
            if grown == NULL:
                free(block)
                return
            for k in range(self.n_free):
                grown[k] = self.free_blocks[k]
            free(self.free_blocks)
            self.free_blocks = grown
            self.room_free = 2 * self.room_free + 64
        self.free_blocks[self.n_free] = block
        self.n_free += 1

    cdef Scratch *make_scratch(self) except NULL:
        """Scratch memory for one more thread; the list of free ones gets room for it."""
        cdef Scratch *w = _new_scratch(&self.level)
        cdef Scratch **grown = <Scratch **>realloc(self.free_scratches, (self.made_scratches + 1) * sizeof(Scratch *))
        if grown == NULL:
            _free_scratch(w)
            raise MemoryError("no memory for scratch tables")
        self.free_scratches = grown
        self.made_scratches += 1
        return w


cdef inline void *_apart(int64_t size) noexcept:
    """Zeroed memory that shares no cache line with the memory behind it, which may be another thread's."""
    return calloc(1, size + CACHE_LINE)


cdef Scratch *_new_scratch(LevelTables *level) except NULL:
    cdef Scratch *w = <Scratch *>_apart(sizeof(Scratch))
    cdef int k
    if w == NULL:
        raise MemoryError("no memory for scratch tables")
    set_up(w, level)
    w.cell_masks = <uint64_t *>_apart(level.n_cells * sizeof(uint64_t))
    w.killed = <uint64_t *>_apart((((level.n_vanishing + 63) >> 6) + 1) * sizeof(uint64_t))
    w.cell_heads = <int32_t *>_apart(level.n_cells * sizeof(int32_t))
    w.pair_heads = <int32_t *>_apart((level.rules.n_pairs + 1) * sizeof(int32_t))
    w.active = <uint64_t *>_apart((((level.rules.n_pairs + 63) >> 6) + 1) * sizeof(uint64_t))
    w.temporary = <char *>_apart(3 * w.stride)
    if w.killed == NULL or w.cell_masks == NULL or w.cell_heads == NULL or w.pair_heads == NULL or w.active == NULL or w.temporary == NULL:
        _free_scratch(w)
        raise MemoryError("no memory for scratch tables")
    memcpy(w.cell_masks, level.cell_masks, level.n_cells * sizeof(uint64_t))
    memset(w.cell_heads, -1, level.n_cells * sizeof(int32_t))
    for k in range(level.rules.n_pairs):
        w.pair_heads[k] = -1
    return w


cdef void _free_scratch(Scratch *w) noexcept:
    free(w.kills)
    free(w.killed)
    free(w.cell_heads)
    free(w.nodes)
    free(w.cell_masks)
    free(w.spots)
    free(w.hits)
    free(w.pair_heads)
    free(w.active)
    free(w.orders)
    free(w.batch)
    free(w.targets)
    free(w.shields)
    free(w.pulled)
    free(w.spare)
    free(w.timers)
    free(w.listed)
    free(w.events)
    free(w.temporary)
    free(w)
