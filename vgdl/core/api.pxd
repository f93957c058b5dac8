"""The C API of states, for compiled searches.

A search that is compiled against this file plays ticks with `play`, `run` and `bare_copy` (state.pxd) and reads states
with the functions below. They show what the Python API shows and no more: hidden types are left out. Pointers that they
return are valid until the state is advanced.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy, memset

from vgdl.core.rules.events cimport category_of
from vgdl.core.data.layout cimport NIL, NOWHERE, Header, Motion, Sprite, TypeRow
from vgdl.core.data.random cimport seed_generators
from vgdl.core.data.tables cimport BoardTables
from vgdl.core.state cimport StateObservation, look_at, make_room
from vgdl.core.data.scratch cimport Walk, Scratch, amount, group_size, health, level_alive, level_sprite, next_of, peek, record, set_up, walk

cdef enum:
    MAX_ACTIONS = 8  # room for an avatar's actions, NIL included

cdef struct Spotted:  # a visible sprite, as searches see it
    int32_t type
    int32_t category
    int32_t x, y  # left upper corner, pixels


cdef inline const char *block_of(StateObservation state) noexcept:
    """The state's memory, `size_of` bytes. Valid until the state is advanced."""
    return state.block


cdef inline int64_t size_of(StateObservation state) noexcept:
    return state.header().size


cdef inline int expect_board(StateObservation state, BoardTables tables) except -1:
    """Raise ValueError if a state is not one of a board: what was made for that board must not be used with it."""
    if state.tables is not tables:
        raise ValueError("expected a state of the board that the search was made for")
    return 0


cdef inline int restart(StateObservation state, const char *block, int64_t seed) except -1:
    """Load a block of the same board, saved or another state's, into a state, and seed its random generators.

    It is not checked that the block is one of this board: see `expect_board`.
    """
    cdef int64_t size = (<Header *>block).size
    make_room(state, size)
    memcpy(state.block, block, size)
    state.stamp = 0
    seed_generators(state.header(), seed)
    return 0


cdef inline bint is_over(StateObservation state) noexcept:
    return state.header().ended != 0


cdef inline double score(StateObservation state, int player) noexcept:
    return state.header().score[player]


cdef inline int winner(StateObservation state, int player) noexcept:
    return state.header().winner[player]


cdef inline int n_players(StateObservation state) noexcept:
    return state.tables.rules.rules.n_players


cdef inline int n_types(StateObservation state) noexcept:
    return state.tables.rules.rules.n_types


cdef inline Sprite *avatar(StateObservation state, int player) noexcept:
    """A player's avatar, dead or alive; NULL if it is gone. Valid until the state is advanced."""
    cdef Header *h = state.header()
    if h.avatar[player] < 0:
        return NULL
    return <Sprite *>(state.block + h.records_at + <int64_t>h.avatar[player] * state.tables.rules.rules.stride)


cdef inline int actions(StateObservation state, int player, int32_t *into) noexcept:
    """Write a player's actions, at most `MAX_ACTIONS`; return their number: 0 without an avatar or after the end."""
    cdef Sprite *s = avatar(state, player)
    cdef TypeRow *t
    cdef int k
    if s == NULL or is_over(state):
        return 0
    t = &state.tables.rules.rules.types[s.type]
    for k in range(t.actions_len):
        into[k] = state.tables.rules.rules.pool[t.actions_start + k]
    if n_players(state) == 1:
        return t.actions_len
    into[t.actions_len] = NIL
    return t.actions_len + 1


cdef inline int last_action(StateObservation state, int player) noexcept:
    """The action of a player's avatar in the last tick; NIL at the start, and for an action that it does not have."""
    return state.header().last_action[player]


cdef inline int cell(StateObservation state, int player) noexcept:
    """Index of the cell of a player's avatar, counted column by column; -1 if the avatar is gone."""
    cdef Sprite *s = avatar(state, player)
    cdef int block = state.tables.level.block
    if s == NULL:
        return -1
    return (s.x / block) * state.tables.level.rows + s.y / block


