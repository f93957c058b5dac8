"""The event phase: time effects, edge effects, pair effects (engine, 7.4).

Pair effects take their sprites from the hits that the index has noted. For each effect of each pair that has hits, these are
sorted into the specified order (place of the type in the subtypes list, then id, first sprite before second), and every test of
the specification is made with the rectangles of that moment. Executions that move or create sprites add new hits, which are merged
into those still to come.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from vgdl.core.rules.debug cimport CHECKED, check_hits, check_index, check_scratch, check_state, check_without_hits
from vgdl.core.rules.effects cimport run_effect
from vgdl.core.data.machine cimport lowest_bit
from vgdl.core.data.layout cimport (
    ADD_TIMER, APPLY_SCORE, CANNOT_CREATE, COUNT, COUNT_ELSE, DISABLED, ENDLESS_TIMER, FROM_AVATAR,
    FROM_AVATAR_FLAG, GROUP_CHANGED, KILLED, KILLED_SCORE, MOVABLE, NO_AVATAR, NOWHERE, ON_GROUND, OUT_OF_MEMORY,
    TOO_MUCH_WORK, EdgeWalk, EffectRow, PairRow, Sprite, TypeRow,
)
from vgdl.core.rules.ordering cimport first_behind, merge_orders
from vgdl.core.rules.timers cimport add_timer, next_due, queue_timers
from vgdl.core.rules.walls cimport run_batch
from vgdl.core.data.scratch cimport (
    MOST_SEEKERS, Event, Hit, Order, Scratch, Walk, fail, gates_of, height, intersects, level_killed, next_of, on_screen, overlap, peek, record,
    room_for, row, walk, warn, width,
)
from vgdl.core.rules.index cimport FREE_LISTING, build_index, drop_index, index_room, is_indexing, start_seeking
from vgdl.core.rules.places cimport is_usual
from vgdl.core.rules.seekers cimport choose_changed, choose_mixed
from vgdl.core.rules.turning cimport turn_back


cdef enum:
    MOST_WORK = 400000000  # limit for the effects of a tick, in rectangle tests: 1 to 3 seconds
    MANY = 12  # with more records than this, `choose_mixed` pays off
    PAUSE = 1  # ticks without it, after it has not
    EXECUTION = 10  # cost of running an effect, in rectangle tests


cdef struct Hits:  # those of the running pair that are in `orders`
    int32_t head  # the newest of them, -1 for none
    int32_t n


# ---------------------------------------------------------------------------------------------- executing

cdef int category_of(Scratch *w, Sprite *s) noexcept nogil:
    """Category of a sprite (engine, 2.6)."""
    cdef int category = row(w, s).category_static
    if category >= 0:
        return category
    return FROM_AVATAR if s.flags & FROM_AVATAR_FLAG else MOVABLE


cdef int record_event(Scratch *w, int first, int second) noexcept nogil:
    """Record that an avatar, or a sprite from one, met another sprite: one event per tick and kind (engine, 8)."""
    cdef Sprite *x = peek(w, first)
    cdef Sprite *y = peek(w, second)
    cdef Sprite *active
    cdef Sprite *passive
    cdef Event *event
    cdef void *grown
    cdef int k
    cdef bint from_avatar
    if row(w, x).is_avatar or x.flags & FROM_AVATAR_FLAG:
        active = x
        passive = y
    elif row(w, y).is_avatar or y.flags & FROM_AVATAR_FLAG:
        active = y
        passive = x
    else:
        return 0
    from_avatar = not row(w, active).is_avatar
    k = w.n_events - 1
    while k >= 0 and w.events[k].tick == w.tick:
        event = &w.events[k]
        if (event.from_avatar == from_avatar and event.active_type == active.type
                and event.passive_type == passive.type):
            return 0
        k -= 1
    grown = room_for(w.events, &w.room_events, w.n_events + 1, sizeof(Event))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.events = <Event *>grown
    event = &w.events[w.n_events]
    w.n_events += 1
    event.tick = w.tick
    event.from_avatar = from_avatar
    event.active_type = active.type
    event.passive_type = passive.type
    event.active_id = active.id
    event.passive_id = passive.id
    event.active_category = category_of(w, active)
    event.passive_category = category_of(w, passive)
    event.x = active.x
    event.y = active.y
    return 0


cdef int add_scores(Scratch *w, EffectRow *e, int times) noexcept nogil:
    """Add the effect's score for every player; the game fails if a player has no avatar (engine, 7.5)."""
    cdef bint killed = gates_of(w, e) & KILLED_SCORE
    cdef int p
    for p in range(w.rules.n_players):
        if w.header.avatar[p] < 0:
            return fail(w, NO_AVATAR, e.line)
        if killed:
            w.header.score[p] += <double>e.killed_score[p] * times
            w.header.messages += e.killed_score_messages[p]
        else:
            w.header.score[p] += <double>e.score[p] * times
            w.header.messages += e.score_messages[p]
    return 0


