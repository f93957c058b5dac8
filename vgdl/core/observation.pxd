"""What a player sees of a state; `Work` is only read here."""

from libc.stdint cimport int32_t

from vgdl.core.work cimport Work

cdef struct Visible:
    int32_t id
    int32_t type
    int32_t category
    int32_t x, y  # position in pixels

cdef tuple action_list(Work *w, int player, bint nil)
cdef object avatar(Work *w, int player)
cdef object avatar_position(Work *w, int player)
cdef tuple lists(Work *w, int category, object reference)
cdef tuple grid(Work *w)
cdef tuple avatar_events(bytes history)
cdef object sprite_array(Work *w)
cdef int fill(Work *w, object array) except -1
cdef list records(Work *w)
cdef list drawing(Work *w)
