"""Checks of the debug build (``VGDL_DEBUG=1``): derived state against the records, and the promises of storage.

The results of shortcuts are compared with those of the specified procedure: groups with a walk over the records, hits
of the cell index with the specification's loop over all members (engine, 7.4).
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdio cimport fflush, fprintf, stderr
from libc.stdlib cimport abort
from libc.string cimport memcmp

from vgdl.core.data.layout cimport (
    DISABLED, KILLED, LEVEL_BORN, NOWHERE, STEP_BACK, EffectRow, Group, Header, Inner, Motion, PairRow, Size, Sprite, Target, TimerRow,
    TypeRow, Vital,
)
from vgdl.core.data.scratch cimport (
    Spot, Walk, Scratch, height, intersects, level_alive, next_of, peek, record, walk, width,
)

from vgdl.core.rules.places cimport has_rested

cdef enum:
    MOST_TESTS = 4000000  # pairs with more couples of sprites than this are not checked


cdef void require(bint holds, const char *what, int64_t number, int64_t other, Scratch *w) noexcept nogil:
    """Abort with a message unless an invariant holds."""
    if holds:
        return
    fprintf(stderr, "vgdl debug check failed in tick %d: %s (%lld, %lld)\n", w.header.tick, what,
            <long long>number, <long long>other)
    fflush(stderr)
    abort()


cdef bint zero(const char *start, int64_t size) noexcept nogil:
    cdef int64_t k
    for k in range(size):
        if start[k]:
            return False
    return True


# ---------------------------------------------------------------------------------------------- blocks and records

cdef void check_header(Scratch *w) noexcept nogil:
    cdef Header *h = w.header
    cdef int p
    require(h.n_sprites >= 0, "a negative number of records", h.n_sprites, 0, w)
    require(h.size == h.records_at + <int64_t>h.n_sprites * w.stride, "the size is not that of the sections",
            h.size, h.n_sprites, w)
    require(h.size <= w.capacity, "the state is larger than its block", h.size, w.capacity, w)
    require(h.records_at % 8 == 0, "records are not aligned", h.records_at, 0, w)
    require(h.n_timers >= 0 and w.board.timers_at + <int64_t>sizeof(TimerRow) * h.n_timers <= h.records_at,
            "the timers reach into the records", h.n_timers, h.records_at, w)
    require(w.records == w.block + h.records_at, "the pointer to the records is stale", 0, 0, w)
    require(h.unused == 0, "unused bytes of the header are not zero", 0, 0, w)
    for p in range(w.rules.n_players):
        require(-1 <= h.avatar[p] < h.n_sprites, "a player's avatar is not a record", p, h.avatar[p], w)


cdef void check_timers(Scratch *w) noexcept nogil:
    cdef TimerRow *timers = <TimerRow *>(w.block + w.board.timers_at)
    cdef char *end = <char *>&timers[w.header.n_timers]
    cdef int k
    for k in range(w.header.n_timers):
        require(0 <= timers[k].effect < w.rules.n_effects, "a timer without an effect", k, timers[k].effect, w)
        require(k == 0 or timers[k - 1].next <= timers[k].next, "timers are out of order", k, timers[k].next, w)
    require(zero(end, w.records - end), "slack between timers and records is not zero", 0, 0, w)


cdef int64_t end_of_parts(Scratch *w) noexcept nogil:
    """Bytes of a record before its padding."""
    cdef int64_t end = sizeof(Sprite)
    if w.rules.motion_at:
        end = w.rules.motion_at + <int64_t>sizeof(Motion)
    if w.rules.vital_at:
        end = w.rules.vital_at + <int64_t>sizeof(Vital)
    if w.rules.size_at:
        end = w.rules.size_at + <int64_t>sizeof(Size)
    if w.rules.inner_at:
        end = w.rules.inner_at + <int64_t>sizeof(Inner)
    if w.rules.target_at:
        end = w.rules.target_at + <int64_t>sizeof(Target)
    if w.rules.missiles_at:
        end = w.rules.missiles_at + 4 * <int64_t>w.rules.n_missiles
    if w.rules.resources_at:
        end = w.rules.resources_at + 4 * <int64_t>w.rules.n_resources
    return end


cdef void check_records(Scratch *w) noexcept nogil:
    cdef int k, previous = -1, disabled = 0
    cdef Sprite *s
    cdef int64_t end = end_of_parts(w)
    require(end <= w.stride, "the parts of a record do not fit", end, w.stride, w)
    for k in range(w.header.n_sprites):
        s = record(w, k)
        require(previous < s.id < w.header.next_id, "records are not in order of their ids", k, s.id, w)
        previous = s.id
        require(0 <= s.type < w.rules.n_types, "a record without a type", k, s.type, w)
        require(not s.flags & LEVEL_BORN, "a scratch copy among the records", k, s.id, w)
        require(w.board.group_of[s.type] >= 0, "a record whose type has no group", k, s.type, w)
        require(zero(<char *>s + end, w.stride - end), "padding of a record is not zero", k, s.id, w)
        if s.flags & DISABLED:
            disabled += 1
    require(disabled == w.header.n_disabled, "the number of disabled sprites is wrong", disabled, w.header.n_disabled, w)


cdef int level_born_alive(Scratch *w, int stype) noexcept nogil:
    cdef int k, n = 0
    for k in range(w.board.type_level[stype], w.board.type_level[stype + 1]):
        n += level_alive(w, w.board.type_level_list[k])
    return n


cdef void check_groups(Scratch *w) noexcept nogil:
    """The linked list of every type contains all of its records, in order."""
    cdef int stype, index, last, n, total = 0
    cdef Group *group
    for stype in range(w.rules.n_types):
        n = level_born_alive(w, stype)
        if w.board.group_of[stype] < 0:
            require(n == w.board.fixed_count[stype], "the number of a type that never changes is wrong", stype, n, w)
            continue
        group = &w.groups[w.board.group_of[stype]]
        index = group.first
        last = -1
        while index >= 0:
            require(last < index < w.header.n_sprites, "a group's list leaves the records or turns back", stype, index, w)
            require(record(w, index).type == stype, "a record in a foreign group", stype, index, w)
            n += 1
            total += 1
            last = index
            index = record(w, index).next
        require(last == group.last, "a group's last record is wrong", stype, group.last, w)
        require(n == group.count, "a group's number is wrong", n, group.count, w)
    require(total == w.header.n_sprites, "records that are in no group", total, w.header.n_sprites, w)


cdef void check_bits(Scratch *w) noexcept nogil:
    """Alive bits beyond the last vanishing sprite stay zero."""
    cdef int n = w.board.n_vanishing
    if n & 63:
        require(w.alive[n >> 6] >> (n & 63) == 0, "alive bits of sprites that do not exist", n, 0, w)


cdef void check_state(Scratch *w) noexcept nogil:
    """Check what must hold whenever no function of the core is working on the state."""
    check_header(w)
    check_timers(w)
    check_records(w)
    check_groups(w)
    check_bits(w)


cdef void check_at_rest(Scratch *w) noexcept nogil:
    """Between two ticks: the state is valid, and scratch memory is as the next tick expects it."""
    cdef int k
    check_state(w)
    for k in range(w.header.n_sprites):
        require(w.header.failure or not record(w, k).flags & KILLED, "a sprite to be removed is still here", k, 0, w)
    require(not w.index_built, "the index is still being written", 0, 0, w)
    if w.n_spots:
        require(w.n_spots == w.header.n_sprites, "the index has another number of records", w.n_spots, w.header.n_sprites, w)
        check_index(w)
    else:
        for k in range(w.board.n_cells):
            require(w.cell_heads[k] == -1, "a cell of the index is not empty", k, w.cell_heads[k], w)
    for k in range(w.rules.n_pairs):
        require(w.pair_heads[k] == -1, "hits of a pair outlive the tick", k, w.pair_heads[k], w)
        require(not (w.active[k >> 6] >> (k & 63)) & 1, "a pair is still active", k, 0, w)


# ---------------------------------------------------------------------------------------------- promises

cdef void check_creation(Scratch *w, int stype) noexcept nogil:
    """The compiler knows every type that can be created."""
    require(0 <= stype < w.rules.n_types and w.board.group_of[stype] >= 0, "a type that was not to be created", stype, 0, w)


cdef void check_kill(Scratch *w, int ref) noexcept nogil:
    """What lives in the board can die only if its type is vanishing."""
    require(ref < w.header.n_sprites, "a record that is not there was killed", ref, 0, w)
    if ref < 0:
        require(-1 - ref < w.board.n_vanishing, "a static sprite was killed", peek(w, ref).type, ref, w)
        require(w.board.group_of[peek(w, ref).type] >= 0, "a vanishing type without a group", peek(w, ref).type, ref, w)


cdef void check_scratch(Scratch *w) noexcept nogil:
    """After an effect: sprites that live in the board are unchanged, except that they may have been killed."""
    cdef int slot
    cdef Sprite *copy
    cdef Sprite *home
    for slot in range(3):
        copy = <Sprite *>(w.temporary + slot * w.stride)
        if not copy.flags & LEVEL_BORN:
            continue
        home = peek(w, copy.next)
        require(copy.id == home.id and copy.type == home.type, "another sprite's id or type in a scratch copy",
                home.type, copy.type, w)
        require(copy.flags & ~(KILLED | LEVEL_BORN) == home.flags, "flags of a sprite in the board were written",
                home.type, copy.flags ^ home.flags, w)
        require(copy.x == home.x and copy.y == home.y and copy.last_x == home.last_x and copy.last_y == home.last_y,
                "a sprite in the board was moved", home.type, home.id, w)
        require(copy.lastmove == home.lastmove, "lastmove of a sprite in the board was written",
                home.type, copy.lastmove, w)
        require(copy.orientation_x == home.orientation_x and copy.orientation_y == home.orientation_y,
                "a sprite in the board was turned", home.type, home.id, w)
        require(memcmp(<char *>copy + sizeof(Sprite), <char *>home + sizeof(Sprite), w.stride - sizeof(Sprite)) == 0,
                "speed, health, size, resources or clocks of a sprite in the board were written", home.type, home.id, w)


# ---------------------------------------------------------------------------------------------- index

cdef int cell_column(Scratch *w, int64_t x) noexcept nogil:
    if x < 0:
        return 0
    return w.board.columns + 1 if x >= w.board.width else <int>x / w.board.block + 1


cdef int cell_row(Scratch *w, int64_t y) noexcept nogil:
    if y < 0:
        return 0
    return w.board.rows + 1 if y >= w.board.height else <int>y / w.board.block + 1


cdef bint is_listed(Scratch *w, int cell, int node) noexcept nogil:
    cdef int n = w.cell_heads[cell]
    while n >= 0 and n != node:
        n = w.nodes[n].next
    return n == node


cdef void check_index(Scratch *w) noexcept nogil:
    """Every record in the index is in exactly the cells that its rectangle covers now."""
    cdef int index, k, left, top, wide, high, cell
    cdef Sprite *s
    cdef Spot *spot
    if w.seeking:  # none is in the index
        return
    for index in range(w.header.n_sprites):
        s = record(w, index)
        spot = &w.spots[index]
        if spot.rows == 0:
            continue
        left = cell_column(w, s.x)
        top = cell_row(w, s.y)
        wide = cell_column(w, <int64_t>s.x + width(w, s) - 1) - left + 1
        high = cell_row(w, <int64_t>s.y + height(w, s) - 1) - top + 1
        cell = top * (w.board.columns + 2) + left
        require(spot.cell == cell and spot.columns == wide and spot.rows == high, "the index has an old rectangle", index, s.type, w)
        for k in range(wide * high):
            require(w.nodes[spot.first + k].record == index
                    and is_listed(w, cell + k / wide * (w.board.columns + 2) + k % wide, spot.first + k),
                    "a node of the index is in the wrong place", index, k, w)


cdef int64_t side_size(Scratch *w, int stype) noexcept nogil:
    """Sprites of a type and its subtypes."""
    cdef TypeRow *t = &w.rules.types[stype]
    cdef int k, u
    cdef int64_t n = 0
    for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
        u = w.rules.pool[k]
        n += w.groups[w.board.group_of[u]].count if w.board.group_of[u] >= 0 else w.board.fixed_count[u]
    return n


cdef int partners_of(Scratch *w, int stype, int ref, int limit, const int32_t *expected, int n) noexcept nogil:
    """Compare the sprites of a side that one sprite meets with those expected, in order; return their number."""
    cdef TypeRow *t = &w.rules.types[stype]
    cdef Walk it
    cdef int k, other, found = 0
    for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
        it = walk(w, w.rules.pool[k])
        while True:
            other = next_of(w, &it)
            if other == NOWHERE:
                break
            if other == ref or peek(w, other).id >= limit or not intersects(w, peek(w, ref), peek(w, other)):
                continue
            require(found < n, "the index missed that two sprites meet", peek(w, ref).id, peek(w, other).id, w)
            require(expected[found] == other, "the index has partners in another order", peek(w, ref).id, peek(w, other).id, w)
            found += 1
    return found


cdef bint stays_put(Scratch *w, int pair, int ref) noexcept nogil:
    """Whether all effects of a pair would only step a record back to where it is: such hits need not be listed."""
    cdef PairRow *row = &w.rules.pairs[pair]
    cdef EffectRow *e
    cdef int k
    if ref < 0 or not has_rested(record(w, ref)):
        return False
    for k in range(row.effects_start, row.effects_start + row.effects_len):
        e = &w.rules.effects[w.rules.pool[k]]
        if e.op != STEP_BACK or e.pixel_perfect:
            return False
    return True


cdef void check_hits(Scratch *w, int pair, int effect, int limit, int previous, int first, const int32_t *others, int n) noexcept nogil:
    """Check the turn of ``first`` in an effect of a pair, which follows that of ``previous``.

    Either may be `NOWHERE`: ``previous`` at the start, ``first`` at the end. The loop over all members must find
    nothing for the first sprites between them, and for ``first`` the ``n`` partners in ``others``. Sprites with ids
    from ``limit`` on are new and do not take part.
    """
    cdef PairRow *row = &w.rules.pairs[pair]
    cdef TypeRow *t = &w.rules.types[row.first]
    cdef Walk it
    cdef int k, ref, found
    cdef bint between = previous == NOWHERE
    if side_size(w, row.first) * side_size(w, row.second) > MOST_TESTS:
        return
    for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
        it = walk(w, w.rules.pool[k])
        while True:
            ref = next_of(w, &it)
            if ref == NOWHERE:
                break
            if ref == first:
                require(between, "first sprites have their turns in another order", peek(w, ref).id, effect, w)
                if w.seeking and stays_put(w, pair, ref):
                    return
                found = partners_of(w, row.second, ref, limit, others, n)
                require(found == n, "a partner is not met", peek(w, ref).id, effect, w)
                return
            if between and peek(w, ref).id < limit and not (w.seeking and stays_put(w, pair, ref)):
                partners_of(w, row.second, ref, limit, NULL, 0)
            between = between or ref == previous
    require(first == NOWHERE, "a first sprite that is not a member of its side", first, effect, w)


cdef void check_without_hits(Scratch *w, int first_pair, int end_pair) noexcept nogil:
    """Check that no sprites meet in pairs that are skipped for that reason."""
    cdef int pair
    for pair in range(first_pair, end_pair):
        if w.rules.pairs[pair].effects_len > 0 and not w.rules.pairs[pair].in_full:
            check_hits(w, pair, -1, w.header.next_id, NOWHERE, NOWHERE, NULL, 0)