cdef void add_counters(Scratch *w, EffectRow *e, int times, bint otherwise) noexcept nogil:
    cdef int32_t *counters = <int32_t *>(w.block + w.board.counters_at)
    cdef int32_t *changes = w.rules.pool + e.counters
    cdef int k
    if e.counters < 0:
        return
    if otherwise:
        changes += 2 * w.rules.n_counters
    for k in range(w.rules.n_counters):
        counters[k] += changes[2 * k] * times
        w.header.messages += changes[2 * k + 1]


cdef int run_counted(Scratch *w, int index, int first, int second) noexcept nogil:
    """Run an effect and count its work, including the sprites of a type that it goes through."""
    cdef int64_t before = w.steps
    w.steps += 1
    w.settled = 0
    if run_effect(w, index, first, second) < 0:
        return -1
    w.work_left -= EXECUTION * (w.steps - before)
    return 0 if w.work_left >= 0 else fail(w, TOO_MUCH_WORK, w.rules.effects[index].line)


cdef int execute(Scratch *w, int index, int first, int second) noexcept nogil:
    """Run an effect and apply its score, event and counters (engine, 7.5)."""
    cdef EffectRow *e = &w.rules.effects[index]
    if run_counted(w, index, first, second) < 0:
        return -1
    if CHECKED:
        check_scratch(w)
    if gates_of(w, e) & APPLY_SCORE and add_scores(w, e, 1) < 0:
        return -1
    if w.record_history and first != NOWHERE and second != NOWHERE and record_event(w, first, second) < 0:
        return -1
    if gates_of(w, e) & COUNT:
        add_counters(w, e, 1, False)
    if gates_of(w, e) & COUNT_ELSE:
        add_counters(w, e, 1, True)
    return 0


cdef int execute_batch(Scratch *w, int index, int first, int32_t *others, int n) noexcept nogil:
    cdef EffectRow *e = &w.rules.effects[index]
    cdef int k, times = run_batch(w, index, first, others, n)
    if w.header.failure:
        return -1
    if CHECKED:
        check_scratch(w)
    if gates_of(w, e) & APPLY_SCORE and add_scores(w, e, times) < 0:
        return -1
    if w.record_history:
        for k in range(n):
            if record_event(w, first, others[k]) < 0:
                return -1
    if gates_of(w, e) & COUNT:
        add_counters(w, e, times, False)
    if gates_of(w, e) & COUNT_ELSE:
        add_counters(w, e, times, True)
    return 0


cdef inline bint is_killed(Scratch *w, int ref) noexcept nogil:
    return record(w, ref).flags & KILLED if ref >= 0 else level_killed(w, -1 - ref)


cdef inline bint is_disabled(Scratch *w, int ref) noexcept nogil:
    return ref >= 0 and record(w, ref).flags & DISABLED


cdef inline int last_of_group(Scratch *w, int stype) noexcept nogil:
    return w.groups[w.board.group_of[stype]].last if w.board.group_of[stype] >= 0 else -1


# ---------------------------------------------------------------------------------------------- time effects

cdef int run_timed(Scratch *w, int index) noexcept nogil:
    """Execute a time effect for every sprite of its type, or once with none."""
    cdef EffectRow *e = &w.rules.effects[index]
    cdef TypeRow *t
    cdef Walk it
    cdef int k, stype, ref, last
    if e.op == ADD_TIMER or e.itype < 0:
        if run_counted(w, e.inner, NOWHERE, NOWHERE) < 0:
            return -1
        if gates_of(w, e) & APPLY_SCORE:
            return add_scores(w, e, 1)
        return 0
    t = &w.rules.types[e.itype]
    for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
        stype = w.rules.pool[k]
        it = walk(w, stype)
        while True:
            ref = next_of(w, &it)
            if ref == NOWHERE:
                break
            if is_killed(w, ref) or is_disabled(w, ref):
                continue
            last = last_of_group(w, stype)
            if execute(w, index, ref, NOWHERE) < 0:
                return -1
            if last_of_group(w, stype) != last:
                return fail(w, GROUP_CHANGED, e.line)
    return 0


