"""Creating, killing and moving sprites, and the clear phase."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy, memmove

from vgdl.core.rules.debug cimport CHECKED, check_creation, check_kill
from vgdl.core.data.layout cimport (
    DISABLED, KILLED, LEVEL_BORN, ORIGINAL, SPRITE_LIMIT, CANNOT_CREATE, OUT_OF_MEMORY, WRONG_ANALYSIS, ZERO_HEIGHT,
    Group, Header, Rules, Size, Sprite, Target, TypeRow,
)
from vgdl.core.data.scratch cimport (
    Scratch, fail, find_by_id, height, level_killed, level_sprite, number, record, reference, resolve, room_for, size_of, smaller, target_of,
    trunc, warn, width,
)
from vgdl.core.rules.index cimport enter, index_room, is_indexing, reindex, renumber, sweep_cells


# ---------------------------------------------------------------------------------------------- memory

cdef void rebase(Scratch *w) noexcept nogil:
    w.header = <Header *>w.block
    w.records = w.block + w.header.records_at
    w.groups = <Group *>(w.block + w.board.groups_at)
    w.gates = <uint8_t *>(w.block + w.board.gates_at)
    w.alive = <uint64_t *>(w.block + w.board.alive_at)


cdef int grow_block(Scratch *w, int64_t needed) noexcept nogil:
    cdef char *block
    if needed <= w.capacity:
        return 0
    if not CHECKED:  # a debug build moves the block whenever it can, so that stale pointers show
        needed += needed >> 1
    if needed > 2147483000:
        return fail(w, OUT_OF_MEMORY, 0)
    block = <char *>realloc(w.block, needed)
    if block == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.block = block
    w.capacity = needed
    rebase(w)
    return 0


cdef int reserve(Scratch *w, int count) noexcept nogil:
    """Make room for ``count`` more sprites; pointers to sprites are invalid afterwards."""
    cdef int64_t needed = w.header.records_at + <int64_t>w.stride * (w.header.n_sprites + <int64_t>count)
    if needed > w.capacity:
        return grow_block(w, needed)
    return 0


# -------------------------------------------------------------------------------------------------- creating and killing

cdef int add_sprite(Scratch *w, int stype, double x, double y, bint force) noexcept nogil:
    """Create a sprite; return its record, -1 for none (engine, 3.1). Invalidates pointers unless room was reserved."""
    cdef Rules *rules = w.rules
    cdef TypeRow *t
    cdef Sprite *s
    cdef Group *group
    cdef Size *size
    cdef uint8_t *built
    cdef int k, index
    if w.header.sprite_count > SPRITE_LIMIT:
        warn(w)
        return -1
    if stype < 0:
        return fail(w, CANNOT_CREATE, 0)
    t = &rules.types[stype]
    if not force:
        for k in range(t.itypes_start, t.itypes_start + t.itypes_len):
            if rules.types[rules.pool[k]].singleton and number(w, rules.pool[k]) > 0:
                return -1
    if not t.creatable:
        return fail(w, CANNOT_CREATE, 0)
    if CHECKED:
        check_creation(w, stype)
    if w.board.group_of[stype] < 0:
        return fail(w, WRONG_ANALYSIS, 0)
    if reserve(w, 1) < 0:
        return -1
    index = w.header.n_sprites
    group = &w.groups[w.board.group_of[stype]]
    s = record(w, index)
    memcpy(s, w.board.templates + <int64_t>stype * w.stride, w.stride)
    s.id = w.header.next_id
    s.x = s.last_x = trunc(x)
    s.y = s.last_y = trunc(y)
    if rules.needs_built:
        built = <uint8_t *>(w.block + w.board.built_at)
        if not (built[stype >> 3] >> (stype & 7)) & 1:
            built[stype >> 3] |= <uint8_t>(1 << (stype & 7))
            s.flags |= ORIGINAL
            w.header.messages += t.messages
            if w.size_at:
                size = size_of(w, s)
                size.last_w = size.last_h = w.block_size
        elif w.size_at and size_of(w, s).h == 0:
            return fail(w, ZERO_HEIGHT, 0)
    if group.last >= 0:
        record(w, group.last).next = index
    else:
        group.first = index
    group.last = index
    group.count += 1
    w.header.next_id += 1
    w.header.n_sprites += 1
    w.header.sprite_count += 1
    w.header.size += w.stride
    w.undone = -1
    if is_indexing(w) and (index_room(w, index + 1) < 0 or enter(w, index) < 0):
        return -1
    return index


cdef int kill(Scratch *w, Sprite *s, bint transformed) noexcept nogil:
    """Disable an avatar, or put any other sprite on the kill list, again if it is already there (engine, 3.4)."""
    cdef int32_t *kills
    cdef int ref
    if not transformed and w.rules.types[s.type].avatar_object:
        if not s.flags & DISABLED:
            s.flags |= DISABLED
            w.header.n_disabled += 1
        return 0
    ref = reference(w, s)
    if s.flags & KILLED or (ref < 0 and level_killed(w, -1 - ref)):  # a scratch copy may be older than the kill
        w.repeated_kills += 1
        return 0
    kills = <int32_t *>room_for(w.kills, &w.room_kills, w.n_kills + 1, sizeof(int32_t))
    if kills == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.kills = kills
    if CHECKED:
        check_kill(w, ref)
    if ref < 0:
        if -1 - ref >= w.board.n_vanishing:
            return fail(w, WRONG_ANALYSIS, 0)
        w.killed[(-1 - ref) >> 6] |= <uint64_t>1 << ((-1 - ref) & 63)
    w.kills[w.n_kills] = ref
    w.n_kills += 1
    s.flags |= KILLED
    return 0


cdef int kill_reference(Scratch *w, int ref, bint transformed) noexcept nogil:
    """`kill` for a sprite that may live in the board."""
    return kill(w, resolve(w, ref, 2), transformed)


# ---------------------------------------------------------------------------------------------- rectangles

cdef void set_rect(Scratch *w, Sprite *s, int x, int y, int wide, int high) noexcept nogil:
    """Write a sprite's rectangle. The only function that does so in the event phase."""
    cdef Size *size
    if w.size_at:
        size = size_of(w, s)
        if high == 0:
            fail(w, ZERO_HEIGHT, 0)
        if s.x == x and s.y == y and size.w == wide and size.h == high:
            return
        size.w = wide
        size.h = high
    elif s.x == x and s.y == y:
        return
    s.x = x
    s.y = y
    w.undone = -1
    if is_indexing(w) and not s.flags & LEVEL_BORN:
        reindex(w, reference(w, s))


