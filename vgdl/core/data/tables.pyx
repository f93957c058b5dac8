"""Owners of the immutable tables, and of the memory that states and ticks are made in.

The compiler hands over numpy arrays and numbers by the names of the fields of `Rules` and `LevelTables`; here they become pointers.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

import hashlib

import numpy as np

from vgdl.core.data.layout cimport (
    Company, EdgeWalk, EffectRow, PairRow, TerminationRow, TimerRow, TypeRow, UpdateRow,
)
from vgdl.core.data.scratch cimport set_up


cdef enum:
    MOST_FREE_MEMORY = 1 << 26  # bytes that a board keeps for states to come


cdef void *_data(dict arrays, str name, object dtype) except? NULL:
    """Address of an array's data, which must be contiguous and of the right type; NULL for an empty one."""
    array = arrays[name]
    if array.dtype != dtype or not array.flags.c_contiguous:
        raise TypeError(f"table {name!r}: expected a contiguous array of {dtype}, got {array.dtype}")
    array.flags.writeable = False
    return <void *><size_t>array.ctypes.data if array.size else NULL


def _digest(dict arrays, dict numbers, digest=b""):
    """Eight bytes that tell tables apart, those of ``digest`` below them included.

    Padding has no say, nor has the path table, which is large and made of the rest.
    """
    digest = hashlib.blake2b(digest, digest_size=8)
    for name in sorted(arrays.keys() - {"paths"}):
        array = arrays[name]
        for column in [array[field] for field in array.dtype.names] if array.dtype.names else [array]:
            digest.update(column.tobytes())
    digest.update(repr(sorted(numbers.items())).encode())
    return digest.digest()


cdef dict _nameless(dict arrays, bytes salt):
    """The arrays of some rules without line numbers, and with other hashes of effects' names; equal ones stay equal."""
    arrays = dict(arrays)
    effects, terminations = arrays["effects"].copy(), arrays["terminations"].copy()
    effects["line"] = 0
    terminations["line"] = 0
    for field in ("hash", "shield_hash"):
        for row in effects:
            name = hashlib.blake2b(int(row[field]).to_bytes(8, "little", signed=True), key=salt[:64], digest_size=8)
            row[field] = int.from_bytes(name.digest(), "little", signed=True)
    return arrays | {"effects": effects, "terminations": terminations}


def _sealed_board(RulesTables rules, dict arrays, dict numbers, digest):
    """Unpickle an anonymous board."""
    cdef BoardTables board = BoardTables(rules, arrays, numbers, None, digest)
    board.sealed = rules.sealed = True
    return board


cdef int _check_open(bint sealed) except -1:
    if sealed:
        raise AttributeError("the rules are withheld from controllers: learn them by the forward model")
    return 0


