"""The targets of a type of chasers, listed once for all of its sprites."""

from libc.stdint cimport int32_t, int64_t, uint32_t

from vgdl.core.data.layout cimport OUT_OF_MEMORY, Sprite, TypeRow
from vgdl.core.data.scratch cimport Scratch, fail, group_size, level_alive, level_sprite, number, record, room_for

cdef enum:
    SEVERAL = 6  # targets from which on their distances are computed a few at a time
    MOST_MEASURED = 2048  # targets up to which their distances are
    FAR = 1 << 17  # pixels from the origin, up to which distances are; times `MOST_MEASURED`, they are 32-bit numbers

cdef struct Targets:
    int32_t *x  # in `Scratch.targets`, as the following
    int32_t *y
    int32_t *distances  # from the sprite that was last asked for
    int32_t n
    int32_t any_far  # whether one of them is not within `FAR`


cdef inline bint is_far(Sprite *s) noexcept nogil:
    return <uint32_t>(s.x + FAR) > 2 * FAR or <uint32_t>(s.y + FAR) > 2 * FAR


cdef inline void add_target(Targets *targets, Sprite *o) noexcept nogil:
    targets.x[targets.n] = o.x
    targets.y[targets.n] = o.y
    targets.any_far |= is_far(o)
    targets.n += 1


cdef inline void add_targets(Scratch *w, int stype, Targets *targets) noexcept nogil:
    """Add the sprites of exactly one type, in the order of `walk`."""
    cdef int group = w.board.group_of[stype], k, j, index
    for k in range(w.board.type_level[stype], w.board.type_level[stype + 1]):
        j = w.board.type_level_list[k]
        if level_alive(w, j):
            add_target(targets, level_sprite(w, j))
    index = w.groups[group].first if group >= 0 else -1
    while index >= 0:
        add_target(targets, record(w, index))
        index = record(w, index).next


cdef inline int find_targets(Scratch *w, TypeRow *t, Targets *targets) noexcept nogil:
    """List a Chaser's targets: the exact type's sprites, or all subtypes' if there are none (sprites, 12.17).

    Their places must not change while the list is used.
    """
    cdef int k, most = number(w, t.itype) + 1  # never 0, for which there is no memory
    cdef void *grown = room_for(w.targets, &w.room_targets, 3 * <int64_t>most, sizeof(int32_t))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.targets = <int32_t *>grown
    targets.x = w.targets
    targets.y = targets.x + most
    targets.distances = targets.y + most
    targets.n = targets.any_far = 0
    add_targets(w, t.itype, targets)
    if group_size(w, t.itype) == 0:
        t = &w.rules.types[t.itype]
        for k in range(t.subtypes_start, t.subtypes_start + t.subtypes_len):
            add_targets(w, w.rules.pool[k], targets)
    return 0


cdef inline int64_t distance(Sprite *s, Targets *targets, int k) noexcept nogil:
    cdef int64_t dx = <int64_t>s.x - targets.x[k]
    cdef int64_t dy = <int64_t>s.y - targets.y[k]
    return (dx if dx >= 0 else -dx) + (dy if dy >= 0 else -dy)


cdef struct Nearest:
    int64_t distance
    int32_t first  # of the targets at this distance
    int32_t ties  # how many these are


cdef inline int32_t measure(int32_t *xs, int32_t *ys, int32_t *distances, int n, int x, int y) noexcept nogil:
    """Compute the distances of all targets; return the shortest times `MOST_MEASURED` plus the first target at it.

    Compilers make this a loop over vectors.
    """
    cdef int32_t best = 2147483647, dx, dy, d
    cdef int k
    for k in range(n):
        dx = xs[k] - x
        dy = ys[k] - y
        d = (dx if dx >= 0 else -dx) + (dy if dy >= 0 else -dy)
        distances[k] = d
        d = d * MOST_MEASURED | k
        best = d if d < best else best
    return best


cdef inline int count_equal(int32_t *distances, int n, int32_t distance) noexcept nogil:
    cdef int k, equal = 0
    for k in range(n):
        equal += distances[k] == distance
    return equal


cdef inline void find_nearest(Sprite *s, Targets *targets, Nearest *nearest) noexcept nogil:
    """Find the nearest targets, of which there is at least one."""
    cdef int k, shortest
    cdef int64_t d
    if targets.n >= SEVERAL and targets.n <= MOST_MEASURED and not targets.any_far and not is_far(s):
        shortest = measure(targets.x, targets.y, targets.distances, targets.n, s.x, s.y)
        nearest.first = shortest % MOST_MEASURED
        nearest.distance = shortest / MOST_MEASURED
        nearest.ties = count_equal(targets.distances, targets.n, shortest / MOST_MEASURED)
        return
    nearest.distance = distance(s, targets, 0)
    nearest.first = 0
    nearest.ties = 1
    for k in range(1, targets.n):
        d = distance(s, targets, k)
        if d < nearest.distance:
            nearest.distance = d
            nearest.first = k
            nearest.ties = 1
        elif d == nearest.distance:
            nearest.ties += 1
