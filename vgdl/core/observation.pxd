"""A player's view of a state; `Scratch` is only read here."""

from libc.stdint cimport int32_t

from vgdl.core.data.scratch cimport Scratch

cdef struct Visible:
    int32_t id
    int32_t type
    int32_t category
    int32_t x, y  # position in pixels

cdef tuple action_list(Scratch *w, int player, bint nil)
cdef object avatar(Scratch *w, int player)
cdef object avatar_position(Scratch *w, int player)
cdef tuple lists(Scratch *w, int category, object reference)
cdef tuple grid(Scratch *w)
cdef tuple avatar_events(bytes history)
cdef object sprite_array(Scratch *w)
cdef int fill(Scratch *w, object array) except -1
cdef list records(Scratch *w)
cdef list drawing(Scratch *w)
cdef int count_visible(Scratch *w) noexcept nogil
