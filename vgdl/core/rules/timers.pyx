"""The queue of time effects (effects, 6 and 7): in the state, by due tick; for the same tick, the newest comes first.

A crowd can add a timer for every couple, so new timers wait in scratch memory, and those that are due are counted as
taken. The queue itself is written once, at the end of the event phase; in time effects also whenever a new timer is due
at once.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memmove, memset

from vgdl.core.data.layout cimport OUT_OF_MEMORY, TimerRow
from vgdl.core.data.scratch cimport Order, Scratch, fail, room_for
from vgdl.core.rules.ordering cimport sort_orders
from vgdl.core.rules.world cimport grow_block, rebase


cdef inline TimerRow *queue(Scratch *w) noexcept nogil:
    return <TimerRow *>(w.block + w.board.timers_at)


cdef int add_timer(Scratch *w, int due, int effect) noexcept nogil:
    """Queue a time effect before the first one that is not due earlier (effects, 7.2)."""
    cdef Order *timer
    cdef void *grown = room_for(w.timers, &w.room_timers, w.n_timers + 1, sizeof(Order))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.timers = <Order *>grown
    timer = &w.timers[w.n_timers]
    timer.first_key = <uint64_t>(2147483647 - <int64_t>due)
    timer.second_key = w.n_timers
    timer.first = due
    timer.second = effect
    w.n_timers += 1
    if due <= w.tick:
        w.due_at_once = 1
    return 0


cdef int next_due(Scratch *w) noexcept nogil:
    """Take the next time effect that is due: its number, -1 if there is none, -2 if out of memory."""
    cdef TimerRow *timer
    if w.due_at_once and queue_timers(w) < 0:
        return -2
    if w.n_taken == w.header.n_timers:
        return -1
    timer = &queue(w)[w.n_taken]
    if timer.next > w.tick:
        return -1
    w.n_taken += 1
    return timer.effect


cdef int make_room(Scratch *w, int count) noexcept nogil:
    """Make room for ``count`` more timers; this moves the records."""
    cdef int64_t shift, needed = w.header.n_timers + <int64_t>count
    if w.board.timers_at + <int64_t>sizeof(TimerRow) * needed <= w.header.records_at:
        return 0
    shift = <int64_t>sizeof(TimerRow) * (needed + 7)
    if grow_block(w, w.header.records_at + <int64_t>w.stride * w.header.n_sprites + shift) < 0:
        return -1
    memmove(w.records + shift, w.records, <size_t>(w.stride * <int64_t>w.header.n_sprites))
    memset(w.records, 0, <size_t>shift)
    w.header.records_at += <int32_t>shift
    w.header.size += <int32_t>shift
    rebase(w)
    return 0


cdef void drop_taken(Scratch *w) noexcept nogil:
    cdef TimerRow *timers = queue(w)
    cdef int rest = w.header.n_timers - w.n_taken
    memmove(timers, timers + w.n_taken, rest * sizeof(TimerRow))
    memset(timers + rest, 0, w.n_taken * sizeof(TimerRow))
    w.steps += rest
    w.header.n_timers = rest
    w.n_taken = 0


cdef int sort_timers(Scratch *w) noexcept nogil:
    """Sort the new timers from the back of the queue to its front; -1 if out of memory."""
    cdef void *grown = room_for(w.spare, &w.room_spare, w.n_timers, sizeof(Order))
    if grown == NULL:
        return fail(w, OUT_OF_MEMORY, 0)
    w.spare = <Order *>grown
    sort_orders(w.timers, w.n_timers, w.spare)
    return 0


cdef void merge_timers(Scratch *w) noexcept nogil:
    """Put the new timers, which are sorted, into the queue, which has room for them."""
    cdef TimerRow *timers = queue(w)
    cdef Order *timer
    cdef int old = w.header.n_timers - 1, new = 0, k
    w.header.n_timers += w.n_timers
    k = w.header.n_timers
    while new < w.n_timers:
        timer = &w.timers[new]
        k -= 1
        if old >= 0 and timers[old].next >= timer.first:
            timers[k] = timers[old]
            old -= 1
        else:
            timers[k].next = timer.first
            timers[k].effect = timer.second
            new += 1
    w.steps += w.header.n_timers - k


cdef int queue_timers(Scratch *w) noexcept nogil:
    """Bring the queue up to date, even after a failure; -1 if out of memory. Invalidates pointers into the block."""
    cdef int failed = 0
    if w.n_taken:
        drop_taken(w)
    if w.n_timers:
        failed = make_room(w, w.n_timers) < 0 or sort_timers(w) < 0
        if not failed:
            merge_timers(w)
    w.n_timers = w.due_at_once = 0
    return -1 if failed else 0
