"""The working memory of a tick: the state's block, the tables it refers to and scratch buffers; and small accessors.

A *reference* names a sprite: a record's index (>= 0), or -1 - j for the j-th level-born sprite that lives in the board.
A `Sprite` pointer is valid until the next `reserve`; code that creates sprites reserves room first.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy

from vgdl.core.data.layout cimport (
    KILLED, LEVEL_BORN, NOWHERE, ABSENT, EffectRow, Group, Header, Inner, LevelTables, Motion, Rules, Size, Sprite,
    Target, TypeRow, Vital,
)

cdef struct Node:  # one record in one cell
    int32_t next  # next node of the cell, -1 at the end
    int32_t record

cdef struct Spot:  # where a record is in the index
    int32_t x, y, w, h  # the rectangle with which it was entered; sizes only where records have them
    uint32_t place  # where it is marked, as in `LevelTables.across`
    int32_t meets  # whether it has met a sprite since
    int32_t rows, columns  # how many cells it covers; no rows if it is not listed
    int32_t cell  # the first of them
    int32_t first  # its own nodes are consecutive, a row of cells after the other
    int32_t room  # how many these are: at least `USUAL_NODES`
    int32_t next  # next of those to be entered again

cdef enum:
    USUAL_NODES = 4  # the most cells that a sprite of the size of a cell covers
    MOST_SEEKERS = 4  # records that are compared with all others instead of being entered into the index

cdef struct Hit:  # two sprites that may meet in a pair
    int32_t pair
    int32_t first, second  # references
    int32_t next  # next hit of the pair, -1 at the end

cdef struct Order:  # a hit with its place in the specified order
    uint64_t first_key, second_key
    int32_t first, second

cdef struct Event:  # an entry of the history of avatar events (engine, 8)
    int32_t tick
    int32_t from_avatar
    int32_t active_type, passive_type
    int32_t active_id, passive_id
    int32_t active_category, passive_category
    int32_t x, y

cdef struct Shield:
    int32_t first, second
    int64_t hash

cdef struct Pulled:
    int32_t effect
    int32_t reference

cdef struct Scratch:
    Rules *rules
    LevelTables *board
    char *block  # the state
    Header *header  # the same
    char *records
    Group *groups
    uint8_t *gates
    uint64_t *alive
    int64_t capacity  # bytes of the block
    int32_t stride
    int32_t block_size  # pixels per cell
    int32_t size_at  # as in the rules
    int32_t tick  # of the running cycle
    int32_t first_id, sprite_count, n_disabled  # as the cycle found them
    int32_t actions[2]  # of the running cycle, by player
    int32_t clicked  # the action of player 0 is a click, at the cell of this corner:
    int32_t click_x, click_y  # pixels
    int32_t ended_by_player  # ESCAPE: no termination is evaluated
    int32_t record_history  # whether avatar events are recorded
    # kill list, in order
    int32_t *kills
    int32_t n_kills, room_kills
    int32_t repeated_kills  # of sprites that were on the list, which count for the sprite count
    uint64_t *killed  # a bit per vanishing sprite: on the kill list
    # cell index and hits: up to date from the start of the pair effects to the end of the tick
    int32_t index_built
    int32_t one_tick  # the next tick will be one of another state: the index never stays
    int32_t keeps  # whether the index stays for the next tick: most records rest
    int32_t complete  # whether all records are listed in their cells, rather than only those near others that they can meet
    int32_t marked  # whether cells have marks of records that are not listed there
    int32_t n_near  # how many these are
    int32_t calm  # ticks in which most records have rested
    int32_t n_sought  # how often a tick had to go through all records for those that are not listed
    int32_t unswept  # ticks to come without marks, since most records would be listed in any case
    int32_t n_resting  # records that were entered where they had been a tick before
    int32_t[MOST_SEEKERS] seekers  # records that are compared with all others
    int32_t n_around  # the first of them, which look at the level, too
    int32_t mixed  # whether the others do not: see `choose_mixed`
    int32_t unmixed  # ticks to come without looking for such, since they were too many
    uint64_t sought  # groups all of whose records are seekers, a bit for each
    int32_t crowded  # ticks to come without looking for types whose records could be that
    int32_t seeking  # whether nothing is entered: each record that moves is compared with all others
    int32_t n_loose  # records that have met others in this tick; more than `MOST_SEEKERS` if not all are in:
    int32_t[MOST_SEEKERS] loose  # their ids
    # whether, since this state's last tick, only records in `loose` and those that have moved or are new can meet: 2; 1 if
    # others may overlap level sprites that `turn_back` knows
    int32_t settled
    uint64_t stamp  # of the state that the index belongs to, 0 for none
    int32_t *cell_heads
    Node *nodes
    int32_t n_nodes, room_nodes
    uint64_t *cell_masks  # per cell: classes of its level sprites and records, as in `Encounters`; those of records that left may linger
    Spot *spots  # per record
    int32_t n_spots, room_spots  # records in the index, from the first on
    Hit *hits
    int32_t n_hits, room_hits
    int32_t *pair_heads
    uint64_t *active  # a bit per pair: has hits
    int32_t current_pair
    Order *orders
    int32_t room_orders
    Order *spare
    int32_t room_spare
    # cost of the event phase, in sprites looked at, hits listed and effects executed
    int64_t steps  # in all ticks so far
    int64_t unwatched  # in a call shared among threads: steps since the calling thread last polled signals
    int64_t work_left  # of the limit for the effects of a tick, see `MOST_WORK`
    int64_t listing, most_listing  # cost of the index in this tick, and that at which it is compared with full tests
    int32_t without_index  # the index would cost more than it saves: the rest of the tick does without
    int32_t in_events  # the event phase is running: rectangles are written by `set_rect` only
    int32_t undone  # undoAll that was executed, if nothing has moved since, else -1
    int32_t swept, n_swept  # type that killAll was executed for, and how many sprites it had; -1 for none
    int32_t listed_type, n_listed  # type whose sprites are in `listed`, and how many it had; -1 for none
    int32_t *listed
    int32_t room_listed
    int32_t *batch
    int32_t room_batch
    # timers of this tick that are not in the state's queue yet, and how many of the queue's first ones are done
    Order *timers  # sorted by due tick, the latest first, then by age; first: due tick, second: effect
    int32_t n_timers, room_timers
    int32_t n_taken
    int32_t due_at_once  # a new timer is due in this same tick
    # of one tick
    int32_t *targets  # of the chasers that are being updated, see `Targets`
    int32_t room_targets
    Shield *shields
    int32_t n_shields, room_shields
    Pulled *pulled  # a hash table: which sprites pullWithIt has pulled; effect -1 in free places
    int32_t n_pulled, room_pulled
    Event *events  # of all ticks since they were last fetched
    int32_t n_events, room_events
    char *temporary  # three records for level-born sprites that take part in an effect


cdef inline void set_up(Scratch *w, LevelTables *board) noexcept nogil:
    """Set up zeroed memory for a board."""
    w.board = board
    w.rules = board.rules
    w.stride = board.rules.stride
    w.block_size = board.block
    w.size_at = board.rules.size_at


cdef inline Sprite *record(Scratch *w, int index) noexcept nogil:
    return <Sprite *>(w.records + <int64_t>index * w.stride)


cdef inline int reference(Scratch *w, Sprite *s) noexcept nogil:
    if s.flags & LEVEL_BORN:
        return s.next
    return <int>((<char *>s - w.records) / w.stride)


cdef inline Sprite *level_sprite(Scratch *w, int j) noexcept nogil:
    """A level-born sprite as it lives in the board: read only."""
    return <Sprite *>(w.board.level + <int64_t>j * w.stride)


cdef inline bint level_alive(Scratch *w, int j) noexcept nogil:
    return j >= w.board.n_vanishing or (w.alive[j >> 6] >> (j & 63)) & 1


cdef inline bint level_killed(Scratch *w, int j) noexcept nogil:
    """Whether a level-born sprite is on the kill list."""
    return j < w.board.n_vanishing and (w.killed[j >> 6] >> (j & 63)) & 1


cdef inline Sprite *peek(Scratch *w, int ref) noexcept nogil:
    """The sprite behind a reference, for reading its id, type and rectangle only."""
    if ref >= 0:
        return record(w, ref)
    return level_sprite(w, -1 - ref)


cdef inline Sprite *resolve(Scratch *w, int ref, int slot) noexcept nogil:
    """The sprite behind a reference, for an effect. One that lives in the board is copied to scratch slot 0, 1 or 2."""
    cdef Sprite *s
    if ref >= 0:
        return record(w, ref)
    s = <Sprite *>(w.temporary + slot * w.stride)
    memcpy(s, level_sprite(w, -1 - ref), w.stride)
    s.flags |= LEVEL_BORN
    s.next = ref
    if level_killed(w, -1 - ref):
        s.flags |= KILLED
    return s


cdef inline TypeRow *row(Scratch *w, Sprite *s) noexcept nogil:
    return &w.rules.types[s.type]


# ------------------------------------------------------------------------------------------------ errors and memory

cdef inline int fail(Scratch *w, int failure, int line) noexcept nogil:
    """End the state with an error: what the specification calls a crash. The first one counts."""
    if w.header.failure == 0:
        w.header.failure = failure
        w.header.failure_line = line
    w.header.ended = 1
    return -1


cdef inline void warn(Scratch *w) noexcept nogil:
    """Log a message; more than 25 of them end a game (engine, 7.8)."""
    w.header.messages += 1


cdef inline void *enlarged(void *array, int32_t *room, int64_t needed, int64_t item) noexcept nogil:
    """The array, made larger; NULL if out of memory, with the old array still valid."""
    cdef int64_t wanted = 2 * <int64_t>room[0] if 2 * <int64_t>room[0] > needed else needed + 16
    cdef void *bigger = realloc(array, wanted * item)
    if bigger != NULL:
        room[0] = <int32_t>wanted
    return bigger


cdef inline void *room_for(void *array, int32_t *room, int64_t needed, int64_t item) noexcept nogil:
    """The array, with room for ``needed`` items; NULL if out of memory, with the old array still valid."""
    return array if needed <= room[0] else enlarged(array, room, needed, item)


# ------------------------------------------------------------------------------------------------ parts of a sprite record

cdef inline Size *size_of(Scratch *w, Sprite *s) noexcept nogil:
    return <Size *>(<char *>s + w.size_at)

cdef inline int width(Scratch *w, Sprite *s) noexcept nogil:
    return size_of(w, s).w if w.size_at else w.block_size

cdef inline int height(Scratch *w, Sprite *s) noexcept nogil:
    return size_of(w, s).h if w.size_at else w.block_size

cdef inline int last_width(Scratch *w, Sprite *s) noexcept nogil:
    return size_of(w, s).last_w if w.size_at else w.block_size

cdef inline int last_height(Scratch *w, Sprite *s) noexcept nogil:
    return size_of(w, s).last_h if w.size_at else w.block_size

cdef inline Motion *motion(Scratch *w, Sprite *s) noexcept nogil:
    return <Motion *>(<char *>s + w.rules.motion_at)

cdef inline double speed(Scratch *w, Sprite *s) noexcept nogil:
    return motion(w, s).speed if w.rules.motion_at else w.rules.types[s.type].speed

cdef inline void set_speed(Scratch *w, Sprite *s, double value) noexcept nogil:
    if w.rules.motion_at:
        motion(w, s).speed = value

cdef inline double rotation(Scratch *w, Sprite *s) noexcept nogil:
    return motion(w, s).rotation if w.rules.motion_at else w.rules.types[s.type].rotation

cdef inline double gravity(Scratch *w, Sprite *s) noexcept nogil:
    return motion(w, s).gravity if w.rules.motion_at else w.rules.types[s.type].gravity

cdef inline Vital *vital(Scratch *w, Sprite *s) noexcept nogil:
    return <Vital *>(<char *>s + w.rules.vital_at)

cdef inline int health(Scratch *w, Sprite *s) noexcept nogil:
    return vital(w, s).health if w.rules.vital_at else w.rules.types[s.type].health_points

cdef inline Inner *inner(Scratch *w, Sprite *s) noexcept nogil:
    return <Inner *>(<char *>s + w.rules.inner_at)

cdef inline Target *target_of(Scratch *w, Sprite *s) noexcept nogil:
    return <Target *>(<char *>s + w.rules.target_at)

cdef inline int32_t *missiles(Scratch *w, Sprite *s) noexcept nogil:
    return <int32_t *>(<char *>s + w.rules.missiles_at)

cdef inline int32_t *resource(Scratch *w, Sprite *s, int stype) noexcept nogil:
    """The amount of a resource, NULL where this game never writes it; `ABSENT` if this sprite never had any."""
    cdef int slot = w.rules.types[stype].resource_slot if stype >= 0 else -1
    if slot < 0 or not w.rules.resources_at:
        return NULL
    return <int32_t *>(<char *>s + w.rules.resources_at) + slot

cdef inline int amount(Scratch *w, Sprite *s, int stype) noexcept nogil:
    cdef int32_t *held = resource(w, s, stype)
    return 0 if held == NULL or held[0] == ABSENT else held[0]

cdef inline void modify_resource(Scratch *w, Sprite *s, int stype, int64_t change) noexcept nogil:
    """Add to a resource, not below 0; the resource counts as touched even when 0 is stored (engine, 2.4)."""
    cdef int32_t *held = resource(w, s, stype)
    cdef int64_t value
    if held != NULL:
        value = <int32_t>((0 if held[0] == ABSENT else held[0]) + change)
        held[0] = <int32_t>(value if value > 0 else 0)


# ---------------------------------------------------------------------------------------------- geometry

cdef inline int trunc(double x) noexcept nogil:
    """Java's conversion: toward zero, NaN to 0, saturating."""
    if fabs(x) < 2147483648.0:
        return <int>x
    if x != x:
        return 0
    return 2147483647 if x > 0.0 else -2147483647 - 1