cdef int time_effects(Scratch *w) noexcept nogil:
    cdef EffectRow *e
    cdef int index = next_due(w)
    while index >= 0:
        e = &w.rules.effects[index]
        if e.enabled:
            if run_timed(w, index) < 0:
                return -1
            if e.repeating:
                if <int32_t>(w.tick + e.timer) <= w.tick:  # not positive, or so large that the sum wraps
                    return fail(w, ENDLESS_TIMER, e.line)
                if add_timer(w, w.tick + e.timer, index) < 0:
                    return -1
        index = next_due(w)
    return 0 if index == -1 else -1


# ---------------------------------------------------------------------------------------------- edge effects

cdef inline bint forgiven(Scratch *w) noexcept nogil:
    """Whether an edge effect failed by adding to the list being walked: the reference catches that (effects, 10.2)."""
    if w.header.failure != GROUP_CHANGED:
        return False
    w.header.failure = w.header.failure_line = 0
    w.header.ended = <uint8_t>w.ended_by_player
    return True


cdef bint all_on_screen(Scratch *w) noexcept nogil:
    """Whether every record is completely on the screen; False if they are not all of the size of a cell."""
    cdef uint32_t last_x = w.board.last_x, last_y = w.board.last_y
    cdef char *next_record = w.records
    cdef bint outside = False
    cdef Sprite *s
    cdef int _k
    if w.size_at:
        return False
    for _k in range(w.header.n_sprites):
        s = <Sprite *>next_record
        next_record += w.stride
        outside |= (<uint32_t>s.x > last_x) | (<uint32_t>s.y > last_y)  # below 0: large as unsigned
    return not outside


cdef inline int walk_edge(Scratch *w, EdgeWalk *walked) noexcept nogil:
    """Run an edge effect for the sprites of a type."""
    cdef int index, following, last
    cdef bint changed
    cdef Sprite *s
    if walked.effect < 0:
        return fail(w, CANNOT_CREATE, 0)
    index = w.groups[walked.group].first
    while index >= 0:
        s = record(w, index)
        following = s.next
        if not on_screen(w, s) and not s.flags & (KILLED | DISABLED):
            last = w.groups[walked.group].last
            changed = execute(w, walked.effect, index, NOWHERE) < 0
            if changed and not forgiven(w):
                return -1
            if changed or w.groups[walked.group].last != last:  # a list was added to: the rest is skipped
                warn(w)
                return 0
        index = following
    return 0


cdef int edge_effects(Scratch *w) noexcept nogil:
    """Run the effects of sprites that are not completely on the screen; those that live in the board always are."""
    cdef int turn, k
    cdef EdgeWalk *walks = w.board.edge_walks
    cdef int n = w.board.n_edge_walks
    if n == 0 or (walks[n - 1].effect >= 0 and all_on_screen(w)):  # one without a type is the last one
        return 0
    for turn in range(w.board.n_edge_turns):
        for k in range(w.board.edge_turns[turn].len):
            if walk_edge(w, &walks[w.board.edge_turns[turn].start + k]) < 0:
                return -1
    return 0


# ---------------------------------------------------------------------------------------------- pair effects

cdef inline uint64_t key_of(Scratch *w, int side, int ref) noexcept nogil:
    """Place of a sprite among the members of one side of a pair: by type, then by id."""
    cdef Sprite *s = peek(w, ref)
    return (<uint64_t>w.rules.places[side * w.rules.n_types + s.type] << 32) | <uint64_t>s.id


cdef int gather(Scratch *w, PairRow *pair, int head, Hits *hits) noexcept nogil:
    """Add the hits of a pair that were listed since the last call."""
    cdef void *grown
    cdef Order *o
    cdef Hit *hit
    cdef int k = head, n = hits.n
    while k != hits.head:
        n += 1
        k = w.hits[k].next
    grown = room_for(w.orders, &w.room_orders, n, sizeof(Order))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.orders = <Order *>grown
    o = &w.orders[n]
    k = head
    while k != hits.head:  # from the newest on: the oldest comes first, since that is nearly their order
        hit = &w.hits[k]
        o -= 1
        o.first = hit.first
        o.second = hit.second
        o.first_key = key_of(w, pair.first_side, hit.first)
        o.second_key = key_of(w, pair.second_side, hit.second)
        k = hit.next
    k = hits.n
    hits.n = n
    hits.head = head
    return 0 if n == 1 else merge_orders(w, k, n)


