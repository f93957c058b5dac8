"""The common kinds of sprites, updated a whole type at a time: grid physics, constant speed, no time to live.

Nearly all sprites of most games are of these kinds. Values that depend on the type alone are read once; otherwise each
loop does what `sprites.pyx` does for sprites of all other types. The board determines which types are handled here.
"""

from libc.math cimport ceil
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint64_t
from libc.string cimport memcpy

from vgdl.core.data.layout cimport (
    BOMBING, CHASING, DRIFTING, FIRST_TICK, FLICKERING, GROUP_CHANGED, NOWHERE, ORIENTED, OUT_OF_MEMORY, ROAMING,
    SCATTERING, SPAWNING, ZERO_HEIGHT, Inner, Size, Sprite, TypeRow, UpdateRow,
)
from vgdl.core.rules.motion cimport base_x, base_y, before_movement, face, share
from vgdl.core.data.machine cimport unlikely
from vgdl.core.data.random cimport next_int, skip_int, step as random_bits
from vgdl.core.data.scratch cimport (
    Candidates, Place, Scratch, candidates, fail, group_size, inner, next_candidate, peek, record, room_for, row, size_of,
)
from vgdl.core.rules.world cimport add_sprite, kill


cdef inline void begin(Sprite *s, int size_at) noexcept nogil:
    """`before_movement` without the scratch memory, which would be reloaded after every write to a sprite."""
    cdef Size *size
    s.last_x = s.x
    s.last_y = s.y
    s.lastmove += 1
    if size_at:
        size = <Size *>(<char *>s + size_at)
        size.last_w = size.w
        size.last_h = size.h


cdef inline int displace(Scratch *w, Sprite *s, int dx, int dy) noexcept nogil:
    s.lastmove = 0
    s.x += dx
    s.y += dy
    if w.size_at and size_of(w, s).h == 0:
        return fail(w, ZERO_HEIGHT, 0)
    return 0


cdef inline int drift(Scratch *w, Sprite *s, UpdateRow *gait) noexcept nogil:
    """Passive movement (sprites, 8.2)."""
    if not gait.drifts:
        return 0
    if s.flags & FIRST_TICK:
        s.flags &= ~FIRST_TICK
        return 0
    if (s.flags & ORIENTED and gait.drift != 0 and gait.cooldown <= s.lastmove
            and not (s.orientation_x == 0.0 and s.orientation_y == 0.0)):
        return displace(w, s, share(s.orientation_x, gait.drift), share(s.orientation_y, gait.drift))
    return 0


cdef inline uint64_t twice(const double *component) noexcept nogil:
    """The bits of a number without its sign: 0 for 0, and larger for larger numbers."""
    cdef uint64_t bits
    memcpy(&bits, component, sizeof(bits))
    return bits << 1


cdef int drift_out_of_line(Scratch *w, Sprite *s, UpdateRow *gait) noexcept nogil:
    return drift(w, s, gait)


cdef inline int drift_by_turns(Scratch *w, Sprite *s, UpdateRow *gait, double pixels) noexcept nogil:
    """`drift` for sprites that do not all move in the same ticks: without a branch, which could hardly be predicted."""
    cdef uint64_t x = twice(&s.orientation_x), y = twice(&s.orientation_y), one = <uint64_t>0x7FE0000000000000  # twice 1.0
    cdef int32_t moves
    if unlikely(s.flags & (FIRST_TICK | ORIENTED) != ORIENTED) or unlikely((x > one) | (y > one)):
        return drift_out_of_line(w, s, gait)
    moves = -<int32_t>((gait.cooldown <= s.lastmove) & (x | y != 0))
    s.x += <int32_t>(s.orientation_x * pixels) & moves
    s.y += <int32_t>(s.orientation_y * pixels) & moves
    s.lastmove &= ~moves
    return 0


cdef inline bint stays(Sprite *s, UpdateRow *gait) noexcept nogil:
    """Whether an active step would not move it in this tick."""
    return gait.step == 0 or gait.cooldown > s.lastmove


cdef inline int step(Scratch *w, Sprite *s, UpdateRow *gait, int direction) noexcept nogil:
    """An active step in a base direction (sprites, 9.1); none for -1."""
    if direction < 0 or stays(s, gait):
        return 0
    return displace(w, s, ((direction == 3) - (direction == 1)) * gait.step,
                    ((direction == 2) - (direction == 0)) * gait.step)