cdef inline int smaller(int a, int b) noexcept nogil:
    return a if a < b else b

cdef inline int larger(int a, int b) noexcept nogil:
    return a if a > b else b

cdef inline bint overlap(int ax, int ay, int aw, int ah, int bx, int by, int bw, int bh) noexcept nogil:
    """Whether two rectangles of positive size overlap; touching edges do not. Edges may lie beyond 32 bits."""
    return (aw > 0 and ah > 0 and bw > 0 and bh > 0
            and ax < <int64_t>bx + bw and bx < <int64_t>ax + aw and ay < <int64_t>by + bh and by < <int64_t>ay + ah)

cdef inline bint intersects(Scratch *w, Sprite *a, Sprite *b) noexcept nogil:
    cdef int block
    if w.size_at == 0:
        block = w.block_size
        return a.x < b.x + block and b.x < a.x + block and a.y < b.y + block and b.y < a.y + block
    return overlap(a.x, a.y, size_of(w, a).w, size_of(w, a).h, b.x, b.y, size_of(w, b).w, size_of(w, b).h)

cdef inline void keep_place(Scratch *w, Sprite *s) noexcept nogil:
    """Make the last rectangle the present one."""
    cdef Size *size
    s.last_x = s.x
    s.last_y = s.y
    if w.size_at:
        size = size_of(w, s)
        size.last_w = size.w
        size.last_h = size.h