cdef bint any_older(Scratch *w, int head, int seen, int limit) noexcept nogil:
    """Whether a hit that came after ``seen`` is between sprites that both existed when the running effect began."""
    while head != seen:
        if peek(w, w.hits[head].first).id < limit and peek(w, w.hits[head].second).id < limit:
            return True
        head = w.hits[head].next
    return False


cdef inline bint shielded(Scratch *w, PairRow *pair, EffectRow *e) noexcept nogil:
    cdef int k
    for k in range(w.n_shields):
        if (w.shields[k].first == pair.first and w.shields[k].second == pair.second
                and w.shields[k].hash == e.hash):
            return True
    return False


cdef inline bint runs(Scratch *w, PairRow *pair, int effect) noexcept nogil:
    """Whether an effect of a pair is executed now."""
    cdef EffectRow *e = &w.rules.effects[effect]
    return e.enabled and not (w.n_shields and shielded(w, pair, e))


cdef int partners(Scratch *w, int start, int end, int limit) noexcept nogil:
    """Collect in `batch` the second sprites of one first sprite that it overlaps now and that are not newer than ``limit``."""
    cdef int k, n = 0
    cdef void *grown = room_for(w.batch, &w.room_batch, end - start, sizeof(int32_t))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.batch = <int32_t *>grown
    for k in range(start, end):
        if k > start and w.orders[k].second == w.orders[k - 1].second:
            continue
        if peek(w, w.orders[k].second).id < limit and intersects(w, peek(w, w.orders[k].first), peek(w, w.orders[k].second)):
            w.batch[n] = w.orders[k].second
            n += 1
    return n


cdef int meet_all(Scratch *w, int effect, int first, int n) noexcept nogil:
    """Execute an effect for one first sprite and its partners in `batch`."""
    cdef int k
    if w.rules.effects[effect].in_batch:
        return execute_batch(w, effect, first, w.batch, n)
    for k in range(n):
        if is_killed(w, first):
            return 0
        if intersects(w, peek(w, first), peek(w, w.batch[k])):
            if execute(w, effect, first, w.batch[k]) < 0:
                return -1
    return 0


cdef inline bint meets_one(Scratch *w, Order *hit, int limit) noexcept nogil:
    """`partners` for a first sprite with a single hit."""
    cdef Sprite *b = peek(w, hit.second)
    return b.id < limit and intersects(w, peek(w, hit.first), b)


cdef int run_by_hits(Scratch *w, int index, int effect, int limit, Hits *hits, int64_t *done) noexcept nogil:
    """Run one effect of a pair from its hits, until they are done or the index is dropped.

    ``done`` receives the key of the last first sprite that had its turn, and stays -1 if none had. Returns whether any
    sprites met, -1 on a failure.
    """
    cdef PairRow *pair = &w.rules.pairs[index]
    cdef int i = 0, j, m, first, looked_at, any_met = 0, previous = NOWHERE
    cdef bint single, in_batch = w.rules.effects[effect].in_batch
    cdef uint64_t key
    if w.pair_heads[index] != hits.head and gather(w, pair, w.pair_heads[index], hits) < 0:
        return -1
    looked_at = hits.head
    w.steps += hits.n
    while i < hits.n and not w.without_index:
        first = w.orders[i].first
        key = w.orders[i].first_key
        j = i + 1
        while j < hits.n and w.orders[j].first_key == key:
            j += 1
        if peek(w, first).id < limit:
            single = j == i + 1 and not in_batch  # nearly always
            m = meets_one(w, &w.orders[i], limit) if single else partners(w, i, j, limit)
            if CHECKED and m >= 0:
                check_hits(w, index, effect, limit, previous, first, &w.orders[i].second if single else w.batch, m)
                previous = first
            if single:
                if m and not is_killed(w, first) and execute(w, effect, first, w.orders[i].second) < 0:
                    return -1
            elif m < 0 or (m > 0 and meet_all(w, effect, first, m) < 0):
                return -1
            any_met |= m
        done[0] = key
        i = j
        if w.pair_heads[index] == looked_at:
            continue
        if any_older(w, w.pair_heads[index], looked_at, limit):  # something moved: merge its hits
            if gather(w, pair, w.pair_heads[index], hits) < 0:
                return -1
            i = first_behind(w.orders, hits.n, key)
        looked_at = w.pair_heads[index]
    if CHECKED and not w.without_index:
        check_hits(w, index, effect, limit, previous, NOWHERE, NULL, 0)
        check_index(w)
    return any_met != 0