cdef class RulesTables:
    """The rules of a game as numbers; immutable, shared by all its boards and states."""

    def __init__(self, dict arrays, dict numbers, bytes digest=None):
        from vgdl.core.data import layout
        self.arrays = arrays
        self.numbers = numbers
        self.digest = _digest(arrays, numbers) if digest is None else digest
        cdef Rules *r = &self.rules
        memset(r, 0, sizeof(Rules))
        r.types = <TypeRow *>_data(arrays, "types", layout.TYPE_ROW)
        r.effects = <EffectRow *>_data(arrays, "effects", layout.EFFECT_ROW)
        r.pairs = <PairRow *>_data(arrays, "pairs", layout.PAIR_ROW)
        r.terminations = <TerminationRow *>_data(arrays, "terminations", layout.TERMINATION_ROW)
        r.timers = <TimerRow *>_data(arrays, "timers", layout.TIMER_ROW)
        r.pool = <int32_t *>_data(arrays, "pool", np.int32)
        r.order = <int32_t *>_data(arrays, "order", np.int32)
        r.places = <int16_t *>_data(arrays, "places", np.int16)
        r.contacts = <int32_t *>_data(arrays, "contacts", np.int32)
        r.contact_pairs = <int32_t *>_data(arrays, "contact_pairs", np.int32)
        r.resources = <int32_t *>_data(arrays, "resources", np.int32)
        r.ground_pairs = <uint64_t *>_data(arrays, "ground_pairs", np.uint64)
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
        return RulesTables, (self.arrays, self.numbers, self.digest)

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

    def __init__(self, RulesTables rules, dict arrays, dict numbers, object owner=None, digest=None):
        from vgdl.core.data import layout
        self.rules = rules
        self.arrays = arrays
        self.numbers = numbers
        self.owner = owner
        if digest is None:
            digest = int.from_bytes(_digest(arrays, numbers, rules.digest), "little")
        self.digest = digest
        cdef LevelTables *b = &self.level
        b.rules = &rules.rules
        b.templates = <char *>_data(arrays, "templates", np.uint8)
        b.level = <char *>_data(arrays, "level", np.uint8)
        b.cells = <int32_t *>_data(arrays, "cells", np.int32)
        b.cell_masks = <uint64_t *>_data(arrays, "cell_masks", np.uint64)
        b.company = <Company *>_data(arrays, "company", layout.COMPANY)
        b.cell_list = <int32_t *>_data(arrays, "cell_list", np.int32)
        b.type_level = <int32_t *>_data(arrays, "type_level", np.int32)
        b.type_level_list = <int32_t *>_data(arrays, "type_level_list", np.int32)
        b.group_of = <int32_t *>_data(arrays, "group_of", np.int32)
        b.fixed_count = <int32_t *>_data(arrays, "fixed_count", np.int32)
        b.fixed_under = <int32_t *>_data(arrays, "fixed_under", np.int32)
        b.groups_under = <int32_t *>_data(arrays, "groups_under", np.int32)
        b.groups_under_list = <int32_t *>_data(arrays, "groups_under_list", np.int32)
        b.updates = <UpdateRow *>_data(arrays, "updates", layout.UPDATE_ROW)
        b.edge_walks = <EdgeWalk *>_data(arrays, "edge_walks", layout.EDGE_WALK)
        b.n_updates = len(arrays["updates"])
        b.n_edge_walks = len(arrays["edge_walks"])
        b.paths = <int16_t *>_data(arrays, "paths", np.int16)
        b.initial = <char *>_data(arrays, "initial", np.uint8)
        b.initial_size = len(arrays["initial"])
        b.block = numbers["block"]
        b.inverse = numbers["inverse"]
        b.columns = numbers["columns"]
        b.rows = numbers["rows"]
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
        for k in range(self.n_works):
            _free_work(self.free_works[k])
        free(self.free_works)

    def __reduce__(self):
        _check_open(self.sealed)
        if self.owner is not None:  # a board is pickled by its texts, and makes its tables anew
            return getattr, (self.owner, "tables")
        if self.origin:
            return _sealed_board, (self.rules, self.arrays, self.numbers, self.digest)
        return BoardTables, (self.rules, self.arrays, self.numbers)

    def anonymous(self, bytes salt=b""):
        """The same board with what the forward model needs and no more: no names, texts, line numbers or hashes of names.

        Digests depend on ``salt`` as well, so that another salt makes a board that cannot be told by them. Its states are made by
        `StateObservation.transfer`. A pickled copy of it is sealed: it serves the forward model, and shows no rows.
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
        cdef int type
        cdef Rules *r = &self.rules.rules
        return tuple([type for type in range(r.n_types) if r.types[type].creatable and not r.types[type].hidden])

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

    cdef Scratch *make_work(self) except NULL:
        """Scratch memory for one thread more, with room for it in the list of those that are free."""
        cdef Scratch *w = _new_work(&self.level)
        cdef Scratch **grown = <Scratch **>realloc(self.free_works, (self.made_works + 1) * sizeof(Scratch *))
        if grown == NULL:
            _free_work(w)
            raise MemoryError("no memory for scratch tables")
        self.free_works = grown
        self.made_works += 1
        return w


cdef Scratch *_new_work(LevelTables *level) except NULL:
    cdef Scratch *w = <Scratch *>calloc(1, sizeof(Scratch))
    cdef int k
    if w == NULL:
        raise MemoryError("no memory for scratch tables")
    set_up(w, level)
    w.cell_masks = <uint64_t *>malloc(level.n_cells * sizeof(uint64_t))
    w.killed = <uint64_t *>calloc(((level.n_vanishing + 63) >> 6) + 1, sizeof(uint64_t))
    w.cell_heads = <int32_t *>malloc(level.n_cells * sizeof(int32_t))
    w.pair_heads = <int32_t *>malloc((level.rules.n_pairs + 1) * sizeof(int32_t))
    w.active = <uint64_t *>calloc(((level.rules.n_pairs + 63) >> 6) + 1, sizeof(uint64_t))
    w.temporary = <char *>calloc(3, w.stride)
    if w.killed == NULL or w.cell_masks == NULL or w.cell_heads == NULL or w.pair_heads == NULL or w.active == NULL or w.temporary == NULL:
        _free_work(w)
        raise MemoryError("no memory for scratch tables")
    memcpy(w.cell_masks, level.cell_masks, level.n_cells * sizeof(uint64_t))
    memset(w.cell_heads, -1, level.n_cells * sizeof(int32_t))
    for k in range(level.rules.n_pairs):
        w.pair_heads[k] = -1
    return w


cdef void _free_work(Scratch *w) noexcept:
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
    free(w.events)
    free(w.temporary)
    free(w)