cdef inline bint left_its_place(Scratch *w, Sprite *s) noexcept nogil:
    """Whether it has a last position: its last and current rectangles do not overlap (sprites, 8.1)."""
    return not overlap(
        s.x, s.y, width(w, s), height(w, s), s.last_x, s.last_y, last_width(w, s), last_height(w, s))

cdef inline bint on_screen(Scratch *w, Sprite *s) noexcept nogil:
    cdef int wide, high
    if w.size_at == 0:
        return 0 <= s.x <= w.board.last_x and 0 <= s.y <= w.board.last_y
    wide = size_of(w, s).w
    high = size_of(w, s).h
    return (wide > 0 and high > 0 and s.x >= 0 and s.y >= 0
            and s.x <= w.board.width - wide and s.y <= w.board.height - high)


# ---------------------------------------------------------------------------------------------- groups

cdef struct Walk:  # over the sprites of exactly one type, in order of creation
    int32_t level, level_end  # positions in type_level_list
    int32_t record

cdef inline Walk walk(Scratch *w, int stype) noexcept nogil:
    cdef Walk it
    cdef int group = w.board.group_of[stype]
    it.level = w.board.type_level[stype]
    it.level_end = w.board.type_level[stype + 1]
    it.record = w.groups[group].first if group >= 0 else -1
    return it

