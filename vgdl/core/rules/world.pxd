"""Creating, killing and moving sprites, the cell index that finds who meets whom, and the clear phase."""

from libc.stdint cimport int32_t, int64_t

from vgdl.core.data.layout cimport Sprite
from vgdl.core.data.scratch cimport Scratch

cdef int fail(Scratch *w, int failure, int line) noexcept nogil
cdef void warn(Scratch *w) noexcept nogil
cdef void rebase(Scratch *w) noexcept nogil
cdef int grow_block(Scratch *w, int64_t needed) noexcept nogil
cdef int reserve(Scratch *w, int count) noexcept nogil
cdef int add_sprite(Scratch *w, int stype, double x, double y, bint force) noexcept nogil
cdef int kill(Scratch *w, Sprite *s, bint transformed) noexcept nogil
cdef int kill_reference(Scratch *w, int ref, bint transformed) noexcept nogil
cdef void set_rect(Scratch *w, Sprite *s, int x, int y, int wide, int high) noexcept nogil
cdef void restore(Scratch *w, Sprite *s) noexcept nogil
cdef int reindex(Scratch *w, int index) noexcept nogil
cdef int build_index(Scratch *w) noexcept nogil
cdef void drop_index(Scratch *w) noexcept nogil
cdef void rest_index(Scratch *w) noexcept nogil
cdef int clear_dead(Scratch *w) noexcept nogil
cdef int find_by_id(Scratch *w, int wanted_id) noexcept nogil
cdef void *enlarged(void *array, int32_t *room, int64_t needed, int64_t item) noexcept nogil


cdef inline void *room_for(void *array, int32_t *room, int64_t needed, int64_t item) noexcept nogil:
    """The array, with room for ``needed`` items; NULL (and the old array still valid) without memory."""
    return array if needed <= room[0] else enlarged(array, room, needed, item)


cdef void compare_with_full(Scratch *w) noexcept nogil


cdef inline void count_listing(Scratch *w, int64_t steps) noexcept nogil:
    """Add to what the index costs in this tick."""
    w.listing += steps
    if w.listing > w.most_listing:
        compare_with_full(w)
