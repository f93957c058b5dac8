"""The common kinds of sprites, updated a whole type at a time: grid physics, constant speed, no time to live.

Nearly all sprites of most games are of these kinds. Values that depend on the type alone are read once; otherwise each
loop does what `sprites.pyx` does for sprites of all other types. The board determines which types are handled here.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

from vgdl.core.data.layout cimport (
    BOMBING, CHASING, DRIFTING, FIRST_TICK, FLICKERING, GROUP_CHANGED, ORIENTED, PATHING, ROAMING, SCATTERING, SPAWNING,
    Inner, Sprite, TypeRow, UpdateRow,
)
from vgdl.core.data.machine cimport unlikely
from vgdl.core.data.random cimport next_int, step as random_bits
from vgdl.core.data.scratch cimport Scratch, fail, inner, record, row
from vgdl.core.rules.gait cimport Steps, begin, drift, drift_of_type, may_drift, step, steps_of, waiting_time
from vgdl.core.rules.motion cimport base_x, base_y, before_movement, face
from vgdl.core.rules.npcs cimport chasers, path_chasers, roamers
from vgdl.core.rules.world cimport add_sprite, kill


cdef inline uint64_t twice(const double *component) noexcept nogil:
    """The bits of a number without its sign: 0 for 0, and larger for larger numbers."""
    cdef uint64_t bits
    memcpy(&bits, component, sizeof(bits))
    return bits << 1


cdef int drift_out_of_line(Scratch *w, Sprite *s, UpdateRow *gait) noexcept nogil:
    return drift(w, s, gait)


cdef inline int drift_by_turns(Scratch *w, Sprite *s, UpdateRow *gait, double pixels) noexcept nogil:
    """`drift` for sprites without sizes: without branches, which could hardly be predicted if they do not all move at once."""
    cdef uint64_t x = twice(&s.orientation_x), y = twice(&s.orientation_y), one = <uint64_t>0x7FE0000000000000  # twice 1.0
    cdef int32_t moves
    if unlikely(s.flags & (FIRST_TICK | ORIENTED) != ORIENTED) or unlikely((x > one) | (y > one)):
        return drift_out_of_line(w, s, gait)
    moves = -<int32_t>((gait.cooldown <= s.lastmove) & (x | y != 0))
    s.x += <int32_t>(s.orientation_x * pixels) & moves
    s.y += <int32_t>(s.orientation_y * pixels) & moves
    s.lastmove &= ~moves
    return 0


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


cdef void drift_all(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    """`move_on` for sprites without sizes, which cannot fail."""
    cdef UpdateRow gait = walked[0]
    cdef char *records = w.records
    cdef int64_t stride = w.stride
    cdef double pixels = gait.drift
    cdef Sprite *s
    while index >= 0:
        s = <Sprite *>(records + index * stride)
        index = s.next
        begin(s, 0)
        drift_by_turns(w, s, &gait, pixels)


cdef int drifters(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    """Missiles, and sprites that stand still."""
    if not walked.drifts:
        stand(w, index)
        return 0
    if walked.drift != 0 and w.size_at == 0:
        drift_all(w, walked, index)
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
    cdef int64_t below
    if not prob > 0.0:
        return 0
    if prob >= 1.0:
        return 1 << 24
    below = <int64_t>(prob * (1 << 24))
    return below + (<double>below < prob * (1 << 24))


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


cdef int stand_and_spawn(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    """`spawners` for a type that does not move and may spawn any number of sprites."""
    cdef UpdateRow gait = walked[0]
    cdef int size_at = w.size_at
    cdef int64_t stride = w.stride, limit = bar(w.rules.types[walked.type].prob)
    cdef uint64_t draws = w.header.rng  # in a register, since nothing else draws meanwhile
    cdef char *records = w.records
    cdef Sprite *s
    while index >= 0:
        s = <Sprite *>(records + index * stride)
        begin(s, size_at)
        if spawn(w, &gait, &s, index, limit, &draws) < 0:
            break
        records = w.records
        index = s.next
    w.header.rng = draws
    return -1 if w.header.failure else 0


cdef int spawners(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    cdef UpdateRow gait = walked[0]
    cdef TypeRow *t = &w.rules.types[walked.type]
    cdef int size_at = w.size_at, total = t.total
    cdef int64_t stride = w.stride, limit = bar(t.prob)
    cdef uint64_t draws = w.header.rng  # in a register, since nothing else draws meanwhile
    cdef double pixels = gait.drift
    cdef bint by_turns = gait.drifts and gait.drift != 0 and not size_at
    cdef Sprite *s
    if not gait.drifts and total <= 0:
        return stand_and_spawn(w, walked, index)
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
    cdef int size_at = w.size_at, total = t.total, drifts = drift_of_type(walked), direction
    cdef int64_t stride = w.stride, limit = bar(t.prob), wait = waiting_time(walked)
    cdef uint64_t draws = w.header.rng  # as above
    cdef Steps steps = steps_of(walked)
    cdef Sprite *s
    while index >= 0:
        s = <Sprite *>(w.records + index * stride)
        begin(s, size_at)
        direction = next_int(&draws, 4)
        if wait <= s.lastmove and step(w, s, &steps, direction, size_at) < 0:
            break
        if spawn(w, &gait, &s, index, limit, &draws) < 0:
            break
        if may_drift(s, walked, drifts) and drift(w, s, &gait) < 0:
            break
        if is_spent(w, s, total) and kill(w, s, False) < 0:
            break
        index = s.next
    w.header.rng = draws
    return -1 if w.header.failure else 0


# ---------------------------------------------------------------------------------------------- dispatch

ctypedef int (*Updater)(Scratch *w, UpdateRow *walked, int index) noexcept nogil

# A table also keeps the compiler from inlining them all into one function, whose loops would compete for registers.
cdef Updater[<int>PATHING + 1] updaters
updaters[<int>DRIFTING] = drifters
updaters[<int>SCATTERING] = scatterers
updaters[<int>FLICKERING] = flickers
updaters[<int>SPAWNING] = spawners
updaters[<int>BOMBING] = bombers
updaters[<int>ROAMING] = roamers
updaters[<int>CHASING] = chasers
updaters[<int>PATHING] = path_chasers


cdef int update_bulk(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    """Update all sprites of a type, from its first record on."""
    return updaters[walked.kind](w, walked, index)