cdef inline int next_of(Scratch *w, Walk *it) noexcept nogil:
    """The next sprite's reference, `NOWHERE` at the end. Sprites appended meanwhile are visited, too."""
    cdef int j, r
    while it.level < it.level_end:
        j = w.board.type_level_list[it.level]
        it.level += 1
        if level_alive(w, j):
            return -1 - j
    r = it.record
    if r < 0:
        return NOWHERE
    it.record = record(w, r).next
    return r

cdef struct Candidates:  # a walk over group[t], or over "sprites of t and its subtypes"
    Walk it
    int part  # next position in the subtypes list, -1: group[t] itself comes first
    int type
    int with_subtypes

cdef inline Candidates candidates(Scratch *w, int stype, bint with_subtypes) noexcept nogil:
    cdef Candidates c
    c.type = stype
    c.part = 0
    c.with_subtypes = with_subtypes
    c.it = walk(w, stype)
    return c

cdef inline int next_candidate(Scratch *w, Candidates *c) noexcept nogil:
    cdef TypeRow *t = &w.rules.types[c.type]
    cdef int ref = next_of(w, &c.it)
    while ref == NOWHERE and c.with_subtypes and c.part < t.subtypes_len:
        c.it = walk(w, w.rules.pool[t.subtypes_start + c.part])
        c.part += 1
        ref = next_of(w, &c.it)
    return ref

