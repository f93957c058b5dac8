"""Termination conditions (engine, 10)."""

from libc.stdint cimport int32_t, uint8_t

from vgdl.core.rules.counting cimport alive_number, living_subtypes
from vgdl.core.data.layout cimport (
    MULTI_SPRITE_COUNTER, NO_AVATAR, NO_COUNTERS, NO_SPRITE, PLAYER_LOSES, PLAYER_WINS,
    SPRITE_COUNTER, SPRITE_COUNTER_MORE, STOP_COUNTER, TIMEOUT, TerminationRow,
)
from vgdl.core.data.scratch cimport Scratch, fail


cdef int alive_in_all(Scratch *w, TerminationRow *t) noexcept nogil:
    cdef int n = 0
    if t.stype >= 0:
        n += alive_number(w, t.stype)
    if t.stype2 >= 0:
        n += alive_number(w, t.stype2)
    if t.stype3 >= 0:
        n += alive_number(w, t.stype3)
    return n


cdef bint is_done(Scratch *w, TerminationRow *t) noexcept nogil:
    cdef int n
    if t.op == TIMEOUT:
        return w.tick >= t.limit
    if t.op == SPRITE_COUNTER:
        return w.header.can_end and alive_number(w, t.stype) <= t.limit
    if t.op == SPRITE_COUNTER_MORE:
        return w.header.can_end and alive_number(w, t.stype) >= t.limit
    n = alive_in_all(w, t)
    if t.op == MULTI_SPRITE_COUNTER:
        return w.header.can_end and (n == t.limit or (t.minimum and n > t.limit))
    if t.op == STOP_COUNTER:
        w.header.can_end = n <= t.limit if t.minimum else n != t.limit
        return False
    if n != t.limit or not w.header.can_end:
        return False
    if t.stype < 0:
        fail(w, NO_SPRITE, t.line)
        return False
    return living_subtypes(w, t.stype) == t.sub_types_num


cdef int count_score(Scratch *w, TerminationRow *t, uint8_t *win) noexcept nogil:
    """The best score wins; a zero of a player other than the first never counts as best (engine, 10)."""
    cdef double best
    cdef bint zero
    cdef int p
    for p in range(w.rules.n_players):
        if w.header.avatar[p] < 0:
            return fail(w, NO_AVATAR, t.line)
    best = w.header.score[0]
    zero = best == 0.0
    for p in range(1, w.rules.n_players):
        if w.header.score[p] != 0.0:
            zero = False
            if w.header.score[p] > best:
                best = w.header.score[p]
    for p in range(w.rules.n_players):
        win[p] = not zero and w.header.score[p] == best
    return 0


cdef int use_counters(Scratch *w, TerminationRow *t, uint8_t *win) noexcept nogil:
    """Timeout that compares game counters (effects, 13.7)."""
    cdef int32_t *counters = <int32_t *>(w.block + w.board.counters_at)
    cdef int k, last, n = w.rules.n_counters
    cdef bint equal = True
    if t.compare:
        if n == 0:
            return fail(w, NO_COUNTERS, t.line)
        for k in range(n):
            equal = equal and counters[k] == counters[0]
        win[0] = not equal
        win[1] = equal
    elif w.rules.n_players != n:
        win[0] = win[1] = False
    else:
        if t.limits_bad:
            return fail(w, NO_COUNTERS, t.line)
        last = n - 1
        win[0] = counters[last] == t.limits[last]
        win[1] = False
    return 0


cdef inline bint same_numbers(Scratch *w) noexcept nogil:
    """Whether no sprite has come or gone in this tick, after one in which no termination was fulfilled."""
    return (w.tick > 0 and w.header.next_id == w.first_id and w.header.sprite_count == w.sprite_count
            and w.header.n_disabled == w.n_disabled and not w.rules.has_stops)


cdef int check_terminations(Scratch *w) noexcept nogil:
    """End the game by the first termination that is fulfilled; it decides alone (engine, 7.7)."""
    cdef TerminationRow *t
    cdef TerminationRow *following = w.rules.terminations
    cdef TerminationRow *end = following + w.rules.n_terminations
    cdef uint8_t[2] win
    cdef int p
    cdef bint only_time = same_numbers(w)
    while following < end:
        t = following
        following += 1
        if only_time and t.op != TIMEOUT:
            continue
        if not is_done(w, t):
            if w.header.failure:
                return -1
            continue
        win[0] = t.win[0]
        win[1] = t.win[1]
        if t.count_score and count_score(w, t, win) < 0:
            return -1
        if t.op == TIMEOUT and t.use_counter and use_counters(w, t, win) < 0:
            return -1
        w.header.ended = 1
        for p in range(w.rules.n_players):
            if w.header.avatar[p] >= 0:
                w.header.winner[p] = PLAYER_WINS if win[p] else PLAYER_LOSES
        return 0
    return 0