cdef inline double speed_of(StateObservation state, int player) noexcept:
    """An avatar's speed: pixels per tick with continuous physics; 0 if it is gone."""
    cdef Sprite *s = avatar(state, player)
    cdef int motion_at = state.tables.rules.rules.motion_at
    if s == NULL:
        return 0.0
    return (<Motion *>(<char *>s + motion_at)).speed if motion_at else state.tables.rules.rules.types[s.type].speed


cdef inline int block_size(StateObservation state) noexcept:
    """Pixels of a cell's side."""
    return state.tables.level.block


cdef inline int spotted(StateObservation state, int category, int room, Spotted *into) noexcept:
    """Write at most ``room`` of the visible sprites that are not of a category; return how many there are in all."""
    cdef Scratch w
    cdef Walk it
    cdef Sprite *s
    cdef int stype, ref
    cdef int n = 0
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &state.tables.level)
    look_at(&w, state.block)
    for stype in range(w.rules.n_types):
        if w.rules.types[stype].hidden or w.rules.types[stype].category_static == category:
            continue
        it = walk(&w, stype)
        ref = next_of(&w, &it)
        while ref != NOWHERE:
            s = peek(&w, ref)
            if n < room:
                into[n].type = stype
                into[n].category = category_of(&w, s)
                into[n].x = s.x
                into[n].y = s.y
            n += 1
            ref = next_of(&w, &it)
    return n


cdef inline uint64_t key_of(StateObservation state, char *buffer) noexcept:
    """`StateObservation.key`, with a buffer of `record_size` bytes to work in."""
    return state.fingerprint(buffer)


cdef inline int record_size(StateObservation state) noexcept:
    return state.tables.rules.rules.stride


cdef inline uint64_t chance(StateObservation state) noexcept:
    """State of the random generators as one number; a tick that draws no random number leaves it unchanged."""
    return state.header().rng ^ (state.header().side_rng << 16)


cdef inline int tick_of(StateObservation state) noexcept:
    return state.header().tick


cdef inline int n_cells(StateObservation state) noexcept:
    return state.tables.level.columns * state.tables.level.rows


cdef struct Placed:  # a visible sprite that may have moved or died since the start of the play
    int32_t type
    int32_t cell
    int32_t gone  # whether it was part of the level and has died


cdef inline int placed(StateObservation state, int room, Placed *into) noexcept:
    """Write at most ``room`` visible sprites: those that may have moved, then those of the level that have died.

    Sprites of the level that can only die are left out while they live, as are those that no rule of the game can move,
    change or kill. Returns the number of sprites written.
    """
    cdef Scratch w
    cdef Sprite *s
    cdef int k, n = 0
    cdef int block = state.tables.level.block, rows = state.tables.level.rows
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &state.tables.level)
    look_at(&w, state.block)
    for k in range(w.header.n_sprites):
        s = record(&w, k)
        if n == room:
            return n
        if w.rules.types[s.type].hidden:
            continue
        into[n].type = s.type
        into[n].cell = (s.x / block) * rows + s.y / block
        into[n].gone = False
        n += 1
    for k in range(w.board.n_vanishing):
        if n == room:
            return n
        if level_alive(&w, k):
            continue
        s = level_sprite(&w, k)
        if w.rules.types[s.type].hidden:
            continue
        into[n].type = s.type
        into[n].cell = (s.x / block) * rows + s.y / block
        into[n].gone = True
        n += 1
    return n


cdef inline int census(StateObservation state, int player, int32_t *counts, int32_t *amounts) noexcept:
    """Write, per type, how many visible sprites there are and how much the avatar holds; return the number of types."""
    cdef Scratch w
    cdef Sprite *s = avatar(state, player)
    cdef int kind
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &state.tables.level)
    look_at(&w, state.block)
    for kind in range(w.rules.n_types):
        counts[kind] = 0 if w.rules.types[kind].hidden else group_size(&w, kind)
        amounts[kind] = 0 if s == NULL else amount(&w, s, kind)
    return w.rules.n_types


cdef inline int health_of(StateObservation state, int player) noexcept:
    """An avatar's health points; 0 if it is gone."""
    cdef Scratch w
    cdef Sprite *s = avatar(state, player)
    if s == NULL:
        return 0
    memset(&w, 0, sizeof(Scratch))
    set_up(&w, &state.tables.level)
    look_at(&w, state.block)
    return health(&w, s)