cdef inline int find_by_id(Scratch *w, int wanted_id) noexcept nogil:
    """The record with this id, -1 if there is none: records are in order of their ids."""
    cdef int low = 0, high = w.header.n_sprites - 1, middle
    while low <= high:
        middle = (low + high) >> 1
        if record(w, middle).id < wanted_id:
            low = middle + 1
        elif record(w, middle).id > wanted_id:
            high = middle - 1
        else:
            return middle
    return -1

cdef inline int group_size(Scratch *w, int stype) noexcept nogil:
    cdef int group = w.board.group_of[stype]
    return w.groups[group].count if group >= 0 else w.board.fixed_count[stype]

cdef inline int number(Scratch *w, int stype) noexcept nogil:
    """Sprites of a type, its ancestors and its descendants: dead and disabled ones included (engine, 2.2)."""
    cdef int k, n = w.board.fixed_under[stype]
    for k in range(w.board.groups_under[stype], w.board.groups_under[stype + 1]):
        n += w.groups[w.board.groups_under_list[k]].count
    return n

cdef inline uint8_t gates_of(Scratch *w, EffectRow *e) noexcept nogil:
    return w.gates[e.gate] if e.gate >= 0 else <uint8_t>e.gates

cdef inline void set_gate(Scratch *w, EffectRow *e, int gate, bint on) noexcept nogil:
    if on:
        w.gates[e.gate] |= <uint8_t>gate
    else:
        w.gates[e.gate] &= <uint8_t>(~gate)