cdef int run_pair(Scratch *w, int index) noexcept nogil:
    """Run all effects of one pair, from its hits as long as there is an index."""
    cdef PairRow *pair = &w.rules.pairs[index]
    cdef Hits hits
    cdef int k, effect, limit, met, in_vain = -1
    cdef int64_t done
    hits.head = -1
    hits.n = 0
    for k in range(pair.effects_start, pair.effects_start + pair.effects_len):
        effect = w.rules.pool[k]
        if effect == in_vain or not runs(w, pair, effect):  # repeated after no sprites met: none will meet now
            continue
        limit = w.header.next_id
        done = -1
        in_vain = -1
        if not w.without_index:
            met = run_by_hits(w, index, effect, limit, &hits, &done)
            if met < 0:
                return -1
            if met == 0 and not w.without_index:
                in_vain = effect
        if w.without_index and run_in_full(w, pair, effect, limit, done) < 0:
            return -1
    return 0


# ---------------------------------------------------------------------------------------------- ground tests

cdef bint intersects_ground(Scratch *w, Sprite *a, Sprite *b) noexcept nogil:
    """The intersection test of platform sprites, which may find ground on the way (sprites, 10)."""
    cdef bint higher, down
    if row(w, a).ground_test and not a.flags & ON_GROUND and row(w, b).solid:
        higher = b.last_y > a.last_y + height(w, a) / 2
        down = a.y > a.last_y
        if higher and down and overlap(a.x, a.y + 3, width(w, a), height(w, a), b.x, b.y, width(w, b), height(w, b)):
            a.flags |= ON_GROUND
    return intersects(w, a, b)


cdef int members(Scratch *w, int stype, int side, int limit, int64_t after, int n) noexcept nogil:
    """Append to `batch` the sprites of a type and its subtypes with ids below ``limit`` and keys above ``after``.

    Returns the new number of entries, -1 if out of memory.
    """
    cdef TypeRow *t = &w.rules.types[stype]
    cdef Walk it
    cdef int k, ref
    cdef void *grown
    for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
        it = walk(w, w.rules.pool[k])
        while True:
            ref = next_of(w, &it)
            if ref == NOWHERE:
                break
            if peek(w, ref).id >= limit or <int64_t>key_of(w, side, ref) <= after:
                continue
            grown = room_for(w.batch, &w.room_batch, n + 1, sizeof(int32_t))
            if grown == NULL:
                return fail(w, OUT_OF_MEMORY, 0)
            w.batch = <int32_t *>grown
            w.batch[n] = ref
            n += 1
    return n


cdef int find_partners(Scratch *w, bint ground, int first, int start, int end) noexcept nogil:
    """Append to `batch`, at ``end``, its entries from ``start`` on that a sprite overlaps; return their number."""
    cdef int32_t *others = w.batch
    cdef Sprite *a = peek(w, first)
    cdef int k, n = end
    for k in range(start, end):
        if others[k] != first and (
            intersects_ground(w, a, peek(w, others[k])) if ground else intersects(w, a, peek(w, others[k]))
        ):
            others[n] = others[k]
            n += 1
    w.steps += end - start
    w.work_left -= end - start
    return n - end


cdef int run_in_full(Scratch *w, PairRow *pair, int effect, int limit, int64_t after) noexcept nogil:
    """Run one effect exactly as specified, testing every second sprite: for tests with side effects, and for crowds.

    Only first sprites with keys above ``after`` have their turns; -1 for all.
    """
    cdef int n_first, n_all, i, k, n_hit, first
    cdef void *grown
    if w.without_index and w.index_built:
        drop_index(w)
    n_first = members(w, pair.first, pair.first_side, limit, after, 0)
    if n_first < 0:
        return -1
    n_all = members(w, pair.second, pair.second_side, limit, -1, n_first)
    if n_all < 0:
        return -1
    if n_first == 0 or n_all == n_first:  # one side is empty
        return 0
    grown = room_for(w.batch, &w.room_batch, 2 * n_all, sizeof(int32_t))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.batch = <int32_t *>grown
    for i in range(n_first):
        first = w.batch[i]
        n_hit = find_partners(w, pair.in_full, first, n_first, n_all)
        if w.work_left < 0:
            return fail(w, TOO_MUCH_WORK, w.rules.effects[effect].line)
        if n_hit == 0:
            continue
        if w.rules.effects[effect].in_batch:
            if execute_batch(w, effect, first, w.batch + n_all, n_hit) < 0:
                return -1
            continue
        for k in range(n_all, n_all + n_hit):
            if is_killed(w, first):
                break
            if pair.in_full:
                if not intersects_ground(w, peek(w, first), peek(w, w.batch[k])):
                    continue
            elif not intersects(w, peek(w, first), peek(w, w.batch[k])):
                continue
            if execute(w, effect, first, w.batch[k]) < 0:
                return -1
    return 0


