"""The common kinds of NPCs, updated a whole type at a time: those that step at random, toward others, along paths.

The targets of a type are listed once, since they do not move while it is walked. The board determines which types are
handled here; `sprites.pyx` updates all others.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t

from vgdl.core.data.layout cimport NO_PATHS, Sprite, TypeRow, UpdateRow
from vgdl.core.data.machine cimport unlikely
from vgdl.core.data.random cimport next_int, skip_int
from vgdl.core.data.scratch cimport Scratch, fail, inner, larger, number, smaller, trunc
from vgdl.core.rules.gait cimport Steps, begin, drift, drift_of_type, step, steps_of, waiting_time, wander
from vgdl.core.rules.motion cimport base_x, base_y
from vgdl.core.rules.targets cimport Nearest, Targets, distance, find_nearest, find_targets

cdef enum:
    MANY = 4  # chasers for which it pays to know before that there are no targets
    KEY_BASE = 100  # number of columns and rows that fit into the keys of paths


# ---------------------------------------------------------------------------------------------- at random

cdef inline int roam(Scratch *w, UpdateRow *walked, int index, int size_at, int inner_at, uint64_t *rng) noexcept nogil:
    cdef int cons = w.rules.types[walked.type].cons, drifts = drift_of_type(walked)
    cdef char *records = w.records
    cdef int64_t stride = w.stride, wait = waiting_time(walked)
    cdef Steps steps = steps_of(walked)
    cdef int direction
    cdef Sprite *s
    while index >= 0:
        s = <Sprite *>(records + index * stride)
        index = s.next
        begin(s, size_at)
        if unlikely(s.flags & drifts) and drift(w, s, walked) < 0:
            return -1
        direction = wander(s, inner_at, cons, rng)
        if wait <= s.lastmove and step(w, s, &steps, direction, size_at) < 0:
            return -1
    return 0


cdef int roamers(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    """A step in a random direction. The generator stays in a register, since nothing else draws meanwhile.

    With 0 as constants, the loop is compiled again, for sprites without sizes and counters, which nearly all are.
    """
    cdef uint64_t rng = w.header.rng
    cdef int done
    if w.size_at or w.rules.inner_at:
        done = roam(w, walked, index, w.size_at, w.rules.inner_at, &rng)
    else:
        done = roam(w, walked, index, 0, 0, &rng)
    w.header.rng = rng
    return done


# ---------------------------------------------------------------------------------------------- chasers

cdef inline int good_moves(Sprite *s, Targets *targets, int k, bint fleeing) noexcept nogil:
    """Bit k: one pixel in base direction k leads toward (or from) a target, each axis on its own (sprites, 12.17)."""
    cdef int x = targets.x[k], y = targets.y[k]
    cdef int moves = (y < s.y) | (x < s.x) << 1 | (y > s.y) << 2 | (x > s.x) << 3
    return 15 & ~moves if fleeing else moves


# For each set of good moves, how many there are, and which is the k-th.
cdef uint8_t[16] n_moves = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4]
cdef int8_t[16][4] kth_move
for _moves in range(16):
    for _k, _move in enumerate([_i for _i in range(4) if _moves >> _i & 1]):
        kth_move[_moves][_k] = _move


cdef int good_move_of_ties(Sprite *s, Targets *targets, int first, int64_t best, bint fleeing, int wanted) noexcept nogil:
    """The good move at a place in the list of those over all targets at the shortest distance, from the ``first`` on."""
    cdef int k, moves
    for k in range(first, targets.n):
        if distance(s, targets, k) != best:
            continue
        moves = good_moves(s, targets, k, fleeing)
        if wanted < n_moves[moves]:
            return kth_move[moves][wanted]
        wanted -= n_moves[moves]
    return -1


cdef inline int good_move(TypeRow *t, Sprite *s, Targets *targets, uint64_t *rng) noexcept nogil:
    """Draw among the good moves over all nearest targets; -1 without any (no draw)."""
    cdef Nearest nearest
    cdef int k, moves, entries, wanted
    find_nearest(s, targets, &nearest)
    moves = good_moves(s, targets, nearest.first, t.fleeing)
    entries = n_moves[moves]
    if nearest.ties > 1:
        for k in range(nearest.first + 1, targets.n):
            if distance(s, targets, k) == nearest.distance:
                entries += n_moves[good_moves(s, targets, k, t.fleeing)]
    if entries == 0 or (t.max_distance != -1.0 and <double>nearest.distance > t.max_distance):
        return -1
    wanted = next_int(rng, entries)
    if nearest.ties == 1:
        return kth_move[moves][wanted]
    return good_move_of_ties(s, targets, nearest.first, nearest.distance, t.fleeing, wanted)


cdef inline bint stands_on_one(int32_t *xs, int32_t *ys, int n, int x, int y) noexcept nogil:
    cdef int32_t there = 0
    cdef int k
    for k in range(n):
        there |= (xs[k] == x) & (ys[k] == y)
    return there != 0


cdef inline bint has_good_moves(TypeRow *t, Sprite *s, Targets *targets) noexcept nogil:
    """Whether good moves certainly exist: they do from everywhere except the exact position of a target."""
    if t.max_distance != -1.0:
        return False
    return t.fleeing or not stands_on_one(targets.x, targets.y, targets.n, s.x, s.y)


cdef inline int chase(Scratch *w, UpdateRow *walked, int index, int size_at, uint64_t *rng) noexcept nogil:
    cdef TypeRow *t = &w.rules.types[walked.type]
    cdef char *records = w.records
    cdef int64_t stride = w.stride, wait = waiting_time(walked)
    cdef int inner_at = w.rules.inner_at, cons = t.cons, drifts = drift_of_type(walked)
    cdef int64_t most_moves = 4 * (<int64_t>w.header.n_sprites + w.board.n_level)
    cdef Sprite *s
    cdef Targets targets
    cdef Steps steps = steps_of(walked)
    cdef bint resting
    cdef int direction
    targets.n = -1  # until they are listed
    while index >= 0:
        s = <Sprite *>(records + index * stride)
        index = s.next
        begin(s, size_at)
        if unlikely(s.flags & drifts) and drift(w, s, walked) < 0:
            return -1
        resting = wait > s.lastmove
        if resting and cons <= 0 and skip_int(rng, most_moves):
            continue
        if targets.n < 0 and find_targets(w, t, &targets) < 0:
            return -1
        direction = -1
        if targets.n > 0:
            if resting and has_good_moves(t, s, &targets) and skip_int(rng, most_moves):
                continue
            direction = good_move(t, s, &targets, rng)
        if direction < 0:
            direction = wander(s, inner_at, cons, rng)
        if not resting and step(w, s, &steps, direction, size_at) < 0:
            return -1
    return 0


cdef int chasers(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    """A step toward the nearest target, or away from it; a random one without any.

    Each draws once: among good moves or, without `cons`, at random. If a step would not move the sprite, only the draw
    matters; if good moves certainly exist, not even their number does.
    """
    cdef uint64_t rng
    cdef int done
    if w.groups[walked.group].count > MANY and number(w, w.rules.types[walked.type].itype) == 0:
        return roamers(w, walked, index)
    rng = w.header.rng
    done = chase(w, walked, index, w.size_at, &rng) if w.size_at else chase(w, walked, index, 0, &rng)
    w.header.rng = rng
    return done


# ---------------------------------------------------------------------------------------------- paths

cdef int path_step(Scratch *w, int from_x, int from_y, int to_x, int to_y) noexcept nogil:
    """First base direction of the path between two pixels, -1 without a path (sprites, 15)."""
    cdef double scale = 1.0 / w.block_size
    cdef int x1 = trunc(from_x * scale), y1 = trunc(from_y * scale)
    cdef int x2 = trunc(to_x * scale), y2 = trunc(to_y * scale)
    cdef int columns = w.board.columns, rows = w.board.rows
    if w.board.paths == NULL:
        fail(w, NO_PATHS, 0)
        return -1
    if (columns > KEY_BASE or rows > KEY_BASE
            or not (0 <= x1 < columns and 0 <= x2 < columns and 0 <= y1 < rows and 0 <= y2 < rows)):
        return step_by_key(w, path_key(x1, y1, x2, y2))
    return path_between(w, x1, y1, x2, y2)


cdef inline int32_t path_key(int x1, int y1, int x2, int y2) noexcept nogil:
    """The key under which the reference stores a path; it wraps like a 32-bit int."""
    return (x1 * KEY_BASE + y1) * (KEY_BASE * KEY_BASE) + x2 * KEY_BASE + y2


cdef inline int path_between(Scratch *w, int x1, int y1, int x2, int y2) noexcept nogil:
    """First base direction of the path between two cells of the board, -1 without a path."""
    cdef int columns = w.board.columns
    return w.board.paths[<int64_t>(y1 * columns + x1) * (columns * w.board.rows) + y2 * columns + x2]


cdef int path_length(Scratch *w, int x1, int y1, int x2, int y2) noexcept nogil:
    """Number of steps of a path that exists."""
    cdef int k, n = 0
    while x1 != x2 or y1 != y2:
        k = path_between(w, x1, y1, x2, y2)
        x1 += <int>base_x(k)
        y1 += <int>base_y(k)
        n += 1
    return n


cdef int step_by_key(Scratch *w, int32_t key) noexcept nogil:
    """First base direction of the path under a key, -1 without one.

    Cells beyond the hundredth column or row, or outside of the screen, share their keys with others. Of all paths with
    one key the last one stored counts: starts are taken by column, then by row, and from each start the far targets
    come last.
    """
    cdef int columns = w.board.columns, rows = w.board.rows
    cdef int x1, y1, x2, y2, start, target, found, length, last_length = -1, last_start = -1, last_step = -1
    if key < 0:
        return -1
    target = key % (KEY_BASE * KEY_BASE)
    while target <= key and target <= (columns - 1) * KEY_BASE + rows - 1:
        start = (key - target) / (KEY_BASE * KEY_BASE)
        for x1 in range(larger(0, (start - rows) / KEY_BASE), smaller(columns - 1, start / KEY_BASE) + 1):
            y1 = start - x1 * KEY_BASE
            if y1 >= rows or x1 * rows + y1 < last_start:
                continue
            for x2 in range(larger(0, (target - rows) / KEY_BASE), smaller(columns - 1, target / KEY_BASE) + 1):
                y2 = target - x2 * KEY_BASE
                if y2 >= rows:
                    continue
                found = path_between(w, x1, y1, x2, y2)
                if found < 0:
                    continue
                length = path_length(w, x1, y1, x2, y2)
                if x1 * rows + y1 > last_start or length >= last_length:
                    last_start = x1 * rows + y1
                    last_length = length
                    last_step = found
        target += KEY_BASE * KEY_BASE
    return last_step


cdef int path_chasers(Scratch *w, UpdateRow *walked, int index) noexcept nogil:
    """A step along the path to the first of the nearest targets; a random one without any (sprites, 12.19)."""
    cdef TypeRow *t = &w.rules.types[walked.type]
    cdef int size_at = w.size_at, inner_at = w.rules.inner_at, drifts = drift_of_type(walked)
    cdef bint has_targets = number(w, t.itype) > 0
    cdef int64_t wait = waiting_time(walked)
    cdef Sprite *s
    cdef Targets targets
    cdef Nearest nearest
    cdef Steps steps = steps_of(walked)
    cdef int direction
    targets.n = -1  # until they are listed
    while index >= 0:
        s = <Sprite *>(w.records + <int64_t>index * w.stride)
        index = s.next
        begin(s, size_at)
        if unlikely(s.flags & drifts) and drift(w, s, walked) < 0:
            return -1
        if not has_targets:
            direction = wander(s, inner_at, t.cons, &w.header.rng)
        else:
            if inner_at:
                inner(w, s).clock = t.cons
            if wait > s.lastmove and w.board.paths != NULL:  # it stays where it is, whatever the path
                continue
            if targets.n < 0 and find_targets(w, t, &targets) < 0:
                return -1
            find_nearest(s, &targets, &nearest)
            direction = path_step(w, s.x, s.y, targets.x[nearest.first], targets.y[nearest.first])
            if w.header.failure:
                return -1
        if wait <= s.lastmove and step(w, s, &steps, direction, size_at) < 0:
            return -1
    return 0
