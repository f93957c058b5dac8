"""The cell index, which finds the sprites that meet."""

from libc.stdint cimport int64_t

from vgdl.core.data.scratch cimport Scratch

cdef enum:
    FREE_LISTING = 4096  # index steps before its cost is compared with that of full tests: about 50 microseconds

cdef int more_spots(Scratch *w, int count) noexcept nogil
cdef int enter(Scratch *w, int index) noexcept nogil
cdef void sweep_cells(Scratch *w, int index) noexcept nogil
cdef int reindex(Scratch *w, int index) noexcept nogil
cdef void renumber(Scratch *w, int index, int place) noexcept nogil
cdef int build_index(Scratch *w, int n_seekers, bint turned_back) noexcept nogil
cdef void drop_index(Scratch *w) noexcept nogil
cdef void rest_index(Scratch *w) noexcept nogil
cdef void compare_with_full(Scratch *w) noexcept nogil


cdef inline bint is_indexing(Scratch *w) noexcept nogil:
    return w.index_built and not w.without_index


cdef inline int index_room(Scratch *w, int count) noexcept nogil:
    """Make room for ``count`` records in the index; -1 if out of memory."""
    return 0 if count <= w.room_spots else more_spots(w, count)


cdef inline void count_listing(Scratch *w, int64_t steps) noexcept nogil:
    """Add to the cost of the index in this tick."""
    w.listing += steps
    if w.listing > w.most_listing:
        compare_with_full(w)


cdef inline void start_seeking(Scratch *w) noexcept nogil:
    """From now on, enter no record but compare it with all others."""
    w.index_built = w.seeking = 1
    w.complete = w.n_sought = 0