cdef int run_pair_in_full(Scratch *w, int index) noexcept nogil:
    cdef PairRow *pair = &w.rules.pairs[index]
    cdef int k
    for k in range(pair.effects_start, pair.effects_start + pair.effects_len):
        if runs(w, pair, w.rules.pool[k]) and run_in_full(w, pair, w.rules.pool[k], w.header.next_id, -1) < 0:
            return -1
    return 0


# ---------------------------------------------------------------------------------------------- dispatch

cdef int next_pair(Scratch *w, int index) noexcept nogil:
    """The first pair from ``index`` on that has hits or must be walked in full, -1 if there is none."""
    cdef int word = index >> 6
    cdef uint64_t bits
    if index >= w.rules.n_pairs:
        return -1
    bits = (w.active[word] | w.rules.full_pairs[word]) & ~((<uint64_t>1 << (index & 63)) - 1)
    while bits == 0:
        word += 1
        if word > (w.rules.n_pairs - 1) >> 6:
            return -1
        bits = w.active[word] | w.rules.full_pairs[word]
    return (word << 6) + lowest_bit(bits)


cdef int seekers_of_many(Scratch *w) noexcept nogil:
    """Choose other seekers, since those that have changed are too many; -1 if an index is cheaper."""
    cdef int n
    if w.header.n_sprites <= MANY or w.board.n_mixing == 0:
        return -1
    if w.unmixed > 0:
        w.unmixed -= 1
        return -1
    n = choose_mixed(w)
    w.mixed = n >= 0
    if n < 0:
        w.unmixed = PAUSE
    return n


cdef inline int choose_seekers(Scratch *w) noexcept nogil:
    """Choose few seekers by what has changed since the last tick; return their number, -1 if an index is cheaper."""
    cdef int n = choose_changed(w)
    if n == 0 or n == 1 or (n > 0 and 2 * n <= w.header.n_sprites):  # else as many comparisons as an index needs steps
        return n
    return seekers_of_many(w)


cdef int pair_effects(Scratch *w) noexcept nogil:
    """Run the pairs in order of first mention; those without hits cost nothing, unless the index is dropped."""
    cdef int index = -1, upcoming, rest, changed
    cdef bint turned_back
    if w.rules.n_pairs == 0:
        return 0
    turned_back = w.board.n_blocked and turn_back(w)
    if index_room(w, w.header.n_sprites + 16) < 0:
        return -1
    changed = choose_seekers(w) if w.settled > 1 - turned_back and not w.keeps else -1
    w.settled = w.n_loose = w.current_pair = w.without_index = 0
    if changed == 0 and not w.mixed:  # no two sprites meet
        start_seeking(w)
    elif build_index(w, changed, turned_back) < 0:
        return -1 if w.header.failure else 0
    if CHECKED and is_indexing(w):
        check_index(w)
    while not w.without_index:
        upcoming = next_pair(w, index + 1)  # pairs that get their first hits meanwhile are at or after the present one
        if CHECKED:
            check_without_hits(w, index + 1, w.rules.n_pairs if upcoming < 0 else upcoming)
        if upcoming < 0:
            w.settled = 2 - turned_back if w.n_loose <= MOST_SEEKERS and is_usual(w) else 0
            return 0
        index = w.current_pair = upcoming
        if w.rules.pairs[index].in_full:
            if run_pair_in_full(w, index) < 0:
                return -1
        elif run_pair(w, index) < 0:
            return -1
    for rest in range(index + 1, w.rules.n_pairs):
        if run_pair_in_full(w, rest) < 0:
            return -1
    drop_index(w)
    return 0


cdef int event_phase(Scratch *w) noexcept nogil:
    cdef bint failed
    if CHECKED:
        check_state(w)
    w.undone = w.swept = w.listed_type = -1
    w.listing = 0
    w.most_listing = FREE_LISTING
    w.work_left = MOST_WORK
    w.in_events = 1
    failed = (w.header.n_timers and time_effects(w) < 0) or edge_effects(w) < 0 or pair_effects(w) < 0
    w.in_events = 0
    w.steps += w.listing
    if (w.n_timers or w.n_taken) and queue_timers(w) < 0:
        return -1
    return -1 if failed else 0