# ---------------------------------------------------------------------------------------------- kinds

cdef inline int move_on(Scratch *w, UpdateRow *walked, int index, bint at_random) noexcept nogil:
    cdef UpdateRow gait = walked[0]
    cdef char *records = w.records
    cdef int64_t stride = w.stride
    cdef int size_at = w.size_at
    cdef Sprite *s
    cdef int k
    while index >= 0:
        s = <Sprite *>(records + index * stride)
        index = s.next
        begin(s, size_at)
        if at_random and s.orientation_x == -1.0 and s.orientation_y == -1.0:
            k = next_int(&w.header.rng, 4)
            face(s, base_x(k), base_y(k))
        if drift(w, s, &gait) < 0:
            return -1
    return 0


cdef void stand(Scratch *w, int index) noexcept nogil:
    """The update of sprites that move only when others move them."""
    cdef char *records = w.records
    cdef int64_t stride = w.stride
    cdef int size_at = w.size_at
    cdef Sprite *s
    while index >= 0:
        s = <Sprite *>(records + index * stride)
        index = s.next
        begin(s, size_at)


cdef int drifters(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    """Missiles, and sprites that stand still."""
    if not walked.drifts:
        stand(w, index)
        return 0
    return move_on(w, walked, index, False)


cdef int scatterers(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    """Missiles that draw their direction."""
    return move_on(w, walked, index, True)


cdef int flickers(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    cdef UpdateRow gait = walked[0]
    cdef TypeRow *t = &w.rules.types[walked.type]
    cdef Sprite *s
    while index >= 0:
        s = record(w, index)
        index = s.next
        before_movement(w, s)
        if drift(w, s, &gait) < 0:
            return -1
        if inner(w, s).clock > t.limit and kill(w, s, False) < 0:
            return -1
        inner(w, s).clock += 1
    return 0


cdef void make(Scratch *w, int index, int stype) noexcept nogil:
    """Spawn one sprite and pass on an orientation (sprites, 12.10)."""
    cdef Sprite *s = record(w, index)
    cdef TypeRow *t = row(w, s)
    cdef int made = add_sprite(w, stype, s.x, s.y, False)
    cdef Sprite *child
    if made < 0:
        return
    s = record(w, index)
    child = record(w, made)
    inner(w, s).count += 1
    if t.spawnorientation_x != 0.0 or t.spawnorientation_y != 0.0:
        face(child, t.spawnorientation_x, t.spawnorientation_y)
    elif child.orientation_x == 0.0 and child.orientation_y == 0.0:
        face(child, s.orientation_x, s.orientation_y)


cdef int make_one(Scratch *w, int group, int index, int stype) noexcept nogil:
    """`make` while a group is walked."""
    cdef int last = w.groups[group].last
    make(w, index, stype)
    if w.header.failure:
        return -1
    if w.groups[group].last != last:  # its own type was added to the list being walked
        return fail(w, GROUP_CHANGED, 0)
    return 0


cdef inline bint is_due(UpdateRow *gait, int time) noexcept nogil:
    """Whether the cooldown divides a time: a product, cheaper than a remainder (Lemire et al. 2019)."""
    return <uint64_t>time * gait.period <= gait.period - 1


cdef inline int64_t bar(double prob) noexcept nogil:
    """The number that 24 random bits must be below for `next_float` to be below a probability."""
    return 0 if not prob > 0.0 else 1 << 24 if prob >= 1.0 else <int64_t>ceil(prob * (1 << 24))


cdef inline int spawn(Scratch *w, UpdateRow *gait, Sprite **s, int index, int64_t limit, uint64_t *draws) noexcept nogil:
    """One draw in every update, whether or not it spawns. Invalidates pointers to sprites but the given one."""
    cdef Inner *state = inner(w, s[0])
    if state.clock == -1:
        state.clock = w.tick
    # what is drawn is tested first: most probabilities are small or 1, which a branch predictor learns
    if <int64_t>random_bits(draws, 24) < limit and is_due(gait, state.clock + w.tick):
        if make_one(w, gait.group, index, state.itype) < 0:
            return -1
        s[0] = record(w, index)
    return 0


cdef inline bint is_spent(Scratch *w, Sprite *s, int total) noexcept nogil:
    return total > 0 and inner(w, s).count >= total


cdef int spawners(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    cdef UpdateRow gait = walked[0]
    cdef TypeRow *t = &w.rules.types[walked.type]
    cdef int size_at = w.size_at, total = t.total
    cdef int64_t stride = w.stride, limit = bar(t.prob)
    cdef uint64_t draws = w.header.rng  # in a register, since nothing else draws meanwhile
    cdef double pixels = gait.drift
    cdef bint by_turns = gait.drifts and gait.drift != 0 and not size_at
    cdef Sprite *s
    while index >= 0:
        s = <Sprite *>(w.records + index * stride)
        begin(s, size_at)
        if spawn(w, &gait, &s, index, limit, &draws) < 0:
            break
        if by_turns:
            drift_by_turns(w, s, &gait, pixels)
        elif gait.drifts and drift_out_of_line(w, s, &gait) < 0:
            break
        if is_spent(w, s, total) and kill(w, s, False) < 0:
            break
        index = s.next
    w.header.rng = draws
    return -1 if w.header.failure else 0


cdef int bombers(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    """Spawners that step in a random direction first."""
    cdef UpdateRow gait = walked[0]
    cdef TypeRow *t = &w.rules.types[walked.type]
    cdef int size_at = w.size_at, total = t.total
    cdef int64_t stride = w.stride, limit = bar(t.prob)
    cdef uint64_t draws = w.header.rng  # as above
    cdef Sprite *s
    while index >= 0:
        s = <Sprite *>(w.records + index * stride)
        begin(s, size_at)
        if step(w, s, &gait, next_int(&draws, 4)) < 0 or spawn(w, &gait, &s, index, limit, &draws) < 0:
            break
        if drift(w, s, &gait) < 0 or (is_spent(w, s, total) and kill(w, s, False) < 0):
            break
        index = s.next
    w.header.rng = draws
    return -1 if w.header.failure else 0


cdef inline int wander(Sprite *s, int inner_at, int cons, uint64_t *rng) noexcept nogil:
    """`random_move` with the generator in a register, for a class that keeps its last move only to repeat it."""
    cdef Inner *state
    cdef int k
    if inner_at == 0:
        return next_int(rng, 4)
    state = <Inner *>(<char *>s + inner_at)
    if state.clock < cons:
        state.clock += 1
        return state.count - 1
    k = next_int(rng, 4)
    if cons > 0:
        state.count = k + 1
        state.clock = 0
    return k


cdef inline int roam(Scratch *w, UpdateRow *walked, int index, uint64_t *rng) noexcept nogil:
    cdef UpdateRow gait = walked[0]
    cdef int cons = w.rules.types[walked.type].cons
    cdef char *records = w.records
    cdef int64_t stride = w.stride
    cdef int size_at = w.size_at, inner_at = w.rules.inner_at
    cdef Sprite *s
    while index >= 0:
        s = <Sprite *>(records + index * stride)
        index = s.next
        begin(s, size_at)
        if drift(w, s, &gait) < 0 or step(w, s, &gait, wander(s, inner_at, cons, rng)) < 0:
            return -1
    return 0


cdef int roamers(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    """A step in a random direction. The generator stays in a register, since nothing else draws meanwhile."""
    cdef uint64_t rng = w.header.rng
    cdef int done = roam(w, walked, index, &rng)
    w.header.rng = rng
    return done


cdef int find_targets(Scratch *w, TypeRow *t) noexcept nogil:
    """List the positions of a Chaser's targets, which do not change while its type is walked; return their number."""
    cdef Candidates c = candidates(w, t.itype, group_size(w, t.itype) == 0)
    cdef Sprite *o
    cdef void *grown
    cdef int ref, n = 0
    while True:
        ref = next_candidate(w, &c)
        if ref == NOWHERE:
            return n
        grown = room_for(w.targets, &w.room_targets, n + 1, sizeof(Place))
        if grown == NULL:
            return fail(w, OUT_OF_MEMORY, 0)
        w.targets = <Place *>grown
        o = peek(w, ref)
        w.targets[n].x = o.x
        w.targets[n].y = o.y
        n += 1


cdef inline int64_t distance(Sprite *s, Place *o) noexcept nogil:
    cdef int64_t dx = <int64_t>s.x - o.x
    cdef int64_t dy = <int64_t>s.y - o.y
    return (dx if dx >= 0 else -dx) + (dy if dy >= 0 else -dy)


cdef inline int good_moves(Sprite *s, Place *o, bint fleeing) noexcept nogil:
    """Bit k: one pixel in base direction k leads toward (or from) a target, each axis on its own (sprites, 12.17)."""
    cdef int moves = (o.y < s.y) | (o.x < s.x) << 1 | (o.y > s.y) << 2 | (o.x > s.x) << 3
    return 15 & ~moves if fleeing else moves


cdef int good_move(Scratch *w, TypeRow *t, Sprite *s, int n, uint64_t *rng) noexcept nogil:
    """Draw among the good moves over all nearest of n targets; -1 without any (no draw)."""
    cdef Place *targets = w.targets
    cdef int64_t d, best = INT64_MAX
    cdef int k, i, moves, entries = 0, wanted, first = 0
    for k in range(n):
        d = distance(s, &targets[k])
        if d > best:
            continue
        if d < best:
            best = d
            entries = 0
            first = k
        moves = good_moves(s, &targets[k], t.fleeing)
        entries += (moves & 1) + (moves >> 1 & 1) + (moves >> 2 & 1) + (moves >> 3)
    if entries == 0 or (t.max_distance != -1.0 and <double>best > t.max_distance):
        return -1
    wanted = next_int(rng, entries)
    for k in range(first, n):
        if distance(s, &targets[k]) != best:
            continue
        moves = good_moves(s, &targets[k], t.fleeing)
        for i in range(4):
            if (moves >> i) & 1:
                if wanted == 0:
                    return i
                wanted -= 1
    return -1


cdef inline bint has_good_moves(TypeRow *t, Sprite *s, Place *targets, int n) noexcept nogil:
    """Whether good moves certainly exist: they do from everywhere except the exact position of a target."""
    cdef bint there = False
    cdef int k
    if t.max_distance != -1.0:
        return False
    if t.fleeing:
        return True
    for k in range(n):
        there |= (targets[k].x == s.x) & (targets[k].y == s.y)
    return not there


cdef inline int chase(Scratch *w, UpdateRow *walked, int index, uint64_t *rng) noexcept nogil:
    cdef UpdateRow gait = walked[0]
    cdef TypeRow *t = &w.rules.types[walked.type]
    cdef char *records = w.records
    cdef int64_t stride = w.stride
    cdef int size_at = w.size_at, inner_at = w.rules.inner_at, cons = t.cons
    cdef Sprite *s
    cdef bint resting
    cdef int direction, n = -1  # targets, once they are listed
    cdef int64_t most_moves = 4 * (<int64_t>w.header.n_sprites + w.board.n_level)
    while index >= 0:
        s = <Sprite *>(records + index * stride)
        index = s.next
        begin(s, size_at)
        if drift(w, s, &gait) < 0:
            return -1
        resting = stays(s, &gait)
        if resting and cons <= 0 and skip_int(rng, most_moves):
            continue
        if n < 0:
            n = find_targets(w, t)
            if n < 0:
                return -1
        direction = -1
        if n > 0:
            if resting and has_good_moves(t, s, w.targets, n) and skip_int(rng, most_moves):
                continue
            direction = good_move(w, t, s, n, rng)
        if direction < 0:
            direction = wander(s, inner_at, cons, rng)
        if step(w, s, &gait, direction) < 0:
            return -1
    return 0


cdef int chasers(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    """A step toward the nearest target, or away from it; a random one without any.

    Each draws once: among good moves or, without `cons`, at random. If a step would not move the sprite, only the draw
    matters; if good moves certainly exist, not even their number does.
    """
    cdef uint64_t rng = w.header.rng
    cdef int done = chase(w, walked, index, &rng)
    w.header.rng = rng
    return done


# ---------------------------------------------------------------------------------------------- dispatch

ctypedef int (*Updater)(Scratch *w, UpdateRow *walked, int index) noexcept nogil

# A table also keeps the compiler from inlining them all into one function, whose loops would compete for registers.
cdef Updater[<int>CHASING + 1] updaters
updaters[<int>DRIFTING] = drifters
updaters[<int>SCATTERING] = scatterers
updaters[<int>FLICKERING] = flickers
updaters[<int>SPAWNING] = spawners
updaters[<int>BOMBING] = bombers
updaters[<int>ROAMING] = roamers
updaters[<int>CHASING] = chasers


cdef int update_bulk(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    """Update all sprites of a type, from its first record on."""
    return updaters[walked.kind](w, walked, index)