cdef void restore(Scratch *w, Sprite *s) noexcept nogil:
    """Put a sprite back to where it was at the start of its update."""
    cdef Size *size
    if w.size_at:
        size = size_of(w, s)
        set_rect(w, s, s.last_x, s.last_y, size.last_w, size.last_h)
    else:
        set_rect(w, s, s.last_x, s.last_y, 0, 0)


# ---------------------------------------------------------------------------------------------- clear

cdef void follow_targets(Scratch *w) noexcept nogil:
    """Store the last rectangles of targets in their chasers, since some are about to be removed (sprites, 12.22)."""
    cdef int k, found
    cdef Sprite *s
    cdef Target *t
    for k in range(w.header.n_sprites):
        s = record(w, k)
        t = target_of(w, s)
        if t.id >= 0:
            found = find_by_id(w, t.id)
            if found >= 0:
                s = record(w, found)
                t.x = s.x
                t.y = s.y
                t.w = width(w, s)
                t.h = height(w, s)


cdef void close_ranks(Scratch *w, int first) noexcept nogil:
    """Close the gaps that dead records leave, from the ``first`` of them on; their id is -1."""
    cdef int n = w.header.n_sprites, kept = first, k = first, start, i
    while k < n:
        if record(w, k).id < 0:
            k += 1
            continue
        start = k  # a run of living records moves as a whole
        while k < n and record(w, k).id >= 0:
            k += 1
        if start != kept:
            memmove(record(w, kept), record(w, start), <int64_t>(k - start) * w.stride)
            if w.keeps:
                for i in range(k - start):
                    renumber(w, start + i, kept + i)
        kept += k - start
    w.header.size -= (n - kept) * w.stride
    w.header.n_sprites = kept
    if w.keeps:
        w.n_spots = kept


cdef void link_groups(Scratch *w, int moved) noexcept nogil:
    """Bring the list of every type up to date after the records from ``moved`` on have closed their ranks."""
    cdef Group *group
    cdef Sprite *s
    cdef int k, index, previous
    for k in range(w.board.n_groups):
        group = &w.groups[k]
        if group.last < moved:
            continue
        previous = -1
        index = group.first
        while index < moved:
            previous = index
            index = record(w, index).next
        group.last = previous
        if previous < 0:
            group.first = -1
        else:
            record(w, previous).next = -1
    for k in range(moved, w.header.n_sprites):
        s = record(w, k)
        group = &w.groups[w.board.group_of[s.type]]
        s.next = -1
        if group.last < 0:
            group.first = k
        else:
            record(w, group.last).next = k
        group.last = k


cdef int clear_dead(Scratch *w) noexcept nogil:
    """Remove the sprites of the kill list; every kill of one lowers the sprite count (engine, 7.6)."""
    cdef Header *h = w.header
    cdef Sprite *s
    cdef int k, p, ref, j, kept, first = h.n_sprites
    if w.rules.has_targets:
        follow_targets(w)
    h.sprite_count -= w.n_kills + w.repeated_kills
    for k in range(w.n_kills):
        ref = w.kills[k]
        if ref >= 0:
            s = record(w, ref)
            s.flags &= ~KILLED
            s.id = -1
            first = smaller(first, ref)
            if s.flags & DISABLED:
                h.n_disabled -= 1
            for p in range(w.rules.n_players):
                if h.avatar[p] == ref:
                    h.avatar[p] = -1
            w.groups[w.board.group_of[s.type]].count -= 1
        else:
            j = -1 - ref
            w.alive[j >> 6] &= ~(<uint64_t>1 << (j & 63))
            w.killed[j >> 6] &= ~(<uint64_t>1 << (j & 63))
            w.groups[w.board.group_of[level_sprite(w, j).type]].count -= 1
    if w.keeps:
        for k in range(w.n_kills):
            if w.kills[k] >= 0:
                sweep_cells(w, w.kills[k])
    w.n_kills = w.repeated_kills = 0
    if first == h.n_sprites:
        return 0
    for p in range(w.rules.n_players):
        kept = h.avatar[p]
        for k in range(first, kept):
            h.avatar[p] -= record(w, k).id < 0
    close_ranks(w, first)
    link_groups(w, first)
    return 0
